//! Tests of urgent data: both sides must mean the same byte by the urgent pointer (RFC 9293
//! MUST-62). The kernel takes the byte before it for "out of band" data and keeps it apart.

use crate::kernel_side;
use crate::namespace::in_namespace;
use crate::world::{Family, World};
use ackclock::apps::{Application, StartError};
use ackclock::congestion::BuiltIn;
use ackclock::stack::{Event, Handle, Stack};
use ackclock::tcp::Config;
use ackclock::time::Instant;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{RecvFlags, SendFlags, recv, send};
use std::io::{Read, Write};
use std::net::SocketAddr;

/// How long the kernel's side waits for urgent data.
const PATIENCE: Timespec = Timespec { tv_sec: 120, tv_nsec: 0 };

/// An application that sends `ab`, `c` urgently, and `de`, reads as much, and notes which bytes are
/// urgent.
struct Speaker {
    remote: SocketAddr,
    handle: Option<Handle>,
    has_spoken: bool,
    /// The value of `Stack::urgent_ahead` before anything was read.
    urgent_ahead: Option<u32>,
    received: Vec<u8>,
}

impl Application<'static, BuiltIn> for Speaker {
    fn start(
        &mut self,
        now: Instant,
        stack: &mut Stack<'static, BuiltIn>,
    ) -> Result<(), StartError> {
        let handle = stack.connect(now, self.remote, None, &Config::default());
        self.handle = Some(handle.map_err(StartError::Connect)?);
        Ok(())
    }

    fn on_event(&mut self, now: Instant, stack: &mut Stack<'static, BuiltIn>, event: &Event) {
        let Event::Connection { handle, readiness } = *event else {
            return;
        };
        if readiness.established && !self.has_spoken {
            self.has_spoken = true;
            assert_eq!(stack.send(now, handle, b"ab"), Ok(2));
            assert_eq!(stack.send_urgent(now, handle, b"c"), Ok(1));
            assert_eq!(stack.send(now, handle, b"de"), Ok(2));
        }
        self.urgent_ahead = self.urgent_ahead.or(stack.urgent_ahead(handle));
        let received = stack.received(handle).unwrap_or_default().concat();
        if received.len() == 5 {
            self.received = received;
            stack.consume(now, handle, 2).expect("an open connection");
            assert_eq!(stack.urgent_ahead(handle), Some(1));
            stack.consume(now, handle, 1).expect("an open connection");
            assert_eq!(stack.urgent_ahead(handle), None);
        }
    }

    fn is_done(&self) -> bool {
        !self.received.is_empty()
    }
}

#[test]
fn the_kernel_means_the_same_urgent_byte() {
    for family in Family::BOTH {
        in_namespace(|| {
            let mut world = World::new();
            let (listener, remote) = kernel_side::listen(family);
            let mut speaker = Speaker {
                remote,
                handle: None,
                has_spoken: false,
                urgent_ahead: None,
                received: Vec::new(),
            };
            world.run_against(&mut speaker, move || {
                let mut stream = kernel_side::accept(&listener);
                let mut ordinary = [0; 2];
                stream.read_exact(&mut ordinary).expect("data");
                assert_eq!(&ordinary, b"ab");
                let announced = &mut [PollFd::new(&stream, PollFlags::PRI)];
                assert_eq!(poll(announced, Some(&PATIENCE)), Ok(1), "urgent data");
                let mut urgent = [0; 2];
                let (n, _) = recv(&stream, &mut urgent, RecvFlags::OOB).expect("urgent data");
                assert_eq!((n, urgent[0]), (1, b'c'));
                stream.read_exact(&mut ordinary).expect("data");
                assert_eq!(&ordinary, b"de");
                stream.write_all(b"xy").expect("an open connection");
                send(&stream, b"z", SendFlags::OOB).expect("an open connection");
                stream.write_all(b"vw").expect("an open connection");
            });
            assert_eq!(speaker.received, b"xyzvw");
            assert_eq!(speaker.urgent_ahead, Some(3));
        });
    }
}
