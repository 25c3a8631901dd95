// The page: joins the emulator, the form, the drawings and the passing of time.

import { Controls } from "playground/controls";
import { CUT, Engine, RUNNING } from "playground/engine";
import { clock, span, thousands } from "playground/format";
import { LEFT, QueueChart, RIGHT, SequenceChart, WindowChart } from "playground/charts";
import { Senders } from "playground/history";
import { Inspector, SenderTable, showResults } from "playground/panel";
import { directions, fromFragment, payloadOf, toFragment, toml } from "playground/settings";
import { Road, neighbour } from "playground/road";

const $ = (id) => document.getElementById(id);
/** Milliseconds of a frame that the emulator may take, and the plots. */
const RUN_BUDGET = 3;
const DRAW_BUDGET = 2;
/** Rows that a plot draws before it looks at the clock. */
const ROWS = 400;
const LEAST_RANGE = 0.002;

class Playground {
  constructor(engine) {
    this.engine = engine;
    this.road = new Road($("road"));
    this.charts = [new WindowChart($("windows")), new QueueChart($("queues")), new SequenceChart($("sequence"))];
    this.senderTable = new SenderTable($("senders").tBodies[0]);
    this.inspector = new Inspector($("inspector"), (packet) => this.select(packet, true));
    this.controls = new Controls($("settings"), $("preset"), (key, value) => this.change(key, value));
    this.playing = false;
    this.runBudget = RUN_BUDGET;
    this.readTheme();
    this.listen();
    this.open(location.hash, !matchMedia("(prefers-reduced-motion: reduce)").matches);
    requestAnimationFrame((at) => this.frame(at));
  }

  // What is shown

  /** Shows what a link says. */
  open(fragment, plays) {
    const { preset, settings } = fromFragment(fragment);
    this.preset = preset;
    this.settings = settings;
    this.setPace(Math.log10(1 / preset.pace));
    this.start();
    this.setPlaying(plays);
  }

  change(key, value) {
    this.settings = { ...this.settings, [key]: value };
    if (this.settings.there + this.settings.back === 0) this.settings[key === "there" ? "back" : "there"] = 1;
    this.start();
  }

  /** Begins a run of the present settings. */
  start() {
    const { settings, preset } = this;
    $("preset").value = preset.id;
    $("look").textContent = preset.look;
    this.controls.show(settings);
    this.fragment = toFragment(preset, settings);
    $("scenario").textContent = toml(settings);
    this.run = { engine: this.engine, settings, payload: payloadOf(settings), senders: new Senders() };
    this.time = 0;
    this.range = [0, settings.duration];
    this.road.selected = -1;
    $("playhead").setAttribute("aria-valuenow", 0);
    $("playhead").setAttribute("aria-valuemax", settings.duration);
    this.inspector.clear();
    $("announce").textContent = "";
    this.senderTable.begin(directions(settings), this.theme);
    showResults($("results").tBodies[0], {});
    $("digest").textContent = "";
    $("progress").className = "";
    this.fragmentDue = performance.now() + 300;
    try {
      this.engine.start(toml(settings));
    } catch (error) {
      $("progress").textContent = error.message;
      $("progress").className = "wrong";
      this.run = null;
    }
    this.redraw();
  }

  /** All plots are to be drawn anew. */
  redraw() {
    this.stale = true;
    this.dirty = true;
  }

  readTheme() {
    const style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue(`--${name}`).trim();
    this.theme = {
      ...Object.fromEntries(["surface", "ink", "faint", "rule", "lane", "again"].map((name) => [name, color(name)])),
      flows: [1, 2, 3, 4].map((number) => color(`flow${number}`)),
      queues: [color("queue1"), color("queue2")],
      font: `11.5px ${color("sans")}`,
    };
  }

  resize() {
    this.road.resize();
    this.charts.forEach((chart) => chart.resize());
    this.redraw();
  }

  // Time

  setPlaying(playing) {
    this.playing = playing;
    $("play").textContent = playing ? "Pause" : "Play";
    $("play").setAttribute("aria-pressed", playing);
    this.dirty = true;
    if (!playing && this.run) $("road").setAttribute("aria-label", this.road.inWords(this.engine, this.time));
  }

  setPace(exponent) {
    $("pace").value = exponent;
    this.pace = 10 ** Number($("pace").value);
    const text = this.pace >= 0.995 ? `${thousands(Number(this.pace.toPrecision(2)))} × real time` : `1/${thousands(Number((1 / this.pace).toPrecision(2)))} of real time`;
    $("pace-text").textContent = Math.abs(this.pace - 1) < 0.02 ? "real time" : text;
    $("pace").setAttribute("aria-valuetext", $("pace-text").textContent);
  }

  seek(time) {
    this.time = Math.min(Math.max(time, 0), this.settings.duration);
    const [from, to] = this.range;
    if (this.time < from || this.time > to) this.setRange(this.time - (to - from) * 0.1, to - from);
    this.dirty = true;
  }

  setRange(from, length) {
    const most = this.settings.duration;
    const span = Math.min(Math.max(length, LEAST_RANGE), most);
    const start = Math.min(Math.max(from, 0), most - span);
    this.range = [start, start + span];
    this.redraw();
  }

  /** Shows less of the time or more, around a moment that stays where it is. */
  zoom(factor, around = this.time) {
    const [from, to] = this.range;
    const length = Math.min(Math.max((to - from) * factor, LEAST_RANGE), this.settings.duration);
    this.setRange(around - ((around - from) / (to - from)) * length, length);
  }

  /** To the packet that is sent next, or was before. */
  step(forward) {
    this.setPlaying(false);
    const { packets } = this.engine;
    // The packets of one instant come one by one.
    const chosen = this.road.selected;
    const isHere = chosen >= 0 && chosen < packets.rows && packets.sent[chosen] === this.time;
    const beside = chosen + (forward ? 1 : -1);
    const packet = isHere && beside >= 0 && beside < packets.rows ? beside : neighbour(packets, this.time, forward);
    if (packet >= 0) this.select(packet, true);
  }

  select(packet, goesThere) {
    const { packets } = this.engine;
    if (packet < 0 || packet >= packets.rows || packets.flow[packet] === 255) return;
    this.road.selected = packet;
    $("announce").textContent = this.inspector.show(this.engine, packet, this.theme);
    if (goesThere) this.seek(packets.sent[packet]);
    this.dirty = true;
  }

  // Frames

  frame(at) {
    const begin = performance.now();
    const passed = Math.min((at - (this.before ?? at)) / 1000, 0.1);
    this.before = at;
    if (this.run) {
      if (this.engine.state === RUNNING) this.compute();
      if (this.playing) this.play(passed);
      this.drawPlots();
      if (this.dirty) this.drawNow();
    }
    if (this.fragmentDue && begin > this.fragmentDue) {
      history.replaceState(null, "", this.fragment);
      this.fragmentDue = 0;
    }
    requestAnimationFrame((next) => this.frame(next));
  }

  compute() {
    this.engine.advance(this.runBudget);
    this.run.senders.follow(this.engine.windows);
    this.dirty = true;
    const { state, now, packets } = this.engine;
    if (state === RUNNING) {
      $("progress").textContent = `Computed ${span(now)} of ${span(this.settings.duration)}`;
      return;
    }
    const { digest, results } = this.engine.summary();
    showResults($("results").tBodies[0], { results });
    $("digest").textContent = digest;
    $("progress").textContent =
      state === CUT ? `Cut short after ${span(now)}: more packets than can be kept` : `${thousands(packets.rows)} packets in ${span(now)}`;
  }

  play(passed) {
    // Nothing can be shown that was not computed yet.
    const end = this.engine.state === RUNNING ? this.engine.now : Math.min(this.engine.now, this.settings.duration);
    this.seek(Math.min(this.time + passed * this.pace, Math.max(end, this.time)));
    if (this.engine.state !== RUNNING && this.time >= end) this.setPlaying(false);
  }

  drawPlots() {
    const outgrown = this.charts.some((chart) => chart.from !== undefined && !this.stale && chart.outgrown(this.run));
    if (this.stale || outgrown) {
      this.charts.forEach((chart) => chart.begin(this.run, this.range, this.theme));
      this.stale = false;
      this.dirty = true;
    }
    const until = performance.now() + DRAW_BUDGET;
    let more = true;
    while (more && performance.now() < until) {
      more = false;
      for (const chart of this.charts) more = chart.drawSome(this.run, this.theme, ROWS) || more;
    }
  }

  drawNow() {
    this.dirty = false;
    this.road.draw(this.engine, this.settings, this.time, this.pace, this.theme);
    this.senderTable.show(this.run, this.time);
    $("clock").textContent = clock(this.time);
    const x = this.charts[0].x(this.time);
    $("playhead").style.transform = `translateX(${x}px)`;
    if (this.playing) return;
    $("playhead").setAttribute("aria-valuenow", this.time.toFixed(6));
    $("playhead").setAttribute("aria-valuetext", clock(this.time));
  }

  // Hands

  listen() {
    $("preset").addEventListener("change", () => this.open(`#show=${$("preset").value}`, this.playing));
    $("play").addEventListener("click", () => this.toggle());
    $("first").addEventListener("click", () => this.seek(0));
    $("previous").addEventListener("click", () => this.step(false));
    $("next").addEventListener("click", () => this.step(true));
    $("pace").addEventListener("input", () => this.setPace($("pace").value));
    $("in").addEventListener("click", () => this.zoom(0.5));
    $("out").addEventListener("click", () => this.zoom(2));
    $("all").addEventListener("click", () => this.setRange(0, this.settings.duration));
    $("share").addEventListener("click", () => this.share());
    $("settings").addEventListener("submit", (event) => event.preventDefault());
    $("road").addEventListener("click", (event) => this.pick(event));
    $("plots").addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    this.listenToPointers($("plots"));
    addEventListener("keydown", (event) => this.onKey(event));
    addEventListener("hashchange", () => {
      if (location.hash !== this.fragment) this.open(location.hash, this.playing);
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.readTheme();
      this.senderTable.begin(directions(this.settings), this.theme);
      this.redraw();
    });
    new ResizeObserver(() => this.resize()).observe($("stage"));
  }

  toggle() {
    const atEnd = this.engine.state !== RUNNING && this.time >= Math.min(this.engine.now, this.settings.duration);
    if (!this.playing && atEnd) this.seek(0);
    this.setPlaying(!this.playing);
  }

  async share() {
    history.replaceState(null, "", this.fragment);
    try {
      await navigator.clipboard.writeText(location.href);
      $("share").textContent = "Copied";
    } catch {
      // Without a clipboard the address line has it.
      $("share").textContent = "It is in the address line";
    }
    setTimeout(() => ($("share").textContent = "Copy link"), 2000);
  }

  pick(event) {
    const packet = this.road.packetAt(event.offsetX, event.offsetY, event.pointerType === "touch" ? 18 : 8);
    if (packet < 0) return;
    this.setPlaying(false);
    this.select(packet, false);
  }

  timeAt(event) {
    const box = $("plots").getBoundingClientRect();
    const [from, to] = this.range;
    return from + ((event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT)) * (to - from);
  }

  onWheel(event) {
    event.preventDefault();
    const [from, to] = this.range;
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.setRange(from + (event.deltaX / 600) * (to - from), to - from);
    else this.zoom(1.0015 ** event.deltaY, this.timeAt(event));
  }

  /** One pointer moves the time or picks a packet of the sequence plot; two zoom. */
  listenToPointers(plots) {
    const pointers = new Map();
    plots.addEventListener("pointerdown", (event) => {
      pointers.set(event.pointerId, event);
      plots.setPointerCapture(event.pointerId);
      if (pointers.size > 1 || this.pickInPlot(event)) return;
      this.seek(this.timeAt(event));
    });
    plots.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) return;
      if (pointers.size === 1 && Math.abs(event.clientX - before.clientX) > 2) {
        this.seek(this.timeAt(event));
      } else if (pointers.size === 2) {
        const other = [...pointers.values()].find((pointer) => pointer.pointerId !== event.pointerId);
        const width = (pointer) => Math.max(Math.abs(pointer.clientX - other.clientX), 20);
        this.zoom(width(before) / width(event), (this.timeAt(before) + this.timeAt(other)) / 2);
      } else return;
      pointers.set(event.pointerId, event);
    });
    for (const name of ["pointerup", "pointercancel"]) plots.addEventListener(name, (event) => pointers.delete(event.pointerId));
  }

  pickInPlot(event) {
    const chart = this.charts[2];
    const box = chart.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    if (y < 0 || y > box.height || !this.run) return false;
    const packet = chart.packetAt(this.engine, x, y, event.pointerType === "touch" ? 14 : 6);
    if (packet < 0) return false;
    this.setPlaying(false);
    this.select(packet, true);
    return true;
  }

  onKey(event) {
    const { target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || !this.run) return;
    if (target.matches("input, select, pre") || (target.matches("button, summary") && event.key === " ")) return;
    const [from, to] = this.range;
    const keys = {
      " ": () => this.toggle(),
      ArrowRight: () => (event.shiftKey ? this.seek(this.time + (to - from) / 50) : this.step(true)),
      ArrowLeft: () => (event.shiftKey ? this.seek(this.time - (to - from) / 50) : this.step(false)),
      Home: () => this.seek(0),
      End: () => this.seek(Math.min(this.engine.now, this.settings.duration)),
      "+": () => this.zoom(0.5),
      "-": () => this.zoom(2),
      0: () => this.setRange(0, this.settings.duration),
      "<": () => this.setPace(Number($("pace").value) - 0.25),
      ">": () => this.setPace(Number($("pace").value) + 0.25),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }
}

const text = $("emulator").textContent;
const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const playground = new Playground(await Engine.load(bytes));
// For whoever wants to ask it, such as the test that clicks.
globalThis.playground = playground;
document.documentElement.dataset.ready = String(Math.round(performance.now()));
