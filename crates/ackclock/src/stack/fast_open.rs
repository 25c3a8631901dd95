//! TCP Fast Open of a stack (RFC 7413): cookies that it gives and checks, and cookies given to it by peers.

use super::aftermath::Cause;
use super::demux::Entity;
use super::listeners::FastOpenSettings;
use super::open::By;
use super::secret::Secret;
use super::siphash::Key;
use super::tuple::FourTuple;
use super::{Listener, Stack};
use crate::congestion::CongestionController;
use crate::profile::{InitialValue, Kept, Profile};
use crate::tcp::{CookieOption, FastOpenMode, State};
use crate::time::{Duration, Instant};
use crate::wire::{Address, FastOpenCookie, Segment};
use core::net::Ipv4Addr;

/// Number of pairs of addresses that are remembered.
const PEERS: usize = 32;
/// Time in seconds for which one of the stack's own keys gives cookies; these remain valid for as long after
/// that.
const PERIOD: u64 = 24 * 60 * 60;
/// Time without Fast Open to a destination where it was lost or refused; doubled after each further loss (as
/// in Linux).
const LOST_FOR: Duration = Duration::from_secs(60);
/// Number of losses in a row after which the time no longer grows.
const MOST_LOSSES: u8 = 10;
/// MSS in bytes of a peer whose SYN-ACK had no MSS option, or was not seen (section 4.1.3): IPv4, IPv6.
const DEFAULT_MSS: (u16, u16) = (536, 1220);
/// Largest MSS in bytes that is remembered (section 4.1.3): IPv4, IPv6.
const LARGEST_MSS: (u16, u16) = (1460, 1440);

const NOBODY: Address = Address::V4(Ipv4Addr::UNSPECIFIED);

/// The state remembered of a peer (sections 4.1.3 and 4.1.3.1).
#[derive(Clone, Copy, Debug)]
struct Peer {
    local: Address,
    remote: Address,
    /// The cookie that the peer has given; empty if none.
    cookie: FastOpenCookie,
    /// MSS announced by the peer, in bytes; 0 if unknown.
    mss: u16,
    /// Port at which Fast Open was lost or refused, how often in a row, and until when it is not tried.
    lost_port: u16,
    losses: u8,
    lost_until: Instant,
    used_at: Instant,
}

impl Peer {
    const NONE: Peer = Peer {
        local: NOBODY,
        remote: NOBODY,
        cookie: FastOpenCookie::REQUEST,
        mss: 0,
        lost_port: 0,
        losses: 0,
        lost_until: Instant::ZERO,
        used_at: Instant::ZERO,
    };

    fn is_of(&self, tuple: &FourTuple) -> bool {
        self.local == tuple.local.ip() && self.remote == tuple.remote.ip()
    }
}

/// Fast Open state of a stack: keys, and cookies of peers.
#[derive(Debug)]
pub(super) struct FastOpen {
    /// Keys set by the user; the first one gives cookies.
    keys: Option<[Key; 2]>,
    peers: [Peer; PEERS],
    /// Connections accepted by Fast Open whose handshakes are not finished.
    pending: u32,
}

impl InitialValue for FastOpen {
    const INITIAL: Self = FastOpen { keys: None, peers: [Peer::NONE; PEERS], pending: 0 };
}

impl FastOpen {
    /// The cookie to give to a client, and a second one that is valid too.
    fn cookies(&self, now: Instant, secret: &Secret, tuple: &FourTuple) -> [FastOpenCookie; 2] {
        let period = now.as_secs() / PERIOD;
        let of_secret = || [period, period.saturating_sub(1)].map(|at| secret.fast_open_key(at));
        self.keys.unwrap_or_else(of_secret).map(|key| cookie(key, tuple))
    }

    /// The cookie for a SYN or SYN-ACK that is sent now.
    pub(super) fn option(
        &self,
        now: Instant,
        secret: &Secret,
        tuple: &FourTuple,
        which: CookieOption,
    ) -> Option<FastOpenCookie> {
        match which {
            CookieOption::None => None,
            CookieOption::OfPeer => {
                let peer = self.peers.iter().find(|peer| peer.is_of(tuple));
                Some(peer.map_or(FastOpenCookie::REQUEST, |peer| peer.cookie))
            }
            CookieOption::Ours => {
                let [cookie, _] = self.cookies(now, secret, tuple);
                Some(cookie)
            }
        }
    }

    /// Those that have given cookies, each once.
    pub(super) fn givers(&self) -> impl Iterator<Item = Address> + '_ {
        let has_given = |peer: &&Peer| !peer.cookie.is_request();
        self.peers.iter().enumerate().filter_map(move |(at, peer)| {
            let before = self.peers.iter().take(at).filter(has_given);
            let is_first = !before.into_iter().any(|other| other.remote == peer.remote);
            (has_given(&peer) && is_first).then_some(peer.remote)
        })
    }

    /// Forgets the peers that `which` names: their cookies, and that a Fast Open has failed.
    pub(super) fn forget(&mut self, which: impl Fn(Address) -> bool) {
        for peer in self.peers.iter_mut().filter(|peer| which(peer.remote)) {
            *peer = Peer::NONE;
        }
    }

    fn find(&mut self, tuple: &FourTuple) -> Option<&mut Peer> {
        self.peers.iter_mut().find(|peer| peer.is_of(tuple))
    }

    /// The entry of a peer, which replaces the least recently used one if it is new.
    fn place(&mut self, now: Instant, tuple: &FourTuple) -> Option<&mut Peer> {
        if self.find(tuple).is_none() {
            let oldest = self.peers.iter_mut().min_by_key(|peer| peer.used_at)?;
            let (local, remote) = (tuple.local.ip(), tuple.remote.ip());
            *oldest = Peer { local, remote, ..Peer::NONE };
        }
        let peer = self.find(tuple)?;
        peer.used_at = now;
        Some(peer)
    }
}

/// The cookie for the remote address of a four-tuple: a keyed hash of both addresses (as in Linux).
fn cookie(key: Key, tuple: &FourTuple) -> FastOpenCookie {
    let hash = match (tuple.remote.ip(), tuple.local.ip()) {
        (Address::V4(remote), Address::V4(local)) => {
            let pair =
                (u64::from(remote.to_bits()) << 32 | u64::from(local.to_bits())).swap_bytes();
            key.hash_2_4(&[pair, 8 << 56])
        }
        (remote, local) => {
            let words = |address: Address| match address {
                Address::V6(address) => {
                    let bits = address.to_bits();
                    [((bits >> 64) as u64).swap_bytes(), (bits as u64).swap_bytes()]
                }
                Address::V4(_) => [0, 0],
            };
            let ([r0, r1], [l0, l1]) = (words(remote), words(local));
            key.hash_2_4(&[r0, r1, l0, l1, 32 << 56])
        }
    };
    FastOpenCookie::new(&hash.to_le_bytes()).unwrap_or(FastOpenCookie::REQUEST)
}

/// The value for the address family of a four-tuple.
const fn of_family((ipv4, ipv6): (u16, u16), tuple: &FourTuple) -> u16 {
    if tuple.is_ipv4() { ipv4 } else { ipv6 }
}

impl<C: CongestionController + Clone, P: Profile> Stack<'_, C, P> {
    /// Sets the keys of the Fast Open cookies that listeners give: the first key gives and checks them, the
    /// second only checks (RFC 7413 section 4.1.2). Several hosts behind one address need the same keys. By
    /// default the stack uses keys of its own, which change every day.
    ///
    /// The cookie is the same as in Linux: SipHash-2-4 of both addresses.
    pub fn set_fast_open_keys(&mut self, first: [u8; 16], second: Option<[u8; 16]>) {
        let key = |key: [u8; 16]| {
            let bits = u128::from_le_bytes(key);
            Key::new([bits as u64, (bits >> 64) as u64])
        };
        if let Some(fast_open) = self.fast_open.get_mut() {
            fast_open.keys = Some([key(first), key(second.unwrap_or(first))]);
        }
    }

    /// Has the SYN of a new connection try Fast Open, unless it was lost or refused there lately.
    pub(super) fn try_fast_open(&mut self, now: Instant, id: u32, mode: FastOpenMode) {
        let (Some(fast_open), Some(slot)) =
            (self.fast_open.get_mut(), self.connections.get_mut(id))
        else {
            return;
        };
        let (mut cookie, mut mss) = (FastOpenCookie::REQUEST, 0);
        if let Some(peer) = fast_open.find(&slot.tuple) {
            if peer.lost_until > now && peer.lost_port == slot.tuple.remote.port() {
                return;
            }
            (peer.used_at, cookie, mss) = (now, peer.cookie, peer.mss);
        }
        let mss = if mss == 0 { of_family(DEFAULT_MSS, &slot.tuple) } else { mss };
        let shows = mode == FastOpenMode::On || !cookie.is_request();
        // A SYN that requests a cookie carries no data.
        let mss = if shows && cookie.is_request() { 0 } else { mss };
        slot.connection.open_fast(shows, mss);
    }

    /// Notes the peer's answer to a SYN that tried Fast Open.
    #[inline(never)]
    pub(super) fn learn_fast_open(&mut self, now: Instant, id: u32, answer: &Segment<'_>) {
        let (Some(fast_open), Some(slot)) = (self.fast_open.get_mut(), self.connections.get(id))
        else {
            return;
        };
        if !slot.connection.has_tried_fast_open() || !slot.connection.state().is_synchronized() {
            return;
        }
        if slot.connection.lost_fast_open(answer) {
            return self.note_lost_fast_open(now, id);
        }
        let options = &answer.header.options;
        let Some(peer) = fast_open.place(now, &slot.tuple) else {
            return;
        };
        if let Some(cookie) = options.fast_open().filter(|cookie| !cookie.is_request()) {
            peer.cookie = cookie;
        }
        if let Some(mss) = options.mss.filter(|mss| *mss > 0) {
            peer.mss = mss.min(of_family(LARGEST_MSS, &slot.tuple));
        }
        (peer.losses, peer.lost_until) = (0, Instant::ZERO);
    }

    /// Notes that a SYN that tried Fast Open was probably lost, or was refused.
    #[inline(never)]
    pub(super) fn note_lost_fast_open(&mut self, now: Instant, id: u32) {
        let (Some(fast_open), Some(slot)) = (self.fast_open.get_mut(), self.connections.get(id))
        else {
            return;
        };
        if let Some(peer) = fast_open.place(now, &slot.tuple) {
            let times = 1 << peer.losses;
            peer.losses = (peer.losses + 1).min(MOST_LOSSES);
            peer.lost_port = slot.tuple.remote.port();
            peer.lost_until = now + LOST_FOR.saturating_mul(times);
        }
    }

    /// Accepts a SYN with Fast Open if its cookie shows that the sender owns its address, and the listener's
    /// limit is not reached. Returns false if an ordinary handshake is to follow.
    pub(super) fn take_fast_open(
        &mut self,
        now: Instant,
        listener: u32,
        syn: &Segment<'_>,
        tuple: &FourTuple,
    ) -> bool {
        let (Some(fast_open), Some(record)) =
            (self.fast_open.get(), self.listeners.records.get(listener))
        else {
            return false;
        };
        let Some(FastOpenSettings { most, without_cookie }) = record.config.fast_open().copied()
        else {
            return false;
        };
        let shown = syn.header.options.fast_open().filter(|cookie| !cookie.is_request());
        let is_right =
            shown.is_some_and(|shown| fast_open.cookies(now, &self.secret, tuple).contains(&shown));
        let needs_none = without_cookie && !syn.payload.is_empty();
        if !is_right && !needs_none {
            if shown.is_some() {
                self.statistics.count(|all| &mut all.fast_open_refused);
            }
            return false;
        }
        if record.opened_fast.get().is_none_or(|pending| *pending >= most) {
            self.statistics.count(|all| &mut all.fast_open_overflow);
            return false;
        }
        // For a client that requests a cookie, or whose cookie is not of the newest key.
        let [newest, _] = fast_open.cookies(now, &self.secret, tuple);
        let gives = syn.header.options.fast_open().is_some_and(|cookie| cookie != newest);
        self.add_fast(now, listener, syn, tuple, gives).is_some()
    }

    /// Adds a connection for a SYN accepted with Fast Open. `gives`: its SYN-ACK gives the peer a cookie.
    fn add_fast(
        &mut self,
        now: Instant,
        listener: u32,
        syn: &Segment<'_>,
        tuple: &FourTuple,
        gives: bool,
    ) -> Option<()> {
        let record = self.listeners.records.get(listener)?;
        let initial = record.config.connection;
        let (least, most) = self.receive_memory(&initial)?;
        let promised = least.min(u16::MAX.into()) as u32;
        let first = self.secret.first_numbers(now, tuple);
        let by = By::Listener { id: listener, promised };
        let added = self.add_connection(tuple, first, by, None);
        self.make_room(now);
        let id = added?;
        let generation = self.listeners.records.generation(listener);
        let slot = self.connections.get_mut(id)?;
        slot.connection.accept_fast(now, &initial, syn, (most, gives));
        if let Some(counted_by) = slot.counted_by.get_mut() {
            *counted_by = Some(Listener { slot: listener, generation });
        }
        if let Some(fast_open) = self.fast_open.get_mut() {
            fast_open.pending += 1;
        }
        if let Some(pending) = self.listeners.records.get_mut(listener)?.opened_fast.get_mut() {
            *pending += 1;
        }
        tell!(debug, "connection {}: accepted by Fast Open", tuple);
        self.statistics.count(|all| &mut all.passive_opens);
        self.statistics.count(|all| &mut all.fast_opens);
        self.demux.insert(tuple, Entity::Connection(id));
        self.push_waiting(listener, id);
        self.touched(now, id, Cause::Step);
        Some(())
    }

    /// Stops counting a connection accepted by Fast Open as pending, if its handshake is finished or has
    /// failed.
    #[inline(always)]
    pub(super) fn settle_fast_open(&mut self, id: u32) {
        if self.fast_open.get().is_some_and(|fast_open| fast_open.pending > 0) {
            self.settle_pending(id);
        }
    }

    #[inline(never)]
    fn settle_pending(&mut self, id: u32) {
        let Some(fast_open) = self.fast_open.get_mut() else {
            return;
        };
        let slot = self.connections.get_mut(id);
        let Some(slot) = slot.filter(|slot| slot.connection.state() != State::SynReceived) else {
            return;
        };
        let counted_by = slot.counted_by.get_mut().and_then(Option::take);
        let Some(Listener { slot, generation }) = counted_by else {
            return;
        };
        fast_open.pending -= 1;
        let record = self.listeners.records.get_mut_of(slot, generation);
        if let Some(pending) = record.and_then(|record| record.opened_fast.get_mut()) {
            *pending = pending.saturating_sub(1);
        }
    }
}
