//! An echo server with two connections of 2 × 2 KiB, to be compared with the image `echo`.
#![no_std]
#![no_main]

use board::{Board, Once};
use firmware_smoltcp::{FrameMemory, Service, run};
use smoltcp::iface::{SocketSet, SocketStorage};
use smoltcp::socket::tcp::{Socket, SocketBuffer};

const CONNECTIONS: usize = 2;
const BUFFER: usize = 2048;

static FRAMES: Once<FrameMemory> = Once::new(FrameMemory::new());
static BUFFERS: Once<[[[u8; BUFFER]; 2]; CONNECTIONS]> = Once::new([[[0; BUFFER]; 2]; CONNECTIONS]);
static SOCKETS: Once<[SocketStorage<'static>; CONNECTIONS]> =
    Once::new([SocketStorage::EMPTY; CONNECTIONS]);

board::connection!(Socket<'static>);

#[board::entry]
fn main() -> ! {
    let memory = (Board::take(), FRAMES.take(), BUFFERS.take(), SOCKETS.take());
    let (Some(board), Some(frames), Some(buffers), Some(sockets)) = memory else {
        board::console::exit(1)
    };
    let mut sockets = SocketSet::new(&mut sockets[..]);
    let served = buffers.each_mut().map(|[receive, send]| {
        let buffer = |memory: &'static mut [u8; BUFFER]| SocketBuffer::new(&mut memory[..]);
        (sockets.add(Socket::new(buffer(receive), buffer(send))), Service::Echo)
    });
    run(board, frames, sockets, &mut { served })
}
