//! All that a path does to packets, one after another.

pub(crate) mod loss;
pub(crate) mod reordering;

use crate::link::account::{Account, Note};
use crate::link::path::Path;
use crate::observer::DropReason;
use crate::packet::Packet;
use crate::random::Random;
use crate::units::Probability;
use ackclock::time::Instant;
use loss::{Loss, LossProcess};
use reordering::{Chosen, Corruption, Hold, Reordering, flip};
use std::collections::VecDeque;

/// Loss, corruption, duplication and reordering. Each draws from a stream of its own.
#[derive(Debug)]
pub(crate) struct Impairments {
    /// Nothing ever happens to a packet.
    none: bool,
    loss: LossProcess,
    corruption: Corruption,
    duplication: Chosen,
    reordering: Reordering,
}

impl Impairments {
    /// `streams` are those of loss, corruption, duplication and reordering.
    pub(crate) fn new(path: &Path, streams: [Random; 4]) -> Self {
        let [loss, corruption, duplication, reordering] = streams;
        let chance = [path.corrupt, path.duplicate] != [Probability::NEVER; 2];
        let none =
            !chance && path.loss == Loss::Bernoulli(Probability::NEVER) && path.reorder.is_none();
        Impairments {
            none,
            loss: LossProcess::new(path.loss.clone(), loss),
            corruption: Corruption::new(path.corrupt, corruption),
            duplication: Chosen::new(path.duplicate, duplication),
            reordering: Reordering::new(path.reorder, reordering),
        }
    }

    /// A packet comes to the place where the impairments strike. What goes on from there, and when,
    /// is put into `out`.
    pub(crate) fn strike(
        &mut self,
        now: Instant,
        mut packet: Packet,
        account: &mut Account,
        out: &mut VecDeque<(Instant, Packet)>,
    ) {
        if self.none {
            out.push_back((now, packet));
            return;
        }
        // All are asked about every packet, so that none changes what the others answer.
        let lost = self.loss.loses();
        let corrupt = self.corruption.next(packet.bytes.len());
        let duplicate = self.duplication.next();
        let hold = self.reordering.next();
        if lost {
            account.drop(packet, DropReason::Loss);
            return;
        }
        let statistics = &mut account.statistics;
        statistics.packets_corrupted += u64::from(corrupt.is_some());
        statistics.packets_duplicated += u64::from(duplicate);
        statistics.packets_reordered += u64::from(hold.is_some());
        if let Some(bit) = corrupt {
            flip(&mut packet, bit);
            account.note(&packet, Note::Corrupted);
        }
        let copy = duplicate.then(|| packet.clone());
        if let Some(copy) = &copy {
            account.note(copy, Note::Duplicated);
        }
        self.reordering.overtake();
        match hold {
            None => out.push_back((now, packet)),
            Some(Hold::Time(time)) => out.push_back((now + time, packet)),
            Some(Hold::Packets(packets)) => self.reordering.keep(packets, packet),
        }
        if let Some(copy) = copy {
            out.push_back((now, copy));
        }
        while let Some(packet) = self.reordering.release() {
            out.push_back((now, packet));
        }
    }
}
