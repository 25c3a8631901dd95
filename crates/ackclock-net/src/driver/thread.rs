//! A driver that is a thread, for a link that wakes its waker.

use super::task::{After, Rounds};
use crate::net::{Net, NetConfig, NetError};
use crate::park;
use ackclock::link::{Direct, Link};
use ackclock_host::clock::Clock;
use std::fmt;
use std::sync::Arc;
use std::thread;

impl Net {
    /// A network over this link, driven by a thread of its own. Any link can be used that calls its
    /// [waker](Link::set_waker), such as a [channel](crate::channel::packets); it need not have a descriptor,
    /// and the system need not be Linux.
    ///
    /// # Errors
    /// A setting or an address cannot be used, or there can be no further thread.
    pub fn on_thread<L>(link: L, config: &NetConfig) -> Result<Self, NetError>
    where
        L: Link<Error: fmt::Display> + Send + 'static,
    {
        let stack = config.stack(link.capabilities())?;
        let clock = Clock::start();
        let net = Net::new(stack, Box::new(move || clock.now()), config);
        let rounds = Rounds::new(Arc::clone(net.shared()), link, Direct);
        thread::Builder::new().name("ackclock-net".to_owned()).spawn(move || drive(rounds))?;
        Ok(net)
    }
}

/// Carries packets until the network has ended.
fn drive<L: Link<Error: fmt::Display>>(mut rounds: Rounds<L, Direct>) {
    let waker = park::waker();
    // The sockets report the error of the device.
    while let Ok(after) = rounds.round(&waker) {
        match after {
            After::Round => {}
            After::End => break,
            After::Wait(deadline) if deadline.is_never() => thread::park(),
            After::Wait(deadline) => {
                let left = deadline.saturating_since(rounds.shared().now());
                if !left.is_zero() {
                    thread::park_timeout(left.into());
                }
            }
        }
    }
}
