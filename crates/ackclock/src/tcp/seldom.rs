//! Rare state of a connection, which few connections need: its memory is allocated when it is first needed,
//! so that a connection stays small.

use super::accurate_ecn::AccurateEcn;
use super::connection::{Connection, RareCounters};
use super::lessons::Lessons;
use super::path_mtu::PathMtu;
use super::path_probing::PathProbing;
use super::sender::{Data, ProbeTurn};
use super::user_timeout::UserTimeoutState;
use crate::congestion::CongestionController;
use crate::profile::{Kept, Part, Profile};
use crate::storage::{CAN_GROW, OnDemand};
use crate::time::Instant;
use crate::wire::{Flags, Header, Segment, UserTimeout};

/// A connection's rare state; empty until first needed.
pub(super) type Seldom<P> = OnDemand<SeldomState<P>>;

/// The rare state: one field for each feature that keeps some.
#[derive(Debug)]
pub(super) struct SeldomState<P: Profile> {
    pub(super) counters: <P::Counters as Part>::Keeps<RareCounters>,
    pub(super) lessons: <P::HostMetrics as Part>::Keeps<Lessons>,
    pub(super) accurate_ecn: <P::AccurateEcn as Part>::Keeps<AccurateEcn>,
    pub(super) path_mtu: <P::IcmpErrors as Part>::Keeps<PathMtu>,
    pub(super) user_timeout: <P::UserTimeoutOption as Part>::Keeps<UserTimeoutState>,
    pub(super) path_probing: <P::PathProbing as Part>::Keeps<PathProbing>,
}

impl<P: Profile> Default for SeldomState<P> {
    fn default() -> Self {
        SeldomState {
            counters: Kept::new(RareCounters::default()),
            lessons: Kept::new(Lessons::default()),
            accurate_ecn: Kept::new(AccurateEcn::default()),
            path_mtu: Kept::new(PathMtu::default()),
            user_timeout: Kept::new(UserTimeoutState::default()),
            path_probing: Kept::new(PathProbing::default()),
        }
    }
}

/// What the rare state makes of a connection's turn to send.
// Matched only: a comparison would be a function in small images.
#[derive(Clone, Copy, Debug)]
pub(super) enum SeldomTurn {
    /// No change: the turn goes on as without such state.
    Plain,
    /// An ack is sent without data.
    Ack,
    /// A path MTU probe is sent.
    Probe(Data),
    /// New data is held back until there is enough for a path MTU probe.
    Gather,
    /// The next segment must not be cut by the link.
    Whole,
}

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// Whether the connection has rare state that affects segments.
    #[inline(always)]
    pub(super) fn has_seldom_state(&self) -> bool {
        (P::ACCURATE_ECN || P::ICMP_ERRORS || P::PATH_PROBING || P::USER_TIMEOUT_OPTION)
            && self.seldom.get().is_some()
    }

    /// Puts the options of rare features into a SYN or a SYN-ACK.
    #[cfg_attr(target_pointer_width = "64", inline(never))]
    pub(super) fn put_options_of_syn(&self, syn: &mut Header) {
        if self.is_first_syn() {
            syn.options.set_user_timeout(self.user_timeout_option());
        }
        if syn.flags.contains(Flags::ACK) && self.is_accurate() {
            syn.options.set_accurate_ecn(self.agreement.accurate.syn_ack_option());
        }
    }

    /// Puts the options that are due into `header`, of a segment with `payload` bytes, if they fit beside it;
    /// AccECN's only if `counts`.
    #[cfg_attr(target_pointer_width = "64", inline(never))]
    pub(super) fn put_seldom_options(&self, header: &mut Header, payload: u32, counts: bool) {
        if counts {
            self.tell_counters(header, payload);
        }
        if payload + UserTimeout::OPTION_LEN <= self.sender.mss() && self.user_timeout_due() {
            header.options.set_user_timeout(self.user_timeout_option());
        }
    }

    /// Processes the options of rare features, and AccECN's counters, of an acceptable segment that was
    /// otherwise processed.
    #[cfg_attr(target_pointer_width = "64", inline(never))]
    pub(super) fn take_seldom_options(&mut self, segment: &Segment<'_>) {
        self.take_user_timeout(&segment.header.options);
        if self.is_accurate() {
            self.count_codepoint(segment);
        }
    }

    /// Notes that a segment other than SYN and RST was sent with this header.
    #[cfg_attr(target_pointer_width = "64", inline(never))]
    pub(super) fn on_header_sent(&mut self, header: &Header) {
        if header.options.user_timeout().is_some() {
            self.on_user_timeout_sent();
        }
        if self.is_accurate() {
            self.on_counters_sent(header);
        }
    }

    /// What the rare state makes of this turn to send. `ack_due`: the peer may be waiting for an ack.
    #[inline(always)]
    pub(super) fn seldom_turn(&mut self, now: Instant, ack_due: bool) -> SeldomTurn {
        if self.has_seldom_state() { self.turn_by_state(now, ack_due) } else { SeldomTurn::Plain }
    }

    #[cfg_attr(target_pointer_width = "64", inline(never))]
    fn turn_by_state(&mut self, now: Instant, ack_due: bool) -> SeldomTurn {
        let goes_alone = self.has_counters_to_tell() || self.user_timeout_due();
        if (ack_due && goes_alone) || self.owes_last_ack() {
            return SeldomTurn::Ack;
        }
        if self.is_path_mtu_old(now) {
            self.retry_path_mtu(now);
        }
        match self.probe_path(now) {
            ProbeTurn::Probe(data) => SeldomTurn::Probe(data),
            ProbeTurn::Gather => SeldomTurn::Gather,
            ProbeTurn::None if self.has_cwr_in_counter() => SeldomTurn::Whole,
            ProbeTurn::None => SeldomTurn::Plain,
        }
    }

    /// Adds to a counter of rare events, unless it adds 0. Where there is a heap but all memory is lent, only
    /// a connection that has rare state for another reason counts.
    #[inline(always)]
    pub(super) fn count_rarely(
        &mut self,
        counter: impl FnOnce(&mut RareCounters) -> &mut u32,
        more: u32,
    ) {
        if P::COUNTERS && more > 0 {
            self.add_rarely(counter, more);
        }
    }

    #[cold]
    #[inline(never)]
    fn add_rarely(&mut self, counter: impl FnOnce(&mut RareCounters) -> &mut u32, more: u32) {
        let may_grow = !CAN_GROW || self.sender.may_grow();
        let state = if may_grow { self.seldom.make() } else { self.seldom.get_mut() };
        if let Some(counters) = state.and_then(|state| state.counters.get_mut()) {
            let count = counter(counters);
            *count = count.saturating_add(more);
        }
    }

    /// The counters of rare events.
    pub(super) fn rare_counters(&self) -> RareCounters {
        let counters = self.seldom.get().and_then(|state| state.counters.get());
        counters.copied().unwrap_or_default()
    }
}
