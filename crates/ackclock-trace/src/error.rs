//! What keeps a capture from being read to its end.

use std::{fmt, io};

/// Why a capture could not be read, or not to its end.
#[derive(Debug)]
#[non_exhaustive]
pub enum CaptureError {
    /// It is neither pcap nor pcapng.
    NotACapture {
        /// What it is instead, if that can be told.
        seems: Option<&'static str>,
    },
    /// The file ends within a packet.
    Truncated {
        /// Where in the file that packet begins, in bytes.
        offset: u64,
        /// Whole packets before it.
        packets: u64,
        /// Bytes that are missing of it.
        missing: usize,
    },
    /// There is something that no capture has.
    Malformed {
        /// Where in the file, in bytes.
        offset: u64,
        /// Packets before it.
        packets: u64,
        /// What.
        what: String,
    },
    /// The system does not let it be read.
    Read {
        /// Packets before that.
        packets: u64,
        /// What it says.
        error: io::Error,
    },
}

impl CaptureError {
    pub(crate) fn not_a_capture(beginning: &[u8]) -> Self {
        let seems = match beginning {
            [] => Some("it is empty"),
            [0x1f, 0x8b, ..] => Some("it is compressed: use 'zcat FILE | ackclock trace -'"),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => {
                Some("it is compressed: use 'zstdcat FILE | ackclock trace -'")
            }
            [0xfd, b'7', b'z', b'X', b'Z', ..] => {
                Some("it is compressed: use 'xzcat FILE | ackclock trace -'")
            }
            _ => None,
        };
        CaptureError::NotACapture { seems }
    }
}

impl fmt::Display for CaptureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CaptureError::NotACapture { seems: Some(seems) } => {
                write!(f, "not a capture in pcap or pcapng format: {seems}")
            }
            CaptureError::NotACapture { seems: None } => f.write_str(
                "not a capture in pcap or pcapng format (as tcpdump -w or dumpcap write it)",
            ),
            CaptureError::Truncated { offset, packets, missing } => write!(
                f,
                "the capture ends within a packet: {missing} bytes of what begins at byte {offset} \
                 are missing; {packets} packets before it were read"
            ),
            CaptureError::Malformed { offset, packets, what } => write!(
                f,
                "the capture cannot be read beyond byte {offset}: {what}; {packets} packets before \
                 it were read"
            ),
            CaptureError::Read { packets, error } => {
                write!(f, "cannot read the capture beyond packet {packets}: {error}")
            }
        }
    }
}

impl std::error::Error for CaptureError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            CaptureError::Read { error, .. } => Some(error),
            _ => None,
        }
    }
}
