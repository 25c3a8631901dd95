//! The controller as smoltcp wants it: each frame in one piece, in memory.

use crate::FrameMemory;
use board::{Board, Ethernet, LONGEST_FRAME};
use smoltcp::phy::{Device, DeviceCapabilities, Medium, RxToken, TxToken};
use smoltcp::time::Instant;

/// The controller, with memory for one frame in each direction.
#[derive(Debug)]
pub struct Frames<'m> {
    pub(crate) board: Board,
    pub(crate) memory: &'m mut FrameMemory,
}

/// A received frame.
#[derive(Debug)]
pub struct Received<'d>(&'d [u8]);

impl RxToken for Received<'_> {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, f: F) -> R {
        f(self.0)
    }
}

/// Room for a frame to send.
#[derive(Debug)]
pub struct Room<'d> {
    ethernet: &'d mut Ethernet,
    frame: &'d mut [u8; LONGEST_FRAME],
}

impl TxToken for Room<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, f: F) -> R {
        let frame = &mut self.frame[..length];
        let result = f(frame);
        self.ethernet.transmit([frame, &[], &[]]);
        result
    }
}

impl Device for Frames<'_> {
    type RxToken<'a>
        = Received<'a>
    where
        Self: 'a;
    type TxToken<'a>
        = Room<'a>
    where
        Self: 'a;

    fn receive(&mut self, _: Instant) -> Option<(Received<'_>, Room<'_>)> {
        let ethernet = &mut self.board.ethernet;
        if !ethernet.has_room() {
            return None;
        }
        let frame = ethernet.receive(&mut self.memory.received)?;
        Some((Received(frame), Room { ethernet, frame: &mut self.memory.sent }))
    }

    fn transmit(&mut self, _: Instant) -> Option<Room<'_>> {
        let ethernet = &mut self.board.ethernet;
        ethernet.has_room().then_some(Room { ethernet, frame: &mut self.memory.sent })
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ethernet;
        capabilities.max_transmission_unit = LONGEST_FRAME;
        capabilities
    }
}
