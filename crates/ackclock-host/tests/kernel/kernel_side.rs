//! The kernel's side of a test: ordinary sockets, in threads of the test's namespace.

use crate::pattern::Content;
use crate::world::Family;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, connect, socket_with, sockopt};
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

/// The time after which a call that hangs fails.
const PATIENCE: Duration = Duration::from_secs(120);

/// The most connections that wait to be accepted.
const BACKLOG: i32 = 1024;

/// Bytes moved in one call.
const BUFFER: usize = 64 * 1024;

/// A listening socket at a port of the kernel's choice.
pub(crate) fn listen(family: Family) -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind((family.kernel(), 0)).expect("a listening socket");
    // A backlog for all the connections of a test: with a shorter one the kernel answers with SYN
    // cookies, forgets handshakes, and resets what follows.
    rustix::net::listen(&listener, BACKLOG).expect("a longer backlog");
    let patience = Some(PATIENCE);
    sockopt::set_socket_timeout(&listener, sockopt::Timeout::Recv, patience).expect("a timeout");
    let address = listener.local_addr().expect("a bound socket");
    (listener, address)
}

/// The next client of a listening socket.
pub(crate) fn accept(listener: &TcpListener) -> TcpStream {
    patient(listener.accept().expect("a client").0)
}

/// A connection to our stack.
pub(crate) fn connect_to(remote: SocketAddr) -> TcpStream {
    patient(TcpStream::connect_timeout(&remote, PATIENCE).expect("a connection"))
}

/// A connection to our stack from this local port, as soon as the port is free.
pub(crate) fn connect_from(family: Family, port: u16, remote: SocketAddr) -> TcpStream {
    let local = SocketAddr::from((family.kernel(), port));
    let domain = match family {
        Family::V4 => AddressFamily::INET,
        Family::V6 => AddressFamily::INET6,
    };
    loop {
        let flags = SocketFlags::CLOEXEC;
        let socket = socket_with(domain, SocketType::STREAM, flags, None).expect("a socket");
        sockopt::set_socket_reuseaddr(&socket, true).expect("SO_REUSEADDR");
        match bind(&socket, &local).and_then(|()| connect(&socket, &remote)) {
            Ok(()) => return patient(socket.into()),
            // The last ack of the connection before is still on its way.
            Err(Errno::ADDRINUSE | Errno::ADDRNOTAVAIL) => {
                thread::sleep(Duration::from_millis(1));
            }
            Err(errno) => panic!("cannot connect from port {port}: {errno}"),
        }
    }
}

fn patient(stream: TcpStream) -> TcpStream {
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    stream.set_write_timeout(Some(PATIENCE)).expect("a timeout");
    stream
}

/// Sends the content and ends this side.
pub(crate) fn send(mut stream: &TcpStream, content: Content) {
    let mut buffer = vec![0; BUFFER];
    let mut sent = 0;
    while sent < content.length {
        let bytes = content.next(sent, &mut buffer);
        stream.write_all(bytes).expect("a connection that takes data");
        sent += bytes.len() as u64;
    }
    stream.shutdown(Shutdown::Write).expect("a connection");
}

/// Receives until the peer ends its side, and verifies that it was the content.
pub(crate) fn receive(stream: &TcpStream, content: Content) {
    receive_with(stream, content, |_| {});
}

/// Receives as [`receive`] does, and calls `action` with each part.
fn receive_with(mut stream: &TcpStream, content: Content, mut action: impl FnMut(&[u8])) {
    let mut buffer = vec![0; BUFFER];
    let mut received = 0;
    loop {
        let n = stream.read(&mut buffer).expect("a connection that delivers data");
        if n == 0 {
            break;
        }
        content.pattern.verify(received, &buffer[..n]);
        received += n as u64;
        action(&buffer[..n]);
    }
    assert_eq!(received, content.length, "bytes received by the kernel");
}

/// Sends and receives at once.
pub(crate) fn exchange(stream: &TcpStream, sends: Content, receives: Content) {
    thread::scope(|scope| {
        scope.spawn(|| {
            let _end = EndOnPanic(stream);
            send(stream, sends);
        });
        let _end = EndOnPanic(stream);
        receive(stream, receives);
    });
}

/// A guard that ends both directions if its thread panics, so that the other thread does not wait.
struct EndOnPanic<'s>(&'s TcpStream);

impl Drop for EndOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            let _ = self.0.shutdown(Shutdown::Both);
        }
    }
}

/// Sends back what it receives until the peer ends its side, and verifies that it was the content.
pub(crate) fn echo(mut stream: &TcpStream, content: Content) {
    receive_with(stream, content, |bytes| {
        stream.write_all(bytes).expect("a connection that takes data");
    });
    stream.shutdown(Shutdown::Write).expect("a connection");
}

/// Resets the connection.
pub(crate) fn reset(stream: TcpStream) {
    sockopt::set_socket_linger(&stream, Some(Duration::ZERO)).expect("SO_LINGER");
}
