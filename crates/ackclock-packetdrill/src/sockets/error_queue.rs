//! What a socket tells of data that it has sent (MSG_ERRQUEUE): that memory lent with MSG_ZEROCOPY may be used
//! again, and when data was sent and acknowledged (SO_TIMESTAMPING).

use super::socket::{Kind, Stream};
use super::values::{INVALID, write_time};
use super::{Descriptor, Errno, Sockets, WOULD_BLOCK};
use ackclock::time::Instant;
use std::collections::VecDeque;

/// Bits of SO_TIMESTAMPING (linux/net_tstamp.h).
const TX_SOFTWARE: u32 = 1 << 1;
const SOFTWARE: u32 = 1 << 4;
const OPT_ID: u32 = 1 << 7;
const TX_SCHED: u32 = 1 << 8;
const TX_ACK: u32 = 1 << 9;
const OPT_TSONLY: u32 = 1 << 11;
/// All that there are, up to SOF_TIMESTAMPING_OPT_RX_FILTER.
const KNOWN: u32 = (1 << 18) - 1;

/// Where a message of the error queue comes from, and that data was copied (linux/errqueue.h).
const ORIGIN_TIMESTAMPING: u8 = 4;
const ORIGIN_ZEROCOPY: u8 = 5;
const CODE_COPIED: u8 = 1;
/// Which time it is that is told.
const SENT: u32 = 0;
const SCHEDULED: u32 = 1;
const ACKNOWLEDGED: u32 = 2;

/// A control message: its level, its type and its bytes.
pub(crate) type Control = (i32, i32, Vec<u8>);

/// What is told, and what is to be.
#[derive(Default)]
pub(super) struct ErrorQueue {
    notices: VecDeque<Notice>,
    /// How many were ever queued: more of them are news.
    pub(super) arrived: u64,
    /// Bytes written so far.
    written: u64,
    lent: VecDeque<Lent>,
    next_lent: u32,
    stamped: VecDeque<Stamped>,
    /// SO_TIMESTAMPING, and the byte from which keys count.
    bits: u32,
    first_key: u64,
}

enum Notice {
    /// Calls from one to another, by their numbers.
    Released { first: u32, last: u32 },
    /// What happened to a byte, and when.
    Stamp { what: u32, key: u32, at: Instant },
}

/// A write with MSG_ZEROCOPY, by its number, and where it ends in the stream.
struct Lent {
    number: u32,
    end: u64,
}

/// A write whose last byte is timed.
struct Stamped {
    end: u64,
    was_sent: bool,
}

impl ErrorQueue {
    pub(super) fn is_empty(&self) -> bool {
        self.notices.is_empty()
    }

    /// Bytes written so far.
    pub(super) fn written(&self) -> u64 {
        self.written
    }

    /// More of them were written.
    pub(super) fn wrote(&mut self, len: usize) {
        self.written += len as u64;
    }

    /// SO_TIMESTAMPING as it was set.
    pub(super) fn bits(&self) -> u32 {
        self.bits
    }

    /// What was sent and acknowledged goes up to these bytes of the stream.
    fn progress(&mut self, now: Instant, sent: u64, acknowledged: u64) {
        let ErrorQueue { stamped, bits, first_key, .. } = self;
        let key =
            |end: u64| if *bits & OPT_ID != 0 { (end - 1).wrapping_sub(*first_key) } else { 0 };
        let mut stamps = Vec::new();
        for it in stamped.iter_mut().filter(|it| !it.was_sent && it.end <= sent) {
            it.was_sent = true;
            let what = [(TX_SCHED, SCHEDULED), (TX_SOFTWARE, SENT)];
            let asked = what.into_iter().filter(|(bit, _)| *bits & bit != 0);
            stamps.extend(asked.map(|(_, what)| (what, key(it.end))));
        }
        while let Some(it) = stamped.pop_front_if(|it| it.end <= acknowledged) {
            stamps.extend((*bits & TX_ACK != 0).then(|| (ACKNOWLEDGED, key(it.end))));
        }
        let is_told = *bits & SOFTWARE != 0;
        for (what, key) in stamps.into_iter().filter(|_| is_told) {
            self.push(Notice::Stamp { what, key: key as u32, at: now });
        }
        while let Some(Lent { number, .. }) = self.lent.pop_front_if(|it| it.end <= acknowledged) {
            // One notice tells of all that follow each other.
            if let Some(Notice::Released { last, .. }) = self.notices.back_mut() {
                *last = number;
                self.arrived += 1;
            } else {
                self.push(Notice::Released { first: number, last: number });
            }
        }
    }

    fn push(&mut self, notice: Notice) {
        self.notices.push_back(notice);
        self.arrived += 1;
    }
}

impl Sockets {
    /// A call that writes to a stream is over, in all its parts.
    pub(crate) fn note_written(&mut self, descriptor: Descriptor, flags: i32) {
        let lends = |zerocopy: bool| zerocopy && flags & libc::MSG_ZEROCOPY != 0;
        let Some(socket) = self.sockets.get_mut(&descriptor) else { return };
        let lends = lends(socket.zerocopy);
        let Kind::Stream(Stream { errors, pushed, records, .. }) = &mut socket.kind else { return };
        records.seal(flags & libc::MSG_EOR != 0);
        let end = errors.written;
        *pushed = if flags & libc::MSG_MORE == 0 { end } else { *pushed };
        if lends {
            errors.lent.push_back(Lent { number: errors.next_lent, end });
            errors.next_lent = errors.next_lent.wrapping_add(1);
        }
        if errors.bits & (TX_SCHED | TX_SOFTWARE | TX_ACK) != 0 {
            errors.stamped.push_back(Stamped { end, was_sent: false });
        }
        self.note_progress();
    }

    /// Queues what is to be told of data that was sent or acknowledged.
    pub(crate) fn note_progress(&mut self) {
        let (now, stack) = (self.now, &self.stack);
        for socket in self.sockets.values_mut() {
            let Kind::Stream(Stream { handle, errors, records, .. }) = &mut socket.kind else {
                continue;
            };
            if errors.lent.is_empty() && errors.stamped.is_empty() {
                continue;
            }
            let Some(info) = stack.info(now, *handle) else { continue };
            let acknowledged =
                errors.written.saturating_sub((info.send_queue + records.waiting()).into());
            let sent = acknowledged + u64::from(info.unacked);
            errors.progress(now, sent, acknowledged);
        }
    }

    /// SO_TIMESTAMPING.
    pub(super) fn set_timestamping(
        &mut self,
        descriptor: Descriptor,
        value: i32,
    ) -> Result<(), Errno> {
        let bits = u32::try_from(value).ok().filter(|bits| bits & !KNOWN == 0).ok_or(INVALID)?;
        let queued = self.info(descriptor).map_or(0, |info| info.send_queue);
        let Kind::Stream(Stream { errors, .. }) = &mut self.get_mut(descriptor)?.kind else {
            // Keys count from a byte of a connection.
            return if bits & OPT_ID == 0 { Ok(()) } else { Err(INVALID) };
        };
        if bits & OPT_ID != 0 && errors.bits & OPT_ID == 0 {
            errors.first_key = errors.written.saturating_sub(queued.into());
        }
        errors.bits = bits;
        Ok(())
    }

    /// `recvmsg` with MSG_ERRQUEUE: the control messages of the next notice, and the flags of the message.
    pub(crate) fn next_notice(
        &mut self,
        descriptor: Descriptor,
    ) -> Result<(Vec<Control>, i32), Errno> {
        let socket = self.get_mut(descriptor)?;
        let (level, kind) = match socket.is_v6 {
            false => (libc::SOL_IP, libc::IP_RECVERR),
            true => (libc::SOL_IPV6, libc::IPV6_RECVERR),
        };
        let offender = if socket.is_v6 { 28 } else { 16 };
        let Kind::Stream(Stream { errors, .. }) = &mut socket.kind else {
            return Err(WOULD_BLOCK);
        };
        let notice = errors.notices.pop_front().ok_or(WOULD_BLOCK)?;
        // struct sock_extended_err, and the address of who has caused it, which is nobody's.
        let extended = |errno: i32, [origin, code]: [u8; 2], info: u32, data: u32| {
            let (numbers, kinds) = ([info, data].map(u32::to_ne_bytes), [origin, 0, code, 0]);
            let address = vec![0; offender];
            (level, kind, [&errno.to_ne_bytes()[..], &kinds, &numbers.concat(), &address].concat())
        };
        Ok(match notice {
            Notice::Released { first, last } => {
                (vec![extended(0, [ORIGIN_ZEROCOPY, CODE_COPIED], first, last)], 0)
            }
            Notice::Stamp { what, key, at } => {
                // Of three times the first, of the software, is known.
                let times = [&write_time(at)[..], &[0; 32]].concat();
                let time = (libc::SOL_SOCKET, libc::SCM_TIMESTAMPING, times);
                let told = extended(libc::ENOMSG, [ORIGIN_TIMESTAMPING, 0], what, key);
                let is_cut = errors.bits & OPT_TSONLY == 0;
                (vec![time, told], if is_cut { libc::MSG_TRUNC } else { 0 })
            }
        })
    }

    /// What goes with data that `recvmsg` has read: with TCP_INQ, how many bytes are left, or 1 at the end.
    pub(crate) fn controls(&self, descriptor: Descriptor) -> Vec<Control> {
        let wants = self.get(descriptor).is_ok_and(|socket| socket.tells_queued);
        let Some(handle) = self.handle(descriptor).ok().filter(|_| wants) else {
            return Vec::new();
        };
        let queued = self.info(descriptor).map_or(0, |info| info.receive_queue);
        let ended = self.stack.readiness(handle).is_some_and(|readiness| readiness.finished);
        let left = if queued == 0 && ended { 1 } else { queued };
        vec![(libc::SOL_TCP, TCP_CM_INQ, (left as i32).to_ne_bytes().to_vec())]
    }
}

/// The control message of TCP_INQ (linux/tcp.h).
const TCP_CM_INQ: i32 = 36;
