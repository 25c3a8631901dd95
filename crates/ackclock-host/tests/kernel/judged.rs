//! A link to the kernel that a judge of the kernel watches.

use ackclock::link::{Link, TransmitError};
use ackclock::stack::{Capabilities, Received, Segmentation, Transmit};
use ackclock::time::{Duration, Instant};
use ackclock_judge::{Judge, Settings, Verdict};
use std::os::fd::{AsFd, BorrowedFd};
use std::task::Waker;
use std::thread;

/// How long the kernel may seem not to have received what it has: its answer waits in the device's queue until
/// the machine, which may be busy, comes to read it.
///
/// So nothing is said here of acks that are late; what may be sent at all is bounded all the same.
const REACTION: Duration = Duration::from_secs(10);

/// Sentences that Linux breaks, each by a habit of its own.
///
/// A window that is scaled it rounds to its unit only (`__tcp_select_window`): with the room in its buffer,
/// which is counted in memory and not in text, the window opens by less than a segment now and then.
const HABITS: [&str; 1] = ["silly-window-told"];

/// A link to the kernel, and a judge who sees what the kernel receives and sends. A verdict fails the test
/// when the link is dropped.
pub(crate) struct Judged<L> {
    link: L,
    judge: Option<Judge>,
    last: Instant,
    packet: Vec<u8>,
}

impl<L: Link> Judged<L> {
    /// Has the kernel judged at the other end of a link.
    pub(crate) fn new(link: L) -> Self {
        let settings = Settings { reaction: REACTION, ..Settings::default() };
        // What is cut into segments behind the link, or was put together before it, tells nothing.
        let capabilities = link.capabilities();
        let is_plain =
            capabilities.segmentation == Segmentation::NONE && capabilities.coalescing == 0;
        let judge = is_plain.then(|| Judge::new(settings));
        Judged { link, judge, last: Instant::ZERO, packet: Vec::new() }
    }
}

impl<L: Link> Link for Judged<L> {
    type Error = L::Error;

    fn capabilities(&self) -> Capabilities {
        self.link.capabilities()
    }

    fn transmit(
        &mut self,
        now: Instant,
        transmit: &Transmit<'_>,
    ) -> Result<(), TransmitError<L::Error>> {
        // The kernel answers while it takes a packet, but the answer is read later.
        let sent = self.link.transmit(now, transmit);
        if let (Some(judge), Ok(())) = (&mut self.judge, &sent) {
            self.packet.resize(transmit.len(), 0);
            transmit.copy_to(&mut self.packet);
            self.last = self.last.max(now);
            judge.on_received(self.last, &self.packet);
        }
        sent
    }

    fn receive(
        &mut self,
        now: Instant,
        budget: usize,
        deliver: &mut dyn FnMut(Received<'_>),
    ) -> Result<usize, L::Error> {
        let Judged { link, judge, last, .. } = self;
        *last = now.max(*last);
        link.receive(now, budget, &mut |received| {
            if let Some(judge) = judge {
                judge.on_sent(*last, received.packet);
            }
            deliver(received);
        })
    }

    fn is_up(&mut self) -> bool {
        self.link.is_up()
    }

    fn set_waker(&mut self, waker: &Waker) {
        self.link.set_waker(waker);
    }
}

impl<L: AsFd> AsFd for Judged<L> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.link.as_fd()
    }
}

impl<L> Drop for Judged<L> {
    fn drop(&mut self) {
        let Some(judge) = self.judge.take() else { return };
        let findings = judge.finish(self.last);
        let verdicts = findings.verdicts.iter();
        let news = verdicts.filter(|verdict| !HABITS.contains(&verdict.sentence.name));
        let verdicts: Vec<String> = news.map(Verdict::to_string).collect();
        if !thread::panicking() {
            assert!(verdicts.is_empty(), "of the kernel:\n{}", verdicts.join("\n"));
        }
    }
}
