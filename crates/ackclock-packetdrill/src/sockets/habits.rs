//! What Linux does besides what the standards ask, where it is not the stack's to do: which segments carry PSH,
//! when a reader's progress is told, when acks are delayed, and how much a write takes.

use super::layout::{ACK, PSH, RST};
use super::packets::{View, limit_mss, sacks};
use super::segments::Segment;
use super::socket::{Kind, Stream};
use super::{Descriptor, Sockets};
use crate::flags::Habits;
use ackclock::stack::Handle;
use ackclock::tcp::{Info, State};
use ackclock::time::Duration;

/// Largest piece in bytes (GSO_MAX_SIZE), and without the headers that it is cut by.
const MOST_BYTES: u64 = 65_536;
const MOST_WRITTEN: u32 = 65_215;
/// By how many bits a rate in bytes a second becomes what is sent in about a millisecond (sk_pacing_shift), and
/// a round trip in microseconds by how many bits a piece on a short path is less than the largest
/// (tcp_tso_rtt_log).
const PACING_SHIFT: u32 = 10;
const ROUND_TRIP_SHIFT: u32 = 9;
/// What is sent so soon after the peer's data answers it (TCP_ATO_MIN).
const ANSWER: Duration = Duration::from_millis(40);
/// What a piece takes of a send buffer besides its bytes.
const OVERHEAD: u64 = 576;
/// A window up to this size is used at once, a larger one by halves (TCP_MSS_DEFAULT).
const SMALL_WINDOW: u32 = 536;

impl Sockets {
    /// Packets that were sent at once, as Linux would have them.
    pub(super) fn apply_habits(&mut self, packets: &mut [Vec<u8>]) {
        let views: Vec<Option<View>> = packets.iter().map(|packet| View::of(packet)).collect();
        for (packet, view) in packets.iter_mut().zip(&views) {
            match view {
                Some(view) if view.is_ordinary() => self.apply_habits_to(view, packet),
                Some(view) if view.is_syn() => self.announce_path(view, packet),
                _ => {}
            }
        }
        self.mark_pieces(packets);
    }

    /// A SYN announces no larger segments than the path is known to take (`tcp_advertise_mss`).
    fn announce_path(&mut self, view: &View, packet: &mut [u8]) {
        let Some((handle, _)) = self.stream_of(view) else { return };
        let headers = if view.ends[0].is_ipv4() { 40 } else { 60 };
        let path = self.stack.info(self.now, handle).map_or(0, |info| info.pmtu);
        if path > headers {
            limit_mss(packet, u16::try_from(path - headers).unwrap_or(u16::MAX));
        }
    }

    fn apply_habits_to(&mut self, view: &View, packet: &mut [u8]) {
        let now = self.now;
        let Some((handle, stream)) = self.stream_of(view) else { return };
        match stream.segments.of(view.end()) {
            // What is sent again has the flags that it had.
            Some(segment) => view.set_push(packet, segment.is_some_and(|segment| segment.push)),
            // What was written with MSG_MORE ends nothing.
            None if stream.is_unfinished => view.set_push(packet, false),
            None => {}
        }
        // Whoever answers at once can take the ack along.
        let has_heard = stream.data_count > 0 || stream.has_waited;
        let answers = has_heard && now.saturating_since(stream.data_heard) < ANSWER;
        if answers && !stream.is_interactive {
            stream.is_interactive = true;
            let _ = self.stack.set_quick_acks(now, handle, 0);
        }
    }

    /// Marks the end of each piece with PSH: all that is handed to the link at once, to be cut there
    /// (`tcp_tso_autosize`, `tcp_cwnd_test`).
    fn mark_pieces(&mut self, packets: &mut [Vec<u8>]) {
        let views: Vec<Option<View>> = packets.iter().map(|packet| View::of(packet)).collect();
        let mut begin = 0;
        while begin < packets.len() {
            let (most, mut piece) =
                views[begin].as_ref().map_or((1, 0), |view| self.piece_of(view));
            let mut end = begin + 1;
            while end < packets.len() && end - begin < most && follows(&views[end - 1], &views[end])
            {
                // What is sent again goes in the pieces that it went in.
                let next = views[end].as_ref().map_or(0, |view| self.piece_of(view).1);
                if next != piece {
                    break;
                }
                end += 1;
            }
            if piece == 0 {
                (piece, self.next_piece) = (self.next_piece, self.next_piece + 1);
            }
            for view in views[begin..end].iter().flatten().filter(|view| view.is_ordinary()) {
                if let Some((_, stream)) = self.stream_of(view) {
                    stream.segments.sent(Segment {
                        seq: view.seq,
                        end: view.end(),
                        push: view.flags & PSH != 0,
                        piece,
                        is_known: false,
                    });
                }
            }
            if end - begin > 1
                && let Some(view) = &views[end - 1]
            {
                view.set_push(&mut packets[end - 1], true);
            }
            begin = end;
        }
    }

    /// How many segments go in one piece on the connection of a packet, and the number of the piece that it was
    /// in before; 0: it is new.
    fn piece_of(&mut self, view: &View) -> (usize, u64) {
        let Some((handle, stream)) = self.stream_of(view) else { return (usize::MAX, 0) };
        match stream.segments.of(view.end()) {
            Some(Some(segment)) => return (usize::MAX, segment.piece),
            Some(None) => return (1, 0),
            None => {}
        }
        let info = self.stack.info(self.now, handle);
        (info.map_or(usize::MAX, |info| piece(&info, self.flags.min_tso_segs)), 0)
    }

    /// Sends what there is, but for an ack that only tells that data was read: Linux tells it when the window
    /// has doubled (`tcp_cleanup_rbuf`).
    pub(super) fn send_after_reading(&mut self, descriptor: Descriptor) {
        let packets = self.take_packets();
        for packet in packets {
            let view = View::of(&packet);
            let is_news = match &view {
                Some(view) if view.is_plain_ack() && view.payload == 0 => self.is_news(view),
                _ => true,
            };
            if is_news {
                self.outbox.push(packet);
            }
        }
        self.forget_unready(descriptor);
    }

    /// Whether an ack tells more than that data was read.
    fn is_news(&mut self, view: &View) -> bool {
        let Some((_, stream)) = self.stream_of(view) else { return true };
        // Until it is accepted nothing is told by the socket.
        stream.told.is_some_and(|(ack, window)| {
            view.ack != ack || u32::from(view.window) >= 2 * u32::from(window)
        })
    }

    /// How many bytes a write may add to the piece that is being filled, or to a new one; 0: there is no room
    /// (`sk_stream_memory_free`).
    pub(super) fn room_of_piece(&mut self, descriptor: Descriptor, info: &Info) -> usize {
        let Some(socket) = self.sockets.get(&descriptor) else { return 0 };
        let (low_water, send_buffer) =
            (self.unsent_low_water(socket), u64::from(socket.config.send_buffer));
        let Some(stream) = self.stream_mut(descriptor) else { return 0 };
        let queued = info.send_queue + stream.records.waiting();
        let unsent = queued.saturating_sub(info.unacked);
        let most = match stream.largest_window.max(info.send_window) {
            window if window > SMALL_WINDOW => window / 2,
            window => window,
        };
        let goal = (most.min(MOST_WRITTEN) / info.mss.max(1)).max(1) * info.mss.max(1);
        // A piece of which a part was sent goes on as a piece of what was not.
        let written = stream.errors.written();
        stream.piece_begin = stream.piece_begin.max(written.saturating_sub(unsent.into()));
        let piece_end = stream.piece_begin + u64::from(goal);
        if unsent > 0 && written < piece_end {
            return (piece_end - written) as usize;
        }
        let used = used(queued, goal);
        let is_free = used < send_buffer && unsent < low_water;
        // Who waits for room waits until a third of the buffer is free (`sk_stream_write_space`).
        let has_much = used * 3 <= send_buffer * 2;
        if !is_free || (stream.waits_for_room && !has_much) {
            return 0;
        }
        stream.piece_begin = written;
        goal as usize
    }

    /// The connection of a packet that goes out.
    pub(super) fn stream_of(&mut self, view: &View) -> Option<(Handle, &mut Stream)> {
        let stack = &self.stack;
        self.sockets.values_mut().find_map(|socket| match &mut socket.kind {
            Kind::Stream(stream) => {
                let ends = [stack.local_addr(stream.handle), stack.remote_addr(stream.handle)];
                (ends == view.ends.map(Some)).then_some((stream.handle, stream))
            }
            _ => None,
        })
    }

    /// Whether TCP_CORK is set.
    fn is_corked(&self, handle: Handle) -> bool {
        self.sockets.values().any(|socket| {
            socket.cork && matches!(&socket.kind, Kind::Stream(stream) if stream.handle == handle)
        })
    }

    /// Remembers what a packet tells the peer, and what one of the peer's told us.
    pub(super) fn note_told(&mut self, packet: &[u8]) {
        let Some(view) = View::of(packet) else { return };
        if let Some((_, stream)) = self.stream_of(&view) {
            // That of a SYN is not scaled: what follows is not to be seen as much more.
            let window = if view.is_syn() { u16::MAX } else { view.window };
            stream.told = Some((view.ack, window));
        }
    }

    /// Notes what a packet has changed.
    pub(super) fn note_heard(&mut self, packet: &[u8]) {
        let now = self.now;
        if let Some(mut view) = View::of(packet) {
            view.ends.reverse();
            let heard = self.stream_of(&view).map(|(handle, stream)| {
                stream.segments.acknowledged(view.ack, &sacks(packet));
                if view.flags & (ACK | RST) == ACK {
                    stream.icmp = None;
                }
                (handle, stream.is_unfinished)
            });
            // MSG_MORE holds back until something else asks whether to send.
            if let Some((handle, true)) = heard
                && self.flags.habits == Habits::Linux
                && !self.is_corked(handle)
            {
                let _ = self.stack.set_cork(now, handle, false);
            }
        }
        for socket in self.sockets.values_mut() {
            let Kind::Stream(stream) = &mut socket.kind else { continue };
            let Some(info) = self.stack.info(now, stream.handle) else { continue };
            stream.saw_end |= info.state == State::CloseWait;
            stream.largest_window = stream.largest_window.max(info.send_window);
            let has_opened = stream.was_opening && info.state.is_synchronized();
            if info.bytes_received > stream.data_count || has_opened {
                (stream.data_count, stream.data_heard) = (info.bytes_received, now);
            }
            stream.was_opening &= !has_opened;
        }
    }
}

/// What so many bytes take of a send buffer, in pieces of a size.
fn used(bytes: u32, piece: u32) -> u64 {
    u64::from(bytes) + u64::from(bytes.div_ceil(piece)) * OVERHEAD
}

/// How many segments go in one piece: half the window, and about what the rate sends in a millisecond.
fn piece(info: &Info, least: u16) -> usize {
    let mss = u64::from(info.mss.max(1));
    let half_window = (u64::from(info.cwnd) / mss / 2).max(1);
    let (round_trip, shortest) = (info.rtt.as_micros(), info.min_rtt.as_micros());
    if round_trip == 0 {
        return half_window as usize;
    }
    // In slow start the rate is two windows in a round trip, then 1.2 of them.
    let percent = if info.cwnd < info.ssthresh / 2 { 200 } else { 120 };
    let rate = u64::from(info.cwnd) * percent * 10_000 / round_trip;
    let nearby = MOST_BYTES.checked_shr((shortest >> ROUND_TRIP_SHIFT) as u32).unwrap_or(0);
    let bytes = ((rate >> PACING_SHIFT) + nearby).min(MOST_BYTES);
    (bytes / mss).max(least.into()).min(half_window) as usize
}

/// Whether a packet goes on where the one before it ends, in the same piece.
fn follows(before: &Option<View>, packet: &Option<View>) -> bool {
    let (Some(before), Some(packet)) = (before, packet) else { return false };
    before.ends == packet.ends
        && before.payload > 0
        && before.is_ordinary()
        && packet.is_ordinary()
        && before.flags & PSH == 0
        && before.payload >= packet.payload
        && before.seq.wrapping_add(before.payload) == packet.seq
}

/// Whether a sequence number lies before another (RFC 9293 section 3.4).
pub(super) fn is_before(one: u32, other: u32) -> bool {
    (one.wrapping_sub(other) as i32) < 0
}
