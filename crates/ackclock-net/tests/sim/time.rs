//! Time in virtual time.

use crate::http::{SERVER, get, page, serve};
use ackclock::tcp::Error;
use ackclock::time::{Duration, Instant};
use ackclock_net::aio::{TcpListener, TcpStream};
use ackclock_net::sim::{Outcome, SimError, SimNet};
use ackclock_net::{Net, SocketError};
use std::io::ErrorKind;
use std::sync::{Arc, Mutex};
use std::time::Duration as StdDuration;

const LIMIT: Duration = Duration::from_secs(3600);

/// Two hosts, each of whose packets is there 10 ms and less than a microsecond later.
fn fast_lines() -> SimNet {
    SimNet::pair("rate=100gbit,delay=10ms,loss=0", 1, ()).unwrap()
}

/// What a host notes, and in which millisecond.
type Notes = Arc<Mutex<Vec<(&'static str, u64)>>>;

fn note(notes: &Notes, what: &'static str, net: &Net) {
    notes.lock().unwrap().push((what, net.now().as_millis()));
}

#[test]
fn time_is_the_networks_and_tokios_alike() {
    let notes = Notes::default();
    let mut sim = fast_lines();
    let client = Arc::clone(&notes);
    sim.service("right", |host| async move {
        let listener = TcpListener::bind(host.net(), SERVER.parse()?)?;
        let (mut stream, _) = listener.accept().await?;
        stream.read(&mut [0; 10]).await?;
        tokio::time::sleep(StdDuration::from_millis(7)).await;
        stream.write_all(b"answer").await?;
        std::future::pending().await
    })
    .unwrap();
    sim.host("left", |host| async move {
        let begin = tokio::time::Instant::now();
        let mut stream = TcpStream::connect(host.net(), SERVER.parse()?).await?;
        note(&client, "connected", host.net());
        stream.write_all(b"question").await?;
        stream.read(&mut [0; 10]).await?;
        note(&client, "answered", host.net());
        // The server's timer fires at a whole millisecond, not before 7 ms have passed.
        assert_eq!(begin.elapsed().as_millis(), 48);
        tokio::time::sleep(StdDuration::from_secs(60)).await;
        note(&client, "slept", host.net());
        Ok(())
    })
    .unwrap();
    assert_eq!(sim.run(LIMIT).unwrap(), Outcome::Done);
    let expected = [("connected", 20), ("answered", 48), ("slept", 60_049)];
    assert_eq!(*notes.lock().unwrap(), expected);
}

#[test]
fn timers_of_two_hosts_fire_in_the_order_of_their_times() {
    let notes = Notes::default();
    let mut sim = fast_lines();
    for (name, steps) in [("left", [3, 8, 1]), ("right", [5, 2, 90])] {
        let notes = Arc::clone(&notes);
        sim.host(name, |host| async move {
            for step in steps {
                tokio::time::sleep(StdDuration::from_millis(step)).await;
                note(&notes, name, host.net());
            }
            Ok(())
        })
        .unwrap();
    }
    assert_eq!(sim.run(LIMIT).unwrap(), Outcome::Done);
    let expected =
        [("left", 3), ("right", 5), ("right", 7), ("left", 11), ("left", 12), ("right", 97)];
    assert_eq!(*notes.lock().unwrap(), expected);
}

#[test]
fn a_run_ends_when_its_time_is_over_and_can_go_on() {
    let mut sim = fast_lines();
    sim.host("left", |_| async {
        tokio::time::sleep(StdDuration::from_secs(10)).await;
        Ok(())
    })
    .unwrap();
    assert_eq!(sim.run(Duration::from_secs(4)).unwrap(), Outcome::OutOfTime);
    assert_eq!(sim.now(), Instant::from_secs(4));
    assert_eq!(sim.run(LIMIT).unwrap(), Outcome::Done);
    assert_eq!(sim.now(), Instant::from_secs(10));
}

#[test]
fn where_nothing_will_happen_the_time_ends() {
    let mut sim = fast_lines();
    sim.host("left", |_| std::future::pending()).unwrap();
    assert_eq!(sim.run(Duration::from_secs(1)).unwrap(), Outcome::OutOfTime);
    assert_eq!(sim.now(), Instant::from_secs(1));
}

#[test]
fn a_host_that_fails_is_named() {
    let mut sim = fast_lines();
    sim.host("left", |host| async move {
        TcpStream::connect(host.net(), SERVER.parse()?).await?;
        Ok(())
    })
    .unwrap();
    let failed = sim.run(LIMIT).unwrap_err();
    let SimError::Host(name, error) = failed else { panic!("{failed}") };
    let error: &std::io::Error = error.downcast_ref().unwrap();
    assert_eq!((name.as_str(), error.kind()), ("left", ErrorKind::ConnectionRefused));
    let unknown = sim.host("middle", |_| async { Ok(()) }).unwrap_err();
    assert_eq!(unknown.to_string(), "the network has no host 'middle'");
}

#[test]
fn blocking_sockets_are_refused() {
    let sim = fast_lines();
    let refused = ackclock_net::TcpStream::connect(&sim.net("left").unwrap(), SERVER).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unsupported);
    let source = refused.get_ref().unwrap().downcast_ref();
    assert_eq!(source, Some(&SocketError::VirtualTime));
}

#[test]
fn a_page_comes_whole_whatever_is_lost() {
    for seed in 0..20 {
        let mut sim = SimNet::pair("rate=5mbit,delay=100ms,loss=10%", seed, ()).unwrap();
        sim.service("right", |host| serve(host.net().clone(), SERVER.parse().unwrap(), 30_000))
            .unwrap();
        sim.host("left", |host| async move {
            assert_eq!(get(host.net(), SERVER.parse()?, "/p").await?, page("/p", 30_000));
            Ok(())
        })
        .unwrap();
        assert_eq!(sim.run(LIMIT).unwrap(), Outcome::Done, "seed {seed}");
    }
}

#[test]
fn a_connection_ends_when_it_was_idle_as_long_as_it_may() {
    let notes = Notes::default();
    let mut sim = fast_lines();
    let client = Arc::clone(&notes);
    sim.service("right", |host| async move {
        let listener = TcpListener::bind(host.net(), SERVER.parse()?)?;
        let (mut patient, _) = listener.accept().await?;
        let (mut stream, _) = listener.accept().await?;
        stream.set_idle_time(Some(StdDuration::from_secs(10)))?;
        stream.read(&mut [0; 10]).await?;
        let error = stream.read(&mut [0; 10]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionAborted);
        let source = error.get_ref().and_then(|source| source.downcast_ref());
        assert_eq!(source, Some(&SocketError::Closed(Error::Idle)));
        note(&notes, "ended", host.net());
        patient.read(&mut [0; 10]).await?;
        patient.write_all(b"still here").await?;
        std::future::pending().await
    })
    .unwrap();
    let times = Arc::clone(&client);
    sim.host("left", |host| async move {
        let mut patient = TcpStream::connect(host.net(), SERVER.parse()?).await?;
        let mut stream = TcpStream::connect(host.net(), SERVER.parse()?).await?;
        tokio::time::sleep(StdDuration::from_secs(3)).await;
        stream.write_all(b"here I am").await?;
        note(&client, "written", host.net());
        let error = stream.read(&mut [0; 10]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionReset);
        note(&client, "reset", host.net());
        patient.write_all(b"and you?").await?;
        assert_eq!(patient.read(&mut [0; 10]).await?, 10);
        Ok(())
    })
    .unwrap();
    assert_eq!(sim.run(LIMIT).unwrap(), Outcome::Done);
    // The server takes the data 10 ms after it was written.
    let expected = [("written", 3_041), ("ended", 13_051), ("reset", 13_061)];
    assert_eq!(*times.lock().unwrap(), expected);
}
