//! The host's SYN and SYN-ACK, and what may not be sent before both are there.

use crate::facts::Facts;
use crate::segment::Seen;
use crate::sentence::Sentence;
use crate::verdict::Docket;
use ackclock::wire::Flags;

pub(crate) static SYN_ACK_NUMBER: Sentence = Sentence::must(
    "syn-ack-number",
    9293,
    "3.10.7.2",
    "Set RCV.NXT to SEG.SEQ+1, IRS is set to SEG.SEQ, and any other control or text should be queued for \
     processing later.",
);
pub(crate) static SCALE_NOT_OFFERED: Sentence = Sentence::must(
    "window-scale-not-offered",
    7323,
    "1.3",
    "Furthermore, the Window Scale option will be sent in a <SYN,ACK> segment only if the corresponding option \
     was received in the initial <SYN> segment.",
);
pub(crate) static ACK_MISSING: Sentence = Sentence::must(
    "ack-missing",
    9293,
    "3.1",
    "Once a connection is established, this is always sent.",
)
.of_form();
pub(crate) static TIMESTAMPS_MISSING: Sentence = Sentence::must(
    "timestamps-missing",
    7323,
    "3.2",
    "Once TSopt has been successfully negotiated, that is both <SYN> and <SYN,ACK> contain TSopt, the TSopt \
     MUST be sent in every non-<RST> segment for the duration of the connection",
);
pub(crate) static TIMESTAMPS_NOT_AGREED: Sentence = Sentence::must(
    "timestamps-not-agreed",
    7323,
    "3.2",
    "A TCP MAY send the TSopt in an initial <SYN> segment (i.e., segment containing a SYN bit and no ACK bit), \
     and MAY send a TSopt in <SYN,ACK> only if it received a TSopt in the initial <SYN> segment for the \
     connection.",
);
pub(crate) static TEXT_TOO_EARLY: Sentence = Sentence::must(
    "text-before-established",
    9293,
    "3.10.2",
    "Queue the data for transmission after entering ESTABLISHED state.",
);

/// Judges what the handshake settles. The facts are those before the segment.
pub(crate) fn judge(seen: &Seen<'_>, facts: &Facts, docket: &mut Docket<'_>) {
    let (time, number) = (seen.time, seen.number);
    if seen.is(Flags::SYN) {
        if seen.is(Flags::ACK) {
            judge_syn_ack(seen, facts, docket);
        }
        return;
    }
    if seen.is(Flags::RST) {
        return;
    }
    if !seen.is(Flags::ACK) {
        docket.forbid(&ACK_MISSING, time, number, || "a segment without ACK".into());
    }
    let stamped = seen.header.options.timestamps.is_some();
    if facts.timestamps() && !stamped {
        docket.forbid(&TIMESTAMPS_MISSING, time, number, || {
            "no timestamps, though both SYNs had them".into()
        });
    } else if stamped && facts.peer_syn.is_some() && !facts.timestamps() {
        docket.forbid(&TIMESTAMPS_NOT_AGREED, time, number, || {
            "timestamps, though not both SYNs had them".into()
        });
    }
    // A host that has acknowledged the text of the peer's SYN, or got a cookie with it, has opened the connection fast
    // (RFC 7413 section 4.2.2).
    let is_fast = facts.peer_syn.is_some_and(|syn| {
        let cookie = syn.options.fast_open();
        syn.text > 0 && facts.told > 1 || cookie.is_some_and(|cookie| !cookie.as_slice().is_empty())
    });
    if seen.payload_len() > 0 && facts.acked < 1 && seen.text_end() > facts.sent && !is_fast {
        docket.forbid(&TEXT_TOO_EARLY, time, number, || {
            format!("{} bytes before the host's SYN was acknowledged", seen.payload_len())
        });
    }
}

fn judge_syn_ack(seen: &Seen<'_>, facts: &Facts, docket: &mut Docket<'_>) {
    let (time, number) = (seen.time, seen.number);
    let Some(peer) = facts.peer_syn else { return };
    if let Some(ack) = seen.ack
        && ack < 1
    {
        docket.forbid(&SYN_ACK_NUMBER, time, number, || {
            format!("the SYN-ACK acknowledges {ack}, counted from the peer's SYN")
        });
    }
    let (ours, theirs) = (&seen.header.options, &peer.options);
    if ours.window_scale.is_some() && theirs.window_scale.is_none() {
        docket.forbid(&SCALE_NOT_OFFERED, time, number, || {
            "a window scale in the SYN-ACK, though the SYN had none".into()
        });
    }
    if ours.timestamps.is_some() && theirs.timestamps.is_none() {
        docket.forbid(&TIMESTAMPS_NOT_AGREED, time, number, || {
            "timestamps in the SYN-ACK, though the SYN had none".into()
        });
    }
}
