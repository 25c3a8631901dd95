//! Those who are compared. Each serves discard, echo and source at its address until its process ends.

use crate::services::{DISCARD, DISCARDED, ECHO, SOURCE, serve, serve_async};
use ackclock::apps::{Application, Progress, Serve, Server, Service};
use ackclock::congestion::{Bbr, BuiltIn, CongestionController};
use ackclock::link::Link;
use ackclock::profile::Profile;
use ackclock::stack::{Handle, ListenConfig, Stack, StackConfig, Storage};
use ackclock::storage::Buffer;
use ackclock::time::Instant;
use ackclock_host::run_loop::RunLoop;
use ackclock_host::tun::{Offload, Tun};
use ackclock_net::aio::AnyListener;
use ackclock_net::{Net, NetConfig, TcpListener, TokioLink, TokioTimer};
use futures::{SinkExt, StreamExt};
use ipstack::{IpStack, IpStackConfig, IpStackStream};
use rustix::net::sockopt::set_tcp_congestion;
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use tokio::spawn;

/// The device of all but the kernel, and the address at which they serve.
pub const DEVICE: &str = "tun0";
pub const ADDRESS: [u8; 4] = [10, 7, 0, 2];
const PREFIX: u8 = 24;
const MTU: u16 = 1500;

/// The law of the kernel's sockets at either end: that of ours. Some systems have another as the default.
pub const LAW_OF_THE_KERNEL: &str = "cubic";

type Served = Result<(), Box<dyn Error>>;

/// One of those who are compared.
pub struct Contestant {
    pub name: &'static str,
    /// The run loop that it is compared with.
    pub run_loop: &'static str,
    /// Whether it is the kernel, which serves in a namespace of its own instead of over TUN.
    pub is_kernel: bool,
    pub serve: fn() -> Served,
}

/// One over TUN.
const fn with_offload(name: &'static str, serve: fn() -> Served) -> Contestant {
    Contestant { name, run_loop: RUN_LOOP, is_kernel: false, serve }
}

/// One over TUN whose packets are no longer than the MTU.
const fn plain(name: &'static str, serve: fn() -> Served) -> Contestant {
    Contestant { run_loop: PLAIN_RUN_LOOP, ..with_offload(name, serve) }
}

pub const RUN_LOOP: &str = "ackclock, run loop";
pub const PLAIN_RUN_LOOP: &str = "ackclock, run loop, without offload";
pub const IPSTACK: &str = "ipstack";
pub const NETSTACK: &str = "netstack-smoltcp";

pub const ALL: [Contestant; 10] = [
    with_offload(RUN_LOOP, || run_loop(Offload::Auto)),
    with_offload("ackclock-net, blocking", blocking),
    with_offload("ackclock-net, tokio", || in_tasks(sockets(Offload::Auto, BuiltIn::default()))),
    with_offload("ackclock-net, tokio, BBR", || in_tasks(sockets(Offload::Auto, bbr()))),
    with_offload("netstack-smoltcp, tun-rs with offload", || in_tasks(netstack_with_offload())),
    plain(PLAIN_RUN_LOOP, || run_loop(Offload::Off)),
    plain("ackclock-net, tokio, without offload", || {
        in_tasks(sockets(Offload::Off, BuiltIn::default()))
    }),
    plain(IPSTACK, || in_tasks(ipstack())),
    plain(NETSTACK, || in_tasks(netstack())),
    Contestant { is_kernel: true, ..with_offload("the kernel, over veth", kernel) },
];

fn bbr() -> BuiltIn {
    BuiltIn::Bbr(Bbr::default())
}

fn in_tasks(served: impl Future<Output = Served>) -> Served {
    tokio::runtime::Runtime::new()?.block_on(served)
}

fn tun(offload: Offload) -> Result<Tun, Box<dyn Error>> {
    Ok(Tun::open_with(&DEVICE.parse()?, offload)?)
}

fn config() -> NetConfig {
    NetConfig::new([ackclock::stack::Cidr { address: ADDRESS.into(), prefix: PREFIX }])
}

/// Threads of the same kind for the kernel's sockets and for ours.
macro_rules! serve_in_threads {
    ($bind:expr) => {
        thread::scope(|scope| {
            let mut acceptors = Vec::new();
            for port in [ECHO, DISCARD, SOURCE] {
                let listener = $bind(port)?;
                acceptors.push(scope.spawn(move || -> std::io::Result<()> {
                    loop {
                        let (stream, _) = listener.accept()?;
                        thread::Builder::new().stack_size(64 << 10).spawn(move || {
                            serve(port, stream);
                        })?;
                    }
                }));
            }
            acceptors.into_iter().try_for_each(|it| it.join().expect("a thread that returns"))?;
            Ok(())
        })
    };
}

fn kernel() -> Served {
    serve_in_threads!(|port| {
        let listener = std::net::TcpListener::bind((ADDRESS_IP, port))?;
        set_tcp_congestion(&listener, LAW_OF_THE_KERNEL)?;
        std::io::Result::Ok(listener)
    })
}

const ADDRESS_IP: std::net::Ipv4Addr = std::net::Ipv4Addr::from_octets(ADDRESS);

fn blocking() -> Served {
    let net = &Net::over(tun(Offload::Auto)?, &config())?;
    serve_in_threads!(|port| TcpListener::bind_with_backlog(net, (ADDRESS_IP, port), 1024))
}

async fn sockets(offload: Offload, law: BuiltIn) -> Served {
    let mut config = config();
    config.law = law;
    let link = TokioLink::new(tun(offload)?)?;
    let (net, driver) = Net::with_driver(link, TokioTimer::start(), &config)?;
    spawn(driver);
    let listener = AnyListener::bind(&net, 1024)?;
    loop {
        let request = listener.request().await?;
        spawn(async move {
            let port = request.to().port();
            if let Ok(stream) = request.accept().await {
                serve_async(port, stream).await;
            }
        });
    }
}

/// A service that counts what it discards.
struct Counted(Service);

impl Serve for Counted {
    type Memory = u64;

    fn serve<C: CongestionController + Clone, P: Profile>(
        &self,
        now: Instant,
        stack: &mut Stack<'_, C, P>,
        handle: Handle,
        memory: &mut u64,
    ) -> Progress {
        let progress = self.0.serve(now, stack, handle, memory);
        if self.0 == Service::Discard {
            DISCARDED.fetch_add(progress.received, Relaxed);
        }
        progress
    }
}

fn run_loop(offload: Offload) -> Served {
    let tun = tun(offload)?;
    let NetConfig { addresses, connection, .. } = config();
    let config = StackConfig::new(tun.capabilities(), [1, 2]);
    let mut stack = Stack::new(config, BuiltIn::default(), Storage::growing())?;
    stack.add_address(addresses[0])?;
    let mut servers = [Service::Echo, Service::Discard, Service::Chargen].map(|service| {
        let mut listen = ListenConfig::new((ADDRESS, service.port()).into());
        listen.connection = connection;
        listen.backlog = 1024;
        Server::new(Counted(service), listen, Buffer::growing())
    });
    let mut applications: Vec<&mut dyn Application<'_, BuiltIn>> = Vec::new();
    applications.extend(servers.iter_mut().map(|it| it as &mut dyn Application<'_, BuiltIn>));
    RunLoop::new(tun)?.run(&mut stack, &mut applications)?;
    Ok(())
}

/// The device of the peers' examples; the interface is configured already.
fn plain_device() -> Result<tun::AsyncDevice, tun::Error> {
    let mut config = tun::Configuration::default();
    config.tun_name(DEVICE).mtu(MTU);
    tun::create_as_async(&config)
}

async fn ipstack() -> Served {
    let mut config = IpStackConfig::default();
    config.mtu(MTU)?;
    let mut stack = IpStack::new(config, plain_device()?);
    loop {
        if let IpStackStream::Tcp(stream) = stack.accept().await? {
            spawn(serve_async(stream.peer_addr().port(), stream));
        }
    }
}

/// The stack of netstack-smoltcp, whose connections are served.
fn netstack_stack() -> std::io::Result<netstack_smoltcp::Stack> {
    let builder = netstack_smoltcp::StackBuilder::default().enable_tcp(true).mtu(MTU.into());
    let (stack, runner, _, listener) = builder.build()?;
    spawn(runner.expect("TCP is enabled"));
    let mut listener = listener.expect("TCP is enabled");
    spawn(async move {
        while let Some((stream, _, to)) = listener.next().await {
            spawn(serve_async(to.port(), stream));
        }
    });
    Ok(stack)
}

async fn netstack() -> Served {
    let (mut to_stack, mut from_stack) = netstack_stack()?.split();
    let (mut to_device, mut from_device) = plain_device()?.into_framed().split();
    spawn(async move {
        while let Some(Ok(packet)) = from_stack.next().await {
            to_device.send(packet).await.expect("a device that takes packets");
        }
    });
    while let Some(packet) = from_device.next().await {
        to_stack.send(packet?).await?;
    }
    Ok(())
}

/// With the kernel's large packets cut in the process: one read of the device for many packets.
async fn netstack_with_offload() -> Served {
    let (mut to_stack, mut from_stack) = netstack_stack()?.split();
    let device = tun_rs::DeviceBuilder::new().name(DEVICE).offload(true).build_async()?;
    let device = Arc::new(device);
    let to_device = Arc::clone(&device);
    spawn(async move {
        while let Some(Ok(packet)) = from_stack.next().await {
            // A header of zeros says that the packet is whole and its checksum right.
            let framed = [&[0; tun_rs::VIRTIO_NET_HDR_LEN], packet.as_slice()].concat();
            to_device.send(&framed).await.expect("a device that takes packets");
        }
    });
    let mut large = vec![0; tun_rs::VIRTIO_NET_HDR_LEN + (64 << 10)];
    let mut packets = vec![vec![0; usize::from(MTU) + 100]; tun_rs::IDEAL_BATCH_SIZE];
    let mut sizes = vec![0; tun_rs::IDEAL_BATCH_SIZE];
    loop {
        let n = device.recv_multiple(&mut large, &mut packets, &mut sizes, 0).await?;
        for (packet, size) in packets.iter().zip(&sizes).take(n) {
            to_stack.send(packet[..*size].to_vec()).await?;
        }
    }
}
