//! A device of the host in a task: tokio waits for its descriptor.

use ackclock::link::{Link, TransmitError};
use ackclock::stack::{Capabilities, Received, Transmit};
use ackclock::time::Instant;
use std::fmt;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// A link that wakes, made of one that has a descriptor: a device of the host whose network is driven by a
/// task of tokio's instead of a thread.
///
/// ```no_run
/// use ackclock_host::tun::{Offload, Tun};
/// use ackclock_net::{Net, NetConfig, TokioLink, TokioTimer};
///
/// async fn network() -> Result<Net, Box<dyn std::error::Error>> {
///     let tun = TokioLink::new(Tun::open_with(&"tun0".parse()?, Offload::Auto)?)?;
///     let config = NetConfig::new(["10.7.0.2/24".parse()?]);
///     let (net, driver) = Net::with_driver(tun, TokioTimer::start(), &config)?;
///     tokio::spawn(driver);
///     Ok(net)
/// }
/// ```
pub struct TokioLink<L> {
    device: L,
    /// The device once more, to wait for.
    ready: Arc<AsyncFd<OwnedFd>>,
    /// Future that is ready when the device has an error, for which a reader is not woken; `None` after that.
    failed: Option<Failed>,
    /// The waker to call.
    driver: Waker,
}

type Failed = Pin<Box<dyn Future<Output = ()> + Send>>;

impl<L: Link + AsFd> TokioLink<L> {
    /// A link over this device. Create it within a runtime whose input and output are enabled.
    ///
    /// # Errors
    /// There can be no further descriptor, or the operating system cannot wait for it.
    ///
    /// # Panics
    /// Outside of such a runtime.
    // A device might return a different descriptor each time; the registered one is owned, and does not
    // change.
    #[expect(deprecated, reason = "it is unsound for types whose descriptor changes only")]
    pub fn new(device: L) -> io::Result<Self> {
        let descriptor = device.as_fd().try_clone_to_owned()?;
        let all = Interest::READABLE | Interest::WRITABLE | Interest::ERROR;
        let ready = Arc::new(AsyncFd::with_interest(descriptor, all)?);
        let waits = Arc::clone(&ready);
        // Whether it can be waited for or not, the device is asked.
        let failed = async move { drop(waits.ready(Interest::ERROR).await) };
        let driver = Waker::noop().clone();
        Ok(TokioLink { device, ready, failed: Some(Box::pin(failed)), driver })
    }
}

impl<L: Link<Error: fmt::Display>> Link for TokioLink<L> {
    type Error = String;

    fn capabilities(&self) -> Capabilities {
        self.device.capabilities()
    }

    fn transmit(
        &mut self,
        now: Instant,
        transmit: &Transmit<'_>,
    ) -> Result<(), TransmitError<String>> {
        let mut cx = Context::from_waker(&self.driver);
        loop {
            // Where there is no room, the driver is woken when there is.
            let Poll::Ready(ready) = self.ready.poll_write_ready(&mut cx) else {
                return Err(TransmitError::Full);
            };
            let mut ready = ready.map_err(|error| TransmitError::Device(error.to_string()))?;
            match self.device.transmit(now, transmit) {
                Ok(()) => return Ok(()),
                Err(TransmitError::Full) => ready.clear_ready(),
                Err(TransmitError::Device(error)) => {
                    return Err(TransmitError::Device(error.to_string()));
                }
            }
        }
    }

    fn receive(
        &mut self,
        now: Instant,
        budget: usize,
        deliver: &mut dyn FnMut(Received<'_>),
    ) -> Result<usize, String> {
        let mut cx = Context::from_waker(&self.driver);
        if self.failed.as_mut().is_some_and(|failed| failed.as_mut().poll(&mut cx).is_ready()) {
            self.failed = None;
            return self.device.receive(now, budget, deliver).map_err(|error| error.to_string());
        }
        let mut received = 0;
        while received < budget {
            // Where there is nothing, the driver is woken when there is.
            let Poll::Ready(ready) = self.ready.poll_read_ready(&mut cx) else {
                break;
            };
            let mut ready = ready.map_err(|error| error.to_string())?;
            let more = self.device.receive(now, budget - received, deliver);
            match more.map_err(|error| error.to_string())? {
                0 => ready.clear_ready(),
                n => received += n,
            }
        }
        Ok(received)
    }

    fn is_up(&mut self) -> bool {
        self.device.is_up()
    }

    fn set_waker(&mut self, waker: &Waker) {
        self.driver.clone_from(waker);
    }
}

impl<L> fmt::Debug for TokioLink<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokioLink").finish_non_exhaustive()
    }
}
