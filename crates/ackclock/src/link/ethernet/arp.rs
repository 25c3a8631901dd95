//! Processing of ARP packets ("Packet Reception" of RFC 826).

use super::neighbours::Trust;
use super::{Ethernet, Message, count};
use crate::profile::Profile;
use crate::stack::Addresses;
use crate::time::Instant;
use crate::wire::{Arp, is_unicast};

impl<const NEIGHBOURS: usize, const ROUTES: usize> Ethernet<NEIGHBOURS, ROUTES> {
    /// Processes an ARP packet. Returns whether packets may have waited for the address that it tells.
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
        // A known entry is updated in any case, but only the answer to a request of ours is confirmed.
        // A host that asks for our address gets an entry, because we are about to send packets to it. A
        // sender without an address is only probing whether the address is free (RFC 5227 section 2.1.1).
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
