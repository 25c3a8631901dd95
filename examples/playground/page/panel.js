// The tables beside the drawing: senders at the present time, and one packet in words.

import { DATA, NONE } from "playground/history";
import { clock, short, span, thousands, withUnit } from "playground/format";

function cell(text, name = "td") {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

/** What a sender is doing. */
function phase(windows, row) {
  if (windows.recovery[row]) return "recovery";
  return windows.cwnd[row] < windows.ssthresh[row] ? "slow start" : "avoidance";
}

export class SenderTable {
  constructor(body) {
    this.body = body;
    this.cells = [];
  }

  /** Makes a row for each flow. */
  begin(directions, theme) {
    this.body.replaceChildren();
    this.cells = directions.map((toTheLeft, flow) => {
      const row = this.body.insertRow();
      const head = cell("", "th");
      head.scope = "row";
      const chip = document.createElement("i");
      chip.className = "chip";
      chip.style.background = theme.flows[flow % theme.flows.length];
      const doing = document.createElement("small");
      head.append(chip, `${flow + 1} ${toTheLeft ? "←" : "→"}`, doing);
      row.append(head);
      return [doing, ...["cwnd", "ssthresh", "flight", "rtt", "rto"].map(() => row.appendChild(cell("–")))];
    });
  }

  show(run, time) {
    const { windows } = run.engine;
    this.cells.forEach((cells, flow) => {
      const row = run.senders.at(windows, flow, time);
      if (cells.row === row) return;
      cells.row = row;
      const packets = (bytes) => short(bytes / run.payload);
      const texts = row === undefined ? ["", ...Array(5).fill("–")] : [
        phase(windows, row),
        packets(windows.cwnd[row]),
        windows.ssthresh[row] === NONE ? "–" : packets(windows.ssthresh[row]),
        packets(windows.in_flight[row]),
        windows.rtt[row] > 0 ? span(windows.rtt[row]) : "–",
        span(windows.rto[row]),
      ];
      cells.forEach((cell, index) => {
        if (cell.textContent !== texts[index]) cell.textContent = texts[index];
      });
    });
  }
}

export class Inspector {
  constructor(root, onSelect) {
    this.root = root;
    this.onSelect = onSelect;
  }

  clear() {
    this.root.dataset.packet = "";
    const hint = document.createElement("p");
    hint.className = "hint";
    hint.textContent = "Click a packet on the line or in the sequence plot, or step with the arrow keys: here is its header, and why it was sent.";
    this.root.replaceChildren(hint);
  }

  /** Shows a packet; returns what it is in a sentence. */
  show(engine, number, theme) {
    const told = engine.describe(number);
    if (!told) return "";
    this.root.dataset.packet = String(number);
    const title = document.createElement("h3");
    const chip = document.createElement("i");
    chip.className = "chip";
    chip.style.background = theme.flows[told.flow % theme.flows.length];
    const isData = engine.packets.kind[number] & DATA;
    title.append(chip, told.name);
    const where = document.createElement("p");
    where.className = "sub";
    where.textContent = `Packet ${thousands(number + 1)} of flow ${told.flow + 1}, ${isData ? "data" : "no data"}`;
    const why = document.createElement("p");
    why.className = "why";
    why.textContent = told.why;
    this.root.replaceChildren(title, where, why);
    if (told.earlier) this.root.append(this.#earlier(told.earlier));
    this.root.append(this.#heading("Header"), this.#list("header", told.header));
    const steps = told.journey.map(([at, what]) => [clock(at), what]);
    this.root.append(this.#heading("Its way"), this.#list("journey", steps));
    const bytes = document.createElement("details");
    bytes.append(cell("Bytes of the headers", "summary"), cell(told.hex, "code"));
    this.root.append(bytes);
    return `${told.name}, packet ${number + 1} of flow ${told.flow + 1}. ${told.why}`;
  }

  #heading(text) {
    return cell(text, "h4");
  }

  #earlier({ number, at, fate }) {
    const line = document.createElement("p");
    const link = document.createElement("button");
    link.type = "button";
    link.className = "link";
    link.textContent = `packet ${thousands(number + 1)}`;
    link.addEventListener("click", () => this.onSelect(number));
    line.append("Sent before as ", link, ` at ${clock(at)}: ${fate}.`);
    return line;
  }

  #list(name, pairs) {
    const list = document.createElement("dl");
    list.className = name;
    for (const [term, value] of pairs) list.append(cell(term, "dt"), cell(value, "dd"));
    return list;
  }
}

/** The results of a run that is over. */
export function showResults(body, { results }) {
  body.replaceChildren();
  if (!results) return;
  for (const flow of results.flows) {
    const row = body.insertRow();
    const share = flow.segments ? (100 * flow.retransmitted) / flow.segments : 0;
    row.append(
      cell(flow.name.replace(">", " → ").replace(/#\d+$/, ""), "th"),
      cell(withUnit(flow.throughput, "bit/s")),
      cell(`${flow.retransmitted ?? 0} (${short(share)} %)`),
      cell(String(flow.timeouts ?? 0)),
    );
  }
}
