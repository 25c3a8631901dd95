//! Counters of a stack.

use crate::profile::{InitialValue, Kept, Part, Profile};

/// Counters of a stack since it was created. Each packet received is counted once among its possible
/// outcomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Statistics {
    /// IP packets handed to the stack.
    pub packets_received: u64,
    /// IP packets taken by the link.
    pub packets_sent: u64,
    /// TCP segments that reached a connection, a listener, a half-open or a TIME-WAIT record.
    pub segments_delivered: u64,
    /// Packets shorter than their headers say, or not IP.
    pub malformed: u64,
    /// Packets with a wrong checksum.
    pub bad_checksum: u64,
    /// Segments with a malformed header or option.
    pub bad_header: u64,
    /// IP fragments, which are not reassembled.
    pub fragments: u64,
    /// Packets to an address that is not ours.
    pub not_for_us: u64,
    /// Packets with a source or destination address that TCP must not answer.
    pub bad_address: u64,
    /// Packets of protocols other than TCP and ICMP.
    pub unknown_protocol: u64,
    /// Segments dropped because they lacked a required signature (RFC 2385, RFC 5925).
    pub signature_missing: u64,
    /// Segments dropped because they had a signature although no key is set.
    pub signature_unexpected: u64,
    /// Segments dropped because their signature was wrong.
    pub signature_wrong: u64,
    /// Segments dropped because no key has their key ID (TCP-AO, RFC 5925).
    pub signature_key_unknown: u64,
    /// Segments dropped because nothing is known of their connection, so that their TCP-AO signature cannot
    /// be verified: it is over, or from before a restart (RFC 5925 section 7.7).
    pub signature_not_checkable: u64,
    /// Segments accepted although they had a TCP-AO option, for connections without such a key (RFC 5925
    /// section 7.3).
    pub signatures_ignored: u64,
    /// Replies not sent because they could not be signed (RFC 5925 section 7.7).
    pub unsigned_suppressed: u64,
    /// TCP segments to our addresses without a connection or a listener.
    pub no_connection: u64,
    /// RST segments sent.
    pub resets_sent: u64,
    /// RST segments not sent because of the rate limit.
    pub resets_suppressed: u64,
    /// Replies dropped because the reply queue was full, or because on Ethernet the next hop's hardware
    /// address was unknown.
    pub replies_dropped: u64,
    /// Echo requests answered.
    pub echo_replies: u64,
    /// ICMP errors about a segment in flight of a connection.
    pub icmp_errors: u64,
    /// ICMP errors that matched no connection, and other ICMP messages.
    pub icmp_ignored: u64,
    /// Connections opened actively.
    pub active_opens: u64,
    /// Connections accepted by listeners.
    pub passive_opens: u64,
    /// SYN segments beyond the limit of half-open connections: answered with a SYN cookie, or replacing an
    /// older half-open connection.
    pub half_open_overflow: u64,
    /// SYN cookies sent, as SYN-ACK segments (RFC 4987).
    pub syn_cookies_sent: u64,
    /// Handshakes finished by a SYN cookie.
    pub syn_cookies_accepted: u64,
    /// Acks to a listener that had sent SYN cookies which carried no valid cookie, or one that was too old.
    pub syn_cookies_refused: u64,
    /// Connections accepted by Fast Open (RFC 7413).
    pub fast_opens: u64,
    /// Fast Open cookies that were invalid or too old: an ordinary handshake followed.
    pub fast_open_refused: u64,
    /// Fast Opens beyond the listener's limit of unfinished ones: an ordinary handshake followed.
    pub fast_open_overflow: u64,
    /// SYN segments and last acks of handshakes dropped because the accept queue was full.
    pub accept_overflow: u64,
    /// Connections refused because the memory for queues was used up: the SYN, or the last ack of the
    /// handshake, was dropped.
    pub memory_refused: u64,
    /// Idle connections ended because memory or connection slots were short.
    pub gave_way: u64,
    /// Calls refused because of a limit: no slot or memory for a connection, listener or address, or no free
    /// ephemeral port.
    pub calls_refused: u64,
    /// Half-open connections that timed out.
    pub half_open_timeouts: u64,
    /// TIME-WAIT records dropped for newer ones.
    pub time_wait_recycled: u64,
    /// TIME-WAIT records replaced by a new connection (RFC 6191).
    pub time_wait_reused: u64,
    /// Calls with a `now` earlier than that of the call before.
    pub time_went_back: u64,
}

/// The counters of a stack, absent in an image without counters.
#[derive(Debug)]
pub(super) struct Counted<P: Profile> {
    all: <P::Counters as Part>::Begins<Statistics>,
}

impl<P: Profile> Counted<P> {
    /// All counters at zero.
    pub(super) const NONE: Self = Counted { all: InitialValue::INITIAL };

    /// Increments a counter.
    pub(super) fn count(&mut self, which: impl FnOnce(&mut Statistics) -> &mut u64) {
        if let Some(all) = self.all.get_mut() {
            *which(all) += 1;
        }
    }

    /// All counters; all zero if the image has none.
    pub(super) fn all(&self) -> &Statistics {
        self.all.get().unwrap_or(&Statistics::INITIAL)
    }
}

impl InitialValue for Statistics {
    const INITIAL: Self = Statistics {
        packets_received: 0,
        packets_sent: 0,
        segments_delivered: 0,
        malformed: 0,
        bad_checksum: 0,
        bad_header: 0,
        fragments: 0,
        not_for_us: 0,
        bad_address: 0,
        unknown_protocol: 0,
        signature_missing: 0,
        signature_unexpected: 0,
        signature_wrong: 0,
        signature_key_unknown: 0,
        signature_not_checkable: 0,
        signatures_ignored: 0,
        unsigned_suppressed: 0,
        no_connection: 0,
        resets_sent: 0,
        resets_suppressed: 0,
        replies_dropped: 0,
        echo_replies: 0,
        icmp_errors: 0,
        icmp_ignored: 0,
        active_opens: 0,
        passive_opens: 0,
        half_open_overflow: 0,
        syn_cookies_sent: 0,
        syn_cookies_accepted: 0,
        syn_cookies_refused: 0,
        fast_opens: 0,
        fast_open_refused: 0,
        fast_open_overflow: 0,
        accept_overflow: 0,
        memory_refused: 0,
        gave_way: 0,
        calls_refused: 0,
        half_open_timeouts: 0,
        time_wait_recycled: 0,
        time_wait_reused: 0,
        time_went_back: 0,
    };
}
