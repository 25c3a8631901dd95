//! This stack, with everything switched on as by default, driven by its run loop.

use super::{BUFFER, Job, OURS, PORT};
use ackclock::apps::{Application, Server, Service, StartError};
use ackclock::congestion::{BuiltIn, CongestionController};
use ackclock::link::Link;
use ackclock::stack::{Event, Handle, ListenConfig, Stack, StackConfig, Storage};
use ackclock::storage::Buffer;
use ackclock::tcp::{Config, Nagle};
use ackclock::time::Instant;
use ackclock_benches::memory::{Access, make};
use ackclock_host::run_loop::{Ended, RunLoop};
use ackclock_host::tun::Tun;
use std::net::SocketAddr;

pub(super) fn run(tun: Tun, job: Job, remote: SocketAddr) {
    run_with(Access::Copy, tun, job, remote);
}

/// What is sent is made where it is sent from.
pub(super) fn run_in_place(tun: Tun, job: Job, remote: SocketAddr) {
    run_with(Access::InPlace, tun, job, remote);
}

fn run_with(access: Access, tun: Tun, job: Job, remote: SocketAddr) {
    let config = StackConfig::new(tun.capabilities(), [1, 2]);
    let mut stack = Stack::new(config, BuiltIn::default(), Storage::growing()).expect("a stack");
    stack.add_address(OURS).expect("a usable address");
    let mut run_loop = RunLoop::new(tun).expect("a run loop");
    let mut drive = |application: &mut dyn Application<'static, BuiltIn>| {
        let ended = run_loop.run(&mut stack, &mut [application]);
        assert_eq!(ended.expect("a working device"), Ended::Done);
    };
    let mut listen = ListenConfig::new(SocketAddr::new(OURS.address, PORT));
    listen.connection = connection();
    match job {
        Job::Send(bytes) => {
            drive(&mut Giver { access, ..Giver::new(remote, bytes) });
        }
        Job::Receive(bytes) => {
            let mut server = Server::new(Service::Discard, listen, Buffer::growing()).once();
            drive(&mut server);
            assert_eq!(server.statistics().bytes_received, bytes);
        }
        Job::Answer(_) => {
            listen.connection.nagle = Nagle::Off;
            drive(&mut Server::new(Service::Echo, listen, Buffer::growing()).once());
        }
    }
}

pub(super) fn connection() -> Config {
    let mut config = Config::default();
    (config.send_buffer, config.receive_buffer) = (BUFFER as u32, BUFFER as u32);
    config
}

/// Sends so many bytes.
pub(super) struct Giver {
    remote: SocketAddr,
    left: u64,
    access: Access,
    data: Vec<u8>,
    handle: Option<Handle>,
    done: bool,
}

impl Giver {
    /// One that connects there, and sends so many bytes.
    pub(super) fn new(remote: SocketAddr, bytes: u64) -> Self {
        let (access, data) = (Access::Copy, vec![0x5a; BUFFER]);
        Giver { remote, left: bytes, access, data, handle: None, done: false }
    }
}

impl<'a, C: CongestionController + Clone> Application<'a, C> for Giver {
    fn start(&mut self, now: Instant, stack: &mut Stack<'a, C>) -> Result<(), StartError> {
        let handle = stack.connect(now, self.remote, None, &connection());
        self.handle = Some(handle.map_err(StartError::Connect)?);
        Ok(())
    }

    fn on_event(&mut self, now: Instant, stack: &mut Stack<'a, C>, _: &Event) {
        let Some(handle) = self.handle else {
            return;
        };
        while self.left > 0 {
            let n = self.left.min(self.data.len() as u64) as usize;
            let taken = match self.access {
                Access::Copy => stack.send(now, handle, &self.data[..n]),
                Access::InPlace => stack.send_with(now, handle, |room| {
                    let n = n.min(room.len());
                    make(&mut room[..n]);
                    n
                }),
            };
            let taken = taken.expect("an open connection");
            if taken == 0 {
                return;
            }
            self.left -= taken as u64;
            if self.left == 0 {
                stack.shutdown(now, handle).expect("a connection");
            }
        }
        let readiness = stack.readiness(handle);
        if readiness.is_some_and(|readiness| readiness.finished && readiness.flushed) {
            stack.close(now, handle).expect("a connection");
            (self.handle, self.done) = (None, true);
        }
    }

    fn is_done(&self) -> bool {
        self.done
    }
}
