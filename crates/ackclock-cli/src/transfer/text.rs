//! Report of a transfer as text.

use super::outcome::Outcome;
use super::settings::{FarEnd, TransferSettings};
use super::watch::Watched;
use crate::failure::Failure;
use crate::report::{
    ALL, TOTALS_HEADER, limit_words, milliseconds, print, receiver_line, seconds, sender_line,
};
use crate::values::path_text;
use ackclock::apps::Service;

/// Writes the report to standard output.
pub(super) fn write(outcome: &Outcome<'_>) -> Result<(), Failure> {
    let lines = lines(outcome).into_iter().map(|line| line + "\n");
    print(&lines.collect::<String>())
}

/// Lines of the summary. Connections that were never established are left out.
fn lines(outcome: &Outcome<'_>) -> Vec<String> {
    let Outcome { settings, driven, .. } = outcome;
    let established: Vec<_> =
        (1..).zip(&driven.watched).filter(|(_, watched)| watched.connect.is_some()).collect();
    let Some(span) = established.iter().map(|(_, watched)| watched.duration).max() else {
        return Vec::new();
    };
    let mut lines = vec![TOTALS_HEADER.to_owned()];
    for (id, watched) in &established {
        lines.push(sender_line(id, watched.duration, watched.acked(), watched.retransmitted()));
        if let Some(received) = received(outcome, watched) {
            lines.push(receiver_line(id, watched.duration, received));
        }
    }
    if established.len() > 1 {
        let sum = |count: &dyn Fn(&Watched) -> u64| {
            established.iter().map(|(_, watched)| count(watched)).sum()
        };
        let (acked, retransmitted) = (sum(&Watched::acked), sum(&Watched::retransmitted));
        lines.push(sender_line(ALL, span, acked, retransmitted));
        if settings.service == Service::Echo {
            lines.push(receiver_line(ALL, span, sum(&|watched| watched.received)));
        }
    }
    for (id, watched) in &established {
        let id = if established.len() > 1 { format!("[{id:>3}] ") } else { String::new() };
        lines.extend(watched.info.map(|info| {
            format!(
                "{id}{}, {}: rtt {}, min {}, rto {}, {} timeouts, {} fast recoveries{}",
                path(settings),
                info.congestion,
                milliseconds(info.rtt),
                milliseconds(info.min_rtt),
                milliseconds(info.rto),
                info.timeouts,
                info.fast_recoveries,
                limit_words(&info.limits).map_or_else(String::new, |words| format!(", {words}")),
            )
        }));
    }
    if let (Some(offloading), Some(processor)) = (driven.offloading, outcome.processor()) {
        let offload = if offloading { "with" } else { "without" };
        lines.push(format!("{processor}, {offload} offload"));
    }
    if settings.host().is_none() {
        let wall = milliseconds(outcome.wall.into());
        lines.push(format!("{:.2} s of virtual time took {wall}", seconds(span)));
    }
    lines
}

/// Bytes that the receiving end got, as far as they are known.
fn received(outcome: &Outcome<'_>, watched: &Watched) -> Option<u64> {
    match outcome.settings.service {
        Service::Echo => Some(watched.received),
        _ => outcome.driven.far_info.map(|far| far.bytes_received),
    }
}

fn path(settings: &TransferSettings) -> String {
    match &settings.far_end {
        FarEnd::Emulated(paths) => format!("emulated path {}", path_text(paths)),
        FarEnd::Host { peer, way } => {
            let over = way.tun.as_deref().unwrap_or(way.via.word());
            format!("{peer} over {over}")
        }
    }
}
