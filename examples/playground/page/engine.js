// The emulator in WebAssembly: starts scenarios, runs them in slices, and shows their tables as typed arrays.

const TYPES = { f64: Float64Array, u32: Uint32Array, u8: Uint8Array };
export const RUNNING = 0;
export const OVER = 1;
export const CUT = 2;
const FAILED = 3;

export class Engine {
  static async load(bytes) {
    const { instance } = await WebAssembly.instantiate(bytes, {});
    return new Engine(instance.exports);
  }

  constructor(exports) {
    this.wasm = exports;
    this.layout = JSON.parse(this.#text(exports.ackclock_layout()));
    this.#look();
  }

  /** Begins to run a scenario file; throws what is wrong with it. */
  start(toml) {
    const bytes = new TextEncoder().encode(toml);
    const at = this.wasm.ackclock_input(bytes.length) >>> 0;
    new Uint8Array(this.wasm.memory.buffer, at, bytes.length).set(bytes);
    const problem = this.wasm.ackclock_start();
    this.state = RUNNING;
    this.now = 0;
    if (problem > 0) throw new Error(this.#text(problem));
    this.#look();
  }

  /** Runs on for so many milliseconds of real time, unless the scenario is over before. */
  advance(milliseconds) {
    if (this.state !== RUNNING) return;
    const until = performance.now() + milliseconds;
    do {
      const state = this.wasm.ackclock_advance(64);
      if (state === FAILED) throw new Error("the run failed");
      this.state = state;
    } while (this.state === RUNNING && performance.now() < until);
    this.now = this.wasm.ackclock_now();
    this.#look();
  }

  /** A packet in words; null if there is none of that number. */
  describe(packet) {
    const length = this.wasm.ackclock_describe(packet);
    return length > 0 ? JSON.parse(this.#text(length)) : null;
  }

  /** The digest of the capture and the results, once the run is over. */
  summary() {
    return JSON.parse(this.#text(this.wasm.ackclock_summary()));
  }

  #text(length) {
    const at = this.wasm.ackclock_text() >>> 0;
    return new TextDecoder().decode(new Uint8Array(this.wasm.memory.buffer, at, length));
  }

  // The tables are where the emulator has them. They move when they grow, so each slice looks anew.
  #look() {
    const { buffer } = this.wasm.memory;
    this.layout.forEach(([name, columns], table) => {
      const rows = this.wasm.ackclock_rows(table);
      const view = { rows };
      columns.forEach(([column, type], index) => {
        const at = rows > 0 ? this.wasm.ackclock_column(table, index) >>> 0 : 0;
        view[column] = new TYPES[type](buffer, at, rows);
      });
      this[name] = view;
    });
  }
}
