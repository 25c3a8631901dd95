// The settings of a run: their values, the scenario file that they make, and the link that holds them.

/** Stacks of other days: settings of connections, of all lines, and of the access lines. */
const ERAS = {
  today: { title: "today", payload: 1448, connection: [], line: "", access: "rate=1gbit,delay=0.1ms" },
  ns: {
    title: "ns, 1999: packets of 1000 bytes",
    payload: 1000,
    connection: ["mss = 1000", "timestamps = false", 'nagle = "off"', "send_buffer = 1048576", "receive_buffer = 1048576"],
    line: "",
    access: "rate=100mbit,delay=0.1ms",
  },
  tahoe: {
    title: "4.3BSD-Tahoe, packets of 500 bytes",
    payload: 450,
    connection: [
      "mss = 450", "send_buffer = 450000", "receive_buffer = 450000",
      "timestamps = false", "sack = false", 'nagle = "off"', 'restart_after_idle = "never"',
      'rto = "jacobson88:ticks:one"', 'rto_initial = "6s"',
    ],
    line: ",overhead=+10,in_service=counted",
    access: "rate=10mbit,delay=0.1ms,overhead=+10",
    processing: "0.1ms",
  },
  bsd43: {
    title: "4.3BSD before 1988, window of 16 kB",
    payload: 512,
    connection: [
      "mss = 512", "send_buffer = 16384", "receive_buffer = 16384", "window_scaling = false",
      "timestamps = false", "sack = false", 'nagle = "off"', 'restart_after_idle = "never"',
      'ack_timer = "heartbeat"', 'rto = "rfc793:ticks:one"', 'backoff = "linear"',
    ],
    line: ",overhead=+38",
    access: "rate=10mbit,delay=0.1ms,overhead=+38",
  },
  bsd88: {
    title: "4.3BSD of 1988, window of 16 kB",
    payload: 512,
    connection: [
      "mss = 512", "send_buffer = 16384", "receive_buffer = 16384", "window_scaling = false",
      "timestamps = false", "sack = false", 'nagle = "off"', 'restart_after_idle = "never"',
      'ack_timer = "heartbeat"', 'rto = "jacobson88:ticks=500ms/3:one"',
    ],
    line: ",overhead=+38",
    access: "rate=10mbit,delay=0.1ms,overhead=+38",
  },
};

const LAWS = [
  ["cubic", "CUBIC"], ["reno", "Reno"], ["bbr", "BBR"], ["prague", "Prague (L4S)"], ["vegas", "Vegas"], ["veno:threshold=1", "Veno"],
  ["reno:growth=abc", "Reno, byte counting (ABC)"], ["tahoe:growth=floor", "Tahoe"], ["none", "none: the peer's window"],
  ["fixed:30", "fixed, 30 packets"], ["fixed:25", "fixed, 25 packets"],
];
const word = (value) => [value, value];

/** Each setting: its key in links, its label, its kind and range. `log`: a slider of even ratios. */
export const FIELDS = [
  { key: "rate", label: "Rate", group: "Path", kind: "log", min: 10e3, max: 50e6, unit: "bit/s" },
  { key: "delay", label: "Delay, one way", group: "Path", kind: "log", min: 0.001, max: 2, unit: "s" },
  { key: "buffer", label: "Buffer", group: "Path", kind: "log", min: 1, max: 1000, unit: "packets" },
  { key: "loss", label: "Random loss", group: "Path", kind: "linear", min: 0, max: 10, step: 0.05, unit: "%" },
  {
    key: "queue", label: "Queue", group: "Path", kind: "choice",
    options: [["tail", "drop-tail"], ["red", "RED"], ["codel", "CoDel"], ["fq_codel", "FQ-CoDel"], ["dualpi2", "DualPI2 (L4S)"], ["infinite", "infinite"]],
  },
  { key: "law", label: "Law", group: "Senders", kind: "choice", options: LAWS },
  { key: "law2", label: "Law of the second", group: "Senders", kind: "choice", options: [["", "the same"], ...LAWS] },
  {
    key: "recovery", label: "Recovery", group: "Senders", kind: "choice",
    options: [["", "the law's own"], ["rack", "RACK-TLP"], ["rfc6675", "SACK (RFC 6675)"], ["sack-pipe", "SACK, 1996"], word("newreno"), word("reno"), word("tahoe"), word("tahoe-go-back-n"), word("timeout-only"), word("go-back-n")],
  },
  {
    key: "acks", label: "Acks", group: "Senders", kind: "choice",
    options: [["delayed=40ms", "delayed 40 ms"], ["delayed=100ms/0", "delayed 100 ms"], ["delayed=200ms/0", "delayed 200 ms"], ["every", "of every segment"], ["bsd43", "4.3BSD: 35 % of the window"]],
  },
  {
    key: "iw", label: "Initial window", group: "Senders", kind: "choice",
    options: [["rfc6928", "10 (RFC 6928)"], ["rfc3390", "3 or 4 (RFC 3390)"], ["1", "1"], ["2", "2"], ["4", "4"], ["16", "16"], ["32", "32"]],
  },
  {
    key: "ecn", label: "ECN", group: "Senders", kind: "choice",
    options: [["", "off"], ["request", "classic (RFC 3168)"], ["request-accurate", "accurate (RFC 9768)"]],
  },
  { key: "era", label: "Stack", group: "Senders", kind: "choice", options: Object.entries(ERAS).map(([key, era]) => [key, era.title]) },
  { key: "there", label: "Flows to the right", group: "Flows", kind: "linear", min: 0, max: 4, step: 1, unit: "" },
  { key: "back", label: "Flows to the left", group: "Flows", kind: "linear", min: 0, max: 4, step: 1, unit: "" },
  {
    key: "starts", label: "They start", group: "Flows", kind: "choice",
    options: [["0", "together"], ["1", "1 s apart"], ["5", "5 s apart"], ["10", "10 s apart"], ["random", "at random within 5 s"]],
  },
  { key: "duration", label: "Duration", group: "Flows", kind: "log", min: 1, max: 1000, unit: "s" },
  { key: "seed", label: "Seed", group: "Flows", kind: "number", min: 0, max: 999999 },
];

const MODERN = {
  rate: 10e6, delay: 0.02, buffer: 64, loss: 0, queue: "tail", law: "cubic", law2: "", recovery: "", acks: "delayed=40ms",
  iw: "rfc6928", ecn: "", era: "today", there: 1, back: 0, starts: "0", duration: 20, seed: 1,
};
const ZHANG = {
  ...MODERN, rate: 50e3, delay: 0.01, buffer: 20, law: "tahoe:growth=floor", recovery: "tahoe", acks: "every", iw: "1",
  era: "tahoe", there: 1, back: 1, starts: "random", duration: 300,
};
const JACOBSON = {
  ...MODERN, rate: 171875, delay: 0.2, buffer: 30, iw: "1", duration: 15, acks: "bsd43", law: "none", recovery: "go-back-n", era: "bsd43",
};
const NS = { ...MODERN, rate: 1.5e6, delay: 0.05, buffer: 40, era: "ns", recovery: "sack-pipe", iw: "1", duration: 60 };

/** What can be chosen to begin with. `pace` is how much slower than real time it plays; `look` says what to look at. */
export const PRESETS = [
  { id: "two", group: "Today", title: "Two CUBIC flows share 10 Mbit/s", pace: 20, settings: { ...MODERN, there: 2, starts: "5", duration: 30 },
    look: "The second flow starts after five seconds and takes its share: each loss in the full queue costs one window 30 %." },
  { id: "loss", group: "Today", title: "One packet in a hundred is lost", pace: 20, settings: { ...MODERN, loss: 1 },
    look: "Nothing is wrong with the queue, yet CUBIC takes each loss for congestion. Red packets are sent again." },
  { id: "bbr", group: "Today", title: "BBR beside CUBIC", pace: 20, settings: { ...MODERN, there: 2, law: "cubic", law2: "bbr", starts: "5", buffer: 100, duration: 40 },
    look: "BBR paces by the rate it measures, and does not fill the queue; CUBIC does." },
  { id: "codel", group: "Today", title: "CoDel keeps the queue short", pace: 20, settings: { ...MODERN, queue: "codel", buffer: 500 },
    look: "CoDel drops a packet when the queue has stood for a while, so a buffer of 500 is hardly used. Choose drop-tail to see it filled." },
  { id: "l4s", group: "Today", title: "Prague beside CUBIC through DualPI2", pace: 20,
    settings: { ...MODERN, delay: 0.01, buffer: 1000, queue: "dualpi2", law2: "prague", ecn: "request-accurate", there: 2, starts: "5", duration: 30 },
    look: "Prague's packets wait about a millisecond in a queue of their own, CUBIC's fifteen, and neither starves the other: marks, not losses, tell them." },
  { id: "jacobson-3", group: "Jacobson 1988", title: "Figure 3: start without slow start", pace: 1, settings: JACOBSON,
    look: "A whole window at once into a buffer of 30: most of it is lost, the timer repairs it, and half of the line is wasted." },
  { id: "jacobson-4", group: "Jacobson 1988", title: "Figure 4: start with slow start", pace: 1,
    settings: { ...JACOBSON, law: "tahoe", recovery: "timeout-only", acks: "delayed=200ms/0", era: "bsd88" },
    look: "The same path. One packet, then two, then four: acks clock packets out, and nothing is lost." },
  { id: "zhang-2", group: "Zhang, Shenker, Clark 1991", title: "Figure 2: three flows one way", pace: 0.2,
    settings: { ...ZHANG, delay: 1, there: 3, back: 0 },
    look: "All three lose a packet in the same epoch, and their windows fall in step." },
  { id: "zhang-4", group: "Zhang, Shenker, Clark 1991", title: "Figures 4 and 5: two-way traffic, small pipe", pace: 0.5, settings: ZHANG,
    look: "Acks wait behind data, bunch up, and release bursts: queues jump by a window, and the two flows take turns." },
  { id: "zhang-6", group: "Zhang, Shenker, Clark 1991", title: "Figures 6 and 7: two-way traffic, large pipe", pace: 0.5, settings: { ...ZHANG, delay: 1 },
    look: "The same with a second of delay: now both windows rise and fall in step." },
  { id: "zhang-8", group: "Zhang, Shenker, Clark 1991", title: "Figure 8: fixed windows", pace: 0.5,
    settings: { ...ZHANG, law: "fixed:30", law2: "fixed:25", recovery: "", queue: "infinite", duration: 200 },
    look: "Windows of 30 and 25 packets that never change, and still a queue that swings from 0 to 55: acks are compressed." },
  { id: "allman98", group: "Allman 1998", title: "A modem with an initial window of 4", pace: 0.5,
    settings: { ...MODERN, rate: 28.8e3, delay: 0.1, buffer: 10, iw: "4", duration: 60, era: "ns", law: "reno" },
    look: "Four segments at once save two round trips. Take 16 or 32 and the modem's buffer overflows." },
  { id: "allman99", group: "Allman 1999", title: "Byte counting beside counting acks", pace: 2,
    settings: { ...NS, law: "reno", law2: "reno:growth=abc", acks: "delayed=100ms/0", there: 2, duration: 100 },
    look: "The receivers delay their acks. The second flow counts acknowledged bytes, and grows as if they did not." },
  { id: "veno", group: "Fu and Liew 2003", title: "Veno over a lossy line", pace: 5,
    settings: { ...NS, era: "today", rate: 1.6e6, delay: 0.1, buffer: 12, loss: 1, law: "veno:threshold=1", acks: "every" },
    look: "A loss while the queue is short is taken for random and costs a fifth, not half. Choose Reno to compare." },
];

export const payloadOf = (settings) => ERAS[settings.era].payload;

/** Which way each flow goes: false to the right, true to the left. */
export const directions = (settings) =>
  [...Array(settings.there).fill(false), ...Array(settings.back).fill(true)];

const number = (value) => String(Number(value.toPrecision(6)));

/** The scenario file. */
export function toml(settings) {
  const era = ERAS[settings.era];
  const flows = directions(settings);
  // RED's thresholds, in the ratios of Allman 1999, where the buffer is 40.
  const low = Math.max(1, Math.round(settings.buffer * 0.175));
  const high = Math.max(low + 1, Math.round(settings.buffer * 0.525));
  const queue = {
    tail: `queue=${settings.buffer}`,
    infinite: "queue=infinite",
    red: `queue=red:${low}:${high}:0.002:0.1:${settings.buffer}`,
    codel: "queue=codel",
    fq_codel: "queue=fq_codel",
    dualpi2: `queue=dualpi2:15ms:1ms:2:${settings.buffer}`,
  }[settings.queue];
  const way = (carries) =>
    `rate=${number(settings.rate)}bit,delay=${number(settings.delay * 1e3)}ms,` +
    `loss=${carries ? number(settings.loss) : 0}%,${queue}${era.line}`;
  const connection = [`ack_policy = "${settings.acks}"`, `initial_window = "${settings.iw}"`];
  if (settings.ecn) connection.push(`ecn = "${settings.ecn}"`);
  if (settings.recovery) connection.push(`recovery = "${settings.recovery}"`);
  const lines = [
    `seed = ${settings.seed}`,
    `duration = "${number(settings.duration)}s"`,
    `law = "${settings.law}"`,
    "", "[connection]", ...connection, ...era.connection,
    "", "[dumbbell]",
    `bottleneck = "${way(settings.there > 0)}"`,
    `back = "${way(settings.back > 0)}"`,
    `access = ["${era.access},loss=0,queue=infinite"]`,
    `pairs = ${flows.length}`,
  ];
  flows.forEach((toTheLeft, index) => {
    const law = index % 2 === 1 && settings.law2 ? settings.law2 : settings.law;
    for (const role of ["sender", "receiver"]) {
      const host = [`name = "${role}${index + 1}"`];
      if (law !== settings.law) host.push(`law = "${law}"`);
      if (era.processing) host.push(`processing = "${era.processing}"`);
      if (host.length > 1) lines.push("", "[[hosts]]", ...host);
    }
    const ends = [`sender${index + 1}`, `receiver${index + 1}`];
    if (toTheLeft) ends.reverse();
    const start = settings.starts === "random" ? "0s..5s" : `${settings.starts * index}s`;
    lines.push("", "[[flows]]", `from = "${ends[0]}"`, `to = "${ends[1]}"`, `start = "${start}"`);
  });
  return lines.join("\n") + "\n";
}

/** The settings as a link's fragment: the preset, and what differs from it. */
export function toFragment(preset, settings) {
  const words = new URLSearchParams({ show: preset.id });
  for (const { key } of FIELDS) words.set(key, settings[key]);
  return "#" + words;
}

/** The settings of a link; what it does not give, or gives wrongly, is the preset's. */
export function fromFragment(fragment) {
  const words = new URLSearchParams(fragment.replace(/^#/, ""));
  const preset = PRESETS.find(({ id }) => id === words.get("show")) ?? PRESETS[0];
  const settings = { ...preset.settings };
  for (const field of FIELDS) {
    const given = words.get(field.key);
    if (given === null) continue;
    const value = valid(field, given);
    if (value !== undefined) settings[field.key] = value;
  }
  if (settings.there + settings.back === 0) settings.there = 1;
  return { preset, settings };
}

function valid(field, text) {
  if (field.kind === "choice") return field.options.some(([value]) => value === text) ? text : undefined;
  const value = Number(text);
  const fits = text !== "" && value >= field.min && value <= field.max;
  const whole = field.kind === "number" || field.step === 1 || field.key === "buffer";
  return fits ? (whole ? Math.round(value) : value) : undefined;
}
