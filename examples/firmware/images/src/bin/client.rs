//! Connects to a discard service on the other end of the cable, sends for three seconds, reports how
//! fast it was, and ends the emulation.
#![no_std]
#![no_main]
#![forbid(unsafe_code)]

use ackclock::apps::{Amount, Application, Source, SourceConfig};
use ackclock::congestion::Reno;
use ackclock::profile::{FewRanges, Present};
use ackclock::stack::{ConnectionMemory, Stack, StackMemory};
use ackclock::tcp::{flight, recovery};
use ackclock::time::Duration;
use board::console::{Console, exit};
use board::{Board, FrameBuffer, Once};
use core::fmt::Write;
use core::net::{Ipv4Addr, SocketAddr};
use firmware::Node;

ackclock::profile! {
    /// Parts of the image: active open, SACK both ways with RFC 6675, timestamps and window scaling.
    struct Parts: least {
        ActiveOpen = Present,
        Flight = flight::Records,
        Ranges = FewRanges,
        Recovery = recovery::Rfc6675,
        Sack = Present,
        Timestamps = Present,
        WindowScaling = Present,
    }
}

/// Whom to send to.
const SERVER: (Ipv4Addr, u16) = (Ipv4Addr::new(10, 7, 0, 1), 9);
const TIME: Duration = Duration::from_secs(3);

static MEMORY: Once<StackMemory<'static, Reno, Parts, 1, 1, 1, 1>> = Once::new(StackMemory::new());
static CONNECTION_MEMORY: Once<[ConnectionMemory<Parts, 16384, 16, 4>; 1]> =
    Once::new([const { ConnectionMemory::new() }; 1]);
static FRAME: Once<FrameBuffer> = Once::new(board::NO_FRAME);

#[board::entry]
fn main() -> ! {
    let lent = (Board::take(), MEMORY.take(), CONNECTION_MEMORY.take(), FRAME.take());
    let (Some(board), Some(memory), Some(connections), Some(frame)) = lent else { exit(1) };
    let storage = memory.storage(connections.each_mut());
    let Ok(mut stack) = Stack::new(Node::STACK, Reno::default(), storage) else { exit(2) };
    if stack.add_address(Node::address()).is_err() {
        exit(3);
    }
    let mut node = Node::new(board, frame);
    let mut config = SourceConfig::new(SocketAddr::from(SERVER));
    config.amount = Amount::Time(TIME);
    let mut source = Source::new(config);
    board::console::say(c"ready\n");
    if let Err(error) = source.start(node.now(), &mut stack) {
        let _ = writeln!(Console, "{error}");
        exit(4);
    }
    while source.ended().is_none() {
        let now = node.receive(&mut stack);
        while let Some(event) = stack.poll_event() {
            source.on_event(now, &mut stack, &event);
        }
        // It sends by the clock and not by events alone.
        source.on_wake(now, &mut stack);
        node.transmit(now, &mut stack);
    }
    let times = source.ended().zip(source.established());
    let time = times.map_or(Duration::ZERO, |(end, begin)| end.saturating_since(begin));
    let bytes = source.sent();
    let time = time.as_millis();
    let kilobits = bytes * 8 / time.max(1);
    let _ = writeln!(Console, "sent {bytes} bytes in {time} ms: {kilobits} kbit/s");
    match source.error() {
        None => exit(0),
        Some(error) => {
            let _ = writeln!(Console, "{error}");
            exit(5)
        }
    }
}
