// The plots over time: windows, queues, sequence numbers. Each is drawn once, row by row as far as a frame has
// time for, and again only when its range changes; the line of the present time moves above them.

import { AGAIN, DATA, DELIVERED, NONE, ON_ITS_WAY, REPLY, after } from "playground/history";
import { RUNNING } from "playground/engine";
import { short, thousands } from "playground/format";

export const LEFT = 46;
export const RIGHT = 10;
const TOP = 8;

const COARSE = [1, 2, 5, 10];
const FINE = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];

/** The least number of the form of these steps times a power of ten that is not below a value. */
function nice(value, steps = COARSE) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-9)));
  return steps.map((step) => step * power).find((step) => step >= value * (1 - 1e-9));
}

class Chart {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: false });
    this.low = 0;
    this.high = 1;
  }

  resize() {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    this.canvas.width = this.width * ratio;
    this.canvas.height = this.height * ratio;
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  x(time) {
    return LEFT + ((time - this.from) / (this.to - this.from)) * (this.width - LEFT - RIGHT);
  }

  y(value) {
    const bottom = this.height - this.bottom;
    return bottom - ((value - this.low) / (this.high - this.low)) * (bottom - TOP);
  }

  /** Begins to draw anew. */
  begin(run, [from, to], theme) {
    [this.from, this.to] = [from, to];
    this.theme = theme;
    this.measure(run);
    const { context: c } = this;
    c.fillStyle = theme.surface;
    c.fillRect(0, 0, this.width, this.height);
    c.font = theme.font;
    c.lineWidth = 1;
    this.#grid(theme);
    this.rewind(run);
  }

  #grid(theme) {
    const { context: c } = this;
    const step = nice((this.high - this.low) / 3.2);
    c.textAlign = "right";
    c.textBaseline = "middle";
    for (let value = Math.ceil(this.low / step) * step; value <= this.high; value += step) {
      const y = Math.round(this.y(value)) + 0.5;
      c.strokeStyle = theme.rule;
      c.beginPath();
      c.moveTo(LEFT, y);
      c.lineTo(this.width - RIGHT, y);
      c.stroke();
      c.fillStyle = theme.faint;
      c.fillText(value >= 1000 ? thousands(Math.round(value)) : short(value), LEFT - 6, y);
    }
    if (this.bottom < 20) return;
    const second = nice((this.to - this.from) / Math.max(this.width / 110, 2));
    c.textAlign = "center";
    for (let time = Math.ceil(this.from / second) * second; time <= this.to * 1.0001; time += second) {
      const x = this.x(time);
      c.fillStyle = theme.faint;
      const digits = Math.max(0, -Math.floor(Math.log10(second)));
      c.fillText(`${time.toFixed(digits)} s`, Math.min(x, this.width - 24), this.height - 8);
    }
  }

  /** Where a series of steps ends that has come to a row, with its last value held; undefined: it goes on. */
  endOf(engine, times, row) {
    const isOver = row < times.length ? times[row] > this.to : engine.state !== RUNNING;
    return isOver ? this.x(Math.min(this.to, engine.now)) : undefined;
  }

  /** Keeps what is drawn inside the plot's area. */
  clipped(draw) {
    const { context: c } = this;
    c.save();
    c.beginPath();
    c.rect(LEFT, 0, this.width - LEFT - RIGHT, this.height - this.bottom + 1);
    c.clip();
    draw(c);
    c.restore();
  }
}

/** The rows of a series of steps that a range shows: the one before it too. */
const firstRow = (times, from) => Math.max(after(times, from) - 1, 0);

export class WindowChart extends Chart {
  bottom = 6;

  measure({ engine, payload }) {
    const { time, cwnd, rows } = engine.windows;
    let most = 4 * payload;
    const last = after(time, this.to);
    for (let row = firstRow(time, this.from); row < last && row < rows; row++) most = Math.max(most, cwnd[row]);
    this.high = nice((most / payload) * 1.02, FINE);
  }

  outgrown({ engine, payload }) {
    const { time, cwnd, rows } = engine.windows;
    return rows > 0 && time[rows - 1] <= this.to && cwnd[rows - 1] / payload > this.high;
  }

  rewind({ engine, senders }) {
    const { windows } = engine;
    senders.follow(windows);
    this.row = firstRow(windows.time, this.from);
    this.pens = senders.rows.map((rows, flow) => {
      const row = senders.at(windows, flow, this.from);
      return row === undefined ? undefined : this.#pen(windows, row);
    });
  }

  #pen(windows, row) {
    return { x: Math.max(this.x(windows.time[row]), LEFT), cwnd: windows.cwnd[row], ssthresh: windows.ssthresh[row] };
  }

  drawSome({ engine, payload }, theme, rows) {
    const { windows } = engine;
    this.clipped((c) => {
      for (const end = Math.min(this.row + rows, windows.rows); this.row < end; this.row++) {
        const row = this.row;
        if (windows.time[row] > this.to) break;
        const flow = windows.flow[row];
        const pen = this.pens[flow];
        const next = this.#pen(windows, row);
        if (pen) this.#step(c, pen, next, theme.flows[flow % theme.flows.length], payload);
        this.pens[flow] = next;
      }
      const x = this.endOf(engine, windows.time, this.row);
      if (x === undefined) return;
      this.pens.forEach((pen, flow) => {
        if (pen && pen.x < x) this.#step(c, pen, { ...pen, x }, theme.flows[flow % theme.flows.length], payload);
        if (pen) pen.x = x;
      });
    });
    return this.row < windows.rows && windows.time[this.row] <= this.to;
  }

  #step(c, pen, next, color, payload) {
    const y = this.y(pen.cwnd / payload);
    c.strokeStyle = color;
    c.lineWidth = 1.6;
    c.beginPath();
    c.moveTo(pen.x, y);
    c.lineTo(next.x, y);
    c.lineTo(next.x, this.y(next.cwnd / payload));
    c.stroke();
    if (pen.ssthresh === NONE) return;
    c.globalAlpha = 0.55;
    c.fillStyle = color;
    c.fillRect(pen.x, this.y(pen.ssthresh / payload) - 0.5, Math.max(next.x - pen.x, 0.5), 1);
    c.globalAlpha = 1;
  }
}

export class QueueChart extends Chart {
  bottom = 6;

  measure({ engine, settings }) {
    let most = settings.queue === "infinite" ? 4 : Math.min(settings.buffer, 20);
    for (const { time, packets, rows } of [engine.queueThere, engine.queueBack]) {
      const last = Math.min(after(time, this.to), rows);
      for (let row = firstRow(time, this.from); row < last; row++) most = Math.max(most, packets[row]);
    }
    this.high = nice(most * 1.15, FINE);
  }

  outgrown({ engine }) {
    return [engine.queueThere, engine.queueBack].some(
      ({ time, packets, rows }) => rows > 0 && time[rows - 1] <= this.to && packets[rows - 1] > this.high,
    );
  }

  rewind({ engine, settings }) {
    this.#limit(settings);
    this.pens = [engine.queueThere, engine.queueBack].map(({ time }) => ({ row: firstRow(time, this.from), x: LEFT, packets: 0 }));
    this.drop = after(engine.packets.sent, this.from);
  }

  /** A line where the buffer is full. */
  #limit({ queue, buffer }) {
    if (queue === "infinite" || buffer > this.high) return;
    const { context: c } = this;
    const y = Math.round(this.y(buffer)) + 0.5;
    c.setLineDash([3, 3]);
    c.beginPath();
    c.moveTo(LEFT, y);
    c.lineTo(this.width - RIGHT, y);
    c.strokeStyle = this.theme.faint;
    c.stroke();
    c.setLineDash([]);
  }

  drawSome({ engine }, theme, rows) {
    let more = false;
    this.clipped((c) => {
      [engine.queueThere, engine.queueBack].forEach((table, way) => {
        const pen = this.pens[way];
        more = this.#drawQueue(c, table, pen, theme.queues[way], way, rows) || more;
        const x = this.endOf(engine, table.time, pen.row);
        if (x !== undefined) this.#hold(c, pen, x, way);
      });
      more = this.#drawDrops(c, engine, theme, rows) || more;
    });
    return more;
  }

  #drawQueue(c, table, pen, color, way, rows) {
    c.fillStyle = color;
    for (const end = Math.min(pen.row + rows, table.rows); pen.row < end; pen.row++) {
      if (table.time[pen.row] > this.to) return false;
      const x = Math.max(this.x(table.time[pen.row]), LEFT);
      const [y, next] = [this.y(pen.packets), this.y(table.packets[pen.row])];
      this.#hold(c, pen, x, way);
      if (way === 1 && pen.packets + table.packets[pen.row] > 1) c.fillRect(x, Math.min(y, next), 1, Math.abs(next - y));
      pen.packets = table.packets[pen.row];
    }
    return pen.row < table.rows && table.time[pen.row] <= this.to;
  }

  /** Holds a length up to a place: to the right it is an area, to the left a line above it. */
  #hold(c, pen, x, way) {
    const y = this.y(pen.packets);
    const width = Math.max(x - pen.x, 0.5);
    if (way === 0) c.fillRect(pen.x, y, width, this.y(0) - y);
    else if (pen.packets > 0) c.fillRect(pen.x, y - 0.75, width, 1.5);
    pen.x = x;
  }

  #drawDrops(c, { packets }, theme, rows) {
    for (const end = Math.min(this.drop + rows, packets.rows); this.drop < end; this.drop++) {
      const fate = packets.fate[this.drop];
      // Its end is still to come, as is that of those after it.
      if (fate === ON_ITS_WAY) return false;
      if (fate === DELIVERED) continue;
      const x = this.x(packets.ended[this.drop]);
      c.fillStyle = theme.again;
      c.fillRect(x - 1, TOP - 5, 2, 7);
    }
    return this.drop < packets.rows && packets.sent[this.drop] <= this.to;
  }
}

export class SequenceChart extends Chart {
  bottom = 22;

  /** The range of numbers. Where a part of the time is shown, each flow counts from the left edge on. */
  measure({ engine }) {
    const { sent, seq, payload, kind, flow, rows } = engine.packets;
    this.base = new Float64Array(256);
    const last = Math.min(after(sent, this.to), rows);
    const first = after(sent, this.from);
    if (this.from > 0) {
      this.base.fill(Infinity);
      for (let row = first; row < last; row++) {
        if (kind[row] & DATA) this.base[flow[row]] = Math.min(this.base[flow[row]], seq[row]);
      }
    }
    let most = 1e4;
    for (let row = first; row < last; row++) {
      if (kind[row] & DATA) most = Math.max(most, seq[row] + payload[row] - this.base[flow[row]]);
    }
    this.high = nice((most / 1000) * 1.01, FINE);
  }

  outgrown({ engine }) {
    const { sent, seq, kind, flow, rows } = engine.packets;
    for (let row = rows - 1; row >= Math.max(0, rows - 40); row--) {
      if (kind[row] & DATA && sent[row] <= this.to && (seq[row] - this.base[flow[row]]) / 1000 > this.high) return true;
    }
    return false;
  }

  rewind({ engine }) {
    this.row = after(engine.packets.sent, this.from);
    this.last = new Map();
  }

  drawSome({ engine: { packets } }, theme, rows) {
    this.clipped((c) => {
      const size = Math.min(3, Math.max(1.5, this.width / 400));
      for (const end = Math.min(this.row + rows, packets.rows); this.row < end; this.row++) {
        const row = this.row;
        if (packets.sent[row] > this.to || packets.fate[row] === ON_ITS_WAY) return;
        const flow = packets.flow[row];
        if (flow === 255) continue;
        const kind = packets.kind[row];
        const [x, y] = this.place(packets, row);
        const color = theme.flows[flow % theme.flows.length];
        if (kind & DATA) this.#data(c, packets, row, x, y, size, color, theme);
        else if (kind & REPLY) this.#dot(c, flow, x, y, color);
      }
    });
    return this.row < packets.rows && packets.sent[this.row] <= this.to && packets.fate[this.row] !== ON_ITS_WAY;
  }

  /** Where a packet is drawn: data where and when they were sent, acks when they arrived. */
  place(packets, row) {
    const isData = packets.kind[row] & DATA;
    const time = isData ? packets.sent[row] : packets.ended[row];
    const number = isData ? packets.seq[row] : packets.ack[row];
    return [this.x(time), this.y((number - this.base[packets.flow[row]]) / 1000)];
  }

  #data(c, packets, row, x, y, size, color, theme) {
    const lost = packets.fate[row] > DELIVERED;
    const again = packets.kind[row] & AGAIN;
    if (!lost && !again) {
      const key = packets.flow[row] * 2;
      if (this.#isCovered(key, x, y)) return;
      c.fillStyle = color;
      c.fillRect(x - size / 2, y - size / 2, size, size);
      return;
    }
    c.strokeStyle = again ? theme.again : color;
    c.lineWidth = 1.4;
    if (again) c.strokeRect(x - 2.5, y - 2.5, 5, 5);
    if (!lost) return;
    c.strokeStyle = theme.again;
    c.beginPath();
    c.moveTo(x - 3.5, y - 3.5);
    c.lineTo(x + 3.5, y + 3.5);
    c.moveTo(x + 3.5, y - 3.5);
    c.lineTo(x - 3.5, y + 3.5);
    c.stroke();
  }

  #dot(c, flow, x, y, color) {
    if (this.#isCovered(flow * 2 + 1, x, y)) return;
    c.globalAlpha = 0.55;
    c.fillStyle = color;
    c.fillRect(x - 0.9, y - 0.9, 1.8, 1.8);
    c.globalAlpha = 1;
  }

  /** Whether a dot falls upon the one before it of the same kind. */
  #isCovered(key, x, y) {
    const at = Math.round(x) * 65536 + Math.round(y);
    if (this.last.get(key) === at) return true;
    this.last.set(key, at);
    return false;
  }

  /** The packet that is drawn nearest to a place, if one is near; -1: none is. */
  packetAt({ packets }, x, y, reach) {
    const perPixel = (this.to - this.from) / (this.width - LEFT - RIGHT);
    const time = this.from + (x - LEFT) * perPixel;
    let [best, nearest] = [-1, reach * reach];
    // Acks are drawn when they arrive, which is later than they were sent.
    const last = Math.min(after(packets.sent, time + reach * perPixel), packets.rows);
    for (let row = last - 1; row >= 0 && packets.sent[row] > time - 2 * reach * perPixel - 2; row--) {
      if (packets.flow[row] === 255) continue;
      const [px, py] = this.place(packets, row);
      const distance = (px - x) ** 2 + (py - y) ** 2;
      if (distance < nearest) [best, nearest] = [row, distance];
    }
    return best;
  }
}
