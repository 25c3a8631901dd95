//! Echo, discard and chargen, to be compared with the image `services`.
#![no_std]
#![no_main]

use board::{Board, Once};
use firmware_smoltcp::{FrameMemory, Service, run};
use smoltcp::iface::{SocketSet, SocketStorage};
use smoltcp::socket::tcp::{Socket, SocketBuffer};

const SERVICES: [Service; 4] =
    [Service::Echo, Service::Echo, Service::Discard, Service::Chargen(0)];
const BUFFER: usize = 8192;

static FRAMES: Once<FrameMemory> = Once::new(FrameMemory::new());
static BUFFERS: Once<[[[u8; BUFFER]; 2]; SERVICES.len()]> =
    Once::new([[[0; BUFFER]; 2]; SERVICES.len()]);
static SOCKETS: Once<[SocketStorage<'static>; SERVICES.len()]> =
    Once::new([SocketStorage::EMPTY; SERVICES.len()]);

board::connection!(Socket<'static>);

#[board::entry]
fn main() -> ! {
    let memory = (Board::take(), FRAMES.take(), BUFFERS.take(), SOCKETS.take());
    let (Some(board), Some(frames), Some(buffers), Some(sockets)) = memory else {
        board::console::exit(1)
    };
    let mut sockets = SocketSet::new(&mut sockets[..]);
    let mut services = SERVICES.into_iter();
    let served = buffers.each_mut().map(|[receive, send]| {
        let buffer = |memory: &'static mut [u8; BUFFER]| SocketBuffer::new(&mut memory[..]);
        let handle = sockets.add(Socket::new(buffer(receive), buffer(send)));
        (handle, services.next().unwrap_or(Service::Echo))
    });
    run(board, frames, sockets, &mut { served })
}
