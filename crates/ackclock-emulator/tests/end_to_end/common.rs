//! Helpers of the end-to-end tests: pairs of hosts, transfers, captures.

pub(crate) mod capture;
pub(crate) mod talker;

use ackclock::apps::{Server, Service, Source, SourceConfig};
use ackclock::congestion::BuiltIn;
use ackclock::stack::ListenConfig;
use ackclock::storage::Buffer;
use ackclock::tcp::{Config, EcnMode, Info};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{
    ApplicationId, Emulator, Ended, LEFT, LinkStatistics, Observer, PairConfig, PcapCapture, RIGHT,
};
use std::net::SocketAddr;
use talker::{Content, Talker};

/// The address of the right host.
pub(crate) fn far_end(v6: bool, port: u16) -> SocketAddr {
    let address = if v6 { "fd00::2" } else { "10.0.0.2" };
    SocketAddr::new(address.parse().unwrap(), port)
}

/// Two hosts joined by this path in each direction.
pub(crate) fn pair(path: &str, seed: u64) -> Emulator {
    pair_observed(path, seed, ())
}

/// Two hosts joined by this path in each direction, and an observer.
pub(crate) fn pair_observed<O: Observer>(
    path: &str,
    seed: u64,
    observer: O,
) -> Emulator<BuiltIn, O> {
    pair_under(BuiltIn::default(), path, seed, observer)
}

/// Two hosts under this law, joined by this path in each direction, and an observer.
pub(crate) fn pair_under<O: Observer>(
    law: BuiltIn,
    path: &str,
    seed: u64,
    observer: O,
) -> Emulator<BuiltIn, O> {
    let mut config = PairConfig::new(path.parse().unwrap());
    config.seed = seed;
    Emulator::pair(&config, [law; 2], observer).unwrap()
}

/// A capture at the left host, kept in memory.
pub(crate) fn capture_in_memory() -> PcapCapture<Vec<u8>> {
    PcapCapture::new(LEFT, Vec::new()).unwrap()
}

/// A client on the left and a service on the right that serves one connection.
pub(crate) fn add_transfer<O: Observer>(
    emulator: &mut Emulator<BuiltIn, O>,
    service: Service,
    source: SourceConfig,
) -> (ApplicationId<Source>, ApplicationId<Server<'static>>) {
    let mut listen = ListenConfig::new(source.remote);
    // Whatever the client asks for.
    listen.connection.ecn = EcnMode::AcceptAccurate;
    let server = Server::new(service, listen, Buffer::growing()).once();
    let server = emulator.add_application(RIGHT, server).unwrap();
    let source = emulator.add_application(LEFT, Source::new(source)).unwrap();
    (source, server)
}

/// How a transfer ended.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// From connecting to the end.
    pub(crate) took: Duration,
    /// Bytes that the client gave to its connection and got from it.
    pub(crate) client: [u64; 2],
    /// Bytes that the server gave to its connection and got from it.
    pub(crate) server: [u64; 2],
    /// The client's connection at the end.
    pub(crate) info: Info,
    /// Counters of the links out of the client and out of the server.
    pub(crate) links: [LinkStatistics; 2],
}

/// A whole transfer, which must succeed: of a megabyte, unless `change` says otherwise.
pub(crate) fn transfer(
    path: &str,
    seed: u64,
    service: Service,
    v6: bool,
    change: impl FnOnce(&mut SourceConfig),
) -> Outcome {
    transfer_over(pair(path, seed), service, v6, change)
}

/// A whole transfer as [`transfer`] does it, between the hosts of a pair.
pub(crate) fn transfer_over(
    mut emulator: Emulator,
    service: Service,
    v6: bool,
    change: impl FnOnce(&mut SourceConfig),
) -> Outcome {
    let mut config = SourceConfig::new(far_end(v6, service.port()));
    config.echo = service == Service::Echo;
    change(&mut config);
    let (source, server) = add_transfer(&mut emulator, service, config);
    assert_eq!(emulator.run_until_done(Instant::from_secs(10_000)), Ended::Done);
    let links = [LEFT, RIGHT].map(|host| *emulator.link_statistics(host));
    let source = emulator.application(source).unwrap();
    assert_eq!(source.error(), None);
    let served = emulator.application(server).unwrap().statistics();
    assert_eq!((served.accepted, served.completed, served.failed), (1, 1, 0));
    Outcome {
        took: source.ended().unwrap().saturating_since(source.started().unwrap()),
        client: [source.sent(), source.received()],
        server: [served.bytes_sent, served.bytes_received],
        info: *source.last_info().unwrap(),
        links,
    }
}

/// Both sides send a megabyte at once and verify what they get, which must be right. Returns the
/// left and the right connection at the end, and the counters of the links out of each host.
pub(crate) fn both_ways(path: &str, seed: u64) -> ([Info; 2], [LinkStatistics; 2]) {
    const LENGTH: u64 = 1 << 20;
    let mut emulator = pair(path, seed);
    let [left, right] = [1, 2].map(|seed| Content { seed, length: LENGTH });
    let address = far_end(false, 1);
    let listening = Talker::listening(address, Config::default(), [right, left]);
    let connecting = Talker::connecting(address, Config::default(), [left, right]);
    let listening = emulator.add_application(RIGHT, listening).unwrap();
    let connecting = emulator.add_application(LEFT, connecting).unwrap();
    assert_eq!(emulator.run_until_done(Instant::from_secs(1_000_000)), Ended::Done);
    let infos = [connecting, listening].map(|id| {
        let talker = emulator.application(id).unwrap();
        let info = talker.info.unwrap();
        assert_eq!((talker.received, talker.wrong, info.error), (LENGTH, None, None));
        info
    });
    (infos, [LEFT, RIGHT].map(|host| *emulator.link_statistics(host)))
}
