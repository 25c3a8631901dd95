//! A transfer to a second stack at the far end of an emulated path, in virtual time.

use super::Driven;
use super::watch::Watch;
use crate::capture::Capture;
use crate::failure::Failure;
use crate::interrupt;
use crate::options::TransferOptions;
use crate::values::TraceFile;
use ackclock::apps::{Server, Service};
use ackclock::congestion::BuiltIn;
use ackclock::stack::ListenConfig;
use ackclock::storage::Buffer;
use ackclock::tcp::Config;
use ackclock::time::Duration;
use ackclock_emulator::{Emulator, Ended, LEFT, PairConfig, Path, RIGHT, Topology, Trace};
use std::fs::File;
use std::io::BufWriter;
use std::net::SocketAddr;

/// Virtual time between two looks at whether the user wants the run to end.
const PATIENCE: Duration = Duration::from_millis(100);

/// Runs the transfer to its end.
pub(crate) fn drive(
    service: Service,
    options: &TransferOptions,
    paths: &[Path; 2],
    connection: Config,
    controller: BuiltIn,
    source: impl FnOnce(SocketAddr) -> Watch,
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
    let capture = options.pcap.as_ref().map(|file| Capture::create(file, &topology)).transpose()?;
    let trace = options.trace.as_ref().map(|file| create_trace(file, &topology)).transpose()?;
    let unusable = |error: &dyn std::fmt::Display| Failure::Usage(error.to_string());
    let mut emulator = Emulator::pair(&config, [controller; 2], (capture, trace))
        .map_err(|error| unusable(&error))?;
    let server = Server::new(service, listen, Buffer::growing()).once();
    let server = emulator.add_application(RIGHT, server).map_err(|error| unusable(&error))?;
    let watch =
        emulator.add_application(LEFT, source(far_end)).map_err(|error| unusable(&error))?;

    interrupt::on_request(|| {})?;
    let in_vain = |emulator: &Emulator<_, _>| {
        let watch = emulator.application(watch);
        watch.is_none_or(Watch::is_in_vain)
    };
    while emulator.run_until_done(emulator.now() + PATIENCE) == Ended::OutOfTime
        && !interrupt::requested()
        && !in_vain(&emulator)
    {}

    let now = emulator.now();
    let concluded = emulator.application(watch);
    let watched = concluded.map(|watch| watch.conclude(now, emulator.stack(LEFT)));
    let far_info = emulator.application(server).and_then(Server::last_info).copied();
    let (capture, trace) = emulator.into_observer();
    if let (Some(capture), Some(file)) = (capture, &options.pcap) {
        capture.finish().map_err(|error| Failure::capture(file, &error))?;
    }
    if let (Some(trace), Some(file)) = (trace, &options.trace) {
        trace.finish().map_err(|error| Failure::trace(&file.path, &error))?;
    }
    Ok(Driven {
        watched: watched.ok_or_else(|| Failure::Usage("the emulator lost its client".into()))?,
        far_info,
        broken: None,
    })
}

/// Makes a trace's file, or empties it.
fn create_trace(file: &TraceFile, topology: &Topology) -> Result<Trace<BufWriter<File>>, Failure> {
    File::create(&file.path)
        .and_then(|writer| Trace::new(topology, file.format, BufWriter::new(writer)))
        .map_err(|error| Failure::trace(&file.path, &error))
}
