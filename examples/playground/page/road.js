// The bottleneck, drawn to scale in time: packets that wait, packets on the line, packets that are lost.
// A packet on the line is as long as its transmission takes; the line is as long as its delay.

import { AGAIN, DATA, MARKED, after, crossingsAt } from "playground/history";
import { span, withUnit } from "playground/format";

/** How long what was dropped is shown, in seconds of real time. */
const FADE = 0.7;
const NARROWEST = 3;

export class Road {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.drawn = [];
    this.selected = -1;
  }

  resize() {
    const { clientWidth, clientHeight } = this.canvas;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    this.width = clientWidth;
    this.height = clientHeight;
    this.canvas.width = clientWidth * ratio;
    this.canvas.height = clientHeight * ratio;
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  /** Where the two lanes and the queues before them are. */
  #geometry() {
    const edge = this.width < 560 ? 10 : 16;
    const queue = Math.max(76, this.width * 0.27);
    const lane = Math.max(18, Math.min(30, this.height * 0.14));
    const [from, to] = [edge + queue, this.width - edge - queue];
    return {
      lane, queue, edge, from, to,
      // The middle of each lane.
      y: [this.height * 0.34, this.height * 0.72],
    };
  }

  draw(engine, settings, time, pace, theme) {
    const { context: c } = this;
    const g = this.#geometry();
    c.clearRect(0, 0, this.width, this.height);
    this.drawn.length = 0;
    const packets = engine.packets;
    this.#sides(g, settings, theme);
    [engine.there, engine.back].forEach((table, way) => {
      this.#lane(g, way, settings, theme);
      const waiting = [];
      crossingsAt(table, time, FADE * pace, (row) => {
        const began = table.began[row];
        if (table.fate[row] > 1 && table.ended[row] <= time) this.#dropped(g, way, table, row, packets, time, pace, theme);
        else if (began <= time) this.#onLine(g, way, table, row, packets, time, settings, theme);
        else waiting.push(row);
      });
      this.#queue(g, way, table, waiting.reverse(), packets, settings, theme);
    });
  }

  #lane(g, way, settings, theme) {
    const { context: c } = this;
    const y = g.y[way];
    c.fillStyle = theme.lane;
    c.fillRect(g.from, y - g.lane / 2, g.to - g.from, g.lane);
    c.fillStyle = theme.faint;
    c.font = theme.font;
    c.textBaseline = "middle";
    c.textAlign = "center";
    const words = `${withUnit(settings.rate, "bit/s")}, ${span(settings.delay)}`;
    const arrow = way === 0 ? "→" : "←";
    c.fillText(way === 0 ? `${words} ${arrow}` : `${arrow} ${words}`, (g.from + g.to) / 2, y - g.lane / 2 - 10);
  }

  /** Who is at both ends, beyond the lanes. */
  #sides(g, { there, back }, theme) {
    const { context: c } = this;
    c.fillStyle = theme.faint;
    c.font = theme.font;
    c.textBaseline = "middle";
    const both = there > 0 && back > 0;
    const [left, right] = both ? ["left hosts", "right hosts"] : there > 0 ? ["senders", "receivers"] : ["receivers", "senders"];
    c.textAlign = "left";
    const to = this.width < 560 ? "" : "to the ";
    c.fillText(to + right, g.to + 10, g.y[0]);
    c.textAlign = "right";
    c.fillText(to + left, g.from - 10, g.y[1]);
  }

  /** A place on the line, 0 where packets enter it and 1 where they leave it. */
  #x(g, way, share) {
    return way === 0 ? g.from + share * (g.to - g.from) : g.to - share * (g.to - g.from);
  }

  #onLine(g, way, table, row, packets, time, settings, theme) {
    const delay = Math.max(table.ended[row] - table.left[row] || settings.delay, 1e-9);
    const head = Math.min((time - table.began[row]) / delay, 1);
    const tail = table.left[row] <= time ? Math.min((time - table.left[row]) / delay, 1) : 0;
    const [a, b] = [this.#x(g, way, tail), this.#x(g, way, head)];
    const width = Math.max(Math.abs(b - a), NARROWEST);
    this.#packet(Math.min(a, b), g.y[way], width, g.lane, table.packet[row], packets, theme);
  }

  #packet(x, y, width, lane, number, packets, theme) {
    const { context: c } = this;
    const kind = packets.kind[number];
    const height = kind & DATA ? lane - 4 : lane * 0.42;
    const gap = width > 5 ? 1 : 0;
    const color = theme.flows[packets.flow[number] % theme.flows.length];
    c.fillStyle = kind & AGAIN ? theme.again : color;
    c.globalAlpha = kind & DATA ? 1 : 0.75;
    c.fillRect(x, y - height / 2, width - gap, height);
    c.globalAlpha = 1;
    if (kind & AGAIN) {
      // A retransmission keeps the colour of its flow at its foot.
      c.fillStyle = color;
      c.fillRect(x, y + height / 2 - 4, width - gap, 4);
    }
    if (kind & MARKED) {
      c.fillStyle = theme.ink;
      c.fillRect(x, y - height / 2, width - gap, 3);
    }
    if (number === this.selected) {
      c.strokeStyle = theme.ink;
      c.lineWidth = 2;
      c.strokeRect(x - 2, y - height / 2 - 2, width - gap + 4, height + 4);
    }
    this.drawn.push({ x, y, width, height: lane, number });
  }

  #queue(g, way, table, rows, packets, settings, theme) {
    const { context: c } = this;
    const y = g.y[way];
    const capacity = settings.queue === "infinite" ? Math.max(60, rows.length) : Math.max(settings.buffer, rows.length, 1);
    const room = g.queue - 12;
    const step = Math.min(room / capacity, 14);
    const left = way === 0 ? g.from - 6 - step * capacity : g.to + 6;
    c.strokeStyle = theme.rule;
    c.lineWidth = 1;
    c.strokeRect(left - 2.5, y - g.lane / 2 - 2.5, step * capacity + 5, g.lane + 5);
    rows.forEach((row, place) => {
      const x = way === 0 ? g.from - 6 - step * (place + 1) : g.to + 6 + step * place;
      this.#packet(x, y, Math.max(step, 1), g.lane, table.packet[row], packets, theme);
    });
    c.fillStyle = theme.faint;
    c.font = theme.font;
    c.textAlign = way === 0 ? "right" : "left";
    const limit = settings.queue === "infinite" ? "" : ` of ${settings.buffer}`;
    const edge = way === 0 ? g.from - 4 : g.to + 4;
    c.fillText(`${rows.length}${limit} wait`, edge, y + g.lane / 2 + 14);
  }

  /** What was dropped falls from the lane: at the queue if it never had the line, else on the line. */
  #dropped(g, way, table, row, packets, time, pace, theme) {
    const { context: c } = this;
    const age = (time - table.ended[row]) / (FADE * pace);
    const hadLine = table.began[row] <= time;
    const x = hadLine ? this.#x(g, way, 0.04) : way === 0 ? g.edge + 8 : this.width - g.edge - 8;
    const y = g.y[way] + g.lane / 2 + 8 + age * age * 26;
    c.globalAlpha = Math.max(0, 1 - age);
    c.fillStyle = theme.flows[packets.flow[table.packet[row]] % theme.flows.length];
    c.fillRect(x - 5, y - 5, 10, 10);
    c.strokeStyle = theme.again;
    c.lineWidth = 2.5;
    c.beginPath();
    c.moveTo(x - 8, y - 8);
    c.lineTo(x + 8, y + 8);
    c.moveTo(x + 8, y - 8);
    c.lineTo(x - 8, y + 8);
    c.stroke();
    c.globalAlpha = 1;
    this.drawn.push({ x: x - 8, y, width: 16, height: 18, number: table.packet[row] });
  }

  /** The number of the packet nearest to a place, if one is near; -1: none is. */
  packetAt(x, y, reach) {
    let [best, nearest] = [-1, reach];
    for (const box of this.drawn) {
      const dx = Math.max(box.x - x, 0, x - box.x - box.width);
      const dy = Math.max(Math.abs(box.y - y) - box.height / 2, 0);
      const distance = Math.hypot(dx, dy);
      // Of those under the finger the last one drawn is on top.
      if (distance <= nearest) [best, nearest] = [box.number, distance];
    }
    return best;
  }

  /** What the drawing shows, in a sentence. */
  inWords(engine, time) {
    const counts = [engine.there, engine.back].map((table) => {
      let [waiting, flying] = [0, 0];
      crossingsAt(table, time, 0, (row) => (table.began[row] <= time ? flying++ : waiting++));
      return [waiting, flying];
    });
    const [[queue, line], [queueBack, lineBack]] = counts;
    return `To the right ${queue} packets wait and ${line} are on the line; to the left ${queueBack} wait and ${lineBack} are on the line.`;
  }
}

/** The packet that is sent next after a time, or last before it; -1: there is none. */
export function neighbour(packets, time, forward) {
  if (forward) {
    const next = after(packets.sent, time);
    return next < packets.rows ? next : -1;
  }
  let row = after(packets.sent, time) - 1;
  while (row >= 0 && packets.sent[row] >= time) row--;
  return row;
}
