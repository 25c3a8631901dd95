//! Invariants: what must hold of a connection whenever its stack is left alone.
//!
//! The bounds are exact. They are those that the core can be asked for (`Stack::broken_invariant`: SND.UNA and SND.NXT, the
//! flight's books, the timer that runs), and those that a snapshot shows.

use ackclock::congestion::BuiltIn;
use ackclock::profile::Profile;
use ackclock::stack::Stack;
use ackclock::tcp::{Info, PendingTimers, State};
use ackclock::time::Instant;

/// What does not hold of a stack's connections, if anything.
pub(crate) fn broken<P: Profile>(
    stack: &Stack<'static, BuiltIn, P>,
    now: Instant,
) -> Option<String> {
    if let Some(what) = stack.broken_invariant() {
        return Some(format!("this does not hold: {what}"));
    }
    stack.connections(now).find_map(|(_, info)| {
        let what = broken_info(&info)?;
        Some(format!("this does not hold: {what}; {info:?}"))
    })
}

fn broken_info(info: &Info) -> Option<&'static str> {
    let synchronized = info.state.is_synchronized();
    // A probe of the path is longer than the others.
    let longest = info.path_search.map_or(info.mss, |search| search.high.max(info.mss));
    let holds = [
        (info.sacked + info.lost <= info.unacked, "what is SACKed or lost is in flight"),
        (
            // The pipe variable of Fall and Floyd misses what lost duplicate acks would have told.
            info.recovery == "sack-pipe" || info.in_flight <= info.unacked,
            "the pipe holds no more than what was sent and not acknowledged",
        ),
        (
            // A FIN counts, and what is acknowledged of a segment in part.
            info.unacked <= info.send_queue.saturating_add(1 + longest),
            "what is unacknowledged is queued",
        ),
        (info.mss > 0 && info.cwnd > 0, "MSS and window are above zero"),
        (
            !synchronized
                || info.unacked == 0
                || info.timers.retransmit.or(info.timers.persist).is_some(),
            "a timer runs while data waits for an ack",
        ),
        (
            info.state != State::Closed || info.timers == PendingTimers::default(),
            "no timer runs when all is over",
        ),
        (info.bytes_retransmitted <= info.bytes_sent, "what was sent again was sent"),
        (info.bytes_acked <= info.bytes_sent, "no more is acknowledged than was sent"),
    ];
    holds.iter().find(|(holds, _)| !holds).map(|(_, what)| *what)
}
