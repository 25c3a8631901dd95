//! Processing of neighbour discovery messages (RFC 4861 section 7.2).

use super::neighbours::Trust;
use super::{Ethernet, Message, count};
use crate::profile::Profile;
use crate::stack::Addresses;
use crate::time::Instant;
use crate::wire::{Address, Checksums, EthernetAddress, Frame, Ndp, NdpKind};

impl<const NEIGHBOURS: usize, const ROUTES: usize> Ethernet<NEIGHBOURS, ROUTES> {
    /// Processes a message. Returns whether packets may have waited for the address that it tells.
    pub(super) fn on_ndp<P: Profile>(
        &mut self,
        now: Instant,
        own: &Addresses<'_>,
        frame: &Frame<'_>,
        verify: Checksums,
    ) -> bool {
        let is_usable = |ndp: &Ndp| {
            !ndp.source.is_multicast() && ndp.hardware.is_none_or(EthernetAddress::is_station)
        };
        let Some(ndp) = Ndp::parse(frame.payload, verify).filter(is_usable) else {
            count::<P>(&mut self.statistics.malformed);
            return false;
        };
        let is_ours = own.contains(ndp.target.into());
        let is_advertisement = matches!(ndp.kind, NdpKind::Advertisement { .. });
        if own.contains(ndp.source.into()) || is_ours && is_advertisement {
            tell!(warn, "somebody else has our address {}", ndp.target);
            count::<P>(&mut self.statistics.conflicts);
            return false;
        }
        match ndp.kind {
            NdpKind::Solicitation if is_ours => self.on_solicitation::<P>(now, &ndp, frame.source),
            NdpKind::Solicitation => false,
            NdpKind::Advertisement { solicited, overrides } => {
                self.on_advertisement::<P>(now, &ndp, solicited, overrides)
            }
        }
    }

    /// Processes a solicitation (section 7.2.3).
    fn on_solicitation<P: Profile>(
        &mut self,
        now: Instant,
        ndp: &Ndp,
        frame_source: EthernetAddress,
    ) -> bool {
        let source = Address::from(ndp.source);
        // A host without an address, which probes whether this one is free, is answered by multicast.
        let hardware = ndp.hardware.unwrap_or(frame_source);
        let hardware = (!source.is_unspecified()).then_some(hardware);
        self.answer::<P>(Message {
            is_request: false,
            ours: ndp.target.into(),
            other: source,
            hardware,
        });
        let told = ndp.hardware.filter(|_| !source.is_unspecified());
        told.is_some_and(|told| self.learn::<P>(now, source, told, Trust::Stale, true))
    }

    /// Processes an advertisement (section 7.2.5).
    fn on_advertisement<P: Profile>(
        &mut self,
        now: Instant,
        ndp: &Ndp,
        solicited: bool,
        overrides: bool,
    ) -> bool {
        let target = ndp.target.into();
        let trust = if solicited { Trust::Confirmed } else { Trust::Stale };
        match (self.neighbours.known(target), ndp.hardware) {
            (Some(None), Some(told)) => self.learn::<P>(now, target, told, trust, false),
            (Some(Some(known)), Some(told)) if known != told => {
                if overrides {
                    self.learn::<P>(now, target, told, trust, false);
                } else {
                    self.neighbours.doubt(now, target);
                }
                false
            }
            (Some(Some(_)), _) if solicited => {
                self.neighbours.confirm(now, target);
                false
            }
            _ => false,
        }
    }
}
