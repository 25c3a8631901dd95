//! The discard, echo and chargen services (RFC 863, 862, 864) on the kernel's own sockets: a peer
//! for tests that needs no privilege.
//!
//! Each connection has a thread of its own, up to a limit; those beyond it wait in the kernel's
//! backlog.

use ackclock::apps::{Service, chargen_byte};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

/// The longest time until the stop flag is noticed.
const STOP_CHECK: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// Size in bytes of a connection's buffer.
const BUFFER: usize = 64 * 1024;

/// Number of bytes after which chargen's text repeats: 95 lines of 72 characters with their ends
/// (RFC 864).
const CHARGEN_PERIOD: u64 = 95 * 74;

/// The outcome of a connection.
#[derive(Debug)]
pub struct Served {
    /// The client.
    pub client: SocketAddr,
    /// Bytes received from the client.
    pub received: u64,
    /// Bytes that the kernel took for sending to the client.
    pub sent: u64,
    /// `Err` if the connection broke. A chargen client that resets the connection ends it normally.
    pub outcome: io::Result<()>,
}

/// A service on a listening socket.
#[derive(Debug)]
pub struct KernelService {
    service: Service,
    listener: TcpListener,
    limit: usize,
}

impl KernelService {
    /// Listens at `local` (port 0: one of the kernel's choice) for at most `limit` connections at
    /// a time (at least one).
    ///
    /// # Errors
    /// The kernel's error, such as [`ErrorKind::AddrInUse`] or [`ErrorKind::PermissionDenied`] for
    /// ports below 1024.
    pub fn listen(service: Service, local: SocketAddr, limit: usize) -> io::Result<Self> {
        let listener = TcpListener::bind(local)?;
        listener.set_nonblocking(true)?;
        Ok(KernelService { service, listener, limit: limit.max(1) })
    }

    /// The address at which the service listens.
    ///
    /// # Errors
    /// The kernel's error.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until `stop` is set, and calls `on_served` for each connection that has ended. All
    /// connections have ended when this returns.
    ///
    /// # Errors
    /// The error of the listening socket. Open connections are cut off.
    pub fn serve(&self, stop: &AtomicBool, on_served: &mut dyn FnMut(&Served)) -> io::Result<()> {
        let (report, reports) = mpsc::channel();
        let accepted = thread::scope(|scope| {
            let mut open = 0;
            let accepted = loop {
                while let Ok(served) = reports.try_recv() {
                    open -= 1;
                    on_served(&served);
                }
                if stop.load(Ordering::Acquire) {
                    break Ok(());
                }
                if open == self.limit {
                    open -= wait_for_report(&reports, on_served);
                    continue;
                }
                match self.accept() {
                    Ok(None) => {}
                    Ok(Some((stream, client))) => {
                        open += 1;
                        let report = report.clone();
                        scope.spawn(move || self.serve_client(stream, client, stop, &report));
                    }
                    Err(error) => {
                        stop.store(true, Ordering::Release);
                        break Err(error);
                    }
                }
            };
            drop(report);
            accepted
        });
        reports.iter().for_each(|served| on_served(&served));
        accepted
    }

    /// The next connection; `None` if there is none before the stop flag has to be checked.
    fn accept(&self) -> io::Result<Option<(TcpStream, SocketAddr)>> {
        if !wait_for(&self.listener, PollFlags::IN)? {
            return Ok(None);
        }
        match self.listener.accept() {
            Ok(accepted) => Ok(Some(accepted)),
            // The client may have gone before it was accepted.
            Err(error) if is_passing(&error) || error.kind() == ErrorKind::ConnectionAborted => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn serve_client(
        &self,
        stream: TcpStream,
        client: SocketAddr,
        stop: &AtomicBool,
        report: &Sender<Served>,
    ) {
        let mut session = Session::new(self.service, &stream);
        let mut outcome = session.run(stop);
        if self.service == Service::Chargen && outcome.as_ref().is_err_and(is_departure) {
            outcome = Ok(());
        }
        // Sending fails only after the end of `serve`.
        let _ =
            report.send(Served { client, received: session.received, sent: session.sent, outcome });
    }
}

/// Waits a while for a connection to end; returns how many have.
fn wait_for_report(reports: &Receiver<Served>, on_served: &mut dyn FnMut(&Served)) -> usize {
    let patience = std::time::Duration::from_nanos(STOP_CHECK.tv_nsec as u64);
    let served = reports.recv_timeout(patience);
    served.iter().for_each(on_served);
    served.iter().count()
}

/// Waits until the socket is ready; `false` if the stop flag has to be checked before.
fn wait_for(socket: &impl AsFd, interest: PollFlags) -> io::Result<bool> {
    match poll(&mut [PollFd::new(socket, interest)], Some(&STOP_CHECK)) {
        Ok(ready) => Ok(ready > 0),
        Err(Errno::INTR) => Ok(false),
        Err(errno) => Err(errno.into()),
    }
}

/// Whether a call may be repeated after this error.
fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

/// Whether this error says that the peer has left.
fn is_departure(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe)
}

/// One connection being served.
struct Session<'a> {
    service: Service,
    stream: &'a TcpStream,
    buffer: Vec<u8>,
    /// The part of the buffer that waits to be sent.
    pending: std::ops::Range<usize>,
    received: u64,
    sent: u64,
}

impl<'a> Session<'a> {
    fn new(service: Service, stream: &'a TcpStream) -> Self {
        let buffer = match service {
            Service::Chargen => (0..CHARGEN_PERIOD).map(chargen_byte).collect(),
            Service::Discard | Service::Echo => vec![0; BUFFER],
        };
        Session { service, stream, buffer, pending: 0..0, received: 0, sent: 0 }
    }

    /// Serves until the client has ended its side and got everything, or `stop` is set.
    fn run(&mut self, stop: &AtomicBool) -> io::Result<()> {
        self.stream.set_nonblocking(true)?;
        let mut finished = false;
        while !stop.load(Ordering::Acquire) {
            if self.service == Service::Chargen && self.pending.is_empty() {
                self.pending = 0..self.buffer.len();
            }
            if finished && self.pending.is_empty() {
                return self.stream.shutdown(Shutdown::Write);
            }
            // An echo is sent before more is received, so that it never needs a second buffer.
            let receiving = !finished && (self.service != Service::Echo || self.pending.is_empty());
            let mut interest = PollFlags::empty();
            interest.set(PollFlags::IN, receiving);
            interest.set(PollFlags::OUT, !self.pending.is_empty());
            if !wait_for(self.stream, interest)? {
                continue;
            }
            if receiving {
                finished = self.receive()?;
            }
            if !self.pending.is_empty() {
                self.send()?;
            }
        }
        Ok(())
    }

    /// Reads what has arrived; returns whether the client has ended its side.
    fn receive(&mut self) -> io::Result<bool> {
        let mut thrown_away = [0; 4096];
        let to = match self.service {
            Service::Chargen => &mut thrown_away[..],
            Service::Discard | Service::Echo => &mut self.buffer[..],
        };
        let mut stream = self.stream;
        let n = match stream.read(to) {
            Ok(0) => return Ok(true),
            Ok(n) => n,
            Err(error) if is_passing(&error) => return Ok(false),
            Err(error) => return Err(error),
        };
        self.received += n as u64;
        if self.service == Service::Echo {
            self.pending = 0..n;
        }
        Ok(false)
    }

    /// Writes as much of the pending bytes as the kernel takes.
    fn send(&mut self) -> io::Result<()> {
        let mut stream = self.stream;
        let bytes = self.buffer.get(self.pending.clone()).unwrap_or_default();
        match stream.write(bytes) {
            Ok(n) => {
                self.sent += n as u64;
                self.pending.start += n;
                Ok(())
            }
            Err(error) if is_passing(&error) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;
    use std::sync::Arc;
    use std::thread::JoinHandle;

    struct Running {
        address: SocketAddr,
        stop: Arc<AtomicBool>,
        thread: JoinHandle<Vec<Served>>,
    }

    impl Running {
        fn new(service: Service, limit: usize) -> Self {
            let local = (Ipv4Addr::LOCALHOST, 0).into();
            let service = KernelService::listen(service, local, limit).unwrap();
            let address = service.local_addr().unwrap();
            let stop = Arc::new(AtomicBool::new(false));
            let flag = Arc::clone(&stop);
            let thread = thread::spawn(move || {
                let mut all = Vec::new();
                let mut note = |served: &Served| {
                    assert!(served.outcome.is_ok(), "{served:?}");
                    all.push(Served { outcome: Ok(()), ..*served });
                };
                service.serve(&flag, &mut note).unwrap();
                all
            });
            Running { address, stop, thread }
        }

        fn client(&self) -> TcpStream {
            TcpStream::connect(self.address).unwrap()
        }

        fn stop(self) -> Vec<Served> {
            self.stop.store(true, Ordering::Release);
            self.thread.join().unwrap()
        }
    }

    fn read_to_end(mut stream: &TcpStream) -> Vec<u8> {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn discard_takes_everything_and_ends_its_side_after_the_client() {
        let running = Running::new(Service::Discard, 4);
        let mut client = running.client();
        client.write_all(&vec![1; 1_000_000]).unwrap();
        client.shutdown(Shutdown::Write).unwrap();
        assert_eq!(read_to_end(&client), b"");
        let served = running.stop();
        assert_eq!(served.len(), 1);
        assert_eq!((served[0].received, served[0].sent), (1_000_000, 0));
        assert_eq!(served[0].client, client.local_addr().unwrap());
    }

    #[test]
    fn echo_sends_back_what_it_got_also_after_the_clients_end() {
        let running = Running::new(Service::Echo, 4);
        let sent: Vec<u8> = (0..1_000_000u32).map(|n| (n % 251) as u8).collect();
        let client = running.client();
        let received = thread::scope(|scope| {
            let reader = scope.spawn(|| read_to_end(&client));
            (&client).write_all(&sent).unwrap();
            client.shutdown(Shutdown::Write).unwrap();
            reader.join().unwrap()
        });
        assert!(received == sent);
        let served = running.stop();
        assert_eq!((served[0].received, served[0].sent), (1_000_000, 1_000_000));
    }

    #[test]
    fn chargen_sends_rotating_lines_and_throws_away_what_it_gets() {
        let running = Running::new(Service::Chargen, 4);
        let mut client = running.client();
        client.write_all(&vec![b'?'; 1_000_000]).unwrap();
        let mut lines = vec![0; 96 * 74];
        client.read_exact(&mut lines).unwrap();
        let lines: Vec<&[u8]> = lines.chunks(74).collect();
        let first: Vec<u8> = (32..104).chain(*b"\r\n").collect();
        let second: Vec<u8> = (33..105).chain(*b"\r\n").collect();
        let wrapped: Vec<u8> = [126].into_iter().chain(32..103).chain(*b"\r\n").collect();
        assert_eq!(lines[0], first);
        assert_eq!(lines[1], second);
        assert_eq!(lines[94], wrapped);
        assert_eq!(lines[95], first);
        drop(client);
        let served = running.stop();
        assert_eq!(served.len(), 1);
        assert!(served[0].sent >= 96 * 74, "{served:?}");
    }

    #[test]
    fn connections_beyond_the_limit_are_served_after_the_others() {
        let running = Running::new(Service::Echo, 2);
        let clients: Vec<TcpStream> = (0..5).map(|_| running.client()).collect();
        for (number, mut client) in clients.iter().enumerate() {
            let bytes = [number as u8; 10];
            client.write_all(&bytes).unwrap();
            client.shutdown(Shutdown::Write).unwrap();
            assert_eq!(read_to_end(client), bytes);
        }
        assert_eq!(running.stop().len(), 5);
    }

    #[test]
    fn a_stop_ends_open_connections() {
        let running = Running::new(Service::Echo, 1);
        let mut client = running.client();
        client.write_all(b"x").unwrap();
        client.read_exact(&mut [0]).unwrap();
        let served = running.stop();
        assert_eq!((served[0].received, served[0].sent), (1, 1));
        assert_eq!(read_to_end(&client), b"");
    }

    #[test]
    fn an_address_in_use_is_an_error() {
        let running = Running::new(Service::Discard, 1);
        let error = KernelService::listen(Service::Discard, running.address, 1).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AddrInUse);
        running.stop();
    }
}
