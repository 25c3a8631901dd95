//! A transfer to a second stack at the far end of an emulated path, in virtual time.

use super::Driven;
use super::watch::Watch;
use crate::failure::Failure;
use crate::interrupt;
use crate::options::TransferOptions;
use crate::watchers;
use ackclock::apps::{Server, Service};
use ackclock::congestion::BuiltIn;
use ackclock::stack::ListenConfig;
use ackclock::storage::Buffer;
use ackclock::tcp::Config;
use ackclock_emulator::{Emulator, Ended, LEFT, PairConfig, Path, RIGHT, Topology};
use std::net::SocketAddr;

/// Runs the transfer to its end.
pub(crate) fn drive(
    service: Service,
    options: &TransferOptions,
    paths: &[Path; 2],
    connection: Config,
    controller: BuiltIn,
    source: impl FnOnce(SocketAddr, (usize, usize)) -> Watch,
) -> Result<Driven, Failure> {
    let mut config = PairConfig::new(Path::default());
    config.paths.clone_from(paths);
    config.seed = options.seed().unwrap_or_default();
    let [_, addresses] = &config.addresses;
    let far_end = addresses.first().map(|cidr| SocketAddr::new(cidr.address, service.port()));
    let far_end = far_end.ok_or_else(|| Failure::Usage("the far end has no address".into()))?;
    let mut listen = ListenConfig::new(far_end);
    listen.connection = connection;

    let topology = Topology::pair(config.paths.clone());
    let watchers = watchers::create(options, &topology)?;
    let unusable = |error: &dyn std::fmt::Display| Failure::Usage(error.to_string());
    let mut emulator =
        Emulator::pair(&config, [controller; 2], watchers).map_err(|error| unusable(&error))?;
    let server = Server::new(service, listen, Buffer::growing()).once();
    let server = emulator.add_application(RIGHT, server).map_err(|error| unusable(&error))?;
    let watch = emulator
        .add_application(LEFT, source(far_end, (0, 1)))
        .map_err(|error| unusable(&error))?;

    interrupt::on_request(|| {})?;
    let in_vain = |emulator: &Emulator<_, _>| {
        let watch = emulator.application(watch);
        watch.is_none_or(Watch::is_in_vain)
    };
    while emulator.run_until_done(emulator.now() + interrupt::PATIENCE) == Ended::OutOfTime
        && !interrupt::requested()
        && !in_vain(&emulator)
    {}

    let now = emulator.now();
    let concluded = emulator.application(watch);
    let watched = concluded.map(|watch| watch.conclude(now, emulator.stack(LEFT)));
    let far_info = emulator.application(server).and_then(Server::last_info).copied();
    watchers::finish(emulator.into_observer(), options)?;
    let lost = || Failure::Usage("the emulator lost its client".into());
    Ok(Driven {
        watched: vec![watched.ok_or_else(lost)?],
        far_info,
        broken: None,
        offloading: None,
    })
}
