//! What is told through `log`, word by word.
#![cfg(all(feature = "log", feature = "full", feature = "alloc"))]

use ackclock::congestion::BuiltIn;
use ackclock::stack::{Capabilities, Cidr, ListenConfig, Rejected, Stack, StackConfig, Storage};
use ackclock::tcp::{Config, Error};
use ackclock::time::{Duration, Instant};
use ackclock::wire::WireError;
use std::cell::RefCell;
use std::mem::take;
use std::net::SocketAddr;

thread_local! {
    static LINES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

struct Lines;

impl log::Log for Lines {
    fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
        metadata.target() == "ackclock"
    }

    fn log(&self, record: &log::Record<'_>) {
        let line = format!("{}: {}", record.level(), record.args());
        LINES.with_borrow_mut(|lines| lines.push(line));
    }

    fn flush(&self) {}
}

type Host = Stack<'static, BuiltIn>;

fn host(last: u8) -> Host {
    let config = StackConfig::new(Capabilities::with_mtu(1500), [u64::from(last), 1]);
    let mut host = Stack::new(config, BuiltIn::default(), Storage::growing()).unwrap();
    host.add_address(Cidr { address: [10, 0, 0, last].into(), prefix: 24 }).unwrap();
    host
}

fn carry(now: Instant, from: &mut Host, to: &mut Host) {
    let mut packets = Vec::new();
    let mut sink = |transmit: &ackclock::stack::Transmit<'_>| {
        let mut packet = vec![0; transmit.len()];
        packets.push(transmit.copy_to(&mut packet).map(|_| packet).ok_or(Rejected)?);
        Ok(())
    };
    while from.transmit(now, &mut sink).is_taken() {}
    for packet in packets {
        to.on_packet(now, &packet);
    }
}

#[test]
fn connections_refusals_and_drops_are_told() {
    log::set_logger(&Lines).unwrap();
    log::set_max_level(log::LevelFilter::Debug);
    let mut now = Instant::from_secs(1);
    let (mut client, mut server) = (host(1), host(2));
    let mut run = |client: &mut Host, server: &mut Host| {
        for _ in 0..4 {
            now += Duration::from_millis(1);
            carry(now, client, server);
            carry(now, server, client);
        }
        LINES.with_borrow_mut(take)
    };
    let at = |text: &str| text.parse::<SocketAddr>().unwrap();
    let mut listen = ListenConfig::new(at("10.0.0.2:80"));
    listen.backlog = 1;
    let listener = server.listen(listen).unwrap();
    let connect = |client: &mut Host, port: u16, to: &str| {
        let local = SocketAddr::from(([10, 0, 0, 1], port));
        client.connect(Instant::from_secs(1), at(to), Some(local), &Config::default()).unwrap()
    };

    let first = connect(&mut client, 1001, "10.0.0.2:80");
    assert_eq!(
        run(&mut client, &mut server),
        [
            "DEBUG: connection 10.0.0.1:1001 to 10.0.0.2:80: opened",
            "DEBUG: connection 10.0.0.2:80 to 10.0.0.1:1001: accepted",
        ]
    );
    connect(&mut client, 1002, "10.0.0.2:80");
    assert_eq!(
        run(&mut client, &mut server),
        [
            "DEBUG: connection 10.0.0.1:1002 to 10.0.0.2:80: opened",
            "WARN: SYN dropped, 10.0.0.2:80 to 10.0.0.1:1002: accept queue full",
        ]
    );
    connect(&mut client, 1003, "10.0.0.2:81");
    assert_eq!(
        run(&mut client, &mut server),
        [
            "DEBUG: connection 10.0.0.1:1003 to 10.0.0.2:81: opened".into(),
            "DEBUG: segment dropped, 10.0.0.2:81 to 10.0.0.1:1003: no listener".into(),
            format!("DEBUG: connection 10.0.0.1:1003 to 10.0.0.2:81: {}", Error::Refused),
        ]
    );
    assert!(server.accept(listener).is_some());
    client.abort(Instant::from_secs(1), first).unwrap();
    server.on_packet(Instant::from_secs(1), &[0x45; 5]);
    assert_eq!(
        run(&mut client, &mut server),
        [
            format!("DEBUG: packet dropped: {}", WireError::Truncated),
            format!("DEBUG: connection 10.0.0.1:1001 to 10.0.0.2:80: {}", Error::Aborted),
            format!("DEBUG: connection 10.0.0.2:80 to 10.0.0.1:1001: {}", Error::Reset),
        ]
    );
}
