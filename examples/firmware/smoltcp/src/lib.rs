//! smoltcp on the boards: its device, and the services with which it is compared.
#![no_std]
#![forbid(unsafe_code)]

mod device;
mod services;

pub use device::Frames;
pub use services::{Service, serve};

use board::{Board, FrameBuffer, HARDWARE_ADDRESS, LONGEST_FRAME};
use smoltcp::iface::{Config, Interface, SocketHandle, SocketSet};
use smoltcp::time::Instant;
use smoltcp::wire::{EthernetAddress, IpCidr, Ipv4Address};

/// The memory that the images lend to smoltcp besides the sockets.
#[derive(Debug)]
pub struct FrameMemory {
    received: FrameBuffer,
    sent: [u8; LONGEST_FRAME],
}

impl FrameMemory {
    /// With nothing in it.
    pub const fn new() -> Self {
        FrameMemory { received: board::NO_FRAME, sent: [0; LONGEST_FRAME] }
    }
}

impl Default for FrameMemory {
    fn default() -> Self {
        Self::new()
    }
}

/// Runs the interface and serves the sockets for ever.
pub fn run(
    board: Board,
    memory: &mut FrameMemory,
    mut sockets: SocketSet<'_>,
    served: &mut [(SocketHandle, Service)],
) -> ! {
    let mut device = Frames { board, memory };
    let mut config = Config::new(EthernetAddress(HARDWARE_ADDRESS).into());
    config.random_seed = 0x5eed;
    let mut interface = Interface::new(config, &mut device, Instant::ZERO);
    interface.update_ip_addrs(|addresses| {
        let _ =
            addresses.push(IpCidr::new(Ipv4Address::from(board::ADDRESS).into(), board::PREFIX));
    });
    // A socket that does not listen yet refuses.
    serve_all(&mut sockets, served);
    board::console::say(c"ready\n");
    loop {
        let now = Instant::from_micros(device.board.now() as i64);
        interface.poll(now, &mut device, &mut sockets);
        serve_all(&mut sockets, served);
        let delay = interface.poll_delay(now, &sockets);
        if delay.is_none_or(|delay| delay.total_micros() > 0) {
            device.board.sleep();
        }
    }
}

fn serve_all(sockets: &mut SocketSet<'_>, served: &mut [(SocketHandle, Service)]) {
    for (handle, service) in served {
        serve(sockets.get_mut(*handle), service);
    }
}
