//! ICMP errors as Linux tells them to a socket, where the stack tells only of what kind they are: which `errno` each
//! has (`icmp_err_convert`, `icmpv6_err_convert`), and that any of them ends an open (`tcp_v4_err`), which RFC 9293
//! MUST-56 would have go on.

use super::habits::is_before;
use super::packets::rewrite_icmp;
use super::socket::{Kind, Stream};
use super::{Errno, Sockets};
use ackclock::tcp::{Error, State};
use ackclock::wire::{Checksums, IcmpError, Protocol, parse_packet};

/// Type and code of "port unreachable" of either family, which ends an open in the stack too.
const REFUSED: [[u8; 2]; 2] = [[3, 3], [1, 4]];
/// What comes for each code of "destination unreachable" (RFC 792, RFC 1122 section 3.2.2.1, RFC 1812 section
/// 5.2.7.1); 4 tells of an MTU.
const UNREACHABLE: [i32; 16] = [
    libc::ENETUNREACH,
    libc::EHOSTUNREACH,
    libc::ENOPROTOOPT,
    libc::ECONNREFUSED,
    0,
    libc::EOPNOTSUPP,
    libc::ENETUNREACH,
    libc::EHOSTDOWN,
    libc::ENONET,
    libc::ENETUNREACH,
    libc::EHOSTUNREACH,
    libc::ENETUNREACH,
    libc::EHOSTUNREACH,
    libc::EHOSTUNREACH,
    libc::EHOSTUNREACH,
    libc::EHOSTUNREACH,
];
/// The same for ICMPv6 (RFC 4443 section 3.1).
const UNREACHABLE_V6: [i32; 7] = [
    libc::ENETUNREACH,
    libc::EACCES,
    libc::EHOSTUNREACH,
    libc::EHOSTUNREACH,
    libc::ECONNREFUSED,
    libc::EACCES,
    libc::EACCES,
];

/// What a socket is told of an ICMP message, by its type and code; `None` if it is no error, or tells of an MTU.
fn errno(is_v6: bool, kind: u8, code: u8) -> Option<Errno> {
    let unreachable = if is_v6 { &UNREACHABLE_V6[..] } else { &UNREACHABLE[..] };
    let value = match (is_v6, kind) {
        (false, 3) | (true, 1) => *unreachable.get(usize::from(code))?,
        (false, 11) | (true, 3) => libc::EHOSTUNREACH,
        (false, 12) | (true, 4) => libc::EPROTO,
        _ => return None,
    };
    (value != 0).then_some(Errno(value))
}

impl Sockets {
    /// Notes what an ICMP error says of a connection. One that is being opened ends by any: the stack is then to see
    /// one that refuses it.
    pub(super) fn hear_icmp(&mut self, packet: &mut Vec<u8>) {
        let is_v6 = packet.first().is_some_and(|first| first >> 4 == 6);
        let mut refusal = packet.clone();
        let Some([kind, code]) = rewrite_icmp(&mut refusal, REFUSED[usize::from(is_v6)]) else {
            return;
        };
        let Some(errno) = errno(is_v6, kind, code) else { return };
        let Ok(parsed) = parse_packet(&refusal, Checksums { ip: false, transport: true }) else {
            return;
        };
        let Protocol::IcmpError(error) = parsed.protocol else { return };
        let Some((is_opening, stream)) = self.stream_at(&error) else { return };
        stream.icmp = Some(errno);
        if is_opening {
            *packet = refusal;
        }
    }

    /// The connection of which an error quotes a segment that is not acknowledged, and whether it is being opened: what
    /// went with its SYN is then not in flight yet.
    fn stream_at(&mut self, error: &IcmpError) -> Option<(bool, &mut Stream)> {
        let ends = [error.local, error.remote];
        let sent = self.arrivals.sent_to(ends)?;
        let syn = self.arrivals.syn_to(ends);
        let stack = &self.stack;
        let (handle, stream) =
            self.sockets.values_mut().find_map(|socket| match &mut socket.kind {
                Kind::Stream(stream) => {
                    let both = [stack.local_addr(stream.handle), stack.remote_addr(stream.handle)];
                    (both == ends.map(Some)).then_some((stream.handle, stream))
                }
                _ => None,
            })?;
        let info = self.stack.info(self.now, handle)?;
        let is_opening = matches!(info.state, State::SynSent | State::SynReceived);
        let first = match syn {
            Some(syn) if is_opening => syn,
            _ => sent.wrapping_sub(info.unacked.max(1)),
        };
        let is_unacked = !is_before(error.seq.0, first) && is_before(error.seq.0, sent);
        is_unacked.then_some((is_opening, stream))
    }
}

impl Stream {
    /// What the socket is told of the error that ended the connection: what a router said, if it had said something
    /// since the peer was heard (`tcp_write_err`).
    pub(super) fn errno_of(&self, error: Error) -> Errno {
        match (error, self.icmp) {
            (
                Error::Refused
                | Error::Unreachable
                | Error::TimedOut
                | Error::UserTimeout
                | Error::KeepaliveTimeout,
                Some(errno),
            ) => errno,
            _ => error.into(),
        }
    }
}
