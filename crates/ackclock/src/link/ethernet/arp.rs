//! What an ARP packet tells us: "Packet Reception" of RFC 826.

use super::neighbours::Trust;
use super::{Ethernet, Message, count};
use crate::profile::Profile;
use crate::stack::Addresses;
use crate::time::Instant;
use crate::wire::{Arp, is_unicast};

impl<const NEIGHBOURS: usize, const ROUTES: usize> Ethernet<NEIGHBOURS, ROUTES> {
    /// Returns whether packets may have waited for what it says.
    pub(super) fn on_arp<P: Profile>(
        &mut self,
        now: Instant,
        own: &Addresses<'_>,
        bytes: &[u8],
    ) -> bool {
        let Some(arp) = Arp::parse(bytes).filter(|arp| arp.sender_hardware.is_station()) else {
            count::<P>(&mut self.statistics.malformed);
            return false;
        };
        let sender = arp.sender.into();
        if own.contains(sender) {
            tell!(warn, "somebody else has our address {}", arp.sender);
            count::<P>(&mut self.statistics.conflicts);
            return false;
        }
        let target = arp.target.into();
        let is_ours = own.contains(target);
        // What is known is brought up to date in any case, but only what we have asked for is sure; who
        // asks for us will be talked to. A sender without an address only looks whether it is free (RFC
        // 5227 section 2.1.1).
        let is_answer = is_ours && !arp.is_request;
        let trust = if is_answer { Trust::Confirmed } else { Trust::Stale };
        let waited =
            is_unicast(sender) && self.learn::<P>(now, sender, arp.sender_hardware, trust, is_ours);
        if is_ours && arp.is_request {
            self.answer::<P>(Message {
                is_request: false,
                ours: target,
                other: sender,
                hardware: Some(arp.sender_hardware),
            });
        }
        waited
    }
}
