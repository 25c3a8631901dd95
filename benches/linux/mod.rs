//! The stack at one end of a TUN device and a kernel socket at the other.

use ackclock::apps::{Amount, Application, Server, Service, Source, SourceConfig};
use ackclock::congestion::BuiltIn;
use ackclock::link::Link;
use ackclock::stack::{Cidr, ListenConfig, Stack, StackConfig, Storage};
use ackclock::storage::Buffer;
use ackclock_host::run_loop::{Ended, RunLoop};
use ackclock_host::setup::{TunSetup, kernel_end};
use ackclock_host::tun::Tun;
use criterion::{Criterion, SamplingMode, Throughput};
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

/// Bytes of a transfer.
const BYTES: u64 = 128 << 20;

/// Bytes that the kernel's side moves in one call.
const BUFFER: usize = 64 * 1024;

/// The stack's address.
const OURS: Cidr = Cidr { address: IpAddr::V4(Ipv4Addr::new(10, 7, 0, 2)), prefix: 24 };

/// Measures both directions. It must be called in a network namespace of its own.
pub(crate) fn tun_kernel(criterion: &mut Criterion) {
    let mut world = World::new();
    let mut group = criterion.benchmark_group("tun_kernel");
    group
        .throughput(Throughput::Bits(BYTES * 8))
        .sampling_mode(SamplingMode::Flat)
        .sample_size(10)
        .warm_up_time(Duration::from_secs(1));
    group.bench_function("stack to kernel", |bencher| {
        bencher.iter_custom(|times| (0..times).map(|_| world.stack_to_kernel()).sum());
    });
    group.bench_function("kernel to stack", |bencher| {
        bencher.iter_custom(|times| (0..times).map(|_| world.kernel_to_stack()).sum());
    });
    group.finish();
}

struct World {
    run_loop: RunLoop<Tun>,
    stack: Stack<'static, BuiltIn>,
}

impl World {
    fn new() -> Self {
        let name = "tun0".parse().expect("a usable name");
        let tun = Tun::open(&name).expect("a TUN device");
        let setup = TunSetup { mtu: Some(1500), ..TunSetup::new(name, vec![OURS]) };
        setup.apply().expect("a configured interface");
        let config = StackConfig::new(tun.capabilities(), [1, 2]);
        let mut stack = Stack::new(config, BuiltIn::default(), Storage::growing()).expect("stack");
        stack.add_address(OURS).expect("a usable address");
        World { run_loop: RunLoop::new(tun).expect("a run loop"), stack }
    }

    /// The time from our SYN until the kernel's socket has read everything and both have closed.
    fn stack_to_kernel(&mut self) -> Duration {
        let kernel = kernel_end(OURS).expect("room for two addresses").address;
        let listener = TcpListener::bind((kernel, 0)).expect("a listening socket");
        let mut config = SourceConfig::new(listener.local_addr().expect("a bound socket"));
        config.amount = Amount::Bytes(BYTES);
        let mut source = Source::new(config);
        let took = self.run(&mut source, move || {
            let (stream, _) = listener.accept().expect("a connection");
            assert_eq!(drain(&stream), BYTES);
        });
        assert_eq!(source.error(), None);
        took
    }

    /// The time from the kernel's SYN until our service has read everything and both have closed.
    fn kernel_to_stack(&mut self) -> Duration {
        let ours = SocketAddr::new(OURS.address, Service::Discard.port());
        let mut server =
            Server::new(Service::Discard, ListenConfig::new(ours), Buffer::growing()).once();
        let took = self.run(&mut server, move || {
            let mut stream = TcpStream::connect(ours).expect("a connection");
            let data = [0; BUFFER];
            for _ in 0..BYTES / BUFFER as u64 {
                stream.write_all(&data).expect("a connection that takes data");
            }
            stream.shutdown(Shutdown::Write).expect("a connection");
            drain(&stream);
        });
        assert_eq!(server.statistics().bytes_received, BYTES);
        took
    }

    /// The wall time that both sides take together.
    fn run(
        &mut self,
        application: &mut dyn Application<'static, BuiltIn>,
        kernel_side: impl FnOnce() + Send,
    ) -> Duration {
        let began = Instant::now();
        thread::scope(|scope| {
            scope.spawn(kernel_side);
            let ended = self.run_loop.run(&mut self.stack, &mut [application]);
            assert_eq!(ended.expect("a working device"), Ended::Done);
        });
        began.elapsed()
    }
}

/// Reads until the peer has closed; returns how many bytes came.
fn drain(mut stream: &TcpStream) -> u64 {
    let mut buffer = vec![0; BUFFER];
    let mut total = 0;
    loop {
        match stream.read(&mut buffer).expect("a connection that delivers data") {
            0 => return total,
            n => total += n as u64,
        }
    }
}
