//! Capture files as a stream of packets: pcap and pcapng, in constant memory.

use crate::error::CaptureError;
use crate::time::Clock;
use ackclock::time::Instant;
use pcap_parser::pcapng::{Block, parse_block_be, parse_block_le};
use pcap_parser::{PcapHeader, parse_pcap_frame, parse_pcap_frame_be, parse_pcap_frame_modified};
use pcap_parser::{SHB_MAGIC, parse_pcap_header};
use std::io::{ErrorKind, Read};

/// Bytes read at once.
const BUFFER: usize = 256 << 10;

/// The longest record or block that is read, in bytes: the kernel's and Wireshark's largest snap
/// length (256 KiB) with room for comments. What claims more is garbage.
const LONGEST: usize = 16 << 20;

/// Interfaces of all sections of a file together: what claims more is garbage.
const MOST_INTERFACES: usize = 4096;

/// Bytes of an interface's name that are kept.
const LONGEST_NAME: usize = 256;

/// One captured packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record<'a> {
    /// Number in the file, from 1.
    pub number: u64,
    /// Since the Unix epoch. A packet without a time has that of the packet before it.
    pub time: Instant,
    /// Index into [`Capture::interfaces`].
    pub interface: usize,
    /// Type of the link-layer header that the bytes begin with (`LINKTYPE_…`).
    pub link_type: i32,
    /// Bytes that it had on the wire.
    pub original_len: usize,
    /// Those that were captured.
    pub data: &'a [u8],
}

/// Where packets were captured.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interface {
    /// Its name, if the file has it.
    pub name: Option<String>,
    /// `LINKTYPE_…`.
    pub link_type: i32,
    snap_len: u32,
    clock: Clock,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Pcap(PcapKind),
    /// The byte order of the section.
    PcapNg {
        big_endian: bool,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PcapKind {
    Little,
    Big,
    /// With eight more bytes before each packet, as old patches of libpcap wrote them.
    Modified,
}

/// A capture that is read packet by packet.
#[derive(Debug)]
pub struct Capture<R> {
    input: R,
    buffer: Vec<u8>,
    /// What of the buffer is read and not yet used.
    start: usize,
    end: usize,
    /// Offset of `start` in the file.
    offset: u64,
    at_end: bool,
    format: Format,
    interfaces: Vec<Interface>,
    /// Interfaces of earlier sections: a section numbers its own from 0.
    section: usize,
    packets: u64,
    last_time: Instant,
    over: bool,
}

/// The header of a block or record, without its bytes.
struct Found {
    time: Option<Instant>,
    interface: usize,
    original_len: usize,
    /// Where the packet lies behind `start`.
    data: std::ops::Range<usize>,
}

impl<R: Read> Capture<R> {
    /// Reads the beginning of a capture.
    ///
    /// # Errors
    /// [`CaptureError::NotACapture`] if it is none, or an error of reading.
    pub fn new(input: R) -> Result<Self, CaptureError> {
        let mut capture = Capture {
            input,
            buffer: vec![0; BUFFER],
            start: 0,
            end: 0,
            offset: 0,
            at_end: false,
            format: Format::PcapNg { big_endian: false },
            interfaces: Vec::new(),
            section: 0,
            packets: 0,
            last_time: Instant::ZERO,
            over: false,
        };
        capture.fill(24)?;
        if capture.unread().len() < 24 {
            return Err(CaptureError::not_a_capture(capture.unread()));
        }
        if capture.unread().starts_with(&SHB_MAGIC.to_be_bytes()) {
            return Ok(capture);
        }
        let (format, interface) = match parse_pcap_header(capture.unread()) {
            Ok((_, header)) => (Format::Pcap(PcapKind::of(&header)), Interface::of_pcap(&header)),
            Err(_) => return Err(CaptureError::not_a_capture(capture.unread())),
        };
        capture.format = format;
        capture.interfaces.push(interface);
        capture.consume(24);
        Ok(capture)
    }

    /// The interfaces that the file has described so far.
    pub fn interfaces(&self) -> &[Interface] {
        &self.interfaces
    }

    /// Packets read so far.
    pub fn packets(&self) -> u64 {
        self.packets
    }

    /// The next packet; nothing at the end, and after the first error.
    ///
    /// # Errors
    /// If the file ends within a packet, has something that cannot be, or cannot be read.
    pub fn next_record(&mut self) -> Option<Result<Record<'_>, CaptureError>> {
        if self.over {
            return None;
        }
        match self.find() {
            Ok(Some(found)) => {
                self.packets += 1;
                let Found { time, interface, original_len, data } = found;
                let time = time.unwrap_or(self.last_time);
                self.last_time = time;
                let link_type = self.interfaces.get(interface).map_or(-1, |of| of.link_type);
                let data = self.buffer.get(data).unwrap_or_default();
                let number = self.packets;
                Some(Ok(Record { number, time, interface, link_type, original_len, data }))
            }
            Ok(None) => {
                self.over = true;
                None
            }
            Err(error) => {
                self.over = true;
                Some(Err(error))
            }
        }
    }

    fn unread(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    fn consume(&mut self, bytes: usize) {
        self.start += bytes;
        self.offset += bytes as u64;
    }

    fn malformed(&self, what: impl Into<String>) -> CaptureError {
        CaptureError::Malformed { offset: self.offset, packets: self.packets, what: what.into() }
    }

    /// Sees to it that `bytes` can be used, unless the file ends before.
    fn fill(&mut self, bytes: usize) -> Result<(), CaptureError> {
        if self.end - self.start >= bytes {
            return Ok(());
        }
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if bytes > self.buffer.len() {
            self.buffer.resize(bytes, 0);
        }
        while self.end < bytes && !self.at_end {
            let space = self.buffer.get_mut(self.end..).unwrap_or_default();
            match self.input.read(space) {
                Ok(0) => self.at_end = true,
                Ok(read) => self.end += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    return Err(CaptureError::Read { packets: self.packets, error });
                }
            }
        }
        Ok(())
    }

    /// Makes sure of a whole record, which has to be `bytes` long.
    fn require(&mut self, bytes: usize) -> Result<(), CaptureError> {
        if bytes > LONGEST {
            return Err(self.malformed(format!("a packet or block claims to have {bytes} bytes")));
        }
        self.fill(bytes)?;
        let rest = self.unread().len();
        if rest < bytes {
            let (offset, packets) = (self.offset, self.packets);
            return Err(CaptureError::Truncated { offset, packets, missing: bytes - rest });
        }
        Ok(())
    }

    fn find(&mut self) -> Result<Option<Found>, CaptureError> {
        loop {
            self.fill(1)?;
            if self.unread().is_empty() {
                return Ok(None);
            }
            match self.format {
                Format::Pcap(kind) => return self.find_frame(kind).map(Some),
                Format::PcapNg { big_endian } => {
                    if let Some(found) = self.find_in_block(big_endian)? {
                        return Ok(Some(found));
                    }
                }
            }
        }
    }

    fn find_frame(&mut self, kind: PcapKind) -> Result<Found, CaptureError> {
        let head = match kind {
            PcapKind::Little | PcapKind::Big => 16,
            PcapKind::Modified => 24,
        };
        self.require(head)?;
        let captured = self.word(8, kind == PcapKind::Big) as usize;
        self.require(head.saturating_add(captured))?;
        let parsed = match kind {
            PcapKind::Little => parse_pcap_frame(self.unread()),
            PcapKind::Big => parse_pcap_frame_be(self.unread()),
            PcapKind::Modified => parse_pcap_frame_modified(self.unread()),
        };
        let frame = match parsed {
            Ok((_, frame)) => frame,
            Err(_) => return Err(self.malformed("a packet's header makes no sense")),
        };
        let (seconds, fraction) = (frame.ts_sec, frame.ts_usec);
        let original_len = frame.origlen as usize;
        let clock = self.interfaces.first().map(|interface| interface.clock);
        let time = clock.unwrap_or_default().of_parts(seconds, fraction);
        if time.is_none() {
            return Err(self.malformed("a packet's time has a fraction of more than a second"));
        }
        let data = self.start + head..self.start + head + captured;
        self.consume(head + captured);
        Ok(Found { time, interface: 0, original_len: original_len.max(captured), data })
    }

    /// The 32 bits at `at` of the unread bytes, in the byte order of the file.
    fn word(&self, at: usize, big_endian: bool) -> u32 {
        let bytes = self.unread().get(at..).and_then(|rest| rest.first_chunk::<4>());
        let bytes = *bytes.unwrap_or(&[0; 4]);
        if big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    }

    /// Reads a block; not all have packets.
    fn find_in_block(&mut self, big_endian: bool) -> Result<Option<Found>, CaptureError> {
        self.require(12)?;
        let mut big_endian = big_endian;
        if self.word(0, false) == SHB_MAGIC {
            // It says itself which byte order it and all that follows have.
            big_endian = self.word(8, true) == 0x1a2b_3c4d;
        }
        let length = self.word(4, big_endian) as usize;
        if length < 12 || !length.is_multiple_of(4) {
            return Err(self.malformed(format!("a block claims to have {length} bytes")));
        }
        self.require(length)?;
        let parse = if big_endian { parse_block_be } else { parse_block_le };
        let start = self.start;
        let block = self.buffer.get(start..start + length).unwrap_or_default();
        let Ok((_, block)) = parse(block) else {
            return Err(self.malformed("a block of the file makes no sense"));
        };
        let in_section = |id: usize| {
            let index = self.section.saturating_add(id);
            self.interfaces.get(index).map(|interface| (index, interface))
        };
        let mut new = None;
        let mut section = self.section;
        let found = match &block {
            Block::SectionHeader(_) => {
                section = self.interfaces.len();
                None
            }
            Block::InterfaceDescription(interface) => {
                let name = interface.if_name().and_then(Result::ok);
                let name = name.map(|name| name.chars().take(LONGEST_NAME).collect());
                new = Some(Interface {
                    name,
                    link_type: interface.linktype.0,
                    snap_len: interface.snaplen,
                    clock: Clock::of_pcapng(interface.if_tsresol, interface.if_tsoffset),
                });
                None
            }
            Block::EnhancedPacket(packet) => {
                let Some((index, interface)) = in_section(packet.if_id as usize) else {
                    return Err(self.malformed("a packet is of an interface that there is not"));
                };
                let units = u64::from(packet.ts_high) << 32 | u64::from(packet.ts_low);
                let captured = packet.caplen as usize;
                Some(Found {
                    time: Some(interface.clock.of_units(units)),
                    interface: index,
                    original_len: captured.max(packet.origlen as usize),
                    // Type, length, interface, time and two lengths stand before the bytes.
                    data: start + 28..start + 28 + captured,
                })
            }
            Block::SimplePacket(packet) => {
                let Some((index, interface)) = in_section(0) else {
                    return Err(self.malformed("a packet is of an interface that there is not"));
                };
                let original_len = packet.origlen as usize;
                let limit = match interface.snap_len {
                    0 => usize::MAX,
                    snap_len => snap_len as usize,
                };
                // Type, length and original length stand before the bytes.
                let captured = original_len.min(limit).min(length - 16);
                let data = start + 12..start + 12 + captured;
                Some(Found { time: None, interface: index, original_len, data })
            }
            _ => None,
        };
        if new.is_some() && self.interfaces.len() == MOST_INTERFACES {
            return Err(self.malformed(format!("more than {MOST_INTERFACES} interfaces")));
        }
        self.interfaces.extend(new);
        self.section = section;
        self.format = Format::PcapNg { big_endian };
        self.consume(length);
        Ok(found)
    }
}

impl PcapKind {
    fn of(header: &PcapHeader) -> Self {
        if header.is_modified_format() {
            PcapKind::Modified
        } else if header.is_bigendian() {
            PcapKind::Big
        } else {
            PcapKind::Little
        }
    }
}

impl Interface {
    fn of_pcap(header: &PcapHeader) -> Self {
        // The upper bits describe frame check sequences; they are not part of the type.
        let link_type = header.network.0 & 0x0fff_ffff;
        let clock = if header.is_nanosecond_precision() { Clock::NANOS } else { Clock::MICROS };
        Interface { name: None, link_type, snap_len: header.snaplen, clock }
    }
}
