//! The state of a connection that few connections need: it takes memory when it is needed, and a
//! connection stays small.

use super::accurate_ecn::AccurateEcn;
use super::connection::{Connection, RareCounters};
use super::lessons::Lessons;
use super::path_mtu::PathMtu;
use super::path_probing::PathProbing;
use super::user_timeout::UserTimeoutState;
use crate::congestion::CongestionController;
use crate::profile::{Kept, Part, Profile};
use crate::storage::OnDemand;

/// What of it a connection has; nothing at first.
pub(super) type Seldom<P> = OnDemand<SeldomState<P>>;

/// A field for each part that keeps something there.
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

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// Adds to a counter of what is rare, if there was any.
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
        if let Some(counters) = self.seldom.make().and_then(|state| state.counters.get_mut()) {
            let count = counter(counters);
            *count = count.saturating_add(more);
        }
    }

    /// What is rare, as far as it was counted.
    pub(super) fn rare_counters(&self) -> RareCounters {
        let counters = self.seldom.get().and_then(|state| state.counters.get());
        counters.copied().unwrap_or_default()
    }
}
