//! Flights of records against a model that knows every byte by itself, and flights in bulk against
//! flights of records.

mod model;

use super::bulk::BulkFlight;
use super::record::PiecesOf;
use super::records::RecordedFlight;
use super::*;
use crate::profile::{Absent, Full, Least, Present};
use crate::tcp::recovery;
use crate::wire::SackBlocks;
use model::{Model, News};
use proptest::prelude::*;
use std::vec;
use std::vec::Vec;

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
    /// In a segment of so many bytes at most.
    ResendPart(u32),
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
        2 => (1..12u32).prop_map(Step::ResendPart),
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

fn piece_of<P: Profile>(flight: &RecordedFlight<'_, P>, seq: SeqNumber) -> Option<SeqRange> {
    let record = flight.records.get(flight.locate(seq))?;
    Some(record.piece_range(record.index_of(seq)))
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
            Step::ResendPart(most) => {
                if let Some(piece) = flight.first_lost() {
                    let range = SeqRange::from_len(piece.start, piece.len().min(most));
                    flight.mark_resent(now, range);
                    // Without memory for a record a piece among others is not cut.
                    let part = piece_of(&flight, piece.start).expect("it is in flight");
                    prop_assert!(part == range || part == piece, "{part:?} of {piece:?}");
                    if part != piece {
                        model.cut(piece, most);
                    }
                    model.record_as(flight.records.iter().map(|record| record.len));
                    model.resend(micros, part);
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

/// The second of four segments goes again in two, after the path has become narrower, and the peer has the first.
#[test]
fn of_a_piece_that_goes_again_in_two_segments_each_is_known_by_itself() {
    let memory = (Buffer::growing(), Buffer::default());
    let mut flight = RecordedFlight::<Full>::new(SeqNumber(0), memory, 8);
    let now = Instant::from_micros(1);
    assert!(flight.push(now, SeqRange::from_len(SeqNumber(0), 4_000), 1_000));
    flight.sack(SeqRange::from_len(SeqNumber(2_000), 2_000), &mut Delivered::default());
    flight.mark_holes_lost();
    assert!(!flight.mark_resent(now, SeqRange::from_len(SeqNumber(0), 1_000)));
    assert!(flight.mark_resent(now, SeqRange::from_len(SeqNumber(1_000), 700)));
    flight.sack(SeqRange::from_len(SeqNumber(1_000), 700), &mut Delivered::default());
    assert_eq!(flight.broken_invariant(SeqNumber(0), SeqNumber(4_000)), None);
    assert_eq!((flight.sacked(), flight.pipe()), (2_700, 1_000));
    assert_eq!(flight.first_lost(), Some(SeqRange::from_len(SeqNumber(1_700), 300)));
}

#[test]
fn without_memory_for_another_record_a_piece_among_others_is_not_cut() {
    let memory = (Buffer::growing(), Buffer::default());
    let mut flight = RecordedFlight::<Full>::new(SeqNumber(0), memory, 1);
    let now = Instant::from_micros(1);
    assert!(flight.push(now, SeqRange::from_len(SeqNumber(0), 4_000), 1_000));
    flight.mark_all_lost();
    flight.mark_resent(now, SeqRange::from_len(SeqNumber(0), 700));
    assert_eq!(flight.broken_invariant(SeqNumber(0), SeqNumber(4_000)), None);
    assert_eq!(flight.pipe(), 1_000);
}
