//! Options that a profile leaves out: a stack without `Sack`, `Timestamps` and `WindowScaling` neither
//! offers nor heeds them.

use ackclock::congestion::Reno;
use ackclock::profile::{Least, OneRange, Profile};
use ackclock::seq::SeqRange;
use ackclock::stack::{
    Capabilities, Cidr, Event, Handle, ListenConfig, Listener, Offered, Rejected, Stack,
    StackConfig, StackMemory,
};
use ackclock::storage::Buffer;
use ackclock::tcp::{Buffers, FlightRecord, Keepalive};
use ackclock::time::Instant;
use ackclock::wire::{Checksums, Packet, Protocol, parse_packet};

ackclock::profile! {
    /// The least, but for a place where one range of data waits behind a hole.
    struct Reassembling: least { Ranges = OneRange }
}

const NOW: Instant = Instant::from_secs(1);
const OURS: [u8; 4] = [10, 0, 0, 2];
const THEIRS: [u8; 4] = [10, 0, 0, 1];
const ISS: u32 = 1_000;
const MSS: u32 = 500;
const SYN: u8 = 0x02;
const ACK: u8 = 0x10;
/// What the kernel of Linux offers: MSS 1460, SACK-permitted, timestamps, window scale 7.
const SYN_OPTIONS: [u8; 20] = [2, 4, 5, 0xb4, 4, 2, 8, 10, 0, 0, 0, 9, 0, 0, 0, 0, 1, 3, 3, 7];

/// A packet of the peer's, whose checksums nobody verifies.
fn packet(seq: u32, ack: u32, flags: u8, options: &[u8], payload: &[u8]) -> Vec<u8> {
    let length = 40 + options.len() + payload.len();
    let mut bytes = vec![0x45, 0, 0, length as u8, 0, 0, 0x40, 0, 64, 6, 0, 0];
    bytes.extend(THEIRS);
    bytes.extend(OURS);
    bytes.extend([0x13, 0x88, 0, 7]);
    bytes.extend(seq.to_be_bytes());
    bytes.extend(ack.to_be_bytes());
    bytes.extend([(5 + options.len() as u8 / 4) << 4, flags, 0x40, 0, 0, 0, 0, 0]);
    bytes.extend(options);
    bytes.extend(payload);
    bytes
}

/// Option area, sequence number and ack number of the next packet that the stack sends.
fn sent<P: Profile>(stack: &mut Stack<'_, Reno, P>) -> Option<(Vec<u8>, u32, u32)> {
    let (options, seq, ack, _) = sent_with_len(stack)?;
    Some((options, seq, ack))
}

/// The same, and how long its payload is.
fn sent_with_len<P: Profile>(stack: &mut Stack<'_, Reno, P>) -> Option<(Vec<u8>, u32, u32, usize)> {
    let mut bytes = [0; 1500];
    let mut len = None;
    stack.transmit(NOW, &mut |transmit| {
        len = transmit.copy_to(&mut bytes);
        Ok(())
    });
    let packet = &bytes[..len?];
    let Ok(Packet { protocol: Protocol::Tcp(segment), .. }) =
        parse_packet(packet, Checksums::default())
    else {
        panic!("no segment");
    };
    let header = segment.header;
    let options = &packet[40..packet.len() - segment.payload.len()];
    Some((options.to_vec(), header.seq.0, header.ack.0, segment.payload.len()))
}

/// The sequence numbers of all that the stack sends now.
fn all_sent<P: Profile>(stack: &mut Stack<'_, Reno, P>) -> Vec<u32> {
    core::iter::from_fn(|| sent(stack)).map(|(_, seq, _)| seq).collect()
}

/// Hands a stack over Ethernet's MTU, whose connections have 2 KiB each way, and its listener to `run`.
fn with_stack<P: Profile>(run: impl FnOnce(&mut Stack<'_, Reno, P>, Listener)) {
    let [send, receive] = [(); 2].map(|()| Box::leak(Box::new([0; 2048])));
    let flight = Box::leak(Box::new([FlightRecord::<P>::default(); 12]));
    let reassembly = Box::leak(Box::new([SeqRange::default(); 4]));
    let buffers = Buffers {
        send: Buffer::lent(send),
        receive: Buffer::lent(receive),
        flight: Buffer::lent(flight),
        reassembly: Buffer::lent(reassembly),
        ..Buffers::default()
    };
    // Of a profile that is not named here it is unknown that nothing happens when its memory is dropped.
    let memory = Box::leak(Box::new(StackMemory::<Reno, P, 1, 1, 1, 1>::new()));
    let mut capabilities = Capabilities::with_mtu(1500);
    capabilities.verify = Checksums { ip: false, transport: false };
    let config = StackConfig::new(capabilities, [1, 2]);
    let mut stack = Stack::new(config, Reno::default(), memory.storage([buffers])).unwrap();
    stack.add_address(Cidr { address: OURS.into(), prefix: 24 }).unwrap();
    let mut listen = ListenConfig::new("10.0.0.2:7".parse().unwrap());
    listen.connection.keepalive = Some(Keepalive::default());
    let listener = stack.listen(listen).unwrap();
    run(&mut stack, listener);
}

/// Opens a connection from the peer's side; the first sequence number that it sends too.
fn accepted<P: Profile>(stack: &mut Stack<'_, Reno, P>, listener: Listener) -> (Handle, u32) {
    accepted_with(stack, listener, &SYN_OPTIONS)
}

/// The same where the peer's SYN has these options.
fn accepted_with<P: Profile>(
    stack: &mut Stack<'_, Reno, P>,
    listener: Listener,
    syn_options: &[u8],
) -> (Handle, u32) {
    stack.on_packet(NOW, &packet(ISS, 0, SYN, syn_options, &[]));
    let (options, iss, ack) = sent(stack).unwrap();
    assert_eq!(options, [2, 4, 5, 0xb4], "MSS alone");
    assert_eq!(ack, ISS + 1);

    let next = iss.wrapping_add(1);
    stack.on_packet(NOW, &packet(ISS + 1, next, ACK, &[], &[]));
    while !matches!(stack.poll_event(), Some(Event::Acceptable(_))) {}
    (stack.accept(listener).unwrap(), next)
}

#[test]
fn a_deadline_outlasts_what_the_link_refuses() {
    fn with<P: Profile>(stack: &mut Stack<'_, Reno, P>, listener: Listener) {
        let (handle, _) = accepted(stack, listener);
        while sent(stack).is_some() {}
        let probe_at = stack.poll_at();
        assert!(!probe_at.is_never(), "the peer is to be asked for a sign of life");
        assert_eq!(stack.send(NOW, handle, b"reply"), Ok(5));
        assert_eq!(stack.transmit(NOW, &mut |_| Err(Rejected)), Offered::Rejected);
        assert_eq!(stack.poll_at(), probe_at);
    }
    with_stack(with::<Least>);
    with_stack(with::<Reassembling>);
}

#[test]
fn options_that_were_left_out_are_neither_offered_nor_heeded() {
    with_stack::<Least>(|stack, listener| heeds_no_options(stack, listener, false));
    with_stack::<Reassembling>(|stack, listener| heeds_no_options(stack, listener, true));
}

fn heeds_no_options<P: Profile>(
    stack: &mut Stack<'_, Reno, P>,
    listener: Listener,
    reassembles: bool,
) {
    let (handle, next) = accepted(stack, listener);
    // Behind a hole, and with a timestamp that goes back: it is kept if there is reassembly, and the ack
    // tells RCV.NXT alone.
    let old = [1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 0];
    stack.on_packet(NOW, &packet(ISS + 4, next, ACK, &old, b"def"));
    assert_eq!(sent(stack), Some((vec![], next, ISS + 1)));
    stack.on_packet(NOW, &packet(ISS + 1, next, ACK, &[], b"abc"));
    if !reassembles {
        // What was dropped is asked for after the delay of an ack: only the second segment gets one at once.
        assert_eq!(sent(stack), None);
        stack.on_timeout(stack.poll_at());
        assert_eq!(sent(stack), Some((vec![], next, ISS + 4)));
        stack.on_packet(NOW, &packet(ISS + 4, next, ACK, &[], b"def"));
    }
    let mut bytes = [0; 16];
    assert_eq!(stack.receive(NOW, handle, &mut bytes), Ok(6));
    assert_eq!(&bytes[..6], b"abcdef");

    // A SACK block says nothing, not even with the third duplicate ack: all is sent again.
    assert_eq!(stack.send(NOW, handle, b"reply"), Ok(5));
    while sent(stack).is_some() {}
    let [start, end] = [next + 1, next + 5].map(u32::to_be_bytes);
    let block = [&[1, 1, 5, 10][..], &start, &end].concat();
    for _ in 0..3 {
        assert_eq!(sent(stack), None);
        stack.on_packet(NOW, &packet(ISS + 7, next, ACK, &block, &[]));
    }
    assert_eq!(sent(stack), Some((vec![], next, ISS + 7)));
    let info = stack.info(NOW, handle).unwrap();
    assert_eq!((info.sacked, info.sack, info.timestamps), (0, false, false));
}

#[test]
fn a_range_waits_behind_a_hole() {
    with_stack::<Reassembling>(|stack, listener| {
        let (handle, next) = accepted(stack, listener);
        let mut acks = vec![];
        for (at, text) in [(3, "cd"), (7, "gh"), (5, "ef"), (4, "def"), (7, "gh"), (1, "ab")] {
            stack.on_packet(NOW, &packet(ISS + at, next, ACK, &[], text.as_bytes()));
            acks.push(sent(stack).map(|(_, _, ack)| ack.wrapping_sub(ISS)));
        }
        assert_eq!(acks, [1, 1, 1, 1, 1, 9].map(Some));
        let mut bytes = [0; 16];
        assert_eq!(stack.receive(NOW, handle, &mut bytes), Ok(8));
        assert_eq!(&bytes[..8], b"abcdefgh");
        // What comes while another range waits may be dropped.
        for (at, text) in [(11, "kl"), (15, "op"), (9, "ij"), (13, "mn"), (15, "op")] {
            stack.on_packet(NOW, &packet(ISS + at, next, ACK, &[], text.as_bytes()));
        }
        assert_eq!(stack.receive(NOW, handle, &mut bytes), Ok(8));
        assert_eq!(&bytes[..8], b"ijklmnop");
    });
}

/// Opens a connection whose peer takes segments of `mss` bytes.
fn accepted_in_segments<P: Profile>(
    stack: &mut Stack<'_, Reno, P>,
    listener: Listener,
    mss: u16,
) -> (Handle, u32) {
    let [high, low] = mss.to_be_bytes();
    accepted_with(stack, listener, &[2, 4, high, low, 1, 3, 3, 0])
}

/// Sends four segments of [`MSS`] bytes.
fn four_segments<P: Profile>(stack: &mut Stack<'_, Reno, P>, listener: Listener) -> (Handle, u32) {
    let (handle, next) = accepted_in_segments(stack, listener, MSS as u16);
    assert_eq!(stack.send(NOW, handle, &[0; 4 * MSS as usize]), Ok(2_000));
    assert_eq!(all_sent(stack), [0, 1, 2, 3].map(|n| next + n * MSS));
    (handle, next)
}

#[test]
fn each_partial_ack_has_the_next_segment_sent_again() {
    fn with<P: Profile>(stack: &mut Stack<'_, Reno, P>, listener: Listener) {
        let (_, next) = four_segments(stack, listener);
        let ack = |stack: &mut Stack<'_, Reno, P>, bytes: u32| {
            stack.on_packet(NOW, &packet(ISS + 1, next + bytes, ACK, &[], &[]));
            all_sent(stack)
        };
        assert_eq!((ack(stack, 0), ack(stack, 0)), (vec![], vec![]));
        assert_eq!(ack(stack, 0), [next], "the third duplicate");
        assert_eq!(ack(stack, 0), []);
        assert_eq!(ack(stack, MSS), [next + MSS]);
        assert_eq!(ack(stack, 3 * MSS), [next + 3 * MSS]);
        assert_eq!(ack(stack, 4 * MSS), []);
        assert_eq!(stack.poll_at(), NOW + Keepalive::default().idle);
    }
    with_stack(with::<Least>);
    with_stack(with::<Reassembling>);
}

#[test]
fn after_a_timeout_all_is_sent_again_but_what_is_acknowledged() {
    fn with<P: Profile>(stack: &mut Stack<'_, Reno, P>, listener: Listener) {
        let (handle, next) = four_segments(stack, listener);
        let samples = |stack: &Stack<'_, Reno, P>| stack.info(NOW, handle).unwrap().rtt_samples;
        assert_eq!(samples(stack), 1, "the handshake");
        stack.on_packet(NOW, &packet(ISS + 1, next + MSS / 2, ACK, &[], &[]));
        let at = stack.poll_at();
        stack.on_timeout(at);
        assert_eq!(all_sent(stack), [next + MSS / 2], "a window of one segment");
        stack.on_packet(at, &packet(ISS + 1, next + 2 * MSS, ACK, &[], &[]));
        assert_eq!(all_sent(stack), [2, 3].map(|n| next + n * MSS));
        assert_eq!(samples(stack), 1, "nobody knows which copy was acknowledged");
        stack.on_packet(at, &packet(ISS + 1, next + 4 * MSS, ACK, &[], &[]));
        assert_eq!(samples(stack), 1);
        assert_eq!(stack.send(NOW, handle, b"more"), Ok(4));
        assert_eq!(all_sent(stack), [next + 4 * MSS]);
        stack.on_packet(at, &packet(ISS + 1, next + 4 * MSS + 4, ACK, &[], &[]));
        assert_eq!(samples(stack), 2);
    }
    with_stack(with::<Least>);
    with_stack(with::<Reassembling>);
}

#[test]
fn what_is_lost_goes_again_before_anything_new() {
    fn with<P: Profile>(stack: &mut Stack<'_, Reno, P>, listener: Listener) {
        let (handle, next) = accepted_in_segments(stack, listener, 200);
        assert_eq!(stack.send(NOW, handle, &[0; 2_000]), Ok(2_000));
        assert_eq!(all_sent(stack).len(), 10);
        let at = stack.poll_at();
        stack.on_timeout(at);
        assert_eq!(all_sent(stack), [next]);
        let mut after = |bytes: u32| {
            stack.on_packet(at, &packet(ISS + 1, next + bytes, ACK, &[], &[]));
            // There is always more to send.
            let _ = stack.send(at, handle, &[0; 500]);
            let offsets: Vec<_> = all_sent(stack).iter().map(|seq| seq - next).collect();
            offsets
        };
        assert_eq!(after(200), [200, 400]);
        assert_eq!(after(600), [600, 800, 1_000]);
        assert_eq!(after(1_200), [1_200, 1_400, 1_600, 1_800]);
    }
    with_stack(with::<Least>);
    with_stack(with::<Reassembling>);
}

#[test]
fn a_whole_segment_goes_again_also_before_a_short_one() {
    fn with<P: Profile>(stack: &mut Stack<'_, Reno, P>, listener: Listener) {
        let (handle, next) = accepted_in_segments(stack, listener, 400);
        assert_eq!(stack.send(NOW, handle, &[0; 2_001]), Ok(2_001));
        stack.shutdown(NOW, handle).unwrap();
        assert_eq!(all_sent(stack), [0, 400, 800, 1_200, 1_600, 2_000].map(|at| next + at));
        for _ in 0..3 {
            assert_eq!(sent_with_len(stack), None);
            stack.on_packet(NOW, &packet(ISS + 1, next, ACK, &[], &[]));
        }
        assert_eq!(sent_with_len(stack), Some((vec![], next, ISS + 1, 400)));
        stack.on_packet(NOW, &packet(ISS + 1, next + 400, ACK, &[], &[]));
        assert_eq!(sent_with_len(stack), Some((vec![], next + 400, ISS + 1, 400)));
    }
    with_stack(with::<Least>);
    with_stack(with::<Reassembling>);
}
