//! Report of an emulation as text.

use super::direction::{Interval, Sample, drops};
use super::summary::Summary;
use crate::failure::Failure;
use crate::report::{bits_per_second, bytes, milliseconds, print, rate, seconds, waits};
use ackclock::time::Duration;

/// Header that names the columns of [`interval_lines`].
pub(super) const HEADER: &str =
    "Interval           Direction   Packets  Transfer     Bitrate         Drops  Queue  Late";

const DIRECTIONS: [&str; 2] = ["to right", "to left"];

/// Lines of the report on an interval, one for each direction.
pub(super) fn interval_lines(interval: &Interval) -> String {
    let Interval { start, end, directions: [there, back] } = interval;
    let [to_right, to_left] = DIRECTIONS;
    [line(*start, *end, to_right, there), line(*start, *end, to_left, back)].join("\n")
}

fn line(start: Duration, end: Duration, direction: &str, sample: &Sample) -> String {
    let Sample { link, latest } = sample;
    format!(
        "{:6.2}-{:<6.2} sec  {direction:8} {:10}  {:11}  {:14}  {:5}  {:5}  {}",
        seconds(start),
        seconds(end),
        link.packets_carried,
        bytes(link.bytes_carried),
        rate(bits_per_second(link.bytes_carried, end.saturating_sub(start))),
        drops(link),
        link.longest_queue,
        milliseconds(*latest),
    )
}

/// Writes the totals to standard output.
pub(super) fn write(summary: &Summary) -> Result<(), Failure> {
    print(&text(summary))
}

fn text(summary: &Summary) -> String {
    let mut text = format!("- - - - - - - - - - - - - - - - - - - - - - - - -\n{HEADER}\n");
    let [there, back] = &summary.totals;
    let directions =
        [there, back].map(|totals| Sample { link: totals.link, latest: totals.late.max });
    let whole = Interval { start: Duration::ZERO, end: summary.duration, directions };
    text += &interval_lines(&whole);
    text += "\n";
    for (direction, totals) in DIRECTIONS.into_iter().zip(&summary.totals) {
        let link = &totals.link;
        text += &format!(
            "{direction}: {} offered, {} dropped by the queue, {} lost, {} marked, {} duplicated, \
             {} reordered, {} corrupted; {} late on average\n",
            link.packets_offered,
            link.packets_dropped,
            link.packets_lost,
            link.packets_marked,
            link.packets_duplicated,
            link.packets_reordered,
            link.packets_corrupted,
            milliseconds(totals.late.mean()),
        );
        if let Some(waits) = waits(link) {
            text += &format!("{direction}: {waits}\n");
        }
        let (not_taken, refused) = (totals.not_taken, totals.refused);
        if not_taken > 0 {
            text += &format!(
                "{direction}: {not_taken} more dropped by the kernel before they could be taken: \
                 this machine is too slow for the path\n"
            );
        }
        if refused > 0 {
            text += &format!("{direction}: {refused} not taken by the interface at the end\n");
        }
    }
    text += &format!("busy {:.0} % of the time\n", summary.busy_share() * 100.0);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulate::direction::Totals;
    use ackclock_emulator::LinkStatistics;

    fn sample(packets: u64, bytes: u64, drops: u64, longest_queue: u64) -> Sample {
        let mut link = LinkStatistics::default();
        link.packets_carried = packets;
        link.bytes_carried = bytes;
        link.packets_dropped = drops;
        link.longest_queue = longest_queue;
        Sample { link, latest: Duration::from_micros(72) }
    }

    #[test]
    fn columns_stand_under_their_names() {
        let interval = Interval {
            start: Duration::from_secs(1),
            end: Duration::from_secs(2),
            directions: [sample(812, 1_177_000, 3, 65), sample(406, 21_112, 0, 1)],
        };
        let expected = "\
Interval           Direction   Packets  Transfer     Bitrate         Drops  Queue  Late
  1.00-2.00   sec  to right        812  1.12 MBytes  9.42 Mbits/sec      3     65  0.07 ms
  1.00-2.00   sec  to left         406  20.6 KBytes   169 Kbits/sec      0      1  0.07 ms";
        assert_eq!([HEADER, &interval_lines(&interval)].join("\n"), expected);
    }

    #[test]
    fn packets_that_were_not_carried_for_want_of_speed_are_told() {
        let totals = Totals { not_taken: 7, refused: 2, ..Totals::default() };
        let summary = Summary {
            duration: Duration::from_secs(10),
            busy: Duration::from_millis(2_500),
            intervals: Vec::new(),
            totals: [totals, Totals::default()],
            interrupted: true,
            error: None,
        };
        let text = text(&summary);
        assert!(text.contains("\nto right: 7 more dropped by the kernel before"), "{text}");
        assert!(text.contains("\nto right: 2 not taken by the interface"), "{text}");
        assert!(!text.contains("to left: 0 more"), "{text}");
        assert!(text.ends_with("\nbusy 25 % of the time\n"), "{text}");
    }
}
