//! One packet in words: its header field by field, why it was sent, and its way through the network.

use crate::columns::kind;
use crate::watch::{DELIVERED, ON_ITS_WAY, Watch, fate};
use ackclock::wire::{Flags, Header};
use serde_json::{Value, json};

const IPV4_HEADER: usize = 20;

/// A packet; `None` if there is none of that number.
pub(crate) fn packet(watch: &Watch, number: usize) -> Option<Value> {
    let packets = &watch.tables.packets;
    let start = *watch.headers_at.get(number)?;
    let end = watch.headers_at.get(number + 1).copied().unwrap_or(watch.headers.len());
    let headers = watch.headers.get(start..end)?;
    let (reason, detail) = watch.reasons[number];
    let (name, sentence) = reason.words();
    let sentence = sentence.replace("{}", &thousands(detail));
    let earlier = earlier(watch, number);
    let hex: Vec<_> = headers.iter().map(|byte| format!("{byte:02x}")).collect();
    Some(json!({
        "number": number,
        "flow": packets.flow[number],
        "name": name,
        "why": sentence,
        "earlier": earlier.map(|earlier| json!({
            "number": earlier,
            "at": packets.sent[earlier],
            "fate": fate(packets.fate[earlier]),
        })),
        "header": fields(watch, number, headers),
        "hex": hex.join(" "),
        "journey": journey(watch, number),
    }))
}

/// The last transmission before of what a packet carries again.
fn earlier(watch: &Watch, number: usize) -> Option<usize> {
    let packets = &watch.tables.packets;
    if packets.kind[number] & kind::AGAIN == 0 {
        return None;
    }
    let way = kind::DATA | kind::REPLY;
    let is_it = |other: &usize| {
        packets.flow[*other] == packets.flow[number]
            && packets.kind[*other] & way == packets.kind[number] & way
            && packets.seq[*other] == packets.seq[number]
    };
    (0..number).rev().find(is_it)
}

/// Names and values of the header's fields. Sequence numbers count from the SYN's.
fn fields(watch: &Watch, number: usize, headers: &[u8]) -> Vec<[String; 2]> {
    let packets = &watch.tables.packets;
    let mut fields = Vec::new();
    let mut field = |name: &str, value: String| fields.push([name.to_owned(), value]);
    let Some((ip, tcp)) = headers.split_at_checked(IPV4_HEADER) else {
        return fields;
    };
    let Ok((header, _)) = Header::parse(tcp) else {
        return fields;
    };
    let address =
        |at: usize| ip[at..at + 4].iter().map(u8::to_string).collect::<Vec<_>>().join(".");
    field("from", format!("{}:{}", address(12), header.source_port));
    field("to", format!("{}:{}", address(16), header.destination_port));
    field("flags", format!("{:?}", header.flags).replace('|', ", "));
    let (seq, payload) = (packets.seq[number], packets.payload[number]);
    field(
        "seq",
        match payload {
            0 => thousands(seq),
            _ => format!("{} to {}", thousands(seq), thousands(seq + payload - 1)),
        },
    );
    if header.flags.contains(Flags::ACK) {
        field("ack", thousands(packets.ack[number]));
    }
    field("window", thousands(header.window.into()));
    field("payload", format!("{} bytes", thousands(payload)));
    let options = &header.options;
    if let Some(mss) = options.mss {
        field("MSS", thousands(mss.into()));
    }
    if let Some(shift) = options.window_scale {
        field("window scale", format!("2^{shift}"));
    }
    if options.sack_permitted {
        field("SACK", "permitted".to_owned());
    }
    let first_ack = header.ack.0.wrapping_sub(packets.ack[number]);
    for block in options.sack.as_slice() {
        let [left, right] =
            [block.start, block.end].map(|edge| thousands(edge.0.wrapping_sub(first_ack)));
        field("SACK", format!("{left} up to {right}"));
    }
    if let Some(timestamps) = options.timestamps {
        field("timestamps", format!("{}, echo {}", timestamps.value, timestamps.echo));
    }
    field(
        "ECN",
        ["not capable", "ECT(1)", "ECT(0)", "congestion experienced"][usize::from(ip[1] & 3)]
            .to_owned(),
    );
    field("hop limit", ip[8].to_string());
    field("length", format!("{} bytes with headers", thousands(packets.bytes[number])));
    fields
}

/// When a packet came where.
fn journey(watch: &Watch, number: usize) -> Vec<Value> {
    let packets = &watch.tables.packets;
    let mut steps = vec![(packets.sent[number], "sent by its host")];
    for crossings in &watch.tables.crossings {
        // Packets come to the bottleneck nearly in the order of their numbers.
        let rows = crossings.packet.iter().enumerate();
        for (row, _) in rows.filter(|(_, packet)| **packet as usize == number) {
            steps.push((crossings.offered[row], "at the bottleneck's queue"));
            steps.push((crossings.began[row], "onto the line, first bit"));
            steps.push((crossings.left[row], "last bit on the line"));
            if crossings.fate[row] == DELIVERED {
                steps.push((crossings.ended[row], "at the other end of the line"));
            }
        }
    }
    if packets.fate[number] != ON_ITS_WAY {
        steps.push((packets.ended[number], fate(packets.fate[number])));
    }
    let came = steps.into_iter().filter(|(at, _)| !at.is_nan());
    came.map(|(at, what)| json!([at, what])).collect()
}

/// A number with spaces between its thousands.
fn thousands(number: u32) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}
