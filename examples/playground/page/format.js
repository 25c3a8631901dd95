// Numbers as people read them.

const SPACE = "\u202f";
const STEPS = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]];

/** Three digits that count, without a tail of zeros. */
export function short(value) {
  if (!Number.isFinite(value)) return "–";
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return String(Number(value.toFixed(digits)));
}

export function withUnit(value, unit) {
  if (unit === "bit/s" || unit === "B") {
    const [step, letter] = STEPS.find(([step]) => value >= step) ?? STEPS[3];
    return `${short(value / step)} ${letter}${unit}`;
  }
  if (unit === "s") return span(value);
  return unit ? `${short(value)} ${unit}` : short(value);
}

/** A span of time. */
export function span(seconds) {
  if (!Number.isFinite(seconds)) return "–";
  if (seconds === 0) return "0 s";
  if (seconds < 1e-3) return `${short(seconds * 1e6)} µs`;
  if (seconds < 1) return `${short(seconds * 1e3)} ms`;
  return `${short(seconds)} s`;
}

/** A time on the clock, to the microsecond. */
export function clock(seconds) {
  const [whole, part] = seconds.toFixed(6).split(".");
  return `${whole}.${part.slice(0, 3)}${SPACE}${part.slice(3)} s`;
}

export function thousands(value) {
  return String(value).replace(/\B(?=(\d{3})+$)/g, SPACE);
}
