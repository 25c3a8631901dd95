//! Links of different kinds behind one type.

use ackclock::link::{Link, TransmitError};
use ackclock::stack::{Capabilities, Received, Transmit};
use ackclock::time::Instant;
use std::error::Error;
use std::fmt;
use std::os::fd::{AsFd, BorrowedFd};

/// The error of any kind of link.
pub type LinkError = Box<dyn Error + Send + Sync>;

/// Any kind of link, so that the choice between several is made once, where the link is opened.
pub struct AnyLink(Box<dyn Device + Send>);

impl AnyLink {
    /// Wraps this link.
    pub fn new<L>(link: L) -> Self
    where
        L: Link<Error: Error + Send + Sync + 'static> + AsFd + Send + 'static,
    {
        AnyLink(Box::new(link))
    }
}

impl fmt::Debug for AnyLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AnyLink").field(&self.0.capabilities()).finish()
    }
}

/// The trait [`Link`] with one error type for all links.
trait Device: AsFd {
    fn capabilities(&self) -> Capabilities;

    fn transmit(
        &mut self,
        now: Instant,
        transmit: &Transmit<'_>,
    ) -> Result<(), TransmitError<LinkError>>;

    fn receive(
        &mut self,
        now: Instant,
        budget: usize,
        deliver: &mut dyn FnMut(Received<'_>),
    ) -> Result<usize, LinkError>;
}

impl<L: Link<Error: Error + Send + Sync + 'static> + AsFd> Device for L {
    fn capabilities(&self) -> Capabilities {
        Link::capabilities(self)
    }

    fn transmit(
        &mut self,
        now: Instant,
        transmit: &Transmit<'_>,
    ) -> Result<(), TransmitError<LinkError>> {
        Link::transmit(self, now, transmit).map_err(|error| match error {
            TransmitError::Full => TransmitError::Full,
            TransmitError::Device(error) => TransmitError::Device(error.into()),
        })
    }

    fn receive(
        &mut self,
        now: Instant,
        budget: usize,
        deliver: &mut dyn FnMut(Received<'_>),
    ) -> Result<usize, LinkError> {
        Ok(Link::receive(self, now, budget, deliver)?)
    }
}

impl AsFd for AnyLink {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl Link for AnyLink {
    type Error = LinkError;

    fn capabilities(&self) -> Capabilities {
        self.0.capabilities()
    }

    fn transmit(
        &mut self,
        now: Instant,
        transmit: &Transmit<'_>,
    ) -> Result<(), TransmitError<LinkError>> {
        self.0.transmit(now, transmit)
    }

    fn receive(
        &mut self,
        now: Instant,
        budget: usize,
        deliver: &mut dyn FnMut(Received<'_>),
    ) -> Result<usize, LinkError> {
        self.0.receive(now, budget, deliver)
    }
}
