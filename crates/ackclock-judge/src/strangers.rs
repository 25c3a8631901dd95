//! Segments that belong to no connection, and the RSTs that answer them (RFC 9293 section 3.10.7.1).

use crate::connection::Raw;
use crate::reset::{RST_FOR_RST, RST_NUMBER};
use crate::verdict::Docket;
use ackclock::seq::SeqNumber;
use ackclock::time::Instant;
use ackclock::wire::Flags;
use std::collections::VecDeque;

/// Strangers that are remembered.
const REMEMBERED: usize = 16;

/// A segment that came where there was no connection.
#[derive(Clone, Copy, Debug)]
struct Stranger {
    time: Instant,
    is_rst: bool,
    /// SEG.ACK, if it had ACK.
    ack: Option<SeqNumber>,
    /// SEG.SEQ + SEG.LEN.
    end: SeqNumber,
}

/// The last of them from one end to another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Strangers {
    last: VecDeque<Stranger>,
}

impl Strangers {
    /// One has reached the host.
    pub(crate) fn on_received(&mut self, raw: &Raw<'_>) {
        let flags = raw.header.flags;
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
            end: raw.header.seq + len,
        });
    }

    /// The host has sent a RST without a connection.
    pub(crate) fn on_reset(&self, raw: &Raw<'_>, docket: &mut Docket<'_>) {
        let header = &raw.header;
        let Some(last) = self.last.back() else { return };
        let (time, number) = (raw.time, raw.number);
        if last.is_rst && last.time == time && self.last.iter().all(|each| each.is_rst) {
            docket.forbid(&RST_FOR_RST, time, number, || "a RST answers a RST".into());
            return;
        }
        let answers = |stranger: &Stranger| match stranger.ack {
            Some(ack) => header.seq == ack,
            None => header.seq.0 == 0 && header.ack == stranger.end,
        };
        if !self.last.iter().any(answers) {
            docket.forbid(&RST_NUMBER, time, number, || {
                format!("a RST with {} that answers no segment", header.seq)
            });
        }
    }
}
