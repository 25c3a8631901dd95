//! SYNs that ask for AccECN where they do not come through (RFC 9768 section 3.1.4.1), between two stacks.

use super::*;
use crate::tcp::{EcnMode, Info};
use crate::wire::Flags;

/// A client that asks, a server that agrees, and what lies between them.
struct Path {
    pair: Pair,
    listener: Listener,
    /// SYNs that ask for AccECN are lost.
    drops: bool,
}

impl Path {
    fn new() -> Self {
        let mut pair = Pair::new();
        let mut listen = ListenConfig::new(addr("0.0.0.0:80"));
        listen.connection.ecn = EcnMode::RequestAccurate;
        let listener = pair.server.listen(listen).unwrap();
        Path { pair, listener, drops: false }
    }

    /// Opens a connection and closes it. Gives the flags of its SYNs, and what was agreed on.
    fn open(&mut self) -> (Vec<u8>, Info) {
        let config = Config { ecn: EcnMode::RequestAccurate, ..Config::default() };
        let pair = &mut self.pair;
        let client = pair.client.connect(pair.now, addr("10.0.0.2:80"), None, &config).unwrap();
        let mut asked = Vec::new();
        for _ in 0..100 {
            pair.client.on_timeout(pair.now);
            for packet in packets(pair.now, &mut pair.client) {
                let flags = segment(&packet).header.flags;
                let is_syn = flags.contains(Flags::SYN);
                if is_syn {
                    asked.push(flags.ace());
                }
                if !(is_syn && self.drops && flags.contains(Flags::AE)) {
                    pair.server.on_packet(pair.now, &packet);
                }
            }
            for packet in packets(pair.now, &mut pair.server) {
                pair.client.on_packet(pair.now, &packet);
            }
            pair.now += Duration::from_millis(100);
        }
        let info = pair.client.info(pair.now, client).unwrap();
        let server = pair.server.accept(self.listener).unwrap();
        pair.client.abort(pair.now, client).unwrap();
        pair.run();
        pair.server.close(pair.now, server).unwrap();
        (asked, info)
    }

    fn avoids(&self) -> Vec<Option<Duration>> {
        let hosts = self.pair.client.host_metrics(self.pair.now);
        hosts.map(|host| host.without_accurate_ecn).collect()
    }
}

/// AE, CWR and ECE.
const ACCURATE: u8 = 0b111;
const CLASSIC: u8 = 0b011;

#[test]
fn after_two_connections_that_opened_without_it_only_the_next_ones_do_not_ask() {
    let mut path = Path::new();
    path.drops = true;
    for _ in 0..2 {
        assert_eq!(path.avoids(), []);
        let (asked, info) = path.open();
        assert_eq!(asked, [ACCURATE, ACCURATE, 0]);
        assert_eq!((info.ecn, info.accurate_ecn), (false, None));
    }
    assert!(matches!(path.avoids()[..], [Some(_)]));
    let (asked, info) = path.open();
    assert_eq!(asked, [CLASSIC], "which nothing was found against");
    assert_eq!((info.ecn, info.accurate_ecn), (true, None));
    // Once that is old it is tried again, and one failure is enough.
    path.pair.now += Duration::from_secs(600);
    assert_eq!(path.open().0, [ACCURATE, ACCURATE, 0]);
    assert_eq!(path.open().0, [CLASSIC]);
    path.pair.client.forget_host_metrics(None);
    path.drops = false;
    let (asked, info) = path.open();
    assert_eq!(asked, [ACCURATE]);
    assert!(info.accurate_ecn.is_some());
}

#[test]
fn one_that_comes_through_shows_that_those_before_were_lost_by_chance() {
    let mut path = Path::new();
    for drops in [true, false, true] {
        path.drops = drops;
        let (asked, info) = path.open();
        assert_eq!(asked.len(), if drops { 3 } else { 1 });
        assert_eq!(info.accurate_ecn.is_some(), !drops);
        assert_eq!(path.avoids(), []);
    }
}
