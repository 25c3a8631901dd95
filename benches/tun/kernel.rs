//! The kernel's side: ordinary blocking sockets, in a thread.

use super::{BUFFER, Job, KERNEL, OURS, PING, PORT};
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};

/// Where the kernel listens, and what it is to do then.
pub(super) fn prepare(job: Job) -> (SocketAddr, Box<dyn FnOnce() + Send>) {
    let ours = SocketAddr::new(OURS.address, PORT);
    let connect = move || TcpStream::connect(ours).expect("a connection");
    match job {
        Job::Send(bytes) => {
            let listener = TcpListener::bind((KERNEL, 0)).expect("a listening socket");
            let address = listener.local_addr().expect("a bound socket");
            let take = move || {
                let (stream, _) = listener.accept().expect("a connection");
                assert_eq!(drain(&stream), bytes);
            };
            (address, Box::new(take))
        }
        Job::Receive(bytes) => (ours, Box::new(move || give(&connect(), bytes))),
        Job::Answer(count) => (ours, Box::new(move || ask(&connect(), count))),
    }
}

/// Where the kernel listens, to send so many bytes to whoever connects.
pub(super) fn offer(bytes: u64) -> (SocketAddr, Box<dyn FnOnce() + Send>) {
    let listener = TcpListener::bind((KERNEL, 0)).expect("a listening socket");
    let address = listener.local_addr().expect("a bound socket");
    (address, Box::new(move || give(&listener.accept().expect("a connection").0, bytes)))
}

/// Reads until the other side has closed; returns how many bytes came.
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

/// Sends so many bytes, and waits until the other side has closed.
fn give(mut stream: &TcpStream, bytes: u64) {
    let data = vec![0x5a; BUFFER];
    let mut left = bytes;
    while left > 0 {
        let n = left.min(BUFFER as u64);
        stream.write_all(&data[..n as usize]).expect("a connection that takes data");
        left -= n;
    }
    stream.shutdown(Shutdown::Write).expect("a connection");
    drain(stream);
}

/// Asks so often, and waits for each answer.
fn ask(mut stream: &TcpStream, count: u64) {
    stream.set_nodelay(true).expect("TCP_NODELAY");
    let (question, mut answer) = ([0x5a; PING], [0; PING]);
    for _ in 0..count {
        stream.write_all(&question).expect("a connection that takes data");
        stream.read_exact(&mut answer).expect("an answer");
    }
    stream.shutdown(Shutdown::Write).expect("a connection");
    drain(stream);
}
