//! The Ethernet controller SMSC LAN9118: frames through two FIFOs, word by word.
//!
//! Register names and bits are those of its data sheet (sections 3.12 and 5).

use crate::{FrameBuffer, HARDWARE_ADDRESS, LONGEST_FRAME, PIECES};

#[cfg(not(feature = "an500"))]
const BASE: usize = 0x4020_0000;
#[cfg(feature = "an500")]
const BASE: usize = 0xa000_0000;

/// A register by its offset.
#[derive(Clone, Copy)]
#[repr(usize)]
enum Register {
    RxData = 0x00,
    TxData = 0x20,
    RxStatus = 0x40,
    TxStatus = 0x48,
    IrqConfig = 0x54,
    InterruptStatus = 0x58,
    InterruptEnable = 0x5c,
    ByteTest = 0x64,
    FifoInterrupt = 0x68,
    RxConfig = 0x6c,
    TxConfig = 0x70,
    HardwareConfig = 0x74,
    RxDatapath = 0x78,
    RxFifo = 0x7c,
    TxFifo = 0x80,
    PowerManagement = 0x84,
    MacCommand = 0xa4,
    MacData = 0xa8,
}

/// A register of the MAC, which is reached through two others.
#[derive(Clone, Copy)]
#[repr(u32)]
enum MacRegister {
    Control = 1,
    AddressHigh = 2,
    AddressLow = 3,
    MiiAccess = 6,
    MiiData = 7,
}

fn read(register: Register) -> u32 {
    // SAFETY: the controller has a register of one word there, on every board that is built for.
    unsafe { core::ptr::read_volatile((BASE + register as usize) as *const u32) }
}

fn write(register: Register, value: u32) {
    // SAFETY: as for reading; nothing that is written there touches memory.
    unsafe { core::ptr::write_volatile((BASE + register as usize) as *mut u32, value) }
}

// The words of a frame, four in each step: most of the time is spent here. Functions of their own, so
// that all images have the same.

#[inline(never)]
fn read_words(words: &mut [[u8; 4]]) {
    let next = || read(Register::RxData).to_le_bytes();
    let (blocks, rest) = words.as_chunks_mut();
    for [a, b, c, d] in blocks {
        *a = next();
        *b = next();
        *c = next();
        *d = next();
    }
    for word in rest {
        *word = next();
    }
}

#[inline(never)]
fn write_words(words: &[[u8; 4]]) {
    let put = |word: &[u8; 4]| write(Register::TxData, u32::from_le_bytes(*word));
    let (blocks, rest) = words.as_chunks();
    for [a, b, c, d] in blocks {
        put(a);
        put(b);
        put(c);
        put(d);
    }
    for word in rest {
        put(word);
    }
}

/// What `ByteTest` always reads.
const BYTE_TEST: u32 = 0x8765_4321;
/// Interrupt: frames are waiting (RSFL).
const RX_STATUS_LEVEL: u32 = 1 << 3;
/// IRQ pin: enabled, active high, push-pull.
const IRQ_PIN: u32 = 1 << 8 | 1 << 4 | 1;
/// Transmitter on; a full status FIFO does not stop it.
const TX_ON: u32 = 1 << 1 | 1 << 2;
/// Bytes in front of a received frame, so that what follows its header is aligned.
const RX_OFFSET: usize = 2;
/// A received frame has an error.
const RX_ERROR: u32 = 1 << 15;
/// Skip the rest of a frame.
const RX_FAST_FORWARD: u32 = 1 << 31;
/// Bytes of the check sequence, which is delivered too.
const CHECK_SEQUENCE: usize = 4;
/// Transmitter and receiver on, full duplex.
const MAC_ON: u32 = 1 << 20 | 1 << 3 | 1 << 2;
/// An access to a MAC register is going on; it is a read.
const MAC_BUSY: u32 = 1 << 31;
const MAC_READ: u32 = 1 << 30;
/// First and last piece of a frame.
const TX_FIRST: u32 = 1 << 13;
const TX_LAST: u32 = 1 << 12;
/// Words beside its data that a piece takes in the FIFO.
const TX_COMMANDS: usize = 2;
/// Basic status of the PHY (IEEE 802.3 clause 22, register 1), and in it: the link is up.
const PHY_STATUS: u32 = 1;
const PHY_LINK: u32 = 1 << 2;

/// The controller.
#[derive(Debug)]
pub struct Lan9118 {
    _private: (),
}

impl Lan9118 {
    /// Starts the controller; `None` if it does not answer.
    pub(crate) fn start() -> Option<Self> {
        if read(Register::ByteTest) != BYTE_TEST {
            return None;
        }
        // A software reset; it is complete when the bit is clear.
        write(Register::HardwareConfig, 1);
        while read(Register::HardwareConfig) & 1 != 0 || read(Register::PowerManagement) & 1 == 0 {}
        // 5 KiB for frames to send, the rest for received ones; store and forward.
        write(Register::HardwareConfig, 5 << 16 | 1 << 20);
        let [a, b, c, d, e, f] = HARDWARE_ADDRESS;
        let controller = Lan9118 { _private: () };
        controller.write_mac(MacRegister::AddressLow, u32::from_le_bytes([a, b, c, d]));
        controller.write_mac(MacRegister::AddressHigh, u32::from_le_bytes([e, f, 0, 0]));
        write(Register::RxConfig, (RX_OFFSET as u32) << 8);
        write(Register::FifoInterrupt, 0);
        write(Register::InterruptEnable, RX_STATUS_LEVEL);
        write(Register::IrqConfig, IRQ_PIN);
        write(Register::TxConfig, TX_ON);
        controller.write_mac(MacRegister::Control, MAC_ON);
        Some(controller)
    }

    /// Whether a frame is waiting.
    pub fn has_frame(&self) -> bool {
        read(Register::RxFifo) >> 16 & 0xff != 0
    }

    /// The next frame, if one is waiting.
    pub fn receive<'b>(&mut self, buffer: &'b mut FrameBuffer) -> Option<&'b [u8]> {
        while self.has_frame() {
            let status = read(Register::RxStatus);
            let length = (status >> 16 & 0x3fff) as usize;
            let words = (RX_OFFSET + length).div_ceil(4);
            let is_usable = status & RX_ERROR == 0 && length >= CHECK_SEQUENCE;
            let Some(place) = buffer.0.get_mut(..words).filter(|_| is_usable) else {
                write(Register::RxDatapath, RX_FAST_FORWARD);
                while read(Register::RxDatapath) & RX_FAST_FORWARD != 0 {}
                continue;
            };
            read_words(place);
            return buffer.0.as_flattened().get(RX_OFFSET..RX_OFFSET + length - CHECK_SEQUENCE);
        }
        None
    }

    /// Whether a frame of any length can be sent now.
    pub fn has_room(&self) -> bool {
        let free = (read(Register::TxFifo) & 0xffff) as usize;
        free >= LONGEST_FRAME + 4 * PIECES * (TX_COMMANDS + 1)
    }

    /// Sends a frame, which lies in pieces. Call it only if it [has room](Self::has_room).
    pub fn transmit(&mut self, pieces: [&[u8]; PIECES]) {
        let length = pieces.iter().map(|piece| piece.len()).sum::<usize>() as u32;
        let mut left = length;
        let mut first = TX_FIRST;
        for piece in pieces {
            if piece.is_empty() {
                continue;
            }
            left -= piece.len() as u32;
            let end = if left == 0 { TX_LAST } else { 0 };
            write(Register::TxData, first | end | piece.len() as u32);
            write(Register::TxData, length);
            let (words, rest) = piece.as_chunks();
            write_words(words);
            if !rest.is_empty() {
                let word = rest.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
                write(Register::TxData, word);
            }
            first = 0;
        }
        // The transmit status is ignored: TCP repairs losses. But its words must be read.
        while read(Register::TxFifo) >> 16 & 0xff != 0 {
            read(Register::TxStatus);
        }
    }

    /// Whether a cable is plugged in.
    pub fn is_link_up(&self) -> bool {
        let (phy, register) = (1, PHY_STATUS);
        self.write_mac(MacRegister::MiiAccess, phy << 11 | register << 6);
        self.read_mac(MacRegister::MiiData) & PHY_LINK != 0
    }

    /// Takes interrupts of frames that arrived up to now back.
    pub(crate) fn clear_interrupts(&mut self) {
        write(Register::InterruptStatus, RX_STATUS_LEVEL);
    }

    fn write_mac(&self, register: MacRegister, value: u32) {
        write(Register::MacData, value);
        write(Register::MacCommand, MAC_BUSY | register as u32);
        while read(Register::MacCommand) & MAC_BUSY != 0 {}
    }

    fn read_mac(&self, register: MacRegister) -> u32 {
        write(Register::MacCommand, MAC_BUSY | MAC_READ | register as u32);
        while read(Register::MacCommand) & MAC_BUSY != 0 {}
        read(Register::MacData)
    }
}
