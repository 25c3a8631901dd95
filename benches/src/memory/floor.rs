//! What no stack can do without: four copies and two checksums for each byte, and no protocol.

use super::{CHUNK, MTU, Packets};
use ackclock::wire::Checksum;

/// Bytes of IPv4 and TCP headers with timestamps.
const HEADER: usize = 52;

/// A ring of bytes, as simple as can be.
struct Ring {
    memory: Vec<u8>,
    read: usize,
    len: usize,
}

impl Ring {
    fn new(size: usize) -> Self {
        Ring { memory: vec![0; size], read: 0, len: 0 }
    }

    fn free(&self) -> usize {
        self.memory.len() - self.len
    }

    fn push(&mut self, bytes: &[u8]) -> usize {
        let n = bytes.len().min(self.free());
        let start = (self.read + self.len) % self.memory.len();
        let first = n.min(self.memory.len() - start);
        self.memory[start..start + first].copy_from_slice(&bytes[..first]);
        self.memory[..n - first].copy_from_slice(&bytes[first..n]);
        self.len += n;
        n
    }

    fn front(&self, n: usize) -> [&[u8]; 2] {
        let n = n.min(self.len);
        let first = n.min(self.memory.len() - self.read);
        [&self.memory[self.read..self.read + first], &self.memory[..n - first]]
    }

    fn consume(&mut self, n: usize) {
        self.read = (self.read + n) % self.memory.len();
        self.len -= n;
    }

    fn pop(&mut self, to: &mut [u8]) -> usize {
        let [first, second] = self.front(to.len());
        let n = first.len() + second.len();
        to[..first.len()].copy_from_slice(first);
        to[first.len()..n].copy_from_slice(second);
        self.consume(n);
        n
    }
}

/// The loop without a protocol.
pub struct Floor {
    from: Vec<u8>,
    to: Vec<u8>,
    send: Ring,
    receive: Ring,
    wire: Packets,
}

impl Floor {
    /// With send and receive buffers of so many bytes.
    pub fn new(buffer: usize) -> Self {
        Floor {
            from: vec![1; CHUNK],
            to: vec![0; CHUNK],
            send: Ring::new(buffer),
            receive: Ring::new(buffer),
            wire: Packets::default(),
        }
    }

    /// Carries at least so many bytes from application to application; returns how many.
    ///
    /// # Panics
    /// If a checksum is wrong.
    pub fn transfer(&mut self, bytes: usize) -> usize {
        let mut moved = 0;
        while moved < bytes {
            while self.send.push(&self.from) > 0 {}
            while self.send.len > 0 && self.wire.has_room() {
                let [first, second] = self.send.front(MTU - HEADER);
                let sum = Checksum::default().over(first).over(second).complement();
                let len = HEADER + first.len() + second.len();
                self.wire.push(|to| {
                    to[..2].copy_from_slice(&sum.to_be_bytes());
                    to[HEADER..HEADER + first.len()].copy_from_slice(first);
                    to[HEADER + first.len()..len].copy_from_slice(second);
                    Some(len)
                });
                self.send.consume(len - HEADER);
            }
            while let Some(packet) = self.wire.pop() {
                let payload = &packet[HEADER..];
                let sum = Checksum::default().over(payload).complement();
                assert_eq!(packet[..2], sum.to_be_bytes(), "the checksum of an undamaged packet");
                self.receive.push(payload);
            }
            loop {
                let n = self.receive.pop(&mut self.to);
                if n == 0 {
                    break;
                }
                std::hint::black_box(&mut self.to);
                moved += n;
            }
        }
        moved
    }
}
