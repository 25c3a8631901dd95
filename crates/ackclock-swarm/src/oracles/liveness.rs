//! Liveness: on a path that delivers, something goes on within a stated number of timeouts.
//!
//! What a timeout may be follows from the path and the settings, never from what the stacks believe:
//!
//! - `base` is the longest timeout that measurements of this path can justify: six times the longest
//!   round trip (RFC 6298: SRTT + 4 RTTVAR, and the first measurement makes 3 R of R), the longest delays of acks and of hosts,
//!   and at least the initial timeout; as long as nothing may have been measured 3 s, the timeout after a SYN that was
//!   sent again (RFC 6298 rule 5.7). It is one too as long as a measurement with the SYN before that has weight: a
//!   SYN-ACK may echo that one, and each round trip takes an eighth of what is too much off the estimate (rule 2.3).
//! - Each timeout whose segment or ack is lost doubles the next (rule 5.5), up to the largest. Losses nearer to
//!   each other than half of the least timeout cannot be those of two timeouts.
//! - A doubled timeout outlives the silence in which it was doubled, without timestamps until something is
//!   acknowledged that was sent once; so what was counted in the last few silences (without timestamps, in all before)
//!   goes on counting until the path has lost nothing for as long as such a timeout. Silences in which the other direction
//!   alone went on count for none.
//! - The probe of a peer's keepalive acknowledges what the peer had acknowledged before, where that ack was lost, and timestamps
//!   measure the whole silence as a round trip (RFC 7323 section 4.1): its weight takes as long to go.
//! - While an application rests, a host or a line is out of order, nothing need go on; afterwards
//!   it may take as long again as that, twice over, since probes double their distance too. What was on
//!   its way when a host stopped, a line stood still or a clock jumped makes a round trip longer by that.
//!
//! A side that was left by the other waits as long as its settings say, which may be for ever: an RST gets lost.
//!
//! A client that nobody has accepted is not judged where memory is short: a server without room is silent, and who has nothing to
//! say to one that has forgotten it may wait for ever (RFC 9293 section 3.5.1).
//!
//! A silence that is longer than these together is a finding. Two round trips with the delays of hosts are allowed besides: acks of
//! what was sent before begin the timer anew (rule 5.3) for as long as one takes, and the last repetition and its answer take
//! another.

use crate::host::ledger::FlowNotes;
use ackclock::time::{Duration, Instant};

/// Most doublings of a timeout: then it is the longest, and each further loss costs another one as long.
const MOST_DOUBLINGS: u32 = 20;
/// So many packets that are too long for a link excuse one silence, apart from each other: a sender that is told of the size, or
/// looks for it (RFC 1191 section 7.1 names nine sizes), has smaller ones by then on any path of the swarm.
const MOST_TOO_LONG: u32 = 16;
/// So many of them, apart or not, excuse silences at all, in the beginning and each time that larger ones are tried again
/// (RFC 1191 section 6.3: after 10 minutes): a sender that is told has to send smaller ones.
const TOO_LONG_EACH_TIME: u64 = 24;
const TRIED_AGAIN: Duration = Duration::from_secs(600);
/// In so many steps of its applications a timestamp is certainly measured: some tell of writing, some acks echo what was
/// sent before a timeout, and after a spurious one only data counts that was unsent then (RFC 4015 section 3.2).
const REMEMBERED: usize = 8;
/// So many steps of its applications later a connection has measured a round trip.
const YOUNG: u64 = 12;
/// After so many round trips a first measurement that was a hundred times too long has no weight any more.
const FORGOTTEN: u32 = 36;
/// The timeout after a SYN that was sent again (RFC 6298 rule 5.7).
const LEAST_BASE: Duration = Duration::from_secs(3);

/// What liveness is judged by, for each flow.
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    /// Delays of hosts and their acks.
    pub(crate) host_delay: Duration,
    /// The largest of initial and least timeouts.
    pub(crate) least: Duration,
    /// The largest timeout.
    pub(crate) most: Duration,
    /// Losses nearer than this count once.
    pub(crate) apart: Duration,
    /// Whether what goes on shows that something was measured: both ends use timestamps and measure by each, and no
    /// application goes on with what a buffer held.
    pub(crate) progress_measures: bool,
    /// After how long a silence an end probes the other.
    pub(crate) keepalive: Option<Duration>,
    /// Whether a connection may be refused, and later not, since memory is short.
    pub(crate) may_refuse: bool,
    /// Whether nothing is promised: one of the two lies.
    pub(crate) exempt: bool,
    /// Whether nothing is promised of a flow that has lost anything.
    pub(crate) stuck_after_loss: bool,
    /// More losses than are seen, for what is held back and never comes.
    pub(crate) unseen: u32,
}

/// Judges each flow while the run goes on.
pub(crate) struct Liveness {
    flows: Vec<Silence>,
    /// When lines or hosts were out of order.
    disturbances: Vec<[Instant; 2]>,
    /// The longest round trip of the path so far.
    pub(crate) longest_rtt: Duration,
    /// Whether a packet was held back until others pass, which may never be.
    pub(crate) has_held_back: bool,
    /// What exceeded its bound when it was last looked at, with what was known then.
    pending: Vec<Excess>,
}

/// The silence of one flow.
struct Silence {
    bounds: Bounds,
    steps: u64,
    since: Instant,
    /// In how many round trips something went on, when the last of them began, and whether something was lost in the first.
    rounds: u32,
    round_at: Instant,
    lost_first: bool,
    /// Losses that may have doubled the timeouts of each direction, the client's first.
    losses: [Doublings; 2],
    /// What had been written and read of each direction when something last went on.
    seen: [(u64, u64); 2],
    /// How many of them were too long for a link, since something went on.
    too_long: u32,
    /// How many packets were too long for a link, from the beginning on.
    told_too_long: u64,
    counted_at: Option<Instant>,
    lost_at: Instant,
    /// The last silence that a keepalive may have ended, and in which round trip.
    kept_alive: Option<(Duration, u32)>,
    /// Whether nothing more is expected of it, nor demanded.
    is_given_up: bool,
    /// Whether the server had the connection when it was last looked at.
    accepted: bool,
}

/// Losses nearer than a timeout's part count once; each doubles the timeout, until a round trip is measured.
#[derive(Clone, Copy, Debug, Default)]
struct Doublings {
    count: u32,
    /// How many of them were counted in each of the silences before this one, the oldest first.
    carried: [u32; REMEMBERED],
}

impl Doublings {
    /// Another silence is over, in which the direction went on: what was counted long ago is forgotten.
    fn go_on(&mut self) {
        let [oldest, newer @ ..] = self.carried;
        let fresh = self.count - oldest - newer.iter().sum::<u32>();
        self.count -= oldest;
        self.carried.rotate_left(1);
        self.carried[REMEMBERED - 1] = fresh;
    }
}

/// A silence that was too long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Excess {
    flow: usize,
    since: Instant,
    until: Instant,
    rest: Duration,
    losses: u32,
}

impl Silence {
    fn most_losses(&self) -> u32 {
        self.losses.iter().map(|losses| losses.count).max().unwrap_or(0)
    }
}

impl Liveness {
    pub(crate) fn new(flows: Vec<Bounds>, disturbances: Vec<[Instant; 2]>) -> Self {
        let silence = |bounds| Silence {
            bounds,
            steps: 0,
            since: Instant::ZERO,
            rounds: 0,
            round_at: Instant::ZERO,
            lost_first: false,
            losses: [Doublings::default(); 2],
            seen: [(0, 0); 2],
            too_long: 0,
            told_too_long: 0,
            counted_at: None,
            lost_at: Instant::ZERO,
            kept_alive: None,
            is_given_up: false,
            accepted: false,
        };
        Liveness {
            flows: flows.into_iter().map(silence).collect(),
            disturbances,
            longest_rtt: Duration::ZERO,
            has_held_back: false,
            pending: Vec::new(),
        }
    }

    /// Whether nothing more is expected of a flow, since one of the two lies, or is stuck.
    pub(crate) fn has_given_up(&self, flow: usize) -> bool {
        self.flows[flow].is_given_up
    }

    /// Whether nothing is promised of a flow: one of the two lies, or may be stuck.
    pub(crate) fn promises_nothing(&self, flow: usize) -> bool {
        let Silence { bounds, counted_at, .. } = &self.flows[flow];
        let is_disturbed = counted_at.is_some() || self.has_held_back;
        bounds.exempt || bounds.stuck_after_loss && is_disturbed
    }

    /// A packet of a flow was too long for a link.
    pub(crate) fn on_too_long(&mut self, now: Instant, flow: usize) {
        let silence = &mut self.flows[flow];
        let before = silence.most_losses();
        silence.told_too_long += 1;
        let times = 1 + now.as_micros() / TRIED_AGAIN.as_micros();
        let excuses = silence.told_too_long <= TOO_LONG_EACH_TIME * times;
        if excuses && silence.too_long < MOST_TOO_LONG {
            self.on_lost(now, flow);
        }
        self.flows[flow].too_long += self.flows[flow].most_losses() - before;
    }

    /// A packet of a flow was lost.
    pub(crate) fn on_lost(&mut self, now: Instant, flow: usize) {
        let silence = &mut self.flows[flow];
        silence.lost_at = now;
        silence.lost_first |= silence.rounds <= 1;
        let apart = silence.bounds.apart;
        if silence.counted_at.is_none_or(|at| now.saturating_since(at) >= apart) {
            silence.losses.iter_mut().for_each(|losses| losses.count += 1);
            silence.counted_at = Some(now);
        }
    }

    /// Takes note of where a flow is.
    pub(crate) fn look(&mut self, now: Instant, flow: usize, notes: &FlowNotes) {
        if notes.started.is_none() || self.flows[flow].steps == notes.steps {
            return;
        }
        let was_refused = self.flows[flow].bounds.may_refuse && !self.flows[flow].accepted;
        self.flows[flow].accepted = notes.accepted;
        if self.flows[flow].steps > 0 && !was_refused {
            self.judge(flow, notes.progress_at, notes.rests_until);
        }
        let longest_rtt = self.longest_rtt;
        let base = self.base(flow, now);
        let silence = &mut self.flows[flow];
        // How long a round trip is is not known from the beginning.
        if !longest_rtt.is_zero() && notes.progress_at >= silence.round_at + longest_rtt {
            (silence.rounds, silence.round_at) = (silence.rounds + 1, notes.progress_at);
        }
        let doubled = base.saturating_mul(1 << silence.most_losses().min(MOST_DOUBLINGS));
        let is_over = now.saturating_since(silence.lost_at) > doubled;
        for side in [0, 1] {
            let seen = (notes.written[side], notes.read[1 - side]);
            let nothing_left = seen.0 == seen.1;
            let goes_on = seen != std::mem::replace(&mut silence.seen[side], seen) || nothing_left;
            if is_over {
                silence.losses[side] = Doublings::default();
            } else if silence.bounds.progress_measures && goes_on {
                silence.losses[side].go_on();
            }
        }
        let lasted = notes.progress_at.saturating_since(silence.since);
        if silence.steps > 0 && silence.bounds.keepalive.is_some_and(|idle| lasted >= idle) {
            silence.kept_alive = Some((lasted, silence.rounds));
        }
        silence.steps = notes.steps;
        silence.too_long = 0;
        silence.since = notes.progress_at;
    }

    /// Looks at a flow of which nothing may have been seen for long.
    pub(crate) fn tick(&mut self, now: Instant, flow: usize, notes: &FlowNotes) {
        self.look(now, flow, notes);
        let is_deserted = notes.ended.iter().any(Option::is_some) && notes.has_failed();
        let is_refused = self.flows[flow].bounds.may_refuse && !notes.accepted;
        if is_refused {
            return;
        }
        if is_deserted {
            self.flows[flow].is_given_up = true;
        } else if notes.started.is_some() && !notes.is_over() {
            self.judge(flow, now, notes.rests_until);
        }
    }

    fn judge(&mut self, flow: usize, until: Instant, rests_until: Instant) {
        let silence = &self.flows[flow];
        let rest = rests_until.saturating_since(silence.since);
        let excess =
            Excess { flow, since: silence.since, until, rest, losses: silence.most_losses() };
        if self.exceeds(&excess).is_some() {
            self.pending.retain(|other| other.flow != flow || other.since != excess.since);
            self.pending.push(excess);
        }
    }

    fn base(&self, flow: usize, now: Instant) -> Duration {
        let bounds = &self.flows[flow].bounds;
        let begun = self.disturbances.iter().filter(|[from, _]| *from <= now);
        let disturbed = begun.map(|[from, to]| to.saturating_since(*from));
        let rtt = disturbed.fold(self.longest_rtt, |rtt, each| rtt + each);
        let measured = rtt.saturating_mul(6) + bounds.host_delay;
        let silence = &self.flows[flow];
        let is_young = silence.steps < YOUNG || silence.lost_first && silence.rounds < FORGOTTEN;
        // The first measurement makes three times as much of it (RFC 6298 rule 2.2).
        let kept_alive = silence.kept_alive.filter(|(_, then)| silence.rounds < then + FORGOTTEN);
        let by_keepalive =
            kept_alive.map_or(Duration::ZERO, |(lasted, _)| lasted.saturating_mul(3));
        let young = if is_young { LEAST_BASE } else { Duration::ZERO };
        measured.max(bounds.least).max(young).max(by_keepalive)
    }

    /// The bound, if the silence is longer.
    fn exceeds(&self, excess: &Excess) -> Option<Duration> {
        let Excess { flow, since, until, rest, losses } = *excess;
        let (base, bounds) = (self.base(flow, until), &self.flows[flow].bounds);
        let round_trip = self.longest_rtt + bounds.host_delay;
        let mut bound = rest.saturating_mul(3) + round_trip.saturating_mul(2);
        let timeouts = losses.saturating_add(1 + bounds.unseen);
        let longest = bounds.most.max(base);
        for doublings in 0..=timeouts.min(MOST_DOUBLINGS) {
            bound += base.saturating_mul(1 << doublings).min(longest);
        }
        bound += longest.saturating_mul(timeouts.saturating_sub(MOST_DOUBLINGS).into());
        for [from, to] in &self.disturbances {
            if *from < until && since < *to {
                bound += to.saturating_since(*from).saturating_mul(3);
            }
        }
        (until.saturating_since(since) > bound).then_some(bound)
    }

    /// What is still too long by what is known now, in words.
    pub(crate) fn verdict(&mut self) -> Option<String> {
        let pending = std::mem::take(&mut self.pending);
        pending.iter().find_map(|excess| {
            if self.promises_nothing(excess.flow) {
                self.flows[excess.flow].is_given_up = true;
                return None;
            }
            let bound = self.exceeds(excess)?;
            let Excess { flow, since, until, losses, .. } = excess;
            Some(format!(
                "flow {flow} stood still from {:.3} s for {:.3} s, {losses} losses apart; {:.3} s are enough on a path \
                 whose longest round trip is {:.3} s",
                since.as_micros() as f64 / 1e6,
                until.saturating_since(*since).as_micros() as f64 / 1e6,
                bound.as_micros() as f64 / 1e6,
                self.longest_rtt.as_micros() as f64 / 1e6,
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A flow whose applications have done a hundred things, the last of them at 10 s.
    fn settled(progress_measures: bool) -> (Liveness, FlowNotes) {
        let bounds = Bounds {
            host_delay: Duration::from_millis(400),
            least: Duration::from_millis(200),
            most: Duration::from_secs(60),
            apart: Duration::from_millis(100),
            progress_measures,
            keepalive: None,
            may_refuse: false,
            exempt: false,
            stuck_after_loss: false,
            unseen: 0,
        };
        let mut liveness = Liveness::new(vec![bounds], Vec::new());
        liveness.longest_rtt = Duration::from_millis(100);
        let at = Instant::from_secs(10);
        let notes = FlowNotes {
            started: Some(at),
            accepted: true,
            progress_at: at,
            steps: 100,
            ..FlowNotes::default()
        };
        liveness.look(at, 0, &notes);
        liveness.flows[0].rounds = 100;
        (liveness, notes)
    }

    fn is_found(liveness: &mut Liveness, notes: &FlowNotes, millis: u64) -> bool {
        liveness.tick(Instant::from_secs(10) + Duration::from_millis(millis), 0, notes);
        liveness.verdict().is_some()
    }

    #[test]
    fn a_direction_that_waits_remembers_what_was_lost_while_the_other_goes_on() {
        for (written, most) in [(0, 4_000), (9, 8_000)] {
            let (mut liveness, mut notes) = settled(true);
            notes.written[0] = written;
            liveness.on_lost(Instant::from_secs(10), 0);
            for step in 0..=REMEMBERED as u64 {
                notes.steps += 1;
                (notes.written[1], notes.read[0]) = (2 + step, 1 + step);
                liveness.look(Instant::from_secs(10), 0, &notes);
            }
            assert!(!is_found(&mut liveness, &notes, most));
            assert!(is_found(&mut liveness, &notes, most + 1));
        }
    }

    #[test]
    fn a_silence_without_a_loss_may_last_for_one_timeout_and_its_double() {
        // Six round trips and the delays of hosts are 1 s, two with both 1 s.
        let (mut liveness, notes) = settled(true);
        assert!(!is_found(&mut liveness, &notes, 4_000));
        assert!(is_found(&mut liveness, &notes, 4_001));
    }

    #[test]
    fn a_lost_syn_lengthens_the_timeouts_of_the_first_round_trips() {
        let (mut liveness, notes) = settled(true);
        (liveness.flows[0].lost_first, liveness.flows[0].rounds) = (true, 35);
        // Twice 3 s, the second doubled.
        assert!(!is_found(&mut liveness, &notes, 10_000));
        assert!(is_found(&mut liveness, &notes, 10_001));
        liveness.flows[0].rounds = 36;
        assert!(is_found(&mut liveness, &notes, 4_001));
    }

    #[test]
    fn a_silence_that_a_keepalive_ended_lengthens_the_timeouts_of_the_round_trips_after_it() {
        for (keepalive, most) in
            [(None, 4_000), (Some(60), 4_000), (Some(50), 1_000 + 2 * 3 * 50_000)]
        {
            let (mut liveness, mut notes) = settled(true);
            liveness.flows[0].bounds.keepalive = keepalive.map(Duration::from_secs);
            notes.steps += 1;
            notes.progress_at += Duration::from_secs(50);
            liveness.look(notes.progress_at, 0, &notes);
            liveness.pending.clear();
            assert!(!is_found(&mut liveness, &notes, 50_000 + most));
            assert!(is_found(&mut liveness, &notes, 50_000 + most + 1));
            liveness.flows[0].rounds += FORGOTTEN;
            assert!(is_found(&mut liveness, &notes, 54_001));
        }
    }

    #[test]
    fn each_loss_doubles_the_next_timeout_and_losses_together_count_once() {
        let (mut liveness, notes) = settled(true);
        for millis in [10_010, 10_020, 10_060] {
            liveness.on_lost(Instant::from_millis(millis), 0);
        }
        assert!(!is_found(&mut liveness, &notes, 8_000));
        assert!(is_found(&mut liveness, &notes, 8_001));
        liveness.on_lost(Instant::from_secs(11), 0);
        assert!(!is_found(&mut liveness, &notes, 16_000));
        assert!(is_found(&mut liveness, &notes, 16_001));
    }

    #[test]
    fn each_loss_costs_another_timeout_when_timeouts_do_not_double_any_more() {
        let (mut liveness, notes) = settled(true);
        for second in 11..41 {
            liveness.on_lost(Instant::from_secs(second), 0);
        }
        // 1, 2, 4, 8, 16 and 32 s, and 26 times the longest, after two round trips with the delays of hosts.
        assert!(!is_found(&mut liveness, &notes, 1_000 + 63_000 + 26 * 60_000));
        assert!(is_found(&mut liveness, &notes, 1_001 + 63_000 + 26 * 60_000));
    }

    #[test]
    fn a_path_that_turns_out_to_be_longer_excuses_what_was_seen_before() {
        let (mut liveness, notes) = settled(true);
        liveness.tick(Instant::from_secs(14), 0, &notes);
        liveness.longest_rtt = Duration::from_secs(1);
        assert_eq!(liveness.verdict(), None);
    }

    #[test]
    fn who_gets_stuck_after_a_loss_may_wait_only_then() {
        let (mut liveness, notes) = settled(true);
        liveness.flows[0].bounds.stuck_after_loss = true;
        assert!(is_found(&mut liveness, &notes, 4_001));
        liveness.on_lost(Instant::from_secs(10), 0);
        assert!(!is_found(&mut liveness, &notes, 1_000_000));
        assert!(liveness.has_given_up(0));
        // What is held back for others may never come.
        let (mut liveness, notes) = settled(true);
        liveness.flows[0].bounds.stuck_after_loss = true;
        liveness.has_held_back = true;
        assert!(!is_found(&mut liveness, &notes, 1_000_000));
    }

    #[test]
    fn who_was_left_by_the_other_may_wait() {
        let (mut liveness, mut notes) = settled(false);
        notes.aborted[0] = true;
        notes.ended[0] = Some(Instant::from_secs(10));
        assert!(!is_found(&mut liveness, &notes, 1_000_000));
    }
}
