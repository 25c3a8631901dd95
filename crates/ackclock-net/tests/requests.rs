//! Requests for connections to anybody, answered by the program.

use ackclock::seq::SeqNumber;
use ackclock::wire::{Ecn, Flags, Header, IpInfo, MAX_HEADER, WriteChecksum, write_packet_header};
use ackclock_net::aio::{AnyListener, Request, TcpListener, TcpStream};
use ackclock_net::channel::{joined, packets};
use ackclock_net::{Net, NetConfig, SocketError, TokioTimer};
use std::future::Future;
use std::io::{self, ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::thread;
use std::time::Duration;
use tokio::task::JoinHandle;

const ADDRESSES: [[&str; 2]; 2] = [["10.0.0.1/24", "fd00::1/64"], ["10.0.0.2/24", "fd00::2/64"]];

fn config(addresses: [&str; 2]) -> NetConfig {
    NetConfig::new(addresses.map(|address| address.parse().unwrap()))
}

/// Runs a test with a client's network and one that hears everything that the client sends.
fn with_networks<F: Future<Output = ()>>(test: impl FnOnce(Net, Net) -> F) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let mut links = joined(1500, 256).into_iter();
        let [client, server] = ADDRESSES.map(|addresses| {
            let (link, timer) = (links.next().unwrap(), TokioTimer::start());
            let (net, driver) = Net::with_driver(link, timer, &config(addresses)).unwrap();
            tokio::spawn(driver);
            net
        });
        tokio::time::timeout(Duration::from_secs(60), test(client, server))
            .await
            .expect("it hangs");
    });
}

/// A client's request.
async fn requested(
    client: &Net,
    listener: &AnyListener,
    to: &str,
) -> (JoinHandle<io::Result<TcpStream>>, Request) {
    let (net, to): (_, SocketAddr) = (client.clone(), to.parse().unwrap());
    let connects = tokio::spawn(async move { TcpStream::connect(&net, to).await });
    let request = listener.request().await.unwrap();
    assert_eq!(request.to(), to);
    (connects, request)
}

fn source(error: &io::Error) -> Option<&SocketError> {
    error.get_ref()?.downcast_ref()
}

#[test]
fn any_destination_is_accepted_when_the_program_says_so() {
    with_networks(|client, server| async move {
        let listener = AnyListener::bind(&server, 10).unwrap();
        for to in ["192.0.2.77:4711", "[2001:db8::77]:80", "10.0.0.2:80"] {
            let (connects, request) = requested(&client, &listener, to).await;
            assert!(!connects.is_finished(), "nothing was answered");
            let from = request.from();
            let mut accepted = request.accept().await.unwrap();
            let mut stream = connects.await.unwrap().unwrap();
            assert_eq!(stream.local_addr().unwrap(), from);
            assert_eq!(accepted.local_addr().unwrap(), to.parse().unwrap());
            stream.write(b"whom did I reach?").await.unwrap();
            let mut got = [0; 40];
            assert_eq!(accepted.read(&mut got).await.unwrap(), 17);
        }
    });
}

#[test]
fn a_refused_peer_learns_it_at_once() {
    with_networks(|client, server| async move {
        let listener = AnyListener::bind(&server, 10).unwrap();
        let (connects, request) = requested(&client, &listener, "192.0.2.77:4711").await;
        request.refuse();
        let error = connects.await.unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
    });
}

#[test]
fn a_request_that_is_dropped_comes_again() {
    with_networks(|client, server| async move {
        let listener = AnyListener::bind(&server, 10).unwrap();
        let (connects, request) = requested(&client, &listener, "192.0.2.77:4711").await;
        let from = request.from();
        drop(request);
        let again = listener.request().await.unwrap();
        assert_eq!(again.from(), from);
        again.accept().await.unwrap();
        connects.await.unwrap().unwrap();
    });
}

#[test]
fn a_listener_with_an_address_comes_first() {
    with_networks(|client, server| async move {
        let any = AnyListener::bind(&server, 10).unwrap();
        let own = TcpListener::bind(&server, "10.0.0.2:80".parse().unwrap()).unwrap();
        TcpStream::connect(&client, "10.0.0.2:80".parse().unwrap()).await.unwrap();
        own.accept().await.unwrap();
        let (_connects, request) = requested(&client, &any, "10.0.0.2:81").await;
        request.refuse();
        let again = AnyListener::bind(&server, 10).unwrap_err();
        assert_eq!(again.kind(), ErrorKind::AddrInUse);
    });
}

#[test]
fn many_are_accepted_at_a_time_each_by_its_own_request() {
    with_networks(|client, server| async move {
        let listener = AnyListener::bind(&server, 300).unwrap();
        let mut clients = Vec::new();
        for port in 1000..1200 {
            let net = client.clone();
            clients.push(tokio::spawn(async move {
                let to = SocketAddr::new([192, 0, 2, 9].into(), port);
                let mut stream = TcpStream::connect(&net, to).await.unwrap();
                let mut told = [0; 2];
                stream.read(&mut told).await.unwrap();
                assert_eq!(u16::from_be_bytes(told), port);
            }));
        }
        for _ in 1000..1200 {
            let request = listener.request().await.unwrap();
            tokio::spawn(async move {
                let port = request.to().port();
                let mut stream = request.accept().await.unwrap();
                stream.write(&port.to_be_bytes()).await.unwrap();
                stream.acknowledged().await.unwrap();
            });
        }
        for client in clients {
            client.await.unwrap();
        }
    });
}

#[test]
fn what_nobody_waits_for_any_more_is_reset() {
    with_networks(|client, server| async move {
        let listener = AnyListener::bind(&server, 10).unwrap();
        let (connects, request) = requested(&client, &listener, "192.0.2.77:4711").await;
        let mut accepts = Box::pin(request.accept());
        // The SYN-ACK is on its way.
        std::future::poll_fn(|cx| {
            assert!(accepts.as_mut().poll(cx).is_pending());
            std::task::Poll::Ready(())
        })
        .await;
        drop(accepts);
        let mut stream = connects.await.unwrap().unwrap();
        let error = stream.read(&mut [0; 9]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    });
}

#[test]
fn requests_end_with_their_listener_and_their_network() {
    with_networks(|client, server| async move {
        let listener = AnyListener::bind(&server, 10).unwrap();
        let (_first, request) = requested(&client, &listener, "192.0.2.77:4711").await;
        drop(listener);
        let error = request.accept().await.unwrap_err();
        assert_eq!(source(&error), Some(&SocketError::RequestGone));
        let listener = AnyListener::bind(&server, 10).unwrap();
        let (_second, request) = requested(&client, &listener, "192.0.2.77:4712").await;
        server.shut_down();
        for error in [request.accept().await.unwrap_err(), listener.request().await.unwrap_err()] {
            assert_eq!(error.kind(), ErrorKind::NetworkDown);
        }
    });
}

/// A packet from the client without payload.
fn packet(flags: Flags, seq: u32) -> Vec<u8> {
    let ip = IpInfo {
        source: [10, 0, 0, 1].into(),
        destination: [192, 0, 2, 77].into(),
        hop_limit: 64,
        dscp: 0,
        ecn: Ecn::NotEct,
    };
    let header = Header {
        source_port: 5000,
        destination_port: 80,
        seq: SeqNumber(seq),
        flags,
        ..Header::default()
    };
    let mut bytes = [0; MAX_HEADER];
    let checksum = WriteChecksum::Complete;
    let len = write_packet_header(&mut bytes, &ip, &header, [&[], &[]], checksum);
    bytes[..len].to_vec()
}

#[test]
fn a_peer_that_resets_ends_the_accept_that_waits_for_it() {
    let (link, by_hand) = packets(1500, 10);
    let net = Net::on_thread(link, &config(ADDRESSES[1])).unwrap();
    let listener = ackclock_net::AnyListener::bind(&net, 10).unwrap();
    by_hand.try_send(packet(Flags::SYN, 1_000)).unwrap();
    let request = listener.request().unwrap();
    let accepts = thread::spawn(move || request.accept());
    let syn_ack = by_hand.receive().unwrap();
    assert_eq!(syn_ack[33], 0x12, "SYN and ACK");
    by_hand.try_send(packet(Flags::RST, 1_001)).unwrap();
    let error = accepts.join().unwrap().unwrap_err();
    assert_eq!(source(&error), Some(&SocketError::RequestGone));
    assert_eq!(error.kind(), ErrorKind::ConnectionAborted);
}

#[test]
fn threads_answer_requests_too() {
    let [near, far] = joined(1500, 256);
    let client = Net::on_thread(near, &config(ADDRESSES[0])).unwrap();
    let server = Net::on_thread(far, &config(ADDRESSES[1])).unwrap();
    let listener = ackclock_net::AnyListener::bind(&server, 10).unwrap();
    let serves = thread::spawn(move || {
        listener.request().unwrap().refuse();
        let mut stream = listener.request().unwrap().accept().unwrap();
        stream.write_all(b"accepted").unwrap();
    });
    let connect = || ackclock_net::TcpStream::connect(&client, "192.0.2.1:80");
    assert_eq!(connect().unwrap_err().kind(), ErrorKind::ConnectionRefused);
    let mut got = String::new();
    connect().unwrap().read_to_string(&mut got).unwrap();
    assert_eq!(got, "accepted");
    serves.join().unwrap();
}
