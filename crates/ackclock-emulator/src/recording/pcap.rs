//! Captures in the pcap format, for any packet analyser.

use crate::ids::NodeId;
use crate::observer::{Event, Observer};
use ackclock::time::{Duration, Instant};
use pcap_file::pcap::{PcapHeader, PcapPacket, PcapWriter};
use pcap_file::{DataLink, Endianness, PcapError, TsResolution};
use std::io::{self, Write};

/// Snapshot length in bytes, more than any IP packet has: 65,575 (RFC 8200 section 3, with the
/// header).
pub(crate) const SNAPSHOT_LENGTH: u32 = 262_144;

/// An observer that writes what a packet sniffer on a host or router would see: packets when the
/// node hands them to a link, and packets that arrive there. A packet that is lost on the way is
/// only in the capture of its sender.
///
/// Timestamps are virtual time in nanoseconds (magic number 0xa1b23c4d, little-endian on every
/// platform); packets begin with the IP header (link type 101, RAW). The writer should be a
/// buffered one.
#[derive(Debug)]
pub struct PcapCapture<W: Write> {
    node: NodeId,
    writer: PcapWriter<W>,
    error: Option<io::Error>,
}

impl<W: Write> PcapCapture<W> {
    /// A capture on a host or router; writes the file header.
    ///
    /// # Errors
    /// The writer's error.
    pub fn new(node: impl Into<NodeId>, writer: W) -> io::Result<Self> {
        let header = PcapHeader {
            snaplen: SNAPSHOT_LENGTH,
            datalink: DataLink::RAW,
            ts_resolution: TsResolution::NanoSecond,
            endianness: Endianness::Little,
            ..PcapHeader::default()
        };
        let writer = PcapWriter::with_header(writer, header).map_err(io_error)?;
        Ok(PcapCapture { node: node.into(), writer, error: None })
    }

    /// Writes a packet that passed at `at`, for drivers other than the emulator; readers take `at`
    /// as time since the Unix epoch.
    pub fn record(&mut self, at: Duration, bytes: &[u8]) {
        if self.error.is_some() {
            return;
        }
        let packet = PcapPacket::new(at.into(), bytes.len() as u32, bytes);
        self.error = self.writer.write_packet(&packet).map_err(io_error).err();
    }

    /// Ends the capture and returns the flushed writer.
    ///
    /// # Errors
    /// The first error of the writer, after which nothing was written.
    pub fn finish(self) -> io::Result<W> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let mut writer = self.writer.into_writer();
        writer.flush()?;
        Ok(writer)
    }
}

impl<W: Write> Observer for PcapCapture<W> {
    fn on_event(&mut self, now: Instant, event: &Event<'_>) {
        let bytes = match event {
            Event::Sent(packet) if packet.from == self.node => packet.bytes,
            Event::Delivered(packet) if packet.to == self.node => packet.bytes,
            _ => return,
        };
        self.record(now.saturating_since(Instant::ZERO), bytes);
    }
}

/// The error of the writer in an error of the library, whose other errors are about reading.
pub(crate) fn io_error(error: PcapError) -> io::Error {
    match error {
        PcapError::IoError(error) => error,
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulator::pair::{LEFT, RIGHT};
    use crate::ids::{HostId, LinkId};
    use crate::observer::{DropReason, PacketOnLink};

    fn on_link(from: HostId, to: HostId, bytes: &[u8]) -> PacketOnLink<'_> {
        PacketOnLink { number: 0, bytes, link: LinkId(from.0), from: from.into(), to: to.into() }
    }

    #[test]
    fn the_file_is_exact() {
        let mut capture = PcapCapture::new(LEFT, Vec::new()).unwrap();
        let sent = Event::Sent(on_link(LEFT, RIGHT, &[0x45, 1, 2]));
        capture.on_event(Instant::from_nanos(1), &sent);
        let delivered = Event::Delivered(on_link(RIGHT, LEFT, &[0x60]));
        capture.on_event(Instant::from_nanos(2_123_456_789), &delivered);
        #[rustfmt::skip]
        let expected = [
            // Magic number, version 2.4, time zone, accuracy, snapshot length, link type.
            0x4d, 0x3c, 0xb2, 0xa1,  2, 0,  4, 0,  0, 0, 0, 0,  0, 0, 0, 0,  0, 0, 4, 0,  101, 0, 0, 0,
            // Seconds, nanoseconds, captured and original length.
            0, 0, 0, 0,  1, 0, 0, 0,  3, 0, 0, 0,  3, 0, 0, 0,
            0x45, 1, 2,
            2, 0, 0, 0,  0x15, 0xcd, 0x5b, 0x07,  1, 0, 0, 0,  1, 0, 0, 0,
            0x60,
        ];
        assert_eq!(capture.finish().unwrap(), expected);
    }

    #[test]
    fn only_what_passes_the_host_is_captured() {
        let mut capture = PcapCapture::new(LEFT, Vec::new()).unwrap();
        let events = [
            Event::Sent(on_link(RIGHT, LEFT, &[1])),
            Event::Delivered(on_link(LEFT, RIGHT, &[2])),
            Event::Dropped(on_link(LEFT, RIGHT, &[3]), DropReason::Loss),
        ];
        for event in events {
            capture.on_event(Instant::ZERO, &event);
        }
        assert_eq!(capture.finish().unwrap().len(), 24);
    }

    /// A writer with room for this many bytes.
    struct FullDisk(usize);

    impl Write for FullDisk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = match self.0.checked_sub(bytes.len()) {
                Some(room) => room,
                None => return Err(io::ErrorKind::StorageFull.into()),
            };
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_writers_error_is_told_in_the_end() {
        let mut capture = PcapCapture::new(LEFT, FullDisk(24)).unwrap();
        let sent = Event::Sent(on_link(LEFT, RIGHT, &[1, 2, 3]));
        capture.on_event(Instant::ZERO, &sent);
        capture.on_event(Instant::ZERO, &sent);
        let error = capture.finish().err().map(|error| error.kind());
        assert_eq!(error, Some(io::ErrorKind::StorageFull));
    }
}
