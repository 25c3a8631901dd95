//! Capture of the packets of a link, in real time.

use super::is_pcapng;
use crate::failure::Failure;
use ackclock::link::{Link, TransmitError};
use ackclock::stack::{Capabilities, Received, Transmit};
use ackclock::time::{Duration, Instant};
use ackclock::wire::ETHERNET_HEADER;
use ackclock_emulator::{Direction, LEFT, PassedPacket, PcapCapture, PcapNgFile};
use std::fs::File;
use std::io::{self, BufWriter};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// A link whose packets are captured in a file, if there is one.
#[derive(Debug)]
pub(crate) struct Captured<L> {
    link: L,
    tap: Option<Tap>,
}

#[derive(Debug)]
struct Tap {
    file: TapFile,
    path: PathBuf,
    /// Whether the link carries Ethernet frames.
    frames: bool,
    /// Time from the Unix epoch to [`Instant::ZERO`]; `None` before the first packet.
    origin: Option<Duration>,
    /// Buffer in which the parts of a sent packet are put together.
    packet: Vec<u8>,
}

#[derive(Debug)]
enum TapFile {
    Pcap(PcapCapture<BufWriter<File>>),
    /// The file, and the number of its only interface.
    PcapNg(PcapNgFile<BufWriter<File>>, u32),
}

impl TapFile {
    fn create(path: &Path, interface: &str) -> io::Result<Self> {
        let writer = BufWriter::new(File::create(path)?);
        if !is_pcapng(path) {
            return Ok(TapFile::Pcap(PcapCapture::new(LEFT, writer)?));
        }
        let mut file = PcapNgFile::new(writer)?;
        let interface = file.add_interface(interface, "", None);
        Ok(TapFile::PcapNg(file, interface))
    }

    fn record(&mut self, at: Duration, direction: Direction, packet: &[u8]) {
        match self {
            TapFile::Pcap(file) => file.record(at, packet),
            TapFile::PcapNg(file, interface) => {
                file.record(*interface, &PassedPacket::new(at, direction, packet));
            }
        }
    }

    fn finish(self) -> io::Result<()> {
        match self {
            TapFile::Pcap(file) => file.finish().map(drop),
            TapFile::PcapNg(file, _) => file.finish().map(drop),
        }
    }
}

impl<L> Captured<L> {
    /// A link captured in `file`, or not captured at all; `name` is that of its interface. If the
    /// link carries Ethernet `frames`, the IP packets in them are captured.
    pub(crate) fn new(
        link: L,
        frames: bool,
        name: &str,
        file: Option<&Path>,
    ) -> Result<Self, Failure> {
        let tap = |path: &Path| {
            let file = TapFile::create(path, name);
            let file = file.map_err(|error| Failure::capture(path, &error))?;
            Ok(Tap { file, path: path.to_owned(), frames, origin: None, packet: Vec::new() })
        };
        Ok(Captured { link, tap: file.map(tap).transpose()? })
    }

    /// Ends the capture.
    pub(crate) fn finish(&mut self) -> Result<(), Failure> {
        match self.tap.take() {
            None => Ok(()),
            Some(Tap { file, path, .. }) => {
                file.finish().map_err(|error| Failure::capture(&path, &error))
            }
        }
    }
}

impl Tap {
    fn record(&mut self, now: Instant, direction: Direction, packet: &[u8]) {
        let Some(packet) = (if self.frames { ip_packet(packet) } else { Some(packet) }) else {
            return;
        };
        let since_origin = now.saturating_since(Instant::ZERO);
        let origin = *self.origin.get_or_insert_with(|| {
            let unix_time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            Duration::from(unix_time).saturating_sub(since_origin)
        });
        self.file.record(origin + since_origin, direction, packet);
    }
}

/// The IP packet of an Ethernet frame, if it carries one.
fn ip_packet(frame: &[u8]) -> Option<&[u8]> {
    const IPV4_AND_IPV6: [[u8; 2]; 2] = [[0x08, 0x00], [0x86, 0xdd]];
    let (header, packet) = frame.split_at_checked(ETHERNET_HEADER)?;
    IPV4_AND_IPV6.iter().any(|kind| header.ends_with(kind)).then_some(packet)
}

impl<L: AsFd> AsFd for Captured<L> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.link.as_fd()
    }
}

impl<L: Link> Link for Captured<L> {
    type Error = L::Error;

    fn capabilities(&self) -> Capabilities {
        self.link.capabilities()
    }

    fn transmit(
        &mut self,
        now: Instant,
        transmit: &Transmit<'_>,
    ) -> Result<(), TransmitError<Self::Error>> {
        self.link.transmit(now, transmit)?;
        if let Some(tap) = &mut self.tap {
            let [first, second] = transmit.payload;
            let mut packet = std::mem::take(&mut tap.packet);
            packet.clear();
            packet.extend([transmit.header, first, second].into_iter().flatten());
            tap.record(now, Direction::Outbound, &packet);
            tap.packet = packet;
        }
        Ok(())
    }

    fn receive(
        &mut self,
        now: Instant,
        budget: usize,
        deliver: &mut dyn FnMut(Received<'_>),
    ) -> Result<usize, Self::Error> {
        let Some(tap) = &mut self.tap else {
            return self.link.receive(now, budget, deliver);
        };
        self.link.receive(now, budget, &mut |received| {
            tap.record(now, Direction::Inbound, received.packet);
            deliver(received);
        })
    }
}
