//! Transfer to a second stack at the far end of an emulated path, in virtual time.

use super::outcome::Driven;
use super::settings::TransferSettings;
use super::watch::Watch;
use crate::failure::Failure;
use crate::interrupt;
use ackclock::apps::Server;
use ackclock::stack::ListenConfig;
use ackclock::storage::Buffer;
use ackclock_emulator::{Emulator, Ended, LEFT, Observer, PairConfig, Path, RIGHT};
use std::net::SocketAddr;

/// Runs the transfer to its end, and gives the observer of the emulator back.
pub(super) fn drive<O: Observer>(
    settings: &TransferSettings,
    paths: &[Path; 2],
    observer: O,
    source: impl FnOnce(SocketAddr, (usize, usize)) -> Watch,
) -> Result<(Driven, O), Failure> {
    let mut config = PairConfig::new(Path::default());
    config.paths.clone_from(paths);
    config.seed = settings.seed.unwrap_or_default();
    let [_, addresses] = &config.addresses;
    let far_end =
        addresses.first().map(|cidr| SocketAddr::new(cidr.address, settings.service.port()));
    let far_end = far_end.ok_or_else(|| Failure::Usage("the far end has no address".into()))?;
    let mut listen = ListenConfig::new(far_end);
    listen.connection = settings.connection.config;
    listen.set_fast_open(settings.connection.config.fast_open);

    let unusable = |error: &dyn std::fmt::Display| Failure::Usage(error.to_string());
    let mut emulator = Emulator::pair(&config, [settings.connection.controller; 2], observer)
        .map_err(|error| unusable(&error))?;
    for (host, key) in
        [LEFT, RIGHT].into_iter().flat_map(|host| settings.keys.iter().map(move |key| (host, key)))
    {
        let key = if host == RIGHT { key.turned() } else { key.clone() };
        emulator.with_stack(host, |now, stack| key.set(now, stack))?;
    }
    let server = Server::new(settings.service, listen, Buffer::growing());
    let server = server.times(settings.connections_of_each());
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
    let lost = || Failure::Usage("the emulator lost its client".into());
    let watched = vec![watched.ok_or_else(lost)?];
    let driven = Driven { watched, far_info, broken: None, offloading: None };
    Ok((driven, emulator.into_observer()))
}
