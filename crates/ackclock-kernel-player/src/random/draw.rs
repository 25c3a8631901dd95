//! What the peer and the application do in a random script.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A line without what the stack answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Stimulus {
    /// Milliseconds after the line before.
    pub(crate) after: u32,
    pub(crate) line: String,
}

/// All that is done in a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Story {
    /// The library's flags, beside the usual ones.
    pub(crate) flags: &'static str,
    pub(crate) lines: Vec<Stimulus>,
    /// Milliseconds that are waited at the end.
    pub(crate) rest: u32,
}

/// Bundles of flags: Linux's recovery, which is the only one that a kernel of today has, with and without its habits.
const FLAGS: [&str; 5] = [
    "recovery=rack,habits=linux",
    "recovery=rack,habits=linux,cc=cubic",
    "recovery=rack,habits=linux,iw=2",
    "recovery=rack",
    "recovery=rack,cc=cubic",
];
/// Most lines of a story.
const MOST: u64 = 9;
/// Between lines, in milliseconds: nothing that is near a delayed ack or a timeout, also in small sums, and enough to see what
/// each line brings about.
const TIMES: [u32; 5] = [9, 10, 14, 70, 110];
const LENGTHS: [u32; 6] = [1, 100, 536, 1_000, 1_000, 1_460];
const WRITES: [u32; 7] = [1, 10, 500, 1_000, 1_500, 2_500, 5_000];

/// What is known of both streams while a story is drawn.
struct Drawing {
    random: Xoshiro256PlusPlus,
    /// The peer's next number, and ours if all that was written was sent.
    peer_next: u32,
    our_next: u32,
    acked: u32,
    has_finished: bool,
}

/// The story of a seed.
pub(crate) fn draw(seed: u64) -> Story {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let flags = FLAGS[(random.next_u64() % FLAGS.len() as u64) as usize];
    let mut drawing = Drawing { random, peer_next: 1, our_next: 1, acked: 1, has_finished: false };
    let count = 2 + drawing.below(MOST - 1);
    let mut lines = Vec::new();
    for _ in 0..count {
        let after = drawing.pick(&TIMES);
        let line = match drawing.below(10) {
            0..=2 => drawing.call(),
            3..=5 => drawing.data(),
            6..=7 => drawing.ack(),
            _ => drawing.odd(),
        };
        lines.push(Stimulus { after, line });
    }
    let rest = drawing.pick(&[70, 70, 300]);
    Story { flags, lines, rest }
}

impl Drawing {
    fn below(&mut self, bound: u64) -> u64 {
        self.random.next_u64() % bound
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    /// What the application does.
    fn call(&mut self) -> String {
        match self.below(14) {
            0..=4 if !self.has_finished => self.write(),
            0..=4 => "poll c in|out|rdhup 0".into(),
            5..=7 => format!("read c {}", self.pick(&[1, 100, 1_000, 5_000])),
            8 => "poll c in|out|rdhup 0".into(),
            9 => format!("set c TCP_NODELAY {}", self.below(2)),
            10 => format!("set c TCP_CORK {}", self.below(2)),
            11 => format!("ioctl c {}", self.pick(&["SIOCINQ", "SIOCOUTQ", "SIOCOUTQNSD"])),
            12 => format!("info c {}", self.pick(&["state", "unacked", "snd_cwnd", "ca_state"])),
            _ => {
                self.our_next += u32::from(!self.has_finished);
                self.has_finished = true;
                self.pick(&["shutdown c wr", "shutdown c wr", "shutdown c rd", "close c"]).into()
            }
        }
    }

    fn write(&mut self) -> String {
        let len = self.pick(&WRITES);
        self.our_next += len;
        let more = self.pick(&["", "", "", "", " more", " eor"]);
        format!("write c {len}{more}")
    }

    /// Data of the peer: mostly what comes next.
    fn data(&mut self) -> String {
        let len = self.pick(&LENGTHS);
        let first = match self.below(8) {
            0 => self.peer_next + self.pick(&[100, 1_000, 2_000]),
            1 => self.peer_next.saturating_sub(self.pick(&[1, 100, 1_000])).max(1),
            _ => self.peer_next,
        };
        if first <= self.peer_next {
            self.peer_next = self.peer_next.max(first + len);
        }
        let flags = self.pick(&[".", "P.", "P."]);
        format!("< {flags} {first}:{}({len}) ack {}", first + len, self.acked)
    }

    /// An ack, often with blocks or another window.
    fn ack(&mut self) -> String {
        let ahead = self.our_next - self.acked;
        let by = match self.below(6) {
            0 => 0,
            1 => ahead / 1_000 * 1_000 / 2,
            2 => ahead.min(1_000),
            _ => ahead,
        };
        self.acked += by;
        let window = self.pick(&["", "", "", "", " win 0", " win 1000", " win 3000", " win 60000"]);
        let left = self.our_next - self.acked;
        let mut line = format!("< . {0}:{0}(0) ack {1}{window}", self.peer_next, self.acked);
        if left >= 2_000 && self.below(2) == 0 {
            let first = self.acked + 1_000 * (1 + self.below(2) as u32);
            let end = (first + self.pick(&[1_000, 2_000, 3_000])).min(self.our_next);
            if first < end {
                line += &format!(" <sack {first}:{end}>");
            }
        }
        line
    }

    /// What a peer rarely sends.
    fn odd(&mut self) -> String {
        let Drawing { peer_next: next, our_next, acked, .. } = *self;
        match self.below(11) {
            0 | 1 => {
                self.peer_next += 1;
                format!("< F. {next}:{next}(0) ack {acked}")
            }
            2 => format!("< R. {next}:{next}(0) ack {acked}"),
            3 => format!("< R {0}:{0}(0)", next + self.pick(&[0, 1, 10, 70_000])),
            4 => format!("< S {0}:{0}(0) <mss 1000>", self.pick(&[0, next, next + 100])),
            5 => format!("< . {next}:{next}(0) ack {}", our_next + self.pick(&[1, 100, 100_000])),
            6 => format!("< . {0}:{0}(0) ack {acked}", next.saturating_sub(1)),
            7 => format!("< . {0}:{0}(0) ack {acked}", next + 70_000),
            8 => format!("< - {next}:{}(10)", next + 10),
            9 => format!("< F. {0}:{0}(0) ack {acked}", next + 1_000),
            _ => format!("< S. 0:0(0) ack {acked} <mss 1000>"),
        }
    }
}
