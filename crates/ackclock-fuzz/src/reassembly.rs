//! Segments of the peer in any order, with any overlap, against a map of bytes: what was received
//! first stays, what is complete can be read, and SACK reports what is held.

use crate::peer::{PEER_ISN, Peer, Sent, header};
use ackclock::congestion::BuiltIn;
use ackclock::tcp::{AckPolicy, Config, ReceiveError};
use ackclock::wire::{Header, Options};
use arbitrary::{Result, Unstructured};
use std::collections::VecDeque;

/// The receive buffer, in bytes.
const BUFFER: u32 = 1_024;
/// Segments and reads of one run.
const MOST_STEPS: u32 = 200;
/// The longest segment, in bytes.
const LONGEST: u32 = 300;

pub(crate) fn run(data: &[u8]) {
    // Input that ends early is not worth more.
    let _ = steps(&mut Unstructured::new(data));
}

struct Model {
    peer: Peer,
    /// How many bytes have arrived in order.
    next: i64,
    /// Those of them that were not read.
    unread: VecDeque<u8>,
    /// What is held behind them, from the first byte that is missing on.
    ahead: VecDeque<Option<u8>>,
    sack: bool,
    /// Content: two segments never have the same bytes.
    filling: u8,
}

fn steps(u: &mut Unstructured<'_>) -> Result<()> {
    let sack = u.arbitrary()?;
    let mut config = Config::default();
    config.receive_buffer = BUFFER;
    config.window_scaling = false;
    config.timestamps = false;
    config.sack = sack;
    config.reassembly_ranges = MOST_STEPS;
    config.ack_policy = AckPolicy::EverySegment;
    let options = Options { mss: Some(1_400), sack_permitted: sack, ..Options::default() };
    let mut peer = Peer::new(BuiltIn::default());
    peer.establish(&config, options);
    let (unread, ahead) = (VecDeque::new(), VecDeque::new());
    let mut model = Model { peer, next: 0, unread, ahead, sack, filling: 0 };
    for _ in 0..MOST_STEPS {
        if u.is_empty() {
            break;
        }
        if u.ratio(1, 8)? {
            model.read(u.int_in_range(0..=BUFFER as usize)?);
        } else {
            let start = model.next + i64::from(u.int_in_range(-500..=1_300)?);
            model.segment(start, u.int_in_range(0..=LONGEST)?);
        }
        model.check();
    }
    model.read(BUFFER as usize);
    Ok(())
}

impl Model {
    /// A segment whose first byte is byte `start` of the stream.
    fn segment(&mut self, start: i64, len: u32) {
        let seq = PEER_ISN + 1 + start as u32;
        self.filling = self.filling.wrapping_add(1);
        let payload = vec![self.filling; len as usize];
        let edge = self.next + i64::from(self.peer.info().expect("open").receive_window);
        let end = start + i64::from(len);
        // RFC 9293, table 6: its first or its last byte lies in the window.
        let inside = |byte: i64| (self.next..edge).contains(&byte);
        let mut news = false;
        if len > 0 && (inside(start) || inside(end - 1)) {
            for byte in start.max(self.next)..end.min(edge) {
                let place = (byte - self.next) as usize;
                self.ahead.resize(self.ahead.len().max(place + 1), None);
                news |= self.ahead[place].is_none();
                self.ahead[place].get_or_insert(self.filling);
            }
        }
        while let Some(byte) = self.ahead.front().copied().flatten() {
            self.ahead.pop_front();
            self.unread.push_back(byte);
            self.next += 1;
        }
        let ack = self.peer.our_isn + 1;
        let sent = self.peer.sends(&Header { seq, ack, ..header() }, &payload);
        if len > 0 {
            let [answer] = &sent[..] else {
                panic!("one ack for each segment with text: {sent:?}");
            };
            self.check_ack(answer, news, start);
        }
    }

    fn check_ack(&self, answer: &Sent, news: bool, start: i64) {
        let offset = |seq: ackclock::seq::SeqNumber| (seq - (PEER_ISN + 1).0).0 as i32 as i64;
        assert_eq!(offset(answer.header.ack), self.next);
        let mut blocks = answer.header.options.sack.as_slice().iter();
        let mut blocks: Vec<(i64, i64)> =
            blocks.by_ref().map(|block| (offset(block.start), offset(block.end))).collect();
        let runs = self.runs();
        if !self.sack {
            assert!(blocks.is_empty());
            return;
        }
        // A first block that is below the ack, or lies within the second, is a D-SACK.
        let duplicate = blocks.first().copied().filter(|first| {
            let within = |second: &(i64, i64)| second.0 <= first.0 && first.1 <= second.1;
            first.1 <= self.next || blocks.get(1).is_some_and(within)
        });
        if duplicate.is_some() {
            blocks.remove(0);
        }
        for block in &blocks {
            assert!(runs.contains(block), "{block:?} of {runs:?}");
        }
        let most = if duplicate.is_some() { 3 } else { 4 };
        assert_eq!(blocks.len(), runs.len().min(most), "{blocks:?} of {runs:?}");
        if news && duplicate.is_none() && start >= self.next {
            let first = blocks.first().expect("what has just come");
            assert!(first.0 <= start && start < first.1, "the latest comes first: {blocks:?}");
        }
    }

    /// What is held behind the first hole, as (first, first after).
    fn runs(&self) -> Vec<(i64, i64)> {
        let mut runs: Vec<(i64, i64)> = Vec::new();
        for (offset, byte) in (self.next..).zip(&self.ahead) {
            match (byte, runs.last_mut()) {
                (None, _) => {}
                (Some(_), Some(last)) if last.1 == offset => last.1 += 1,
                (Some(_), _) => runs.push((offset, offset + 1)),
            }
        }
        runs
    }

    fn read(&mut self, most: usize) {
        let handle = self.peer.handle.expect("open");
        let mut bytes = vec![0; most];
        let read = self.peer.stack.receive(self.peer.now, handle, &mut bytes);
        let n = if read == Err(ReceiveError::WouldBlock) { 0 } else { read.expect("open") };
        assert_eq!(n, most.min(self.unread.len()));
        let first: Vec<u8> = self.unread.drain(..n).collect();
        assert_eq!(bytes[..n], first, "what came first stays");
        // A window update, perhaps.
        self.peer.sent();
    }

    fn check(&self) {
        let info = self.peer.info().expect("open");
        assert_eq!(info.receive_queue as usize, self.unread.len());
        let held: i64 = self.runs().iter().map(|(start, end)| end - start).sum();
        assert_eq!(i64::from(info.out_of_order), held);
        assert_eq!(info.reassembly_dropped, 0);
        assert!(info.receive_window + info.receive_queue <= BUFFER, "no more than the buffer");
        self.peer.check();
    }
}
