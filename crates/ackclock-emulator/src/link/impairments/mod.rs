//! Impairments: loss, corruption, duplication and reordering, in this order.

mod corruption;
pub(crate) mod loss;
pub(crate) mod reordering;

use crate::link::account::{Account, Note};
use crate::link::path::Path;
use crate::observer::DropReason;
use crate::packet::Packet;
use crate::random::{Chosen, Random};
use crate::units::Probability;
use ackclock::time::Instant;
use corruption::{Corruption, flip};
use loss::{Loss, LossProcess};
use reordering::{Hold, Reorder, Reordering};
use std::collections::VecDeque;

/// The impairments of a path, under the names of [`Path`](crate::Path).
#[derive(Debug)]
pub(crate) struct ImpairmentSettings {
    pub(crate) loss: Loss,
    pub(crate) corrupt: Probability,
    pub(crate) duplicate: Probability,
    pub(crate) reorder: Option<Reorder>,
}

impl ImpairmentSettings {
    pub(crate) fn of(path: &Path) -> Self {
        ImpairmentSettings {
            loss: path.loss.clone(),
            corrupt: path.corrupt,
            duplicate: path.duplicate,
            reorder: path.reorder,
        }
    }

    /// Whether no packet is ever lost, changed, copied or held back.
    fn are_none(&self) -> bool {
        let chances = [self.corrupt, self.duplicate];
        let loss_is_none = self.loss == Loss::Bernoulli(Probability::NEVER);
        loss_is_none && chances == [Probability::NEVER; 2] && self.reorder.is_none()
    }
}

/// The impairments of a link. Each draws from a random stream of its own.
#[derive(Debug)]
pub(crate) struct Impairments {
    /// Whether no packet is ever impaired.
    none: bool,
    loss: LossProcess,
    corruption: Corruption,
    duplication: Chosen,
    reordering: Reordering,
}

impl Impairments {
    /// `streams` are the random streams of loss, corruption, duplication and reordering.
    pub(crate) fn new(settings: ImpairmentSettings, streams: [Random; 4]) -> Self {
        let none = settings.are_none();
        let ImpairmentSettings { loss, corrupt, duplicate, reorder } = settings;
        let [for_loss, for_corruption, for_duplication, for_reordering] = streams;
        Impairments {
            none,
            loss: LossProcess::new(loss, for_loss),
            corruption: Corruption::new(corrupt, for_corruption),
            duplication: Chosen::new(duplicate, for_duplication),
            reordering: Reordering::new(reorder, for_reordering),
        }
    }

    /// Impairs as another path asks for from now on. Random streams go on, and what is held back stays so.
    pub(crate) fn change(&mut self, settings: ImpairmentSettings) {
        self.none = settings.are_none();
        self.loss.change(settings.loss);
        self.corruption.change(settings.corrupt);
        self.duplication.change(settings.duplicate);
        self.reordering.change(settings.reorder);
    }

    /// Impairs a packet. The packets that go on, and when each does, are put into `out`.
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
        // Each impairment draws for every packet, so that what one decides does not change what the
        // others draw.
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
