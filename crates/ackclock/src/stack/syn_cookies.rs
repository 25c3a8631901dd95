//! SYN cookies (RFC 4987 section 3.6): the state of a half-open connection, encoded in the numbers of the
//! SYN-ACK, which the peer's ack returns.
//!
//! The initial sequence number encodes the peer's segment size, rounded down to one of a few usual ones, and
//! a keyed hash that proves that the number is ours and recent. If both sides use timestamps, the low bits of
//! ours encode the other options agreed on.
//!
//! No state is kept, not even that a cookie was returned: once its connection has left no trace, the same ack
//! opens another. The time in the hash limits this to about two minutes (RFC 4987 section 3.6). Until then an
//! attacker who has recorded the ack can replay it in the peer's name, together with the data that it
//! carried, but gets no answer.

use super::Stack;
use super::ip_fields::IpFields;
use super::limits::LEAST_QUEUE;
use super::replies::Reply;
use super::secret::{FirstNumbers, Secret};
use super::tuple::FourTuple;
use crate::congestion::CongestionController;
use crate::profile::{Kept, Profile};
use crate::seq::SeqNumber;
use crate::storage::CAN_GROW;
use crate::tcp::{Agreement, Initial, SynOptions};
use crate::time::{Duration, Instant};
use crate::wire::{Flags, Header, Options, Segment, Timestamps};

/// Segment sizes that a cookie can encode, in bytes: the least accepted from any peer, two of peers with
/// little memory, the defaults of both families (RFC 9293 section 3.7.1), one of tunnels, and those of
/// Ethernet with IPv6 (or with PPPoE) and with IPv4.
const SEGMENT_SIZES: [u16; 8] = [48, 128, 256, 536, 1_220, 1_360, 1_440, 1_460];
/// Number of bits of the index of a segment size.
const SIZE_BITS: u32 = 3;
/// Number of bits below the hash: the index of a segment size, and the lowest bit of the period number.
const LOW_BITS: u32 = SIZE_BITS + 1;

/// Base-2 logarithm of the length of a period in seconds (64 s); the hash depends on the period.
const PERIOD_SECONDS_BITS: u32 = 6;

/// Longest time for which a cookie is valid: its own period and the next one.
const LIFETIME: Duration = Duration::from_secs(2 << PERIOD_SECONDS_BITS);

/// Low bits of a timestamp: the window scale shift count of the peer, ...
const SHIFT: u32 = 0xf;
/// ... which has this value if windows are not scaled (the largest is 14, RFC 7323 section 2.3), ...
const NOT_SCALED: u32 = SHIFT;
/// ... whether SACK is permitted, ...
const SACK: u32 = 1 << 4;
/// ... and whether the SYN was an ECN-setup SYN.
const ECN: u32 = 1 << 5;
/// All of these bits.
const AGREED: u32 = SHIFT | SACK | ECN;

impl<'a, C: CongestionController + Clone, P: Profile> Stack<'a, C, P> {
    /// Answers a SYN to listener `id` with a cookie, and keeps no state of it.
    #[inline(never)]
    pub(super) fn send_cookie(
        &mut self,
        now: Instant,
        id: u32,
        syn: &Segment<'_>,
        tuple: &FourTuple,
    ) {
        let Some(listener) = self.listeners.records.get(id) else {
            return;
        };
        let initial = &listener.config.connection;
        let Some((mut window, _)) = self.receive_memory(initial) else {
            tell!(warn, "SYN dropped, {}: no memory for its queues", tuple);
            self.statistics.count(|all| &mut all.memory_refused);
            return self.make_room(now);
        };
        // No memory is reserved: advertise only what will certainly be available when the ack arrives.
        if CAN_GROW {
            window = window.min(LEAST_QUEUE as usize);
        }
        let Header { seq: irs, options: Options { mss, timestamps, .. }, .. } = syn.header;
        let mut peers = SynOptions::of(&syn.header);
        let mut agreement = self.agreement(initial, tuple, &peers);
        if !agreement.timestamps {
            peers = SynOptions { mss, ..SynOptions::default() };
            agreement = self.agreement(initial, tuple, &peers);
        }
        let timestamps = timestamps.filter(|_| agreement.timestamps);
        let handshake = Handshake { tuple, irs };
        let clock = self.secret.first_numbers(now, tuple).timestamp_offset;
        let clock = (now.as_millis() as u32).wrapping_add(clock);
        let reply = Reply {
            tuple: *tuple,
            seq: handshake.cookie(&self.secret, now, agreement.peer_mss),
            ack: irs + 1,
            flags: agreement.syn_options().flags(Flags::SYN | Flags::ACK),
            window: u16::try_from(window).unwrap_or(u16::MAX),
            timestamps: timestamps
                .map(|theirs| Timestamps { value: timestamp(clock, &peers), echo: theirs.value }),
            ip_fields: IpFields::of(initial),
        };
        if let Some(listener) = self.listeners.records.get_mut(id)
            && let Some(until) = listener.cookies_until.get_mut()
        {
            *until = now + LIFETIME;
        }
        self.statistics.count(|all| &mut all.syn_cookies_sent);
        self.reply(reply);
    }

    /// The options of a cookie's SYN-ACK, which waits to be sent.
    pub(super) fn cookie_options(&self, cookie: &Reply) -> Options {
        let listener = self.listener_for(&cookie.tuple);
        let Some(listener) = listener.and_then(|id| self.listeners.records.get(id)) else {
            return Options::default();
        };
        let peers = offered(None, cookie.timestamps.map(|option| option.value));
        let agreement = self.agreement(&listener.config.connection, &cookie.tuple, &peers);
        agreement.syn_options().options(cookie.timestamps.unwrap_or_default())
    }

    /// The agreement with a peer that offers `peers`.
    fn agreement(
        &self,
        initial: &Initial<P>,
        tuple: &FourTuple,
        peers: &SynOptions,
    ) -> Agreement<P> {
        let (ip_header, mtu) = (tuple.ip_header(), self.config.link.mtu);
        let most_memory = self.receive_memory(initial).map_or(0, |(_, most)| most);
        let mut agreement = Agreement::offer(&initial.offer, mtu, ip_header, most_memory);
        agreement.agree(peers, ip_header);
        if let Some(kind) = self.signature_for(tuple) {
            agreement.sign(kind);
        }
        agreement
    }

    /// Processes an ack to listener `id` without a connection: if it returns a cookie, the handshake is
    /// finished as if its state had been kept. A segment that [may follow](may_follow) a cookie is dropped.
    /// Returns false if the segment is to be answered with a RST.
    #[inline(never)]
    pub(super) fn take_cookie(
        &mut self,
        now: Instant,
        id: u32,
        ack: &Segment<'_>,
        tuple: &FourTuple,
    ) -> bool {
        if !self.expects_cookies(now, id) {
            return false;
        }
        let Some(mss) = self.cookie_in(now, ack, tuple) else {
            self.statistics.count(|all| &mut all.syn_cookies_refused);
            return may_follow(ack);
        };
        self.statistics.count(|all| &mut all.syn_cookies_accepted);
        let syn = Segment { header: answered_syn(&ack.header, mss), payload: &[], ..*ack };
        let first =
            FirstNumbers { isn: ack.header.ack - 1, ..self.secret.first_numbers(now, tuple) };
        if let Some(half_open) = self.add_half_open(now, id, &syn, first) {
            self.half_open.on_cookie(now, half_open);
            if let Some(connection) = self.on_half_open_segment(now, half_open, ack) {
                self.on_connection_segment(now, connection, ack);
            }
        }
        true
    }

    /// Whether a listener has sent cookies that may still be returned. Otherwise cookies are not checked, so
    /// that they cannot be guessed at leisure.
    pub(super) fn expects_cookies(&self, now: Instant, listener: u32) -> bool {
        let listener = self.listeners.records.get(listener);
        let until = listener.and_then(|listener| listener.cookies_until.get());
        until.is_some_and(|until| now < *until)
    }

    /// The segment size encoded in the cookie that an ack returns, in bytes; `None` if there is no valid
    /// cookie.
    pub(super) fn cookie_in(
        &self,
        now: Instant,
        segment: &Segment<'_>,
        tuple: &FourTuple,
    ) -> Option<u16> {
        let Header { seq, ack, .. } = segment.header;
        let handshake = Handshake { tuple, irs: seq - 1 };
        is_ack(segment).then(|| handshake.segment_size(&self.secret, now, ack - 1)).flatten()
    }
}

/// Whether a segment may be a later one from a peer whose first ack, with the cookie, was lost together with
/// all other segments that returned it. A RST would end the connection that the retransmission opens. Pure
/// acks are answered as usual: such a peer has received nothing yet that it could acknowledge.
pub(super) fn may_follow(segment: &Segment<'_>) -> bool {
    is_ack(segment) && !segment.is_empty()
}

/// Whether a segment has ACK, but neither SYN nor RST; it may carry data.
fn is_ack(segment: &Segment<'_>) -> bool {
    let flags = segment.header.flags;
    flags.contains(Flags::ACK) && !flags.intersects(Flags::SYN | Flags::RST)
}

/// The handshake that a cookie belongs to: the four-tuple and the peer's initial sequence number.
#[derive(Clone, Copy, Debug)]
struct Handshake<'t> {
    tuple: &'t FourTuple,
    irs: SeqNumber,
}

impl Handshake<'_> {
    /// The cookie for a SYN that announces this MSS: our initial sequence number.
    fn cookie(&self, secret: &Secret, now: Instant, mss: u16) -> SeqNumber {
        let larger = |size: &u16| *size > mss;
        let first_larger = SEGMENT_SIZES.iter().position(larger).unwrap_or(SEGMENT_SIZES.len());
        self.number(secret, period(now), first_larger.saturating_sub(1) as u32)
    }

    /// The segment size encoded in a cookie, in bytes; `None` if it is not ours, or too old.
    fn segment_size(&self, secret: &Secret, now: Instant, cookie: SeqNumber) -> Option<u16> {
        let current = period(now);
        // Of this period or the last one: the bit says which.
        let age = (current ^ cookie.0 >> SIZE_BITS) & 1;
        let size = cookie.0 % SEGMENT_SIZES.len() as u32;
        let is_ours = self.number(secret, current.wrapping_sub(age), size) == cookie;
        SEGMENT_SIZES.get(size as usize).copied().filter(|_| is_ours)
    }

    fn number(&self, secret: &Secret, period: u32, size: u32) -> SeqNumber {
        let hash = secret.cookie(self.tuple, self.irs, period << SIZE_BITS | size);
        SeqNumber(hash << LOW_BITS | (period & 1) << SIZE_BITS | size)
    }
}

fn period(now: Instant) -> u32 {
    (now.as_secs() >> PERIOD_SECONDS_BITS) as u32
}

/// The timestamp of a cookie, which encodes the options offered: slightly older than our clock, never ahead
/// of it.
fn timestamp(clock: u32, peers: &SynOptions) -> u32 {
    let shift = peers.window_scale.map_or(NOT_SCALED, u32::from);
    let sack = if peers.sack_permitted { SACK } else { 0 };
    let ecn = if peers.ecn_setup { ECN } else { 0 };
    let marked = clock & !AGREED | shift | sack | ecn;
    if marked > clock { marked.wrapping_sub(AGREED + 1) } else { marked }
}

/// The options that a peer has offered, decoded from the timestamp of its cookie, if the cookie had one.
fn offered(mss: Option<u16>, timestamp: Option<u32>) -> SynOptions {
    let Some(timestamp) = timestamp else {
        return SynOptions { mss, ..SynOptions::default() };
    };
    let shift = timestamp & SHIFT;
    SynOptions {
        mss,
        window_scale: (shift != NOT_SCALED).then_some(shift as u8),
        sack_permitted: timestamp & SACK != 0,
        timestamps: true,
        ecn_setup: timestamp & ECN != 0,
    }
}

/// The SYN that a cookie has answered, reconstructed from the `ack` that returns it (with the ack's own
/// timestamp).
fn answered_syn(ack: &Header, mss: u16) -> Header {
    let timestamps = ack.options.timestamps;
    let offered = offered(Some(mss), timestamps.map(|option| option.echo));
    Header {
        seq: ack.seq - 1,
        ack: SeqNumber(0),
        flags: offered.flags(Flags::SYN),
        options: Options { timestamps, ..offered.options(timestamps.unwrap_or_default()) },
        ..*ack
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stack::tuple::End;
    use proptest::prelude::*;

    fn tuple(port: u16) -> FourTuple {
        FourTuple {
            local: End::new([10, 0, 0, 1].into(), 80),
            remote: End::new([10, 0, 0, 2].into(), port),
        }
    }

    proptest! {
        #[test]
        fn a_cookie_tells_a_size_that_the_peer_takes_and_no_other_handshake_has_it(
            mss in 48_u16..,
            irs: u32,
            other: u32,
            port: u16,
            seconds in 0_u64..1 << 33,
            later in 0_u64..64,
        ) {
            let secret = Secret::new([1, 2]);
            let now = Instant::from_secs(seconds);
            let handshake = Handshake { tuple: &tuple(port), irs: SeqNumber(irs) };
            let cookie = handshake.cookie(&secret, now, mss);
            let then = now + Duration::from_secs(later);
            let told = handshake.segment_size(&secret, then, cookie).unwrap();
            let usual = [1_460, 1_440, 1_360, 1_220, 536, 256, 128, 48];
            let usual = usual.into_iter().find(|size| *size <= mss);
            prop_assert_eq!(Some(told), usual);
            prop_assert_eq!(handshake.segment_size(&secret, now + LIFETIME, cookie), None);
            let stranger = Secret::new([1, 3]);
            prop_assert_eq!(handshake.segment_size(&stranger, then, cookie), None);
            let another = Handshake { irs: SeqNumber(other), ..handshake };
            prop_assume!(other != irs);
            prop_assert_eq!(another.segment_size(&secret, then, cookie), None);
        }

        #[test]
        fn a_timestamp_tells_what_was_offered_and_is_at_most_an_eighth_of_a_second_old(
            clock: u32,
            shift in 0_u8..15,
            scaled: bool,
            sack_permitted: bool,
            ecn_setup: bool,
        ) {
            let window_scale = scaled.then_some(shift);
            let mss = Some(1_460);
            let peers =
                SynOptions { mss, window_scale, sack_permitted, timestamps: true, ecn_setup };
            let told = timestamp(clock, &peers);
            prop_assert!(clock.wrapping_sub(told) < 128);
            prop_assert_eq!(offered(mss, Some(told)), peers);
        }
    }

    #[test]
    fn less_than_the_least_size_counts_as_that() {
        let secret = Secret::new([1, 2]);
        let handshake = Handshake { tuple: &tuple(1), irs: SeqNumber(7) };
        let cookie = handshake.cookie(&secret, Instant::ZERO, 40);
        assert_eq!(handshake.segment_size(&secret, Instant::ZERO, cookie), Some(48));
    }
}
