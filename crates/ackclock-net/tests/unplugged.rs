//! What is unplugged under open sockets: each is told why, and none waits for ever.

use ackclock_net::channel::{joined, packets};
use ackclock_net::{Ended, Net, NetConfig, SocketError, TcpListener, TcpStream, TokioTimer, aio};
use std::future::Future;
use std::io::{self, ErrorKind, Read, Write};
use std::thread;
use std::time::Duration;

/// Longer than anything takes here, and short enough that a call that hangs fails.
const PATIENCE: Duration = Duration::from_secs(20);

fn config(address: &str) -> NetConfig {
    NetConfig::new([address.parse().unwrap()])
}

/// Two networks that are joined, and a connection between them.
fn pair() -> ([Net; 2], TcpListener, [TcpStream; 2]) {
    let [near, far] = joined(1500, 256);
    let client = Net::on_thread(near, &config("10.0.0.1/24")).unwrap();
    let server = Net::on_thread(far, &config("10.0.0.2/24")).unwrap();
    let listener = TcpListener::bind(&server, "10.0.0.2:7").unwrap();
    let near = TcpStream::connect(&client, "10.0.0.2:7").unwrap();
    let (far, _) = listener.accept().unwrap();
    near.set_read_timeout(Some(PATIENCE)).unwrap();
    far.set_read_timeout(Some(PATIENCE)).unwrap();
    ([client, server], listener, [near, far])
}

/// Why the network of a call that failed is over.
fn reason<T: std::fmt::Debug>(result: io::Result<T>) -> Ended {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NetworkDown);
    match error.get_ref().and_then(|source| source.downcast_ref()) {
        Some(SocketError::Network(ended)) => ended.clone(),
        other => panic!("{other:?}"),
    }
}

// What peers are sent is seen in virtual time: here they lose their device, the channel.

#[test]
fn dropping_the_network_tells_its_streams() {
    let ([client, _server], _listener, [near, _far]) = pair();
    let reads = near.try_clone().unwrap();
    let waits = thread::spawn(move || reason((&reads).read(&mut [0; 8])));
    thread::sleep(Duration::from_millis(20));
    drop(client);
    assert_eq!(waits.join().unwrap(), Ended::ShutDown);
    assert_eq!(reason((&near).write(b"more")), Ended::ShutDown);
    assert_eq!(reason(near.set_nodelay(true)), Ended::ShutDown);
    assert_eq!(reason(near.shutdown(std::net::Shutdown::Both)), Ended::ShutDown);
}

#[test]
fn dropping_the_network_tells_its_listeners() {
    let ([_client, server], listener, _streams) = pair();
    let waits = thread::spawn(move || reason(listener.accept()));
    thread::sleep(Duration::from_millis(20));
    drop(server);
    assert_eq!(waits.join().unwrap(), Ended::ShutDown);
}

#[test]
fn a_clone_keeps_the_network() {
    let ([client, _server], _listener, [near, far]) = pair();
    let kept = client.clone();
    drop(client);
    (&near).write_all(b"hello").unwrap();
    assert_eq!((&far).read(&mut [0; 8]).unwrap(), 5);
    assert_eq!(kept.ended(), None);
    kept.shut_down();
    assert_eq!(kept.ended(), Some(Ended::ShutDown));
    assert_eq!(reason(kept.with_stack(|_, _| ())), Ended::ShutDown);
}

#[test]
fn closing_the_channel_tells_what_the_device_said() {
    let (link, tunnel) = packets(1500, 16);
    let net = Net::on_thread(link, &config("10.0.0.1/24")).unwrap();
    let connecting = net.clone();
    let connects = thread::spawn(move || reason(TcpStream::connect(&connecting, "10.0.0.2:7")));
    assert!(tunnel.receive().is_some(), "its SYN");
    drop(tunnel);
    let said = "the other end of the channel of packets was dropped".to_owned();
    assert_eq!(connects.join().unwrap(), Ended::Device(said.clone()));
    assert_eq!(net.ended(), Some(Ended::Device(said)));
    let late = TcpStream::connect(&net, "10.0.0.2:7").unwrap_err();
    assert_eq!(
        late.to_string(),
        "the network's device failed: the other end of the channel of packets was dropped"
    );
}

#[test]
fn the_other_end_of_the_channel_is_told_that_the_network_is_over() {
    let (link, tunnel) = packets(1500, 16);
    let net = Net::on_thread(link, &config("10.0.0.1/24")).unwrap();
    drop(net);
    assert_eq!(tunnel.receive(), None);
    assert!(tunnel.try_send(vec![0x45]).is_err());
}

/// A runtime with a timer, in the test's thread.
fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap()
}

/// What a future comes to, in no more time than is sensible.
async fn in_time<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(PATIENCE, future).await.expect("it hangs")
}

#[test]
fn a_runtime_that_ends_takes_its_network_along() {
    let (link, _tunnel) = packets(1500, 16);
    let first = runtime();
    let timer = first.block_on(async { TokioTimer::start() });
    let (net, driver) = Net::with_driver(link, timer, &config("10.0.0.1/24")).unwrap();
    first.spawn(driver);
    let listener = aio::TcpListener::bind(&net, "10.0.0.1:7".parse().unwrap()).unwrap();
    let second = runtime();
    let waits = second.spawn(async move { reason(listener.accept().await) });
    second.block_on(tokio::task::yield_now());
    drop(first);
    assert_eq!(second.block_on(in_time(waits)).unwrap(), Ended::DriverDropped);
    let late = second.block_on(aio::TcpStream::connect(&net, "10.0.0.2:7".parse().unwrap()));
    assert_eq!(reason(late), Ended::DriverDropped);
}

#[test]
fn a_driver_is_done_when_its_network_is_dropped() {
    let (link, _tunnel) = packets(1500, 16);
    runtime().block_on(async {
        let config = config("10.0.0.1/24");
        let (net, driver) = Net::with_driver(link, TokioTimer::start(), &config).unwrap();
        let driver = tokio::spawn(driver);
        tokio::task::yield_now().await;
        drop(net);
        in_time(driver).await.unwrap().unwrap();
    });
}
