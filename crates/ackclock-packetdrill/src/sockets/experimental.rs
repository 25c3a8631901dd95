//! The option that Fast Open had before it had a number (RFC 6994: kind 254 and the identifier 0xF989). As
//! Linux does, a listener answers who uses it in kind. The stack knows the option of RFC 7413 only, so that one
//! is put in the other's place on the way in, and back on the way out.

use super::known::Known;
use super::layout::{Layout, NO_OPERATION, complete, find};

/// The kinds of both options, and the experiment's identifier.
const STANDARD: u8 = 34;
const EXPERIMENT: u8 = 254;
const IDENTIFIER: [u8; 2] = [0xf9, 0x89];

/// Who uses the old option.
#[derive(Default)]
pub(super) struct Experimental {
    /// Connections whose last SYN had it.
    pub(super) peers: Known<bool>,
}

impl Experimental {
    /// A packet for the stack; the one that it is to see, if that is another.
    pub(super) fn received(&mut self, packet: &[u8]) -> Option<Vec<u8>> {
        let layout = Layout::of_syn(packet)?;
        let [peer, own] = layout.ends(packet)?;
        let Some((at, len)) = find(layout.options(packet)?, EXPERIMENT) else {
            self.peers.remove(&[own, peer]);
            return None;
        };
        let mut packet = packet.to_vec();
        let option = packet.get_mut(layout.tcp + 20 + at..)?.get_mut(..len)?;
        if option.get(2..4)? != IDENTIFIER {
            return None;
        }
        // The cookie moves to the front, and padding takes its place.
        option.copy_within(4.., 2);
        (option[0], option[1]) = (STANDARD, (len - 2) as u8);
        option[len - 2..].fill(NO_OPERATION);
        complete(&mut packet);
        *self.peers.of([own, peer]) = true;
        Some(packet)
    }

    /// A packet of the stack's, as it is to be sent.
    pub(super) fn sent(&self, packet: &mut [u8]) {
        let _ = self.translate(packet);
    }

    fn translate(&self, packet: &mut [u8]) -> Option<()> {
        let layout = Layout::of_syn(packet)?;
        if self.peers.get(&layout.ends(packet)?) != Some(&true) {
            return None;
        }
        let (at, len) = find(layout.options(packet)?, STANDARD)?;
        // The option is the last one, with two bytes of padding: its length and 2 make whole words.
        let option = packet.get_mut(layout.tcp + 20 + at..)?.get_mut(..len + 2)?;
        if option[len..] != [NO_OPERATION; 2] {
            return None;
        }
        option.copy_within(2..len, 4);
        (option[0], option[1]) = (EXPERIMENT, (len + 2) as u8);
        option[2..4].copy_from_slice(&IDENTIFIER);
        complete(packet);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock::wire::{Checksums, Protocol, parse_packet};

    /// A SYN of 10.0.0.1:6000 to 10.0.0.2:80, or the answer, with these options and a checksum that is right.
    fn syn(answers: bool, options: &[u8]) -> Vec<u8> {
        let mut packet = vec![0; 40];
        packet[..10].copy_from_slice(&[0x45, 0, 0, (40 + options.len()) as u8, 0, 0, 0, 0, 64, 6]);
        let (peer, own) = ([10, 0, 0, 1], [10, 0, 0, 2]);
        let (from, to) = if answers { (own, peer) } else { (peer, own) };
        let (ports, flags) =
            if answers { ([0, 80, 0x17, 0x70], 0x12) } else { ([0x17, 0x70, 0, 80], 2) };
        packet[12..20].copy_from_slice(&[from, to].concat());
        packet[20..24].copy_from_slice(&ports);
        (packet[32], packet[33]) = (((20 + options.len()) * 4) as u8, flags);
        packet.extend(options);
        complete(&mut packet);
        packet
    }

    fn cookie(packet: &[u8]) -> Option<Vec<u8>> {
        let checks = Checksums { ip: false, transport: true };
        match parse_packet(packet, checks).expect("a checksum that is right").protocol {
            Protocol::Tcp(segment) => {
                segment.header.options.fast_open().map(|cookie| cookie.as_slice().to_vec())
            }
            _ => None,
        }
    }

    const OLD: [u8; 12] = [254, 12, 0xf9, 0x89, 1, 2, 3, 4, 5, 6, 7, 8];
    const NEW: [u8; 12] = [34, 10, 1, 2, 3, 4, 5, 6, 7, 8, 1, 1];

    #[test]
    fn who_uses_the_old_option_is_answered_in_kind() {
        let mut experimental = Experimental::default();
        let packet = experimental.received(&syn(false, &OLD)).expect("another packet");
        assert_eq!(packet[40..], NEW);
        assert_eq!(cookie(&packet), Some(OLD[4..].to_vec()));
        let mut answer = syn(true, &NEW);
        experimental.sent(&mut answer);
        assert_eq!((&answer[40..], cookie(&answer)), (&OLD[..], None));
        // Its next SYN has the option of RFC 7413.
        assert!(experimental.received(&syn(false, &NEW)).is_none());
        let mut answer = syn(true, &NEW);
        experimental.sent(&mut answer);
        assert_eq!(answer[40..], NEW);
    }

    #[test]
    fn a_request_and_other_experiments() {
        let mut experimental = Experimental::default();
        let packet = experimental.received(&syn(false, &[254, 4, 0xf9, 0x89])).expect("another");
        assert_eq!((&packet[40..], cookie(&packet)), (&[34, 2, 1, 1][..], Some(Vec::new())));
        assert!(experimental.received(&syn(false, &[254, 4, 0xf9, 0x88])).is_none());
        assert!(experimental.received(&syn(false, &[254, 9, 0xf9, 0x89])).is_none());
    }
}
