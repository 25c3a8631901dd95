//! Bytes: what an application reads is what the other one wrote, exactly and in order, both ways.
//!
//! The bound is exact. A connection that is over without an error has delivered everything. It may
//! fail only if an application aborted it, if the other end had failed before, or after a time for which
//! its settings let it wait; whether the path gave reason to that is for liveness. A server that gives up a half-open
//! connection, after the time for which it repeats its SYN-ACK (RFC 9293 section 3.8.3, R2) or since its clock jumps past that, answers
//! what comes later from the client with a RST (section 3.10.7.1), before its application has heard of any.

use super::Finding;
use crate::case::{Fault, Flow, HostSettings};
use crate::host::ledger::FlowNotes;
use crate::run::Outcome;
use ackclock::tcp::Error;

/// What is wrong with the bytes of a run.
pub(crate) fn judge(flows: &[Flow], hosts: &[HostSettings], outcome: &Outcome) -> Option<Finding> {
    let problem = |text: String| Some(Finding::new("bytes", &text));
    for (number, (flow, notes)) in flows.iter().zip(&outcome.flows).enumerate() {
        if let Some(wrong) = &notes.wrong {
            return problem(format!("flow {number}: {wrong}"));
        }
        let totals = flow.totals();
        let may_forget = may_forget(notes, &hosts[flow.hosts[1]]);
        let is_liar = flow.hosts.iter().any(|host| hosts[*host].lie.is_some());
        for side in [0, 1] {
            if notes.finished[side]
                && notes.read[side] != totals[1 - side]
                && !notes.aborted[1 - side]
                && notes.errors[1 - side].is_none()
            {
                let (read, written) = (notes.read[side], totals[1 - side]);
                return problem(format!(
                    "flow {number}: side {side} read {read} bytes to the end of {written}"
                ));
            }
            let other_failed = notes.aborted[1 - side] || notes.errors[1 - side].is_some();
            let is_short = flow.hosts.iter().any(|host| hosts[*host].memory < u64::MAX);
            let may_fail = flow.is_aborted() || is_liar || is_short || other_failed;
            match notes.errors[side] {
                Some(Error::TimedOut | Error::UserTimeout | Error::KeepaliveTimeout) | None => {}
                Some(Error::Reset) if side == 0 && may_forget => {}
                Some(_) if may_fail => {}
                Some(error) => {
                    return problem(format!(
                        "flow {number}: side {side} failed for no reason: {error}"
                    ));
                }
            }
        }
    }
    None
}

/// Whether the server may have given up a half-open connection before its client heard of that.
fn may_forget(notes: &FlowNotes, server: &HostSettings) -> bool {
    let jumps = server.faults.iter().any(|fault| matches!(fault, Fault::Jump(..)));
    let lasted = notes.started.zip(notes.ended[0]).map(|(from, to)| to.saturating_since(from));
    let gives_up = lasted.is_some_and(|lasted| lasted >= server.config.syn_give_up);
    !notes.accepted && (jumps || gives_up)
}
