// Questions to the tables of a run: what was where at a time.

export const DATA = 1;
export const AGAIN = 2;
export const REPLY = 4;
export const MARKED = 8;
export const ON_ITS_WAY = 0;
export const DELIVERED = 1;
/** In a column of windows: there is no threshold. */
export const NONE = 0xffffffff;

/** Crossings that are over in a row, after which no earlier one is under way: reordering reaches no further. */
const SETTLED = 96;

/** The first index whose value is above the given one; the values ascend. */
export function after(values, value) {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Calls `visit` with the row of each crossing that has begun at a time, and was not over `fade` seconds before. */
export function crossingsAt(table, time, fade, visit) {
  let settled = 0;
  for (let row = after(table.offered, time) - 1; row >= 0 && settled < SETTLED; row--) {
    // What is not over yet has no number there.
    const isOver = table.ended[row] + (table.fate[row] > DELIVERED ? fade : 0) < time;
    settled = isOver ? settled + 1 : 0;
    if (!isOver) visit(row);
  }
}

export function queueAt(table, time) {
  const row = after(table.time, time) - 1;
  return row < 0 ? 0 : table.packets[row];
}

/** The rows of each flow in the table of windows. */
export class Senders {
  constructor() {
    this.rows = [];
    this.seen = 0;
  }

  follow(windows) {
    for (; this.seen < windows.rows; this.seen++) {
      (this.rows[windows.flow[this.seen]] ??= []).push(this.seen);
    }
  }

  /** The row that holds at a time; undefined before the first. */
  at(windows, flow, time) {
    const rows = this.rows[flow] ?? [];
    let [low, high] = [0, rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (windows.time[rows[middle]] > time) high = middle;
      else low = middle + 1;
    }
    return rows[low - 1];
  }
}
