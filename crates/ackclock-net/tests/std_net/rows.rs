//! The rows of the table. What is not named here is of the world that they run in.

use super::{PATIENCE, TcpStream, World, set_linger};
use std::io::{self, ErrorKind, IoSlice, IoSliceMut, Read, Write};
use std::net::{Shutdown, SocketAddr};
use std::thread;
use std::time::{Duration, Instant};

/// A connection, the end that opened it first.
fn pair(world: &World) -> (TcpStream, TcpStream) {
    let listener = world.listener();
    let client = world.connect(listener.local_addr().unwrap()).unwrap();
    let (server, peer) = listener.accept().unwrap();
    assert_eq!(peer, client.local_addr().unwrap());
    for stream in [&client, &server] {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
    }
    (client, server)
}

fn kind<T: std::fmt::Debug>(result: io::Result<T>) -> ErrorKind {
    result.unwrap_err().kind()
}

/// Waits until the end of the peer's data, or its reset, has come; data stays.
fn wait_for_end(stream: &TcpStream) {
    let begin = Instant::now();
    let mut seen = [0; 64];
    while matches!(stream.peek(&mut seen), Ok(1..)) && begin.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(1));
    }
}

/// An address of the listener's host where nobody listens.
fn nobody(world: &World) -> SocketAddr {
    world.listener().local_addr().unwrap()
}

#[test]
fn addresses_are_those_of_both_ends() {
    let world = World::new();
    let (client, server) = pair(&world);
    assert_eq!(client.local_addr().unwrap(), server.peer_addr().unwrap());
    assert_eq!(client.peer_addr().unwrap(), server.local_addr().unwrap());
}

#[test]
fn data_come_in_order_both_ways() {
    let world = World::new();
    let (mut client, mut server) = pair(&world);
    client.write_all(b"question").unwrap();
    let mut got = [0; 8];
    server.read_exact(&mut got).unwrap();
    assert_eq!(&got, b"question");
    server.write_all(b"answer").unwrap();
    drop(server);
    let mut answer = String::new();
    client.read_to_string(&mut answer).unwrap();
    assert_eq!(answer, "answer");
}

#[test]
fn a_connection_to_a_port_where_nobody_listens_is_refused() {
    let world = World::new();
    assert_eq!(kind(world.connect(nobody(&world))), ErrorKind::ConnectionRefused);
}

#[test]
fn connecting_within_no_time_is_invalid() {
    let world = World::new();
    let to = nobody(&world);
    assert_eq!(kind(world.connect_timeout(&to, Duration::ZERO)), ErrorKind::InvalidInput);
    assert_eq!(kind(world.connect_timeout(&to, PATIENCE)), ErrorKind::ConnectionRefused);
}

#[test]
fn after_the_end_of_writing_the_peer_reads_to_the_end_and_can_answer() {
    let world = World::new();
    let (mut client, mut server) = pair(&world);
    client.write_all(b"all there is").unwrap();
    client.shutdown(Shutdown::Write).unwrap();
    let mut got = String::new();
    server.read_to_string(&mut got).unwrap();
    assert_eq!(got, "all there is");
    assert_eq!(server.read(&mut [0; 8]).unwrap(), 0);
    server.write_all(b"seen").unwrap();
    server.shutdown(Shutdown::Write).unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).unwrap();
    assert_eq!(answer, "seen");
}

#[test]
fn writing_after_the_end_of_writing_is_a_broken_pipe() {
    let world = World::new();
    let (mut client, _server) = pair(&world);
    client.shutdown(Shutdown::Write).unwrap();
    assert_eq!(kind(client.write(b"more")), ErrorKind::BrokenPipe);
    client.shutdown(Shutdown::Write).unwrap();
}

#[test]
fn after_the_end_of_reading_what_is_there_is_read_and_then_the_end() {
    let world = World::new();
    let (mut client, mut server) = pair(&world);
    server.write_all(b"early").unwrap();
    let mut got = [0; 5];
    assert_eq!(client.peek(&mut got).unwrap(), 5);
    client.shutdown(Shutdown::Read).unwrap();
    client.read_exact(&mut got).unwrap();
    assert_eq!(&got, b"early");
    assert_eq!(client.read(&mut got).unwrap(), 0);
    client.write_all(b"still writes").unwrap();
    assert_eq!(server.read(&mut [0; 20]).unwrap(), 12);
}

#[test]
fn the_end_of_reading_ends_a_read_that_waits() {
    let world = World::new();
    let (client, _server) = pair(&world);
    let mut reader = client.try_clone().unwrap();
    let reads = thread::spawn(move || reader.read(&mut [0; 8]));
    thread::sleep(Duration::from_millis(20));
    client.shutdown(Shutdown::Read).unwrap();
    assert_eq!(reads.join().unwrap().unwrap(), 0);
}

#[test]
fn the_end_of_both_ends_both() {
    let world = World::new();
    let (mut client, mut server) = pair(&world);
    client.shutdown(Shutdown::Both).unwrap();
    assert_eq!(client.read(&mut [0; 8]).unwrap(), 0);
    assert_eq!(kind(client.write(b"more")), ErrorKind::BrokenPipe);
    assert_eq!(server.read(&mut [0; 8]).unwrap(), 0);
}

#[test]
fn a_reset_is_told_once_and_then_the_end() {
    let world = World::new();
    let (mut client, server) = pair(&world);
    set_linger(&server, Some(Duration::ZERO));
    drop(server);
    assert_eq!(kind(client.read(&mut [0; 8])), ErrorKind::ConnectionReset);
    assert_eq!(client.read(&mut [0; 8]).unwrap(), 0);
    assert_eq!(kind(client.write(b"more")), ErrorKind::BrokenPipe);
    assert_eq!(kind(client.shutdown(Shutdown::Both)), ErrorKind::NotConnected);
}

#[test]
fn take_error_tells_of_a_reset_in_place_of_a_call() {
    let world = World::new();
    let (mut client, server) = pair(&world);
    assert!(client.take_error().unwrap().is_none());
    set_linger(&server, Some(Duration::ZERO));
    drop(server);
    let begin = Instant::now();
    let error = loop {
        match client.take_error().unwrap() {
            Some(error) => break error,
            None => assert!(begin.elapsed() < PATIENCE),
        }
        thread::sleep(Duration::from_millis(1));
    };
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    assert!(client.take_error().unwrap().is_none());
    assert_eq!(client.read(&mut [0; 8]).unwrap(), 0);
}

#[test]
fn what_came_before_a_reset_can_be_read() {
    let world = World::new();
    let (mut client, mut server) = pair(&world);
    server.write_all(b"last words").unwrap();
    let mut got = [0; 10];
    while client.peek(&mut got).unwrap() < 10 {}
    set_linger(&server, Some(Duration::ZERO));
    drop(server);
    client.read_exact(&mut got).unwrap();
    assert_eq!(&got, b"last words");
    assert_eq!(kind(client.read(&mut got)), ErrorKind::ConnectionReset);
}

#[test]
fn dropping_with_data_unread_resets() {
    let world = World::new();
    let (mut client, server) = pair(&world);
    client.write_all(b"nobody reads this").unwrap();
    assert!(server.peek(&mut [0; 1]).unwrap() > 0);
    drop(server);
    assert_eq!(kind(client.read(&mut [0; 8])), ErrorKind::ConnectionReset);
}

#[test]
fn dropping_with_all_read_ends_and_what_comes_later_is_reset() {
    let world = World::new();
    let (mut client, server) = pair(&world);
    drop(server);
    assert_eq!(client.read(&mut [0; 8]).unwrap(), 0);
    client.write_all(b"too late").unwrap();
    let begin = Instant::now();
    let kind = loop {
        match client.write(b"even later") {
            Ok(_) => assert!(begin.elapsed() < PATIENCE),
            Err(error) => break error.kind(),
        }
        thread::sleep(Duration::from_millis(1));
    };
    assert_eq!(kind, ErrorKind::BrokenPipe);
}

#[test]
fn a_clone_keeps_the_connection() {
    let world = World::new();
    let (client, mut server) = pair(&world);
    let mut kept = client.try_clone().unwrap();
    drop(client);
    kept.write_all(b"still here").unwrap();
    drop(kept);
    let mut got = String::new();
    server.read_to_string(&mut got).unwrap();
    assert_eq!(got, "still here");
}

#[test]
fn one_thread_reads_while_another_writes_the_same_stream() {
    const LENGTH: usize = 1 << 20;
    let world = World::new();
    let (client, server) = pair(&world);
    let echo = thread::spawn(move || io::copy(&mut &server, &mut &server).map(|_| ()));
    let sent: Vec<u8> = (0..LENGTH).map(|at| (at % 251) as u8).collect();
    let mut got = Vec::new();
    thread::scope(|scope| {
        scope.spawn(|| {
            (&client).write_all(&sent).unwrap();
            client.shutdown(Shutdown::Write).unwrap();
        });
        (&client).read_to_end(&mut got).unwrap();
    });
    assert!(got == sent);
    echo.join().unwrap().unwrap();
}

#[test]
fn a_read_waits_no_longer_than_its_timeout() {
    let world = World::new();
    let (mut client, mut server) = pair(&world);
    assert_eq!(client.read_timeout().unwrap(), Some(PATIENCE));
    assert_eq!(kind(client.set_read_timeout(Some(Duration::ZERO))), ErrorKind::InvalidInput);
    client.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
    let begin = Instant::now();
    assert_eq!(kind(client.read(&mut [0; 8])), ErrorKind::WouldBlock);
    assert!(begin.elapsed() >= Duration::from_millis(20));
    server.write_all(b"now").unwrap();
    client.set_read_timeout(None).unwrap();
    assert_eq!(client.read(&mut [0; 8]).unwrap(), 3);
}

#[test]
fn a_write_waits_no_longer_than_its_timeout() {
    let world = World::new();
    let (mut client, _server) = pair(&world);
    client.set_write_timeout(Some(Duration::from_millis(20))).unwrap();
    assert_eq!(client.write_timeout().unwrap(), Some(Duration::from_millis(20)));
    let much = vec![0; 1 << 20];
    let failed = (0..1000).find_map(|_| client.write(&much).err());
    assert_eq!(failed.unwrap().kind(), ErrorKind::WouldBlock);
}

#[test]
fn a_socket_that_may_not_wait_says_so() {
    let world = World::new();
    let (mut client, mut server) = pair(&world);
    client.set_nonblocking(true).unwrap();
    assert_eq!(kind(client.read(&mut [0; 8])), ErrorKind::WouldBlock);
    assert_eq!(kind(client.peek(&mut [0; 8])), ErrorKind::WouldBlock);
    client.set_nonblocking(false).unwrap();
    server.write_all(b"now").unwrap();
    assert_eq!(client.read(&mut [0; 8]).unwrap(), 3);
}

#[test]
fn nothing_is_read_into_nothing_and_nothing_written() {
    let world = World::new();
    let (mut client, mut server) = pair(&world);
    assert_eq!(client.write(&[]).unwrap(), 0);
    client.write_all(b"data").unwrap();
    assert_eq!(server.peek(&mut [0; 4]).unwrap(), 4);
    assert_eq!(server.read(&mut []).unwrap(), 0);
    assert_eq!(server.read(&mut [0; 8]).unwrap(), 4);
}

#[test]
fn what_is_peeked_at_stays() {
    let world = World::new();
    let (mut client, mut server) = pair(&world);
    client.write_all(b"twice").unwrap();
    let mut got = [0; 5];
    for _ in 0..2 {
        assert_eq!(server.peek(&mut got).unwrap(), 5);
        assert_eq!(&got, b"twice");
    }
    assert_eq!(server.peek(&mut got[..2]).unwrap(), 2);
    assert_eq!(server.read(&mut got).unwrap(), 5);
    client.shutdown(Shutdown::Write).unwrap();
    assert_eq!(server.peek(&mut got).unwrap(), 0);
}

#[test]
fn several_buffers_go_and_come_in_order() {
    let world = World::new();
    let (mut client, mut server) = pair(&world);
    let parts = [IoSlice::new(b"one "), IoSlice::new(b""), IoSlice::new(b"two")];
    assert_eq!(client.write_vectored(&parts).unwrap(), 7);
    client.shutdown(Shutdown::Write).unwrap();
    wait_for_all(&server, 7);
    let (mut first, mut second) = ([0; 3], [0; 9]);
    let mut into = [IoSliceMut::new(&mut first), IoSliceMut::new(&mut second)];
    assert_eq!(server.read_vectored(&mut into).unwrap(), 7);
    assert_eq!((&first, &second[..4]), (b"one", &b" two"[..]));
}

/// Waits until so many bytes can be read.
fn wait_for_all(stream: &TcpStream, length: usize) {
    let mut seen = vec![0; length];
    while stream.peek(&mut seen).unwrap() < length {}
}

#[test]
fn delay_can_be_switched_off() {
    let world = World::new();
    let (client, _server) = pair(&world);
    assert!(!client.nodelay().unwrap());
    client.set_nodelay(true).unwrap();
    assert!(client.nodelay().unwrap());
}

#[test]
fn an_address_that_has_a_listener_is_in_use() {
    let world = World::new();
    let (first, second) = (world.listener(), world.listener());
    let ports = [&first, &second].map(|listener| listener.local_addr().unwrap().port());
    assert_ne!(ports[0], ports[1]);
    assert!(!ports.contains(&0));
}

#[test]
fn a_listener_that_may_not_wait_says_so_and_goes_on() {
    let world = World::new();
    let listener = world.listener();
    listener.set_nonblocking(true).unwrap();
    assert_eq!(kind(listener.accept()), ErrorKind::WouldBlock);
    listener.set_nonblocking(false).unwrap();
    let _client = world.connect(listener.local_addr().unwrap()).unwrap();
    assert!(listener.accept().is_ok());
}

#[test]
fn a_connection_that_was_reset_before_it_was_accepted_does_not_stop_others() {
    let world = World::new();
    let listener = world.listener();
    let address = listener.local_addr().unwrap();
    let gone = world.connect(address).unwrap();
    set_linger(&gone, Some(Duration::ZERO));
    drop(gone);
    let mut client = world.connect(address).unwrap();
    client.write_all(b"hello").unwrap();
    let said = listener.incoming().take(2).find_map(|stream| {
        let mut said = String::new();
        let mut stream = stream.ok()?;
        client.shutdown(Shutdown::Write).ok();
        stream.read_to_string(&mut said).ok().map(|_| said)
    });
    assert_eq!(said.as_deref(), Some("hello"));
}

#[test]
fn a_listener_that_is_dropped_resets_those_who_were_not_accepted() {
    let world = World::new();
    let listener = world.listener();
    let mut client = world.connect(listener.local_addr().unwrap()).unwrap();
    client.set_read_timeout(Some(PATIENCE)).unwrap();
    drop(listener);
    wait_for_end(&client);
    let reset = client.read(&mut [0; 8]);
    // The peek may have been told.
    assert!(matches!(reset, Ok(0)) || kind(reset) == ErrorKind::ConnectionReset);
}

#[test]
fn lingering_waits_until_all_was_taken() {
    let world = World::new();
    let (mut client, mut server) = pair(&world);
    client.write_all(b"to be delivered").unwrap();
    set_linger(&client, Some(PATIENCE));
    let begin = Instant::now();
    let reads = thread::spawn(move || {
        let mut got = String::new();
        server.read_to_string(&mut got).map(|_| got)
    });
    drop(client);
    assert!(begin.elapsed() < PATIENCE);
    assert_eq!(reads.join().unwrap().unwrap(), "to be delivered");
}
