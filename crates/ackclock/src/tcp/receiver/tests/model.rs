//! Everything at once, with each way of keeping ranges, against a model that knows of each byte whether
//! it arrived.

use super::*;
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Action {
    /// A segment that begins so far from RCV.NXT; its bytes all have the value `salt`.
    Segment {
        offset: i32,
        len: usize,
        salt: u8,
    },
    Read(usize),
    Ack,
}

fn action() -> impl Strategy<Value = Action> {
    let segment = (-150..500_i32, 1..200_usize, any::<u8>());
    let segment = segment.prop_map(|(offset, len, salt)| Action::Segment { offset, len, salt });
    let in_order = (1..200_usize, any::<u8>());
    let in_order = in_order.prop_map(|(len, salt)| Action::Segment { offset: 0, len, salt });
    prop_oneof![
        6 => segment,
        2 => in_order,
        2 => (0..300_usize).prop_map(Action::Read),
        3 => Just(Action::Ack),
    ]
}

/// The stream as positions from 0, where the receiver's first byte is.
struct Model {
    first: SeqNumber,
    /// The byte that arrived first at each position.
    arrived: Vec<Option<u8>>,
    next: usize,
    edge: usize,
    read: usize,
    /// Where segments were placed, the most recent one last; of as many runs as are remembered.
    touched: Vec<usize>,
    remembered: usize,
    /// What arrived twice and was not reported: three at most, and what lies side by side is one.
    duplicates: Vec<(i64, i64)>,
}

impl Model {
    fn is_there(&self, position: i64) -> bool {
        usize::try_from(position).is_ok_and(|position| {
            let byte = self.arrived.get(position);
            byte.is_some_and(Option::is_some)
        }) || position < 0
    }

    /// The run of arrived bytes around `position`.
    fn run(&self, position: usize) -> Option<(usize, usize)> {
        self.arrived.get(position).copied().flatten()?;
        let before = self.arrived[..position].iter().rev();
        let start = position - before.take_while(|byte| byte.is_some()).count();
        let after = self.arrived[position..].iter();
        let end = position + after.take_while(|byte| byte.is_some()).count();
        Some((start, end))
    }

    /// Runs behind the first hole, in sequence order.
    fn runs(&self) -> Vec<(usize, usize)> {
        let mut runs = vec![];
        let mut position = self.next;
        while position < self.arrived.len() {
            match self.run(position) {
                Some((_, end)) => {
                    runs.push((position, end));
                    position = end;
                }
                None => position += 1,
            }
        }
        runs
    }

    fn segment(&mut self, start: i64, len: usize, salt: u8, max_ranges: usize) -> Arrival {
        let end = start + len as i64;
        if let Some(from) = (start..end).find(|position| self.is_there(*position)) {
            let to = (from..end).find(|position| !self.is_there(*position));
            let duplicate = (from, to.unwrap_or(end));
            match self.duplicates.iter_mut().find(|known| known.1 == duplicate.0) {
                Some(known) => known.1 = duplicate.1,
                None => {
                    self.duplicates.truncate(2);
                    self.duplicates.push(duplicate);
                }
            }
        }
        let from = start.max(self.next as i64) as usize;
        let to = (end.max(0) as usize).min(self.edge);
        if from >= to {
            return Arrival::default();
        }
        let runs = self.runs();
        let touches = runs.iter().any(|run| run.0 <= to && from <= run.1);
        if from != self.next && !touches && runs.len() >= max_ranges {
            return Arrival { dropped: (to - from) as u32, ..Arrival::default() };
        }
        if self.arrived.len() < to {
            self.arrived.resize(to, None);
        }
        for place in &mut self.arrived[from..to] {
            place.get_or_insert(salt);
        }
        let before = self.next;
        let missing = self.arrived.iter().position(Option::is_none);
        self.next = missing.unwrap_or(self.arrived.len());
        self.remember(from);
        accepted((self.next - before) as u32)
    }

    /// A segment was placed there: the runs that had the last few segments are known.
    fn remember(&mut self, from: usize) {
        let mut touched = std::mem::take(&mut self.touched);
        touched.retain(|position| *position >= self.next && self.run(*position) != self.run(from));
        if from >= self.next {
            touched.push(from);
        }
        let forgotten = touched.len().saturating_sub(self.remembered);
        self.touched = touched.split_off(forgotten);
    }

    fn number(&self, position: i64) -> u32 {
        self.first.0.wrapping_add(position as u32)
    }

    fn blocks(&self) -> Vec<(u32, u32)> {
        let mut runs: Vec<(usize, usize)> = vec![];
        let recent = self.touched.iter().rev();
        let recent = recent.filter_map(|position| self.run(*position));
        for run in recent.chain(self.runs().into_iter().rev()) {
            if run.0 > self.next && !runs.contains(&run) {
                runs.push(run);
            }
        }
        let duplicate = self.duplicates.first().copied();
        if let Some((start, end)) = duplicate {
            let encloses = |run: &(usize, usize)| run.0 as i64 <= start && end <= run.1 as i64;
            if let Some(position) = runs.iter().position(encloses) {
                runs[..=position].rotate_right(1);
            }
        }
        let runs = runs.iter().map(|run| (run.0 as i64, run.1 as i64));
        let all = duplicate.into_iter().chain(runs);
        let all = all.map(|(start, end)| (self.number(start), self.number(end)));
        all.take(SackBlocks::MAX).collect()
    }
}

fn sorted_ranges<P: Profile>(receiver: &Receiver<'_, P>, first: SeqNumber) -> Vec<(usize, usize)> {
    let position = |number: SeqNumber| number.since(first) as usize;
    let ranges = receiver.data.ranges().as_slice().iter();
    ranges.map(|range| (position(range.start), position(range.end))).collect()
}

fn read<P: Profile>(
    receiver: &mut Receiver<'_, P>,
    model: &mut Model,
    n: usize,
) -> Result<(), TestCaseError> {
    let mut bytes = vec![0; n];
    let n = receiver.read(&mut bytes);
    prop_assert_eq!(n, bytes.len().min(model.next - model.read));
    let expected: Option<Vec<u8>> = model.arrived[model.read..][..n].iter().copied().collect();
    prop_assert_eq!(Some(&bytes[..n]), expected.as_deref());
    model.read += n;
    Ok(())
}

fn send_ack<P: Profile>(
    receiver: &mut Receiver<'_, P>,
    model: &mut Model,
    limit: usize,
    shift: u8,
) -> Result<(), TestCaseError> {
    let window = receiver.window() as usize;
    prop_assert_eq!(window % (1 << shift), 0);
    prop_assert_eq!(usize::from(receiver.window_field(window as u32)) << shift, window);
    let edge = model.next + window;
    prop_assert!(edge <= model.read + limit, "more is promised than fits");
    prop_assert!(edge + (1 << shift) > model.edge, "the edge moved left");
    prop_assert_eq!(blocks(receiver), model.blocks());
    receiver.on_ack_sent(NOW, window as u32);
    model.edge = model.edge.max(edge);
    model.duplicates.drain(..model.duplicates.len().min(1));
    Ok(())
}

crate::profile! { struct WithFew: full { Ranges = FewRanges } }
crate::profile! { struct WithOne: full { Ranges = OneRange } }
crate::profile! { struct WithNone: full { Ranges = NoRanges } }

/// A buffer of `limit` bytes at a connection, and what happens there.
#[derive(Clone, Debug)]
struct Case {
    irs: u32,
    limit: usize,
    /// Places in the memory for ranges.
    places: usize,
    largest_shift: u8,
    actions: Vec<Action>,
}

impl Case {
    /// Goes through the case with a profile that keeps at most `most` ranges and remembers of so many
    /// in which order they were touched.
    fn agrees<P: Profile>(&self, most: usize, remembered: usize) -> Result<(), TestCaseError> {
        let Case { irs, limit, .. } = *self;
        let mut memory = vec![0; limit];
        let mut ranges = vec![SeqRange::default(); self.places];
        // A buffer smaller than the unit of its window could never open it.
        let shift = self.largest_shift.min(limit.ilog2() as u8);
        let config = Setup { window_shift: shift, mss: 100, ..config() };
        let (ring, list) = (Buffer::lent(&mut memory[..]), Buffer::lent(&mut ranges[..]));
        let mut receiver: Receiver<'_, P> =
            agreed_by(SeqNumber(irs), limit as u32, &config, ring, list);
        let first = SeqNumber(irs) + 1;
        let mut model = Model {
            first,
            arrived: vec![],
            next: 0,
            edge: limit,
            read: 0,
            touched: vec![],
            remembered,
            duplicates: vec![],
        };
        for action in &self.actions {
            match *action {
                Action::Segment { offset, len, salt } => {
                    let start = model.next as i64 + i64::from(offset);
                    let seq = SeqNumber(model.number(start));
                    let arrival = receiver.on_segment(NOW, seq, &vec![salt; len], false, false);
                    prop_assert_eq!(arrival, model.segment(start, len, salt, most));
                }
                Action::Read(n) => read(&mut receiver, &mut model, n)?,
                Action::Ack => send_ack(&mut receiver, &mut model, limit, shift)?,
            }
            prop_assert_eq!(receiver.rcv_nxt(), first + model.next as u32);
            prop_assert_eq!(receiver.queued(), model.next - model.read);
            prop_assert_eq!(receiver.rcv_wnd() as usize, model.edge - model.next);
            prop_assert_eq!(sorted_ranges(&receiver, first), model.runs());
        }
        complete(&mut receiver, &mut model, (limit, shift, most))
    }
}

/// Whatever came before, the stream can be completed.
fn complete<P: Profile>(
    receiver: &mut Receiver<'_, P>,
    model: &mut Model,
    (limit, shift, most): (usize, u8, usize),
) -> Result<(), TestCaseError> {
    let first = model.first;
    let end = model.arrived.len() + 50;
    let mut rounds = 0;
    while !receiver.is_finished() {
        let len = (end - model.next).min(60);
        let fin = model.next + len == end;
        let seq = first + model.next as u32;
        let arrival = receiver.on_segment(NOW, seq, &vec![7; len], fin, false);
        let start = model.next as i64;
        let expected = model.segment(start, len, 7, most);
        prop_assert_eq!(arrival.accepted, expected.accepted);
        if !receiver.is_finished() {
            let unread = model.next - model.read;
            read(receiver, model, unread)?;
            send_ack(receiver, model, limit, shift)?;
        }
        rounds += 1;
        prop_assert!(rounds < 10_000, "the window stays shut");
    }
    prop_assert_eq!(receiver.rcv_nxt(), first + end as u32 + 1);
    read(receiver, model, end)?;
    prop_assert_eq!(model.read, end);
    Ok(())
}

fn case() -> impl Strategy<Value = Case> {
    let irs = prop_oneof![any::<u32>(), u32::MAX - 600..=u32::MAX];
    let actions = prop::collection::vec(action(), 1..120);
    (irs, 1..700_usize, 0..12_usize, 0..5_u8, actions).prop_map(
        |(irs, limit, places, largest_shift, actions)| Case {
            irs,
            limit,
            places,
            largest_shift,
            actions,
        },
    )
}

proptest! {
    #[test]
    fn the_receiver_agrees_with_a_bitmap(case in case()) {
        case.agrees::<Full>(case.places, SackBlocks::MAX)?;
        case.agrees::<WithFew>(case.places, 1)?;
        case.agrees::<WithOne>(1, 1)?;
        case.agrees::<WithNone>(0, 0)?;
    }

    #[test]
    fn arbitrary_segments_do_no_harm(
        segments in prop::collection::vec(
            (any::<u32>(), 0..300_usize, any::<bool>(), any::<bool>()),
            1..50,
        ),
        policy in prop_oneof![Just(AckPolicy::EverySegment), Just(DELAYED), Just(AckPolicy::Bsd43)],
        sack in any::<bool>(),
    ) {
        let (mut memory, mut ranges) = (vec![0; 1000], vec![SeqRange::default(); 4]);
        let config = Setup { ack_policy: policy, sack, ..config() };
        let (ring, list) = (Buffer::lent(&mut memory[..]), Buffer::lent(&mut ranges[..]));
        let mut receiver = agreed(IRS, 1000, &config, ring, list);
        for (seq, len, near, fin) in segments {
            let seq = if near { 900 + seq % 1200 } else { seq };
            let before = receiver.rcv_nxt();
            let arrival =
                receiver.on_segment(NOW, SeqNumber(seq), &stream(seq, seq.wrapping_add(len as u32)), fin, false);
            let advanced = arrival.accepted + u32::from(arrival.fin);
            prop_assert_eq!(receiver.rcv_nxt(), before + advanced);
            prop_assert!(len == 0 && !fin || receiver.ack_due(Instant::from_secs(9)));
        }
        let all = read_all(&mut receiver);
        prop_assert_eq!(&all, &stream(1000, 1000 + all.len() as u32));
    }
}
