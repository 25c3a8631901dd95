//! An Ethernet device by virtio, with the driver of the crate `virtio-drivers`.

use crate::{FrameBuffer, LONGEST_FRAME, Once, PIECES};
use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering};
use virtio_drivers::device::net::VirtIONetRaw;
use virtio_drivers::transport::mmio::{MmioTransport, VirtIOHeader};
use virtio_drivers::transport::{DeviceType, Transport};
use virtio_drivers::{BufferDirection, Hal, PAGE_SIZE, PhysAddr};

/// Devices lie so far apart, from this address on.
const FIRST: usize = 0x1000_1000;
const SIZE: usize = 0x1000;
const DEVICES: usize = 8;
/// The interrupt of the first one.
const FIRST_INTERRUPT: usize = 1;

/// Places in each of the device's two queues; a frame takes one.
const QUEUE: usize = 8;
const RECEIVED: usize = 8;
const SENT: usize = 4;
/// Bytes that the device puts in front of a frame, and the longest frame.
const BUFFER: usize = 12 + LONGEST_FRAME;
/// Where the network header of a received frame is aligned.
const OFFSET: usize = 2;

/// Pages for the queues.
const PAGES: usize = 4;

#[repr(align(4096))]
struct Pages(UnsafeCell<[[u8; PAGE_SIZE]; PAGES]>);

// SAFETY: only their address is taken; a counter decides which user gets which one.
unsafe impl Sync for Pages {}

static MEMORY: Pages = Pages(UnsafeCell::new([[0; PAGE_SIZE]; PAGES]));
static TAKEN: AtomicUsize = AtomicUsize::new(0);
static DEVICE: Once<MaybeUninit<Device>> = Once::new(MaybeUninit::uninit());
static BUFFERS: Once<[[u8; BUFFER]; RECEIVED + SENT]> = Once::new([[0; BUFFER]; RECEIVED + SENT]);

/// Physical addresses are those that the core sees.
struct Identity;

// SAFETY: pages are handed out once and never again; they are aligned, zero, and of one memory that
// core and device share.
unsafe impl Hal for Identity {
    fn dma_alloc(pages: usize, _: BufferDirection) -> (PhysAddr, NonNull<u8>) {
        let first = TAKEN.load(Ordering::Relaxed);
        let end = first.saturating_add(pages);
        if end > PAGES {
            return (0, NonNull::dangling());
        }
        TAKEN.store(end, Ordering::Relaxed);
        let begin = MEMORY.0.get().cast::<u8>().wrapping_add(first * PAGE_SIZE);
        match NonNull::new(begin) {
            Some(begin) => (begin.as_ptr() as PhysAddr, begin),
            None => (0, NonNull::dangling()),
        }
    }

    unsafe fn dma_dealloc(_: PhysAddr, _: NonNull<u8>, _: usize) -> i32 {
        0
    }

    unsafe fn mmio_phys_to_virt(address: PhysAddr, _: usize) -> NonNull<u8> {
        NonNull::new(address as usize as *mut u8).unwrap_or(NonNull::dangling())
    }

    unsafe fn share(buffer: NonNull<[u8]>, _: BufferDirection) -> PhysAddr {
        buffer.cast::<u8>().as_ptr() as usize as PhysAddr
    }

    unsafe fn unshare(_: PhysAddr, _: NonNull<[u8]>, _: BufferDirection) {}
}

type Device = VirtIONetRaw<Identity, MmioTransport<'static>, QUEUE>;

/// A buffer, and which request of the device's it belongs to.
struct Lent {
    token: Option<u16>,
    /// Bytes of a frame to send, including the header before it.
    length: usize,
    bytes: &'static mut [u8; BUFFER],
}

/// The device.
pub struct Virtio {
    device: &'static mut Device,
    received: [Lent; RECEIVED],
    sent: [Lent; SENT],
}

/// Starts the first network device, and returns its number; `None` if there is none. What its queues
/// need of the call stack on the way to where they stay is free again afterwards.
#[inline(never)]
fn find() -> Option<(&'static mut Device, usize)> {
    let (transport, index) = (0..DEVICES).find_map(|index| {
        let header = NonNull::new((FIRST + index * SIZE) as *mut VirtIOHeader)?;
        // SAFETY: the machine has registers of virtio there, with a device behind them or not.
        let transport = unsafe { MmioTransport::new(header, SIZE) }.ok()?;
        (transport.device_type() == DeviceType::Network).then_some((transport, index))
    })?;
    let device = DEVICE.take()?.write(Device::new(transport).ok()?);
    device.enable_interrupts();
    Some((device, index))
}

/// Copies what fits; returns how much. (Of `copy_from_slice` the compiler does not always see that it
/// cannot panic.)
fn copy(to: &mut [u8], from: &[u8]) -> usize {
    let count = to.len().min(from.len());
    // SAFETY: both are at least this long, and the destination is not used otherwise.
    unsafe { core::ptr::copy_nonoverlapping(from.as_ptr(), to.as_mut_ptr(), count) };
    count
}

impl core::fmt::Debug for Virtio {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Virtio")
    }
}

impl Virtio {
    /// Starts the first network device, and returns the number of its interrupt; `None` if there is
    /// none.
    pub(crate) fn start() -> Option<(Self, usize)> {
        let (device, index) = find()?;
        Some((Self::lend(device)?, FIRST_INTERRUPT + index))
    }

    /// Lends a device its buffers.
    #[inline(never)]
    fn lend(device: &'static mut Device) -> Option<Self> {
        let lend = |bytes| Lent { token: None, length: 0, bytes };
        let [r0, r1, r2, r3, r4, r5, r6, r7, s0, s1, s2, s3] = BUFFERS.take()?;
        let mut virtio = Virtio {
            device,
            received: [r0, r1, r2, r3, r4, r5, r6, r7].map(lend),
            sent: [s0, s1, s2, s3].map(lend),
        };
        for buffer in &mut virtio.received {
            // SAFETY: the buffer is static, and not touched before the request is completed.
            buffer.token = unsafe { virtio.device.receive_begin(&mut buffer.bytes[..]) }.ok();
        }
        Some(virtio)
    }

    /// Whether a frame is waiting.
    pub fn has_frame(&self) -> bool {
        self.device.poll_receive().is_some()
    }

    /// The next frame, if one is waiting.
    pub fn receive<'b>(&mut self, frame: &'b mut FrameBuffer) -> Option<&'b [u8]> {
        let token = self.device.poll_receive()?;
        let buffer = self.received.iter_mut().find(|buffer| buffer.token == Some(token))?;
        let bytes = &mut buffer.bytes[..];
        // SAFETY: the request was made with this buffer; the next one may be.
        let (header, length) = unsafe { self.device.receive_complete(token, bytes) }.ok()?;
        let place = frame.0.as_flattened_mut().get_mut(OFFSET..OFFSET + length)?;
        copy(place, bytes.get(header..)?);
        // SAFETY: as in `lend`.
        buffer.token = unsafe { self.device.receive_begin(bytes) }.ok();
        Some(place)
    }

    /// Whether a frame of any length can be sent now.
    pub fn has_room(&mut self) -> bool {
        while let Some(token) = self.device.poll_transmit() {
            let Some(buffer) = self.sent.iter_mut().find(|buffer| buffer.token == Some(token))
            else {
                return false;
            };
            let frame = buffer.bytes.get(..buffer.length).unwrap_or_default();
            // SAFETY: the request was made with this part of the buffer.
            let _ = unsafe { self.device.transmit_complete(token, frame) };
            buffer.token = None;
        }
        self.sent.iter().any(|buffer| buffer.token.is_none())
    }

    /// Sends a frame, which lies in pieces. Call it only if it [has room](Self::has_room).
    pub fn transmit(&mut self, pieces: [&[u8]; PIECES]) {
        let Some(buffer) = self.sent.iter_mut().find(|buffer| buffer.token.is_none()) else {
            return;
        };
        let Ok(mut end) = self.device.fill_buffer_header(&mut buffer.bytes[..]) else { return };
        for piece in pieces {
            end += copy(buffer.bytes.get_mut(end..).unwrap_or_default(), piece);
        }
        buffer.length = end;
        let frame = buffer.bytes.get(..end).unwrap_or_default();
        // SAFETY: the buffer is static, and not touched before the request is completed.
        buffer.token = unsafe { self.device.transmit_begin(frame) }.ok();
    }

    /// Whether a cable is plugged in; the driver does not report it.
    pub fn is_link_up(&self) -> bool {
        true
    }

    /// Takes interrupts of frames that arrived up to now back.
    pub(crate) fn clear_interrupts(&mut self) {
        self.device.ack_interrupt();
    }
}
