//! Packets that are not the stack's: they come out at the side, and others' go in there.

use ackclock::wire::Checksum;
use ackclock_net::aio::{TcpListener, TcpStream};
use ackclock_net::channel::{Others, Packets, Unsent, joined, others, packets};
use ackclock_net::{Net, NetConfig, TokioTimer};
use std::future::Future;
use std::time::Duration;

const US: [u8; 4] = [10, 9, 0, 2];
const PEER: [u8; 4] = [10, 9, 0, 1];

fn config(address: [u8; 4]) -> NetConfig {
    NetConfig::new([format!("{}/24", std::net::Ipv4Addr::from(address)).parse().unwrap()])
}

/// Runs a test in a thread with a runtime, within bounds.
fn run<F: Future<Output = ()>>(test: F) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        tokio::time::timeout(Duration::from_secs(60), test).await.expect("it hangs");
    });
}

/// A network, the other end of its link, and its side exit, where so many packets wait.
fn network(capacity: usize) -> (Net, Packets, Others) {
    let (link, tunnel) = packets(1420, 256);
    let (with_others, others) = others(capacity);
    let (net, driver) =
        Net::with_driver_and(link, with_others, TokioTimer::start(), &config(US)).unwrap();
    tokio::spawn(driver);
    (net, tunnel, others)
}

/// An IPv4 packet with this content.
fn packet(from: [u8; 4], to: [u8; 4], protocol: u8, content: &[u8]) -> Vec<u8> {
    let length = u16::try_from(20 + content.len()).unwrap().to_be_bytes();
    let mut packet = vec![0x45, 0, length[0], length[1], 0, 0, 0, 0, 64, protocol, 0, 0];
    packet.extend([from, to].concat());
    let sum = Checksum::default().over(&packet).complement();
    packet[10..12].copy_from_slice(&sum.to_be_bytes());
    packet.extend(content);
    packet
}

/// An ICMP echo request.
fn echo_request() -> Vec<u8> {
    let mut message = [8, 0, 0, 0, 0, 1, 0, 1];
    let sum = Checksum::default().over(&message).complement();
    message[2..4].copy_from_slice(&sum.to_be_bytes());
    message.to_vec()
}

#[test]
fn what_is_not_tcp_comes_out_whole_and_goes_in() {
    run(async {
        let (_net, tunnel, others) = network(8);
        let udp = packet(PEER, US, 17, &[0, 53, 0, 99, 0, 9, 0, 0, b'?']);
        let to_another = packet(PEER, [10, 9, 0, 77], 1, &echo_request());
        for sent in [udp, to_another] {
            tunnel.send(sent.clone()).await.unwrap();
            assert_eq!(others.next().await.unwrap(), sent);
        }
        let answer = packet(US, PEER, 17, &[0, 99, 0, 53, 0, 9, 0, 0, b'!']);
        others.send(answer.clone()).await.unwrap();
        assert_eq!(tunnel.next().await.unwrap(), answer);
        // An echo request to us is the stack's.
        tunnel.send(packet(PEER, US, 1, &echo_request())).await.unwrap();
        assert_eq!(tunnel.next().await.unwrap()[20], 0, "an echo reply");
        assert_eq!(others.try_next(), None);
    });
}

#[test]
fn connections_go_on_beside_it() {
    run(async {
        let [near, far] = joined(1500, 256);
        let (with_others, others) = others(8);
        let timer = TokioTimer::start;
        let (ours, driver) = Net::with_driver_and(near, with_others, timer(), &config(US)).unwrap();
        tokio::spawn(driver);
        let (theirs, driver) = Net::with_driver(far, timer(), &config(PEER)).unwrap();
        tokio::spawn(driver);
        let listener = TcpListener::bind(&ours, "10.9.0.2:7".parse().unwrap()).unwrap();
        let client = theirs.clone();
        let sends = tokio::spawn(async move {
            let mut stream = TcpStream::connect(&client, "10.9.0.2:7".parse().unwrap()).await?;
            stream.write_all(&[7; 1_000_000]).await?;
            stream.shutdown(std::net::Shutdown::Write)?;
            stream.acknowledged().await
        });
        let (mut stream, _) = listener.accept().await.unwrap();
        let (mut buffer, mut total) = (vec![0; 1 << 16], 0);
        loop {
            others.send(packet(US, PEER, 17, &[0, 99, 0, 53, 0, 9, 0, 0, b'!'])).await.unwrap();
            match stream.read(&mut buffer).await.unwrap() {
                0 => break,
                n => total += n,
            }
        }
        assert_eq!(total, 1_000_000);
        sends.await.unwrap().unwrap();
        assert_eq!((others.try_next(), others.lost()), (None, 0));
    });
}

#[test]
fn a_program_that_does_not_take_them_loses_the_newest_and_is_told_how_many() {
    run(async {
        let (_net, tunnel, others) = network(2);
        let udp = |last| packet(PEER, US, 17, &[0, 53, 0, 99, 0, 9, 0, 0, last]);
        for last in 0..5 {
            tunnel.send(udp(last)).await.unwrap();
        }
        // What comes behind them has been answered when they have been seen.
        tunnel.send(packet(PEER, US, 1, &echo_request())).await.unwrap();
        tunnel.next().await.unwrap();
        assert_eq!(others.lost(), 3);
        assert_eq!([others.try_next(), others.try_next()], [Some(udp(0)), Some(udp(1))]);
        assert_eq!(others.try_next(), None);
    });
}

#[test]
fn the_end_of_the_network_is_told() {
    run(async {
        let (net, _tunnel, others) = network(2);
        net.shut_down();
        assert_eq!(others.next().await, None);
        let packet = packet(US, PEER, 17, &[0; 8]);
        assert_eq!(others.send(packet.clone()).await, Err(Unsent::Closed(packet)));
    });
}
