//! What is unplugged: each socket is told once, in a time that is bounded.

use crate::http::{SERVER, get, page, serve};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::Path;
use ackclock_net::aio::{TcpListener, TcpStream};
use ackclock_net::sim::{Fault, Outcome, SimNet};
use std::io::ErrorKind;

const LIMIT: Duration = Duration::from_secs(3600);
const PATH: &str = "rate=10mbit,delay=10ms,loss=0";

/// A client that reads until the connection ends, and how it ends.
async fn end_of(net: &ackclock_net::Net) -> std::io::Result<usize> {
    let mut stream = TcpStream::connect(net, SERVER.parse().unwrap()).await?;
    stream.write_all(b"question").await?;
    stream.read(&mut [0; 10]).await
}

/// A server that hears and says nothing.
fn silent(sim: &mut SimNet) {
    let hear = |host: ackclock_net::sim::Host| async move {
        let listener = TcpListener::bind(host.net(), SERVER.parse()?)?;
        let (mut stream, _) = listener.accept().await?;
        while stream.read(&mut [0; 10]).await? > 0 {}
        std::future::pending().await
    };
    sim.service("right", hear).unwrap();
}

#[test]
fn a_cut_that_heals_is_only_a_delay() {
    let mut sim = SimNet::pair(PATH, 3, ()).unwrap();
    let links: Vec<_> = sim.topology().links().collect();
    sim.service("right", |host| serve(host.net().clone(), SERVER.parse().unwrap(), 500_000))
        .unwrap();
    sim.host("left", |host| async move {
        assert_eq!(get(host.net(), SERVER.parse()?, "/p").await?, page("/p", 500_000));
        assert!(host.net().now() > Instant::from_secs(5), "not before it has healed");
        Ok(())
    })
    .unwrap();
    let cut: Path = "rate=10mbit,delay=10ms,loss=100%".parse().unwrap();
    for link in links {
        sim.at(Instant::from_secs(5), Fault::Path(link, PATH.parse().unwrap()));
        sim.at(Instant::from_millis(100), Fault::Path(link, cut.clone()));
    }
    assert_eq!(sim.run(LIMIT).unwrap(), Outcome::Done);
}

#[test]
fn the_peer_of_a_host_that_stops_reads_to_the_end() {
    let mut sim = SimNet::pair(PATH, 3, ()).unwrap();
    silent(&mut sim);
    sim.host("left", |host| async move {
        assert_eq!(end_of(host.net()).await?, 0);
        assert_eq!(host.net().now().as_secs(), 1);
        let again = end_of(host.net()).await.unwrap_err();
        assert_eq!(again.kind(), ErrorKind::ConnectionRefused);
        Ok(())
    })
    .unwrap();
    let right = sim.topology().hosts().nth(1).unwrap();
    sim.at(Instant::from_secs(1), Fault::Stop(right));
    assert_eq!(sim.run(LIMIT).unwrap(), Outcome::Done);
}

#[test]
fn the_peer_of_a_host_that_is_switched_off_gives_up() {
    let mut sim = SimNet::pair(PATH, 3, ()).unwrap();
    silent(&mut sim);
    sim.host("left", |host| async move {
        let mut stream = TcpStream::connect(host.net(), SERVER.parse()?).await?;
        tokio::time::sleep(std::time::Duration::from_secs(2)).await;
        stream.write_all(b"is anybody there?").await?;
        let given_up = stream.read(&mut [0; 10]).await.unwrap_err();
        assert_eq!(given_up.kind(), ErrorKind::TimedOut);
        assert_eq!(stream.read(&mut [0; 10]).await?, 0);
        Ok(())
    })
    .unwrap();
    let right = sim.topology().hosts().nth(1).unwrap();
    sim.at(Instant::from_secs(1), Fault::SwitchOff(right));
    assert_eq!(sim.run(LIMIT).unwrap(), Outcome::Done);
}

#[test]
fn a_network_that_is_shut_down_tells_both_ends() {
    let mut sim = SimNet::pair(PATH, 3, ()).unwrap();
    sim.service("right", |host| async move {
        let listener = TcpListener::bind(host.net(), SERVER.parse()?)?;
        let (_stream, _) = listener.accept().await?;
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        host.net().shut_down();
        let closed = listener.accept().await.unwrap_err();
        assert_eq!(closed.kind(), ErrorKind::NetworkDown);
        Ok(())
    })
    .unwrap();
    sim.host("left", |host| async move {
        let reset = end_of(host.net()).await.unwrap_err();
        assert_eq!(reset.kind(), ErrorKind::ConnectionReset);
        assert_eq!(host.net().now().as_secs(), 1);
        Ok(())
    })
    .unwrap();
    assert_eq!(sim.run(LIMIT).unwrap(), Outcome::Done);
}
