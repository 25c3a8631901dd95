//! The connections of a proxy, each a task.

use super::connecting::Connecting;
use super::counts::{Counters, Counts};
use super::outside::{NoConnection, Outside};
use ackclock::tcp::Error;
use ackclock_net::aio::{AnyListener, Request};
use ackclock_net::relay::relay;
use ackclock_net::{Net, SocketError};
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
    counters: Counters,
    /// Those that wait for a connection outside.
    connecting: Connecting,
    /// The reason why a request had no answer was printed.
    has_told: AtomicBool,
}

impl Flows {
    /// None yet, whose connections go out there, so many at most under way at a time, and are ended after that
    /// idle time.
    pub(super) fn new(outside: Outside, requests: usize, idle_time: Option<Duration>) -> Self {
        Flows {
            outside,
            idle_time,
            counters: Counters::default(),
            connecting: Connecting::new(requests),
            has_told: AtomicBool::new(false),
        }
    }

    /// Counts of these connections and of their network so far.
    pub(super) fn counts(&self, net: &Net) -> Counts {
        let mut counts = self.counters.counts();
        let overflow = net.with_stack(|_, stack| stack.statistics().half_open_overflow);
        // A network that has ended has no counters; they are read before.
        counts.given_up_requests += overflow.unwrap_or_default();
        counts
    }

    /// Answers requests until the network has ended.
    pub(super) async fn answer_all(self: &Arc<Self>, listener: &AnyListener) -> io::Error {
        let mut number = 0;
        loop {
            let request = match listener.request().await {
                Ok(request) => request,
                Err(error) => return error,
            };
            number += 1;
            let flows = Arc::clone(self);
            let task = tokio::spawn(async move { flows.answer(number, request).await });
            if self.connecting.add(number, task.abort_handle()) {
                self.counters.given_up.add();
            }
        }
    }

    async fn answer(&self, number: u64, request: Request) {
        let to = request.to();
        let outside = self.outside.connect(to).await;
        self.connecting.remove(number);
        match outside {
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
