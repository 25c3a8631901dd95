//! Segments that belong to no connection, and the RSTs that answer them, or should (RFC 9293 section 3.10.7.1).

use crate::connection::Raw;
use crate::reset::{RST_FOR_RST, RST_NUMBER};
use crate::sentence::Sentence;
use crate::settings::Settings;
use crate::verdict::Docket;
use ackclock::seq::SeqNumber;
use ackclock::time::Instant;
use ackclock::wire::Flags;
use std::collections::VecDeque;

pub(crate) static NOT_ANSWERED: Sentence = Sentence::must(
    "rst-for-stranger-missing",
    9293,
    "3.10.7.1",
    "An incoming segment not containing a RST causes a RST to be sent in response.",
);

/// Strangers that are remembered.
const REMEMBERED: usize = 16;

/// A segment that came where there was no connection.
#[derive(Clone, Copy, Debug)]
struct Stranger {
    time: Instant,
    is_rst: bool,
    /// SEG.ACK, if it had ACK.
    ack: Option<SeqNumber>,
    /// The least that a RST may acknowledge in answer: a connection that takes a part of its SYN's text may be aborted
    /// before its SYN-ACK is sent.
    least: SeqNumber,
    /// SEG.SEQ + SEG.LEN.
    end: SeqNumber,
}

/// The last of them from one end to another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Strangers {
    last: VecDeque<Stranger>,
    /// The first one that was not answered, and when it came. Hosts limit their RSTs: one is owed at a time.
    owed: Option<(Instant, u64)>,
}

impl Strangers {
    /// One has reached the host. A SYN may be of a connection for which there is no room.
    pub(crate) fn on_received(&mut self, raw: &Raw<'_>, settings: &Settings, is_after_syn: bool) {
        let flags = raw.header.flags;
        let wants = flags.contains(Flags::ACK) && !flags.intersects(Flags::SYN | Flags::RST);
        if wants && settings.answers_strangers && !is_after_syn && self.last.is_empty() {
            self.owed = Some((raw.time, raw.number));
        }
        let len = raw.payload.len() as u32
            + u32::from(flags.contains(Flags::SYN))
            + u32::from(flags.contains(Flags::FIN));
        if self.last.len() == REMEMBERED {
            self.last.pop_front();
        }
        self.last.push_back(Stranger {
            time: raw.time,
            is_rst: flags.contains(Flags::RST),
            ack: flags.contains(Flags::ACK).then_some(raw.header.ack),
            least: raw.header.seq + if flags.contains(Flags::SYN) { 1 } else { len },
            end: raw.header.seq + len,
        });
    }

    /// The host has sent a RST without a connection.
    pub(crate) fn on_reset(&mut self, raw: &Raw<'_>, docket: &mut Docket<'_>) {
        let header = &raw.header;
        self.owed = None;
        let Some(last) = self.last.back() else { return };
        let (time, number) = (raw.time, raw.number);
        if last.is_rst && last.time == time && self.last.iter().all(|each| each.is_rst) {
            docket.forbid(&RST_FOR_RST, time, number, || "a RST answers a RST".into());
            return;
        }
        let answers = |stranger: &Stranger| match stranger.ack {
            Some(ack) => header.seq == ack,
            None => {
                let acknowledged = header.ack.at_or_after(stranger.least);
                header.seq.0 == 0 && acknowledged && header.ack.at_or_before(stranger.end)
            }
        };
        if !self.last.iter().any(answers) {
            docket.forbid(&RST_NUMBER, time, number, || {
                format!("a RST with {} that answers no segment", header.seq)
            });
        }
    }

    /// When the RST that the host owes is overdue.
    pub(crate) fn due(&self, settings: &Settings) -> Instant {
        self.owed.map_or(Instant::FAR_FUTURE, |(came, _)| came + settings.reaction)
    }

    /// Nothing else has happened until `now`.
    pub(crate) fn on_time(&mut self, now: Instant, settings: &Settings, docket: &mut Docket<'_>) {
        if self.due(settings) < now
            && let Some((came, number)) = self.owed.take()
        {
            docket.forbid(&NOT_ANSWERED, came, number, || {
                format!("no RST within {:?} of packet {number}", settings.reaction)
            });
        }
    }
}
