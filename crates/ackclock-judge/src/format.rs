//! What every segment of the host must look like, whatever the state of its connection.

use crate::segment::Seen;
use crate::sentence::Sentence;
use crate::verdict::Docket;
use ackclock::wire::{Flags, WireError};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

pub(crate) static CHECKSUM: Sentence =
    Sentence::must("checksum", 9293, "3.1", "The sender MUST generate it").of_form();
pub(crate) static OPTION_LENGTH: Sentence = Sentence::must(
    "option-length",
    9293,
    "3.2",
    "all TCP Options except End of Option List Option (EOL) and No-Operation (NOP) MUST have length fields",
).of_form();
pub(crate) static RESERVED_BITS: Sentence = Sentence::must(
    "reserved-bits",
    9293,
    "3.1",
    "Must be zero in generated segments and must be ignored in received segments if the corresponding \
     future features are not implemented by the sending or receiving host",
).of_form();
pub(crate) static PADDING: Sentence = Sentence::must(
    "padding",
    9293,
    "3.2",
    "The content of the header beyond the End of Option List Option MUST be header padding of zeros",
).of_form();
pub(crate) static SYN_OPTION: Sentence = Sentence::must(
    "mss-option-without-syn",
    9293,
    "3.7.1",
    "This field may be sent in the initial connection request (i.e., in segments with the SYN control bit \
     set) and MUST NOT be sent in other segments",
).of_form();
pub(crate) static SACK_PERMITTED_OPTION: Sentence = Sentence::must(
    "sack-permitted-without-syn",
    2018,
    "2",
    "It MUST NOT be sent on non-SYN segments.",
)
.of_form();
pub(crate) static SHIFT: Sentence =
    Sentence::must("window-scale-above-14", 7323, "2.3", "the shift count MUST be limited to 14")
        .of_form();

pub(crate) static ACCECN_ON_SYN: Sentence = Sentence::must(
    "accecn-option-on-syn",
    9768,
    "3.2.3.2.1",
    "The TCP Client MUST NOT include an AccECN TCP Option on the SYN.",
)
.of_form();
pub(crate) static ACCECN_LENGTH: Sentence = Sentence::must(
    "accecn-option-length",
    9768,
    "3.2.3",
    "The length field MUST indicate which fields are present as follows",
)
.of_form();

/// Bits after the data offset that no RFC has given a meaning (RFC 9293 section 6).
const RESERVED: u16 = 0xe00;

/// Kinds of options (IANA).
const END_OF_LIST: u8 = 0;
const NO_OPERATION: u8 = 1;
const WINDOW_SCALE: u8 = 3;
const ACCECN: [u8; 2] = [172, 174];

/// Judges the form of a segment; `tcp` is its TCP header and all that follows.
pub(crate) fn judge(seen: &Seen<'_>, tcp: &[u8], docket: &mut Docket<'_>) {
    let header = &seen.header;
    let reserved = header.flags.bits() & RESERVED;
    if reserved != 0 {
        docket.forbid(&RESERVED_BITS, seen.time, seen.number, || {
            format!("the reserved bits of the header are {reserved:#05x}")
        });
    }
    if !seen.is(Flags::SYN) {
        if header.options.mss.is_some() {
            docket
                .forbid(&SYN_OPTION, seen.time, seen.number, || "an MSS option without SYN".into());
        }
        if header.options.sack_permitted {
            docket.forbid(&SACK_PERMITTED_OPTION, seen.time, seen.number, || {
                "SACK-permitted without SYN".into()
            });
        }
    }
    if seen.options_len > 0 && header.options.timestamps.is_none_or(|_| seen.options_len != 12) {
        judge_options(seen, tcp.get(20..20 + seen.options_len).unwrap_or_default(), docket);
    }
}

fn judge_options(seen: &Seen<'_>, mut area: &[u8], docket: &mut Docket<'_>) {
    while let Some((&kind, rest)) = area.split_first() {
        match kind {
            END_OF_LIST => {
                if rest.iter().any(|&byte| byte != 0) {
                    docket.forbid(&PADDING, seen.time, seen.number, || {
                        "bytes behind the end of the option list are not zero".into()
                    });
                }
                return;
            }
            NO_OPERATION => area = rest,
            _ => {
                if let (WINDOW_SCALE, Some(&shift @ 15..)) = (kind, rest.get(1)) {
                    docket.forbid(&SHIFT, seen.time, seen.number, || {
                        format!("a shift count of {shift}")
                    });
                }
                if ACCECN.contains(&kind) {
                    judge_accurate_ecn(seen, rest.first().copied(), docket);
                }
                let length = rest.first().map_or(2, |&length| usize::from(length.max(2)));
                area = area.get(length..).unwrap_or_default();
            }
        }
    }
}

fn judge_accurate_ecn(seen: &Seen<'_>, length: Option<u8>, docket: &mut Docket<'_>) {
    if seen.is(Flags::SYN) && !seen.is(Flags::ACK) {
        docket.forbid(&ACCECN_ON_SYN, seen.time, seen.number, || "an AccECN option".into());
    }
    if !matches!(length, Some(2 | 5 | 8 | 11)) {
        docket.forbid(&ACCECN_LENGTH, seen.time, seen.number, || {
            format!("an AccECN option of {} bytes", length.unwrap_or_default())
        });
    }
}

/// The TCP header and what follows it of a packet whose payload is known.
pub(crate) fn tcp_of<'a>(packet: &'a [u8], payload: &[u8]) -> Option<&'a [u8]> {
    let start = transport(packet)?;
    let header = usize::from(packet.get(start + 12)? >> 4) * 4;
    packet.get(start..start + header + payload.len())
}

/// Where the content of an IP packet begins that carries TCP.
fn transport(packet: &[u8]) -> Option<usize> {
    const TCP: u8 = 6;
    match packet.first()? >> 4 {
        4 => (*packet.get(9)? == TCP).then_some(usize::from(packet.first()? & 0x0f) * 4),
        6 => {
            let (mut next, mut at) = (*packet.get(6)?, 40);
            // Hop-by-hop options, routing and destination options (RFC 8200 section 4).
            while let 0 | 43 | 60 = next {
                next = *packet.get(at)?;
                at += (usize::from(*packet.get(at + 1)?) + 1) * 8;
            }
            (next == TCP).then_some(at)
        }
        _ => None,
    }
}

/// Which sentence forbids a packet that cannot be read, what was seen, and the ends of its connection; `None`
/// if it is no TCP, or the host may not be to blame.
pub(crate) fn blame(
    packet: &[u8],
    error: WireError,
) -> Option<(&'static Sentence, String, (SocketAddr, SocketAddr))> {
    let sentence = match error {
        WireError::Checksum => &CHECKSUM,
        WireError::Option => &OPTION_LENGTH,
        _ => return None,
    };
    let start = transport(packet)?;
    let ports = packet.get(start..)?.first_chunk::<4>()?;
    let address = |at: usize| -> Option<IpAddr> {
        if packet.first()? >> 4 == 4 {
            Some(Ipv4Addr::from(*packet.get(12 + at * 4..)?.first_chunk::<4>()?).into())
        } else {
            Some(Ipv6Addr::from(*packet.get(8 + at * 16..)?.first_chunk::<16>()?).into())
        }
    };
    let [a, b, c, d] = *ports;
    let source = SocketAddr::new(address(0)?, u16::from_be_bytes([a, b]));
    let destination = SocketAddr::new(address(1)?, u16::from_be_bytes([c, d]));
    Some((sentence, error.to_string(), (source, destination)))
}
