//! Flights of records against a model that knows every byte by itself, and flights in bulk against
//! flights of records.

use super::bulk::BulkFlight;
use super::record::PiecesOf;
use super::records::RecordedFlight;
use super::*;
use crate::profile::{Absent, Full, Least, Present};
use crate::tcp::recovery;
use crate::wire::SackBlocks;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::vec;
use std::vec::Vec;

/// What the model knows of a byte in flight.
#[derive(Clone, Copy, Debug, Default)]
struct Byte {
    /// Number of its piece, in the order of sending.
    piece: u32,
    /// Number of its transmission, likewise.
    record: usize,
    /// When it was sent first, in microseconds.
    sent: u64,
    sacked: bool,
    lost: bool,
    resent: bool,
    ever_resent: bool,
    /// Whether the peer has it.
    arrived: bool,
}

/// Bytes from `una` on.
#[derive(Default)]
struct Model {
    una: SeqNumber,
    bytes: Vec<Byte>,
    pieces: u32,
    /// When something of each transmission was sent again last, or it was sent, in microseconds.
    last_resent: Vec<u64>,
    /// The same of the first of what is on its way again.
    first_resent: Vec<u64>,
}

/// How many bytes were delivered, and where the lowest piece among them ends that was sent once.
type News = (u32, Option<SeqNumber>);

impl Model {
    fn nxt(&self) -> SeqNumber {
        self.una + self.bytes.len() as u32
    }

    fn count(&self, what: impl Fn(&Byte) -> bool) -> u32 {
        self.bytes.iter().filter(|byte| what(byte)).count() as u32
    }

    fn push(&mut self, now: u64, len: u32, piece: u32) {
        let record = self.last_resent.len();
        for at in 0..len {
            let piece = self.pieces + at / piece;
            self.bytes.push(Byte { piece, record, sent: now, ..Byte::default() });
        }
        self.pieces += len.div_ceil(piece);
        self.last_resent.push(now);
        self.first_resent.push(now);
    }

    /// `range` is sent again.
    fn resend(&mut self, now: u64, range: SeqRange) {
        for at in 0..self.bytes.len() {
            if !range.contains(self.una + at as u32) {
                continue;
            }
            let record = self.bytes[at].record;
            if !self.bytes.iter().any(|byte| byte.record == record && byte.resent) {
                self.first_resent[record] = now;
            }
            self.last_resent[record] = now;
            let byte = &mut self.bytes[at];
            (byte.lost, byte.resent, byte.ever_resent) = (true, true, true);
        }
    }

    /// What it is that the bytes which `delivered` picks have been delivered.
    fn news(&self, delivered: impl Fn(usize) -> bool) -> News {
        let news: Vec<&Byte> = (0..self.bytes.len())
            .filter(|at| delivered(*at) && !self.bytes[*at].sacked)
            .map(|at| &self.bytes[at])
            .collect();
        let original = news.iter().find(|byte| !byte.ever_resent);
        (news.len() as u32, original.map(|byte| self.piece_range(byte.piece).end))
    }

    /// A piece leaves the flight with its last byte.
    fn acknowledge(&mut self, una: SeqNumber) -> News {
        let cut = una.since(self.una) as usize;
        let kept = self.bytes.get(cut).map(|byte| byte.piece);
        let begin = self.bytes.iter().position(|byte| Some(byte.piece) == kept);
        let count = begin.unwrap_or(self.bytes.len());
        let news = self.news(|at| at < count);
        self.bytes.drain(..count);
        self.una += count as u32;
        news
    }

    /// `len` bytes arrive at the peer, the first one `ahead` of SND.UNA. The ranges that it holds
    /// then, the one with these bytes first.
    fn arrive(&mut self, ahead: u32, len: u32) -> Vec<SeqRange> {
        for byte in self.bytes.iter_mut().skip(ahead as usize).take(len as usize) {
            byte.arrived = true;
        }
        let holes = self.bytes.iter().enumerate().filter(|(_, byte)| !byte.arrived);
        let mut edges: BTreeSet<usize> = holes.flat_map(|(at, _)| [at, at + 1]).collect();
        edges.extend([0, self.bytes.len()]);
        let edges: Vec<usize> = edges.into_iter().collect();
        let mut ranges: Vec<SeqRange> = edges
            .windows(2)
            .filter(|range| self.bytes[range[0]].arrived)
            .map(|range| {
                SeqRange::from_len(self.una + range[0] as u32, (range[1] - range[0]) as u32)
            })
            .collect();
        let first = ranges.iter().position(|range| range.contains(self.una + ahead));
        ranges.rotate_left(first.unwrap_or(0));
        ranges
    }

    /// The pieces all of which lie in the block.
    fn whole_pieces(&self, block: SeqRange) -> BTreeSet<u32> {
        let inside = |at: usize| block.contains(self.una + at as u32);
        let (within, partly): (Vec<usize>, Vec<usize>) =
            (0..self.bytes.len()).partition(|at| inside(*at));
        let partly: BTreeSet<u32> = partly.iter().map(|at| self.bytes[*at].piece).collect();
        let within: BTreeSet<u32> = within.iter().map(|at| self.bytes[*at].piece).collect();
        &within - &partly
    }

    /// A piece is SACKed if all of it lies in one block.
    fn sack(&mut self, block: SeqRange) -> u32 {
        let whole = self.whole_pieces(block);
        let mut newly = 0;
        for byte in &mut self.bytes {
            if whole.contains(&byte.piece) && !byte.sacked {
                *byte = Byte { sacked: true, lost: false, resent: false, ..*byte };
                newly += 1;
            }
        }
        newly
    }

    /// RFC 6675's IsLost for each byte; what was found lost or sent again is not lost anew.
    fn detect(&mut self, mss: u32) -> u32 {
        let (mut bytes, mut ranges, mut in_range, mut newly) = (0, 0, false, 0);
        for byte in self.bytes.iter_mut().rev() {
            if byte.sacked {
                bytes += 1;
                ranges += u32::from(!in_range);
            } else if (bytes > 2 * mss || ranges >= 3) && !byte.lost {
                byte.lost = true;
                newly += 1;
            }
            in_range = byte.sacked;
        }
        newly
    }

    /// RFC 8985 section 6.2 step 5; with `resent_at` when of each transmission something was sent again.
    fn detect_overdue(&mut self, newest: Transmission, until: u64, resent_at: &[u64]) -> u32 {
        let mut newly = 0;
        for at in 0..self.bytes.len() {
            let Byte { piece, record, sent, sacked, lost, resent, .. } = self.bytes[at];
            let sent = if resent { resent_at[record] } else { sent };
            let end = self.piece_range(piece).end;
            let tie = sent == newest.at && resent != newest.again;
            let overtaken = !tie && newest.is_after(Transmission { at: sent, end, again: resent });
            if !sacked && (!lost || resent) && overtaken && sent <= until {
                self.bytes[at].lost = true;
                self.bytes[at].resent = false;
                newly += 1;
            }
        }
        newly
    }

    /// A peer that has not acknowledged what it has SACKed first has thrown it away.
    fn forget_reneged(&mut self) {
        let reneged = self.bytes.first().is_some_and(|byte| byte.sacked);
        for byte in &mut self.bytes {
            byte.sacked &= !reneged;
        }
    }

    fn mark_all_lost(&mut self) {
        self.forget_reneged();
        for byte in &mut self.bytes {
            byte.lost = !byte.sacked;
            byte.resent = false;
        }
    }

    fn piece_range(&self, piece: u32) -> SeqRange {
        let start = self.bytes.iter().position(|byte| byte.piece == piece).unwrap_or(0) as u32;
        SeqRange::from_len(self.una + start, self.count(|byte| byte.piece == piece))
    }

    fn first(&self, what: impl Fn(&Byte) -> bool) -> Option<SeqRange> {
        let found = self.bytes.iter().find(|byte| what(byte))?;
        Some(self.piece_range(found.piece))
    }
}

#[derive(Clone, Debug)]
enum Step {
    Push(u32, u32),
    Acknowledge(u32),
    Sack(u32, u32),
    Detect,
    FirstLost,
    AllLost,
    /// RACK's loss detection: how many microseconds ago the newest was sent, where it ends, whether
    /// it is a retransmission, and how many microseconds ago the last that is overdue.
    Overdue(u64, u32, bool, u64),
    TimedOut(u64),
    NothingLost,
    Resend,
    ResendHole,
    /// Into pieces of so many bytes, when so many bytes of the first piece are acknowledged.
    CutAnew(u32, u32),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (1..90u32, 1..12u32).prop_map(|(len, piece)| Step::Push(len, piece)),
        2 => (0..120u32).prop_map(Step::Acknowledge),
        5 => (0..400u32, 1..60u32).prop_map(|(ahead, len)| Step::Sack(ahead, len)),
        3 => Just(Step::Detect),
        1 => Just(Step::FirstLost),
        1 => Just(Step::AllLost),
        3 => (0..40u64, 0..300u32, any::<bool>(), 0..40u64)
            .prop_map(|(at, end, again, until)| Step::Overdue(at, end, again, until)),
        1 => (0..40u64).prop_map(Step::TimedOut),
        1 => Just(Step::NothingLost),
        4 => Just(Step::Resend),
        1 => Just(Step::ResendHole),
        1 => (1..12u32, 0..12u32).prop_map(|(piece, done)| Step::CutAnew(piece, done)),
    ]
}

crate::profile! {
    /// Each transmission is one piece.
    struct OnePiece: full { Segmentation = Absent }
}

crate::profile! {
    /// Nobody asks when anything was sent.
    struct Timeless: least {
        Flight = choice::Records,
        Recovery = recovery::Rfc6675,
        Sack = Present,
        Segmentation = Present,
    }
}

crate::profile! {
    /// What a flight in bulk knows, known of records.
    struct LeastOfRecords: least { Flight = choice::Records }
}

fn bytes_of<P: Profile>(
    flight: &RecordedFlight<'_, P>,
    bits: impl Fn(&FlightRecord<P>) -> PiecesOf<P>,
) -> u32 {
    flight.records.iter().map(|record| record.bytes(bits(record))).sum()
}

fn acknowledge(flight: &mut impl Flight, una: SeqNumber) -> News {
    let mut delivered = Delivered::default();
    flight.acknowledge(una, &mut delivered);
    (delivered.bytes, delivered.lowest_original)
}

fn check<P: Profile>(flight: &RecordedFlight<'_, P>, model: &Model) -> Result<(), TestCaseError> {
    let sums = (flight.outstanding, flight.sacked, flight.lost, flight.resent);
    let of_bitmaps = (
        bytes_of(flight, FlightRecord::all),
        bytes_of(flight, |record| record.sacked),
        bytes_of(flight, |record| record.lost),
        bytes_of(flight, |record| record.resent),
    );
    prop_assert_eq!(sums, of_bitmaps, "sums and bitmaps");
    let of_model = (
        model.bytes.len() as u32,
        model.count(|byte| byte.sacked),
        model.count(|byte| byte.lost),
        model.count(|byte| byte.resent),
    );
    prop_assert_eq!(sums, of_model, "sums and bytes");
    let pipe = model.count(|byte| !byte.sacked && (!byte.lost || byte.resent));
    prop_assert_eq!(flight.pipe(), pipe);
    let high = model.bytes.iter().rposition(|byte| byte.sacked);
    let high = high.map(|at| model.una + at as u32 + 1);
    prop_assert_eq!(flight.highest_sacked(), high);
    Ok(())
}

/// Takes the steps with a flight of records and with the model, from `una` on, and compares the two.
fn compare<P: Profile>(una: u32, steps: Vec<Step>) -> Result<(), TestCaseError> {
    let memory = (Buffer::growing(), Buffer::default());
    let mut flight = RecordedFlight::<P>::new(SeqNumber(0), memory, 8);
    let known = |(bytes, lowest): News| (bytes, lowest.filter(|_| times_matter::<P>()));
    let mut model = Model { una: SeqNumber(una), ..Model::default() };
    // Two steps in the same microsecond, then two in the next.
    for (clock, step) in (200u64..).zip(steps) {
        let micros = clock / 2;
        let now = Instant::from_micros(micros);
        match step {
            Step::Push(len, piece) => {
                let len = len.min(piece * max_pieces::<P>());
                if flight.push(now, SeqRange::from_len(model.nxt(), len), piece) {
                    model.push(micros, len, piece);
                } else {
                    prop_assert!(!flight.has_room());
                }
            }
            Step::Acknowledge(ahead) => {
                let una = model.una + ahead.min(model.bytes.len() as u32);
                prop_assert_eq!(acknowledge(&mut flight, una), known(model.acknowledge(una)));
            }
            Step::Sack(ahead, len) => {
                let mut sack = SackBlocks::EMPTY;
                let mut newly = 0;
                let mut lowest: Option<SeqNumber> = None;
                for block in model.arrive(ahead, len).into_iter().take(SackBlocks::MAX) {
                    sack.push(block);
                    let (una, whole) = (model.una, model.whole_pieces(block));
                    let news = model.news(|at| whole.contains(&model.bytes[at].piece));
                    let ends = [lowest, news.1];
                    lowest = ends.into_iter().flatten().min_by_key(|end| end.since(una));
                    newly += model.sack(block);
                }
                let mut delivered = Delivered::default();
                sack.as_slice().iter().for_each(|block| flight.sack(*block, &mut delivered));
                prop_assert_eq!(
                    (delivered.bytes, delivered.lowest_original),
                    known((newly, lowest))
                );
            }
            Step::Detect => prop_assert_eq!(flight.detect_losses(3, 10).bytes, model.detect(10)),
            Step::FirstLost => {
                let first = model.bytes.first().copied();
                let newly = flight.mark_first_lost().bytes;
                let marked = first.filter(|byte| !byte.sacked && !byte.lost);
                let piece = marked.map(|byte| byte.piece);
                prop_assert_eq!(newly, model.count(|byte| Some(byte.piece) == piece));
                for byte in &mut model.bytes {
                    byte.lost |= Some(byte.piece) == piece;
                }
            }
            Step::Overdue(..) | Step::TimedOut(_) if !times_matter::<P>() => {}
            Step::Overdue(at, end, again, until) => {
                let end = model.una + end;
                let newest = Transmission { at: micros - at, end, again };
                let newly = flight.detect_overdue(newest, micros - until).lost.bytes;
                let resent_at = model.last_resent.clone();
                prop_assert_eq!(newly, model.detect_overdue(newest, micros - until, &resent_at));
            }
            Step::TimedOut(until) => {
                flight.mark_timed_out(micros - until);
                model.forget_reneged();
                let newest = Transmission { at: u64::MAX, ..Transmission::default() };
                let by_first = max_pieces::<P>() > 1;
                let resent_at = if by_first { &model.first_resent } else { &model.last_resent };
                let resent_at = resent_at.clone();
                model.detect_overdue(newest, micros - until, &resent_at);
                let piece = model.bytes.first().map(|byte| byte.piece);
                for byte in model.bytes.iter_mut().filter(|byte| Some(byte.piece) == piece) {
                    (byte.lost, byte.resent) = (true, false);
                }
            }
            Step::NothingLost => {
                flight.unmark_lost();
                for byte in &mut model.bytes {
                    (byte.lost, byte.resent) = (false, false);
                }
            }
            Step::AllLost => {
                flight.mark_all_lost();
                model.mark_all_lost();
            }
            Step::Resend | Step::ResendHole => {
                let range = if matches!(step, Step::Resend) {
                    let found = flight.first_lost();
                    prop_assert_eq!(found, model.first(|byte| byte.lost && !byte.resent));
                    found
                } else {
                    flight.first_unsacked_hole()
                };
                if let Some(range) = range {
                    flight.mark_resent(now, range);
                    model.resend(micros, range);
                }
            }
            Step::CutAnew(piece, done) => {
                let first = model.first(|_| true).map_or(0, SeqRange::len);
                let done = done.min(first.saturating_sub(1));
                model.una += done;
                flight.cut_anew(now, model.una, piece);
                flight.mark_all_lost();
                let lens: Vec<(u32, u32)> =
                    flight.records.iter().map(|record| (record.len, record.piece)).collect();
                let len: u32 = lens.iter().map(|(len, _)| len).sum();
                let before = model.bytes.split_off(done as usize);
                prop_assert_eq!(len, before.len() as u32, "all that is not acknowledged is kept");
                model.bytes.clear();
                for (len, piece) in lens {
                    model.push(micros, len, piece);
                }
                for (byte, before) in model.bytes.iter_mut().zip(before) {
                    byte.arrived = before.arrived;
                    byte.ever_resent = true;
                }
                model.mark_all_lost();
            }
        }
        check(&flight, &model)?;
    }
    Ok(())
}

/// Four segments went out at once, and two of them again, one long after the other: the timer does not wait for the second
/// one, which would cost a timeout for each of them.
#[test]
fn on_a_timeout_the_first_retransmission_of_a_burst_tells_for_all() {
    let memory = (Buffer::growing(), Buffer::default());
    let mut flight = RecordedFlight::<Full>::new(SeqNumber(1), memory, 8);
    let at = Instant::from_micros;
    assert!(flight.push(at(0), SeqRange::from_len(SeqNumber(1), 40), 10));
    flight.mark_all_lost();
    for (micros, seq) in [(100, 1), (150, 11), (400, 21)] {
        flight.mark_resent(at(micros), SeqRange::from_len(SeqNumber(seq), 10));
    }
    acknowledge(&mut flight, SeqNumber(11));
    assert_eq!(flight.pipe(), 20);
    flight.mark_timed_out(200);
    assert_eq!(flight.pipe(), 0);
    assert_eq!(flight.first_lost(), Some(SeqRange::from_len(SeqNumber(11), 10)));
    // An ack is no timer.
    flight.mark_resent(at(500), SeqRange::from_len(SeqNumber(11), 10));
    flight.mark_resent(at(800), SeqRange::from_len(SeqNumber(21), 10));
    let newest = Transmission { at: 900, end: SeqNumber(41), again: true };
    assert_eq!(flight.detect_overdue(newest, 600).lost.bytes, 0);
    assert_eq!(flight.detect_overdue(newest, 800).lost.bytes, 20);
}

/// Sequence numbers, and steps from there on.
fn history() -> impl Strategy<Value = (u32, Vec<Step>)> {
    let una = prop_oneof![Just(u32::MAX - 100), any::<u32>()];
    (una, proptest::collection::vec(step(), 1..60))
}

proptest! {
    #[test]
    fn it_is_what_a_list_of_bytes_says((una, steps) in history()) {
        compare::<Full>(una, steps)?;
    }

    #[test]
    fn it_is_what_a_list_of_bytes_says_where_each_transmission_is_one_piece(
        (una, steps) in history(),
    ) {
        compare::<OnePiece>(una, steps)?;
    }

    #[test]
    fn it_is_what_a_list_of_bytes_says_where_nobody_asks_for_times((una, steps) in history()) {
        compare::<Timeless>(una, steps)?;
    }

    /// With whole segments, and without SACK: which is what it is for.
    #[test]
    fn in_bulk_it_knows_what_records_do(
        una in prop_oneof![Just(u32::MAX - 100), any::<u32>()],
        steps in proptest::collection::vec((0..8u32, 0..4u32), 1..60),
    ) {
        const MSS: u32 = 10;
        let (una, memory) = (SeqNumber(una), (Buffer::growing(), Buffer::default()));
        let mut records = RecordedFlight::<LeastOfRecords>::new(una, memory, 8);
        let mut bulk = BulkFlight::<Least>::new(una, Default::default(), 8);
        let (mut una, mut nxt) = (una, una);
        for (clock, (step, count)) in (0..).zip(steps) {
            let now = Instant::from_micros(clock);
            match step {
                0..=2 if records.has_room() => {
                    let range = SeqRange::from_len(nxt, MSS);
                    prop_assert!(records.push(now, range, MSS) && bulk.push(now, range, MSS));
                    nxt = range.end;
                }
                3 => {
                    una = nxt.min(una + count * MSS);
                    prop_assert_eq!(acknowledge(&mut bulk, una).0, acknowledge(&mut records, una).0);
                }
                4 => prop_assert_eq!(bulk.mark_first_lost().bytes, records.mark_first_lost().bytes),
                5 => {
                    bulk.mark_all_lost();
                    records.mark_all_lost();
                }
                6 if count == 0 => {
                    bulk.unmark_lost();
                    records.unmark_lost();
                }
                _ => {
                    let lost = records.first_lost();
                    prop_assert_eq!(bulk.first_lost(), lost);
                    if let Some(lost) = lost {
                        bulk.mark_resent(now, lost);
                        records.mark_resent(now, lost);
                    }
                }
            }
            prop_assert_eq!(
                (bulk.outstanding(), bulk.lost(), bulk.unrepaired(), bulk.pipe()),
                (records.outstanding(), records.lost(), records.unrepaired(), records.pipe())
            );
            prop_assert_eq!(bulk.is_empty(), records.is_empty());
            prop_assert_eq!((bulk.sacked(), bulk.highest_sacked()), (0, None));
            prop_assert_eq!(bulk.broken_invariant(una, nxt), None);
            prop_assert_eq!(records.broken_invariant(una, nxt), None);
        }
    }
}

/// Retransmits 988 bytes of the first of several pieces of 1,000, beside SACK blocks for example; once they are
/// acknowledged the rest of the piece is due.
fn the_rest_is_due<P: Profile>(pieces: u32) {
    let mut flight =
        RecordedFlight::<P>::new(SeqNumber(0), (Buffer::growing(), Buffer::default()), 8);
    let now = Instant::from_micros(1);
    assert!(flight.push(now, SeqRange::from_len(SeqNumber(0), 1_000 * pieces), 1_000));
    flight.mark_first_lost();
    flight.mark_resent(now, SeqRange::from_len(SeqNumber(0), 988));
    acknowledge(&mut flight, SeqNumber(988));
    flight.go_on_within_piece(SeqNumber(988));
    assert_eq!(flight.first_lost().map(|rest| rest.end), Some(SeqNumber(1_000)));
}

#[test]
fn what_a_shorter_retransmission_leaves_of_a_piece_is_due_after_its_ack() {
    the_rest_is_due::<Full>(1);
    the_rest_is_due::<Full>(4);
    the_rest_is_due::<OnePiece>(1);
    the_rest_is_due::<crate::profile::Internet>(1);
}

#[test]
fn what_is_acknowledged_of_a_long_piece_is_not_cut_anew() {
    let memory = (Buffer::growing(), Buffer::default());
    let mut flight = RecordedFlight::<Full>::new(SeqNumber(0), memory, 8);
    let now = Instant::from_micros(1);
    assert!(flight.push(now, SeqRange::from_len(SeqNumber(0), 2_296), 2_296));
    acknowledge(&mut flight, SeqNumber(856));
    flight.cut_anew(now, SeqNumber(856), 500);
    flight.mark_all_lost();
    assert_eq!(flight.broken_invariant(SeqNumber(856), SeqNumber(2_296)), None);
    let first = SeqRange::from_len(SeqNumber(856), 500);
    assert_eq!((flight.first_lost(), flight.outstanding()), (Some(first), 1_440));
}
