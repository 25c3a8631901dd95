//! Sockets over TUN devices, with the kernel at the other end; the examples are among them. Each test has a
//! network namespace of its own.
#![cfg(target_os = "linux")]

#[path = "../../ackclock-host/tests/kernel/namespace.rs"]
mod namespace;

/// The examples.
#[allow(dead_code, reason = "one has arguments")]
#[allow(unreachable_pub, reason = "they are programs")]
#[path = "."]
mod examples {
    #[path = "../examples/anywhere.rs"]
    pub(super) mod anywhere;
    #[path = "../examples/echo.rs"]
    pub(super) mod echo;
    #[path = "../examples/http_get.rs"]
    pub(super) mod http_get;
}

use ackclock::stack::Cidr;
use ackclock::wire::Checksum;
use ackclock_host::setup::TunSetup;
use ackclock_host::tun::{Offload, Tun};
use ackclock_net::{
    Ended, Net, NetConfig, SocketError, TcpListener, TcpStream, TokioLink, TokioTimer, aio, channel,
};
use examples::{anywhere, echo, http_get};
use namespace::in_namespace;
use std::future::poll_fn;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::pin::Pin;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;
use tokio::io::AsyncReadExt;

/// Longer than anything takes here, and short enough that a call that hangs fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// The interface tun0, up, with 10.7.0.1; it stays until the namespace goes.
fn interface() {
    let setup = TunSetup::new("tun0".parse().unwrap(), vec!["10.7.0.2/24".parse().unwrap()]);
    setup.creation().run().unwrap();
    setup.apply().unwrap();
}

fn network(offload: Offload) -> Net {
    let tun = Tun::open_with(&"tun0".parse().unwrap(), offload).unwrap();
    Net::over(tun, &NetConfig::new(["10.7.0.2/24".parse().unwrap()])).unwrap()
}

/// A kernel's server that has one page and answers so many requests.
fn page_server(requests: usize) -> thread::JoinHandle<()> {
    let listener = std::net::TcpListener::bind("10.7.0.1:8000").unwrap();
    thread::spawn(move || {
        for stream in listener.incoming().take(requests) {
            let mut stream = stream.unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                stream.read_exact(&mut byte).unwrap();
                request.extend(byte);
            }
            assert_eq!(request, b"GET / HTTP/1.0\r\n\r\n");
            stream.write_all(b"HTTP/1.0 200 OK\r\n\r\nIt works.\n").unwrap();
        }
    })
}

#[test]
fn the_shortest_example_is_the_one_that_is_documented() {
    let example = include_str!("../examples/http_get.rs").lines();
    let code = example.filter(|line| !line.starts_with("//")).collect::<Vec<_>>().join("\n");
    let documented = include_str!("../../../docs/sockets.md");
    assert!(documented.contains(&code.replace("pub fn", "fn")));
    assert!(code.lines().filter(|line| !line.is_empty()).count() <= 15);
}

#[test]
fn the_shortest_example_gets_a_page() {
    in_namespace(|| {
        interface();
        let server = page_server(1);
        http_get::main().unwrap();
        server.join().unwrap();
    });
}

#[test]
fn the_same_function_gets_a_page_from_the_kernel_and_in_virtual_time() {
    in_namespace(|| {
        interface();
        let server = page_server(1);
        for page in [anywhere::in_virtual_time(7), anywhere::over_tun("tun0")] {
            assert_eq!(page.unwrap(), "HTTP/1.0 200 OK\r\n\r\nIt works.\n");
        }
        server.join().unwrap();
    });
}

#[test]
fn the_echo_example_echoes_to_several_clients_at_once() {
    in_namespace(|| {
        interface();
        // It goes on until the process ends.
        thread::spawn(|| echo::main().map_err(|error| error.to_string()));
        let clients: Vec<_> =
            (0..4).map(|seed| thread::spawn(move || kernel_client(seed))).collect();
        clients.into_iter().for_each(|client| client.join().unwrap());
    });
}

fn pattern(seed: u64, length: usize) -> Vec<u8> {
    (seed..).map(|at| (at % 251) as u8).take(length).collect()
}

/// A client on the kernel's sockets that has a mebibyte echoed.
fn kernel_client(seed: u64) {
    let address = "10.7.0.2:7".parse().unwrap();
    let begin = std::time::Instant::now();
    let stream = loop {
        // Refused, or not routed, until the server listens.
        match std::net::TcpStream::connect_timeout(&address, PATIENCE) {
            Ok(stream) => break stream,
            Err(error) => assert!(begin.elapsed() < PATIENCE, "{error}"),
        }
        thread::sleep(Duration::from_millis(5));
    };
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let sent = pattern(seed, 1 << 20);
    let mut got = Vec::new();
    thread::scope(|scope| {
        scope.spawn(|| {
            (&stream).write_all(&sent).unwrap();
            stream.shutdown(Shutdown::Write).unwrap();
        });
        (&stream).read_to_end(&mut got).unwrap();
    });
    assert!(got == sent);
}

#[test]
fn bulk_goes_both_ways_without_offload() {
    bulk(Offload::Off);
}

#[test]
fn bulk_goes_both_ways_with_offload() {
    bulk(Offload::Auto);
}

fn bulk(offload: Offload) {
    const LENGTH: usize = 8 << 20;
    in_namespace(|| {
        interface();
        let net = network(offload);
        let listener = TcpListener::bind(&net, "10.7.0.2:0").unwrap();
        let address = listener.local_addr().unwrap();
        let kernel = thread::spawn(move || {
            let mut stream = std::net::TcpStream::connect(address).unwrap();
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
            let mut got = vec![0; LENGTH];
            stream.read_exact(&mut got).unwrap();
            assert!(got == pattern(1, LENGTH));
            stream.write_all(&pattern(2, LENGTH)).unwrap();
        });
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(&pattern(1, LENGTH)).unwrap();
        let mut got = Vec::new();
        stream.read_to_end(&mut got).unwrap();
        assert!(got == pattern(2, LENGTH));
        kernel.join().unwrap();
    });
}

/// Two networks of one thread, each over an interface of its own, and the kernel between them.
#[test]
fn devices_are_driven_by_tasks_too() {
    const LENGTH: usize = 4 << 20;
    in_namespace(|| {
        let forwards = std::fs::write("/proc/sys/net/ipv4/ip_forward", "1");
        forwards.unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let rounds = Arc::new(AtomicUsize::new(0));
        runtime.block_on(async {
            let nets = ["10.7.0.2/24", "10.8.0.2/24"].map(|address| {
                let name = format!("tun{}", &address[3..4]);
                let address: Cidr = address.parse().unwrap();
                let setup = TunSetup::new(name.parse().unwrap(), vec![address]);
                setup.creation().run().unwrap();
                setup.apply().unwrap();
                let tun = Tun::open_with(&name.parse().unwrap(), Offload::Auto).unwrap();
                let (link, config) = (TokioLink::new(tun).unwrap(), NetConfig::new([address]));
                let (net, mut driver) =
                    Net::with_driver(link, TokioTimer::start(), &config).unwrap();
                let rounds = rounds.clone();
                tokio::spawn(poll_fn(move |cx| {
                    rounds.fetch_add(1, Ordering::Relaxed);
                    Pin::new(&mut driver).poll(cx)
                }));
                net
            });
            let listener = aio::TcpListener::bind(&nets[1], "10.8.0.2:7".parse().unwrap()).unwrap();
            let serves = tokio::spawn(async move {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut got = Vec::new();
                stream.read_to_end(&mut got).await.unwrap();
                assert!(got == pattern(1, LENGTH));
            });
            let to = "10.8.0.2:7".parse().unwrap();
            let mut stream = aio::TcpStream::connect(&nets[0], to).await.unwrap();
            stream.write_all(&pattern(1, LENGTH)).await.unwrap();
            drop(stream);
            tokio::time::timeout(PATIENCE, serves).await.unwrap().unwrap();
            // Nothing is to be done: the tasks sleep.
            let before = rounds.load(Ordering::Relaxed);
            tokio::time::sleep(Duration::from_millis(500)).await;
            let of_idle_tasks = rounds.load(Ordering::Relaxed) - before;
            assert!(of_idle_tasks < 20, "{of_idle_tasks} rounds in half a second");
            // A device that is gone is told by its network.
            let deleted = Command::new("ip").args(["link", "delete", "tun8"]).status().unwrap();
            assert!(deleted.success());
            let listener = aio::TcpListener::bind(&nets[1], "10.8.0.2:8".parse().unwrap());
            let error = match listener {
                Ok(listener) => {
                    let accepts = tokio::time::timeout(PATIENCE, listener.accept());
                    accepts.await.expect("it is told").unwrap_err()
                }
                Err(error) => error,
            };
            assert!(error.to_string().contains("tun8 was deleted while in use"), "{error}");
        });
    });
}

#[test]
fn deleting_the_device_ends_its_network() {
    in_namespace(|| {
        interface();
        let net = network(Offload::Off);
        let listener = std::net::TcpListener::bind("10.7.0.1:8000").unwrap();
        let mut stream = TcpStream::connect(&net, "10.7.0.1:8000").unwrap();
        let _peer = listener.accept().unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let reads = thread::spawn(move || stream.read(&mut [0; 8]));
        thread::sleep(Duration::from_millis(20));
        let deleted = Command::new("ip").args(["link", "delete", "tun0"]).status().unwrap();
        assert!(deleted.success());
        let error = reads.join().unwrap().unwrap_err();
        let source: Option<&SocketError> = error.get_ref().and_then(|it| it.downcast_ref());
        let Some(SocketError::Network(Ended::Device(said))) = source else { panic!("{error:?}") };
        assert!(said.contains("tun0 was deleted while in use"), "{said}");
        assert!(TcpListener::bind(&net, "10.7.0.2:7").is_err());
    });
}

#[test]
fn datagrams_of_the_kernel_come_out_at_the_side_with_their_checksums() {
    in_namespace(|| {
        interface();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let tun = Tun::open_with(&"tun0".parse().unwrap(), Offload::Auto).unwrap();
            let (with_others, others) = channel::others(16);
            let config = NetConfig::new(["10.7.0.2/24".parse().unwrap()]);
            let link = TokioLink::new(tun).unwrap();
            let (_net, driver) =
                Net::with_driver_and(link, with_others, TokioTimer::start(), &config).unwrap();
            tokio::spawn(driver);
            let kernel = std::net::UdpSocket::bind("10.7.0.1:53").unwrap();
            kernel.set_read_timeout(Some(PATIENCE)).unwrap();
            let asks = async {
                // The kernel loses what it sends before it has seen that the interface is in use.
                loop {
                    kernel.send_to(b"question", "10.7.0.2:99").unwrap();
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            };
            let is_asked = async {
                loop {
                    // It has other things to say to a new interface.
                    let packet = others.next().await.unwrap();
                    if packet[0] == 0x45 && packet[9] == 17 && packet.ends_with(b"question") {
                        break packet;
                    }
                }
            };
            let mut packet = tokio::select! {
                biased;
                packet = is_asked => packet,
                () = asks => unreachable!("it asks for ever"),
                () = tokio::time::sleep(PATIENCE) => panic!("no packet comes out"),
            };
            let whole = Checksum::default().over(&packet[12..20]).over(&[0, 17, 0, 16]);
            assert_eq!(whole.over(&packet[20..]).sum(), 0xffff, "the checksum is complete");
            // The same back: neither checksum changes with the order of addresses and ports.
            let (from, to) = packet[12..20].split_at_mut(4);
            from.swap_with_slice(to);
            let (from, to) = packet[20..24].split_at_mut(2);
            from.swap_with_slice(to);
            others.send(packet).await.unwrap();
            let answered = tokio::task::spawn_blocking(move || {
                let mut answer = [0; 100];
                let (n, from) = kernel.recv_from(&mut answer).unwrap();
                (answer[..n].to_vec(), from.to_string())
            });
            assert_eq!(answered.await.unwrap(), (b"question".to_vec(), "10.7.0.2:99".into()));
        });
    });
}
