//! Connections in words, for people.

use crate::report::{Connection, Direction, Ending};
use std::fmt::{self, Write};

/// Columns of the names of statistics.
const NAMES: usize = 34;

/// Columns of each direction.
const VALUES: usize = 24;

/// A connection in one line.
#[derive(Clone, Copy, Debug)]
pub struct Brief<'a>(pub &'a Connection);

/// A connection with all statistics of both directions side by side.
#[derive(Clone, Copy, Debug)]
pub struct Long<'a>(pub &'a Connection);

/// Each listed retransmission of a connection with its explanation.
#[derive(Clone, Copy, Debug)]
pub struct Explanations<'a>(pub &'a Connection);

impl fmt::Display for Brief<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Brief(of) = self;
        write!(f, "{:>4}: {} - {}", of.number, of.a, of.b)?;
        if let Some(interface) = &of.interface {
            write!(f, " at {interface}")?;
        }
        let (a, b) = (&of.a_to_b, &of.b_to_a);
        write!(f, "  {}> {}<  {} > {} <", a.packets, b.packets, bytes(a), bytes(b))?;
        write!(f, "  {}  {}", seconds(of.duration_s), ending(of))?;
        let again = a.retransmitted_packets + b.retransmitted_packets;
        if again > 0 {
            write!(f, ", {again} retransmitted")?;
        }
        Ok(())
    }
}

/// What a heading has besides the ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Short<'a>(pub(crate) &'a Connection);

impl fmt::Display for Short<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Short(of) = self;
        let (a, b) = (&of.a_to_b, &of.b_to_a);
        write!(f, "{} and {}, {}, {}", bytes(a), bytes(b), seconds(of.duration_s), ending(of))
    }
}

/// The statistics as a table: name, a to b, b to a.
pub(crate) fn table(of: &Connection) -> impl Iterator<Item = [String; 3]> {
    let (a, b) = (rows(&of.a_to_b), rows(&of.b_to_a));
    a.into_iter().zip(b).map(|((name, a), (_, b))| [name.to_owned(), a, b])
}

fn ending(of: &Connection) -> String {
    let mut text = of.ending.name().to_owned();
    if let (Ending::Reset, Some(by)) = (of.ending, of.reset_by) {
        text += &format!(" by {by}");
    }
    if !of.from_the_start {
        text += ", beginning not captured";
    }
    if of.given_up {
        text += ", given up to make room";
    }
    text
}

fn bytes(direction: &Direction) -> String {
    format!("{} B", direction.unique_bytes)
}

fn seconds(seconds: f64) -> String {
    format!("{seconds:.6} s")
}

impl fmt::Display for Long<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Long(of) = self;
        writeln!(f, "connection {}: {} (a) - {} (b)", of.number, of.a, of.b)?;
        if let Some(interface) = &of.interface {
            writeln!(f, "  {:NAMES$}{interface}", "seen at")?;
        }
        writeln!(f, "  {:NAMES$}{}", "how it ended", ending(of))?;
        writeln!(f, "  {:NAMES$}{:.6} s since 1970", "first packet", of.first_s)?;
        writeln!(f, "  {:NAMES$}{}", "duration", seconds(of.duration_s))?;
        writeln!(f, "  {:NAMES$}{}", "longest silence", seconds(of.idle_max_s))?;
        writeln!(f, "  {:NAMES$}{}", "packets", of.packets)?;
        writeln!(f, "  {:NAMES$}{:>VALUES$}{:>VALUES$}", "", "a to b", "b to a")?;
        for [name, a, b] in table(of) {
            writeln!(f, "  {name:NAMES$}{a:>VALUES$}{b:>VALUES$}")?;
        }
        Ok(())
    }
}

fn or_unknown<T: fmt::Display>(value: Option<T>) -> String {
    value.map_or("-".into(), |value| value.to_string())
}

/// The names of the statistics and their values in a direction.
fn rows(of: &Direction) -> Vec<(&'static str, String)> {
    let mut rows = packet_rows(of);
    rows.extend(loss_rows(of));
    rows.extend(window_rows(of));
    rows.extend(time_rows(of));
    rows
}

fn packet_rows(of: &Direction) -> Vec<(&'static str, String)> {
    let flags = format!("{}/{}/{}", of.syn_packets, of.fin_packets, of.rst_packets);
    let options = of.syn_options.map(|options| {
        let mut text = String::new();
        let yes_or_no = |present| if present { "y" } else { "n" };
        let _ = write!(text, "{}/", or_unknown(options.mss));
        let _ = write!(text, "{}/", or_unknown(options.window_scale));
        let (sack, timestamps) = (options.sack_permitted, options.timestamps);
        let _ = write!(text, "{}/{}", yes_or_no(sack), yes_or_no(timestamps));
        text
    });
    let sizes = format!("{}/{:.0}/{}", of.min_segment, of.avg_segment, of.max_segment);
    vec![
        ("packets", of.packets.to_string()),
        ("with ACK", of.ack_packets.to_string()),
        ("pure acks", of.pure_acks.to_string()),
        ("with SACK blocks", of.sack_packets.to_string()),
        ("with D-SACK", of.dsack_packets.to_string()),
        ("most SACK blocks in a packet", of.max_sack_blocks.to_string()),
        ("data packets", of.data_packets.to_string()),
        ("data bytes", of.data_bytes.to_string()),
        ("unique bytes", of.unique_bytes.to_string()),
        ("bytes from SYN to FIN", or_unknown(of.stream_bytes)),
        ("bytes acknowledged, not captured", of.missing_bytes.to_string()),
        ("packets larger than the MSS", of.coalesced_packets.to_string()),
        ("packets not captured whole", of.cut_packets.to_string()),
        ("SYN/FIN/RST", flags),
        ("with PSH", of.pushed_packets.to_string()),
        ("with URG", of.urgent_packets.to_string()),
        ("CE/ECE/CWR", format!("{}/{}/{}", of.ce_packets, of.ece_packets, of.cwr_packets)),
        ("SYN: MSS, scale, SACK, timestamps", options.unwrap_or("not seen".into())),
        ("segment min/avg/max", sizes),
    ]
}

fn loss_rows(of: &Direction) -> Vec<(&'static str, String)> {
    let causes = &of.causes;
    vec![
        ("retransmitted packets", of.retransmitted_packets.to_string()),
        ("  fast", causes.fast.to_string()),
        ("  timeout", causes.timeout.to_string()),
        ("  after a timeout", causes.after_timeout.to_string()),
        ("  tail loss probe", causes.tail_probe.to_string()),
        ("  window probe", causes.window_probe.to_string()),
        ("  unexplained", causes.unexplained.to_string()),
        ("  of these not needed", causes.spurious.to_string()),
        ("  of these first not captured", of.first_unseen_packets.to_string()),
        ("retransmitted bytes", of.retransmitted_bytes.to_string()),
        ("most retransmissions of a byte", of.max_retransmissions.to_string()),
        ("SYN or FIN alone again", of.syn_fin_retransmitted.to_string()),
        ("reordered packets", of.reordered_packets.to_string()),
        ("copied by the network", of.duplicated_packets.to_string()),
        ("keep-alives", of.keepalives.to_string()),
        ("window probes", of.window_probes.to_string()),
        ("beyond any window", of.out_of_window_packets.to_string()),
        ("duplicate acks received", of.duplicate_acks.to_string()),
        ("  three in a row", of.triple_duplicate_acks.to_string()),
    ]
}

fn window_rows(of: &Direction) -> Vec<(&'static str, String)> {
    let windows = &of.windows;
    let values = format!("{}/{:.0}/{}", windows.min, windows.avg, windows.max);
    let initial = of.initial_window;
    vec![
        ("window advertised min/avg/max", values),
        ("  its scale", if windows.scale_known { "known" } else { "not known" }.into()),
        ("  zero", windows.zero.to_string()),
        ("most bytes on their way", of.max_outstanding.to_string()),
        ("initial window, bytes", or_unknown(initial.map(|window| window.bytes))),
        ("initial window, packets", or_unknown(initial.map(|window| window.packets))),
        ("initial window, segments", or_unknown(initial.map(|window| window.segments))),
    ]
}

fn time_rows(of: &Direction) -> Vec<(&'static str, String)> {
    let rtt = |value: fn(&crate::RttStatistics) -> f64| {
        of.rtt.as_ref().map_or("-".into(), |rtt| format!("{:.3} ms", value(rtt)))
    };
    vec![
        ("first to last data", seconds(of.data_s)),
        ("longest silence", seconds(of.idle_max_s)),
        ("throughput", format!("{:.0} B/s", of.throughput)),
        ("RTT samples", of.rtt.map_or(0, |rtt| rtt.samples).to_string()),
        ("RTT min", rtt(|of| of.min_ms)),
        ("RTT avg", rtt(|of| of.avg_ms)),
        ("RTT max", rtt(|of| of.max_ms)),
        ("RTT stdev", rtt(|of| of.stdev_ms)),
        ("acks without a sample", of.ambiguous_acks.to_string()),
    ]
}

impl fmt::Display for Explanations<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, direction) in self.0.directions() {
            for of in &direction.retransmissions {
                write!(f, "  {:.6} s  {name}, packet {}: ", of.time_s, of.packet)?;
                write!(f, "{} bytes from {} again, ", of.length, of.seq)?;
                write!(f, "{}: {}", of.cause.name(), of.evidence)?;
                match &of.spurious {
                    Some(why) => writeln!(f, "; not needed: {why}")?,
                    None => writeln!(f)?,
                }
            }
            let all = direction.retransmitted_packets + direction.syn_fin_retransmitted;
            let more = all.saturating_sub(direction.retransmissions.len() as u64);
            if more > 0 {
                writeln!(f, "  and {more} more {name}")?;
            }
        }
        Ok(())
    }
}
