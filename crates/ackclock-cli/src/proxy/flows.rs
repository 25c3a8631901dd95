//! The connections of a proxy, each a task.

use super::counts::Counters;
use super::outside::{NoConnection, Outside};
use ackclock::tcp::Error;
use ackclock_net::SocketError;
use ackclock_net::aio::{AnyListener, Request};
use ackclock_net::relay::relay;
use std::io::{self, ErrorKind, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::TcpStream;

/// What all connections of a proxy share.
#[derive(Debug)]
pub(super) struct Flows {
    outside: Outside,
    idle_time: Option<Duration>,
    pub(super) counters: Counters,
    /// The user was told why a request had no answer.
    has_told: AtomicBool,
}

impl Flows {
    /// None yet, whose connections go out there and are ended after that idle time.
    pub(super) fn new(outside: Outside, idle_time: Option<Duration>) -> Self {
        Flows {
            outside,
            idle_time,
            counters: Counters::default(),
            has_told: AtomicBool::new(false),
        }
    }

    /// Answers requests, until the network is over.
    pub(super) async fn answer_all(self: &Arc<Self>, listener: &AnyListener) -> io::Error {
        loop {
            match listener.request().await {
                Ok(request) => {
                    let flows = Arc::clone(self);
                    tokio::spawn(async move { flows.answer(request).await });
                }
                Err(error) => return error,
            }
        }
    }

    async fn answer(&self, request: Request) {
        let to = request.to();
        match self.outside.connect(to).await {
            Ok(outside) => self.carry(request, outside).await,
            Err(NoConnection::Refused) => {
                self.counters.refused.add();
                request.refuse();
            }
            Err(NoConnection::Unreachable(error)) => {
                self.counters.unreachable.add();
                self.tell(format_args!("{to}: {error}"));
                // As if the SYN had been lost.
                drop(request);
            }
        }
    }

    async fn carry(&self, request: Request, outside: TcpStream) {
        let accepted = request.accept().await;
        let Ok(inside) = accepted.and_then(|inside| {
            inside.set_idle_time(self.idle_time)?;
            inside.set_nodelay(true)?;
            Ok(inside)
        }) else {
            return self.counters.given_up.add();
        };
        self.counters.opened.add();
        match relay(inside, outside, &self.counters.carried).await {
            Ok(()) => self.counters.completed.add(),
            Err(error) if was_idle(&error) => self.counters.idle.add(),
            Err(_) => self.counters.failed.add(),
        }
    }

    /// Says once why a request had no answer; the counters say how many.
    fn tell(&self, why: std::fmt::Arguments<'_>) {
        if !self.has_told.swap(true, Ordering::Relaxed) {
            // The proxy works even if the line cannot be written.
            let _ = writeln!(
                io::stderr(),
                "note: no connection to {why}; further ones are only counted"
            );
        }
    }
}

fn was_idle(error: &io::Error) -> bool {
    let source = error.get_ref().and_then(|source| source.downcast_ref());
    error.kind() == ErrorKind::ConnectionAborted
        && matches!(source, Some(SocketError::Closed(Error::Idle)))
}
