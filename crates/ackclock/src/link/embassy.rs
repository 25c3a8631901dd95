//! Links over drivers that implement [`embassy_net_driver::Driver`], version 0.2.

use super::contiguous::{Unverified, capabilities, copy_whole};
use super::{Link, TransmitError};
use crate::stack::{Capabilities, Received, Transmit};
use crate::time::Instant;
use crate::wire::{ETHERNET_HEADER, EthernetAddress};
use core::convert::Infallible;
use core::task::{Context, Waker};
use embassy_net_driver::{Checksum, Driver, HardwareAddress, LinkState, RxToken, TxToken};

/// A [`Link`] over a driver written for embassy-net. A driver with an Ethernet address carries frames, and
/// has to be used with [`Ethernet`](super::ethernet::Ethernet).
///
/// Checksums that the device computes or verifies are left to it. Each packet is copied once, into the
/// device's memory.
#[derive(Debug)]
pub struct EmbassyLink<D> {
    driver: D,
    /// Woken when the driver has received a packet, or has room again.
    waker: Waker,
    verify: Unverified,
    /// Bytes before the IP header in a frame.
    ip_offset: usize,
}

impl<D: Driver> EmbassyLink<D> {
    /// A link over this driver.
    pub fn new(driver: D) -> Self {
        let checksum = driver.capabilities().checksum;
        let is_ours = |checksum| matches!(checksum, Checksum::Both | Checksum::Rx);
        let verify = Unverified {
            ip: is_ours(checksum.ipv4),
            tcp: is_ours(checksum.tcp),
            icmpv4: is_ours(checksum.icmpv4),
            icmpv6: is_ours(checksum.icmpv6),
        };
        let is_ethernet = matches!(driver.hardware_address(), HardwareAddress::Ethernet(_));
        let ip_offset = if is_ethernet { ETHERNET_HEADER } else { 0 };
        EmbassyLink { driver, waker: Waker::noop().clone(), verify, ip_offset }
    }

    /// The driver's hardware address; `None` if it carries IP packets.
    pub fn ethernet_address(&self) -> Option<EthernetAddress> {
        match self.driver.hardware_address() {
            HardwareAddress::Ethernet(octets) => Some(EthernetAddress(octets)),
            _ => None,
        }
    }

    /// The wrapped driver.
    pub fn driver_mut(&mut self) -> &mut D {
        &mut self.driver
    }
}

impl<D: Driver> Link for EmbassyLink<D> {
    type Error = Infallible;

    fn capabilities(&self) -> Capabilities {
        let driver = self.driver.capabilities();
        let mtu = driver.max_transmission_unit.saturating_sub(self.ip_offset);
        let we_compute = matches!(driver.checksum.tcp, Checksum::Both | Checksum::Tx);
        capabilities(mtu, self.verify, we_compute)
    }

    fn transmit(
        &mut self,
        _now: Instant,
        packet: &Transmit<'_>,
    ) -> Result<(), TransmitError<Infallible>> {
        let token = self.driver.transmit(&mut Context::from_waker(&self.waker));
        let token = token.ok_or(TransmitError::Full)?;
        token.consume(packet.len(), |to| copy_whole(packet, to));
        Ok(())
    }

    fn receive(
        &mut self,
        _now: Instant,
        budget: usize,
        deliver: &mut dyn FnMut(Received<'_>),
    ) -> Result<usize, Infallible> {
        let (verify, ip_offset) = (self.verify, self.ip_offset);
        for received in 0..budget {
            let Some((token, _)) = self.driver.receive(&mut Context::from_waker(&self.waker))
            else {
                return Ok(received);
            };
            token.consume(|packet| {
                let verify = verify.of(packet.get(ip_offset..).unwrap_or_default());
                deliver(Received { packet, verify });
            });
        }
        Ok(budget)
    }

    fn is_up(&mut self) -> bool {
        self.driver.link_state(&mut Context::from_waker(&self.waker)) == LinkState::Up
    }

    fn set_waker(&mut self, waker: &Waker) {
        self.waker.clone_from(waker);
    }
}

#[cfg(all(test, feature = "alloc", feature = "ipv4"))]
mod tests {
    use super::*;
    use crate::link::ethernet::Ethernet;
    use crate::stack::{Cidr, Offered, Rejected, Stack, StackConfig, Storage};
    use crate::wire::{Checksums, WriteChecksum};
    use std::collections::VecDeque;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;
    use std::vec::Vec;

    /// A driver whose frames the test sees.
    struct Frames {
        received: VecDeque<Vec<u8>>,
        sent: Vec<Vec<u8>>,
        room: usize,
        waker: Option<Waker>,
        address: HardwareAddress,
        checksum: Checksum,
    }

    struct Received(Vec<u8>);
    struct Sent<'a>(&'a mut Vec<Vec<u8>>);

    impl RxToken for Received {
        fn consume<R, F: FnOnce(&mut [u8]) -> R>(mut self, f: F) -> R {
            f(&mut self.0)
        }
    }

    impl TxToken for Sent<'_> {
        fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, len: usize, f: F) -> R {
            let mut bytes = std::vec![0xee; len];
            let answer = f(&mut bytes);
            self.0.push(bytes);
            answer
        }
    }

    impl Driver for Frames {
        type RxToken<'a> = Received;
        type TxToken<'a> = Sent<'a>;

        fn receive(&mut self, cx: &mut Context<'_>) -> Option<(Received, Sent<'_>)> {
            let Some(frame) = self.received.pop_front() else {
                self.waker = Some(cx.waker().clone());
                return None;
            };
            Some((Received(frame), Sent(&mut self.sent)))
        }

        fn transmit(&mut self, cx: &mut Context<'_>) -> Option<Sent<'_>> {
            if self.sent.len() == self.room {
                self.waker = Some(cx.waker().clone());
                return None;
            }
            Some(Sent(&mut self.sent))
        }

        fn link_state(&mut self, _: &mut Context<'_>) -> LinkState {
            LinkState::Up
        }

        fn capabilities(&self) -> embassy_net_driver::Capabilities {
            let mut capabilities = embassy_net_driver::Capabilities::default();
            capabilities.max_transmission_unit = 1514;
            capabilities.checksum.tcp = self.checksum;
            capabilities
        }

        fn hardware_address(&self) -> HardwareAddress {
            self.address
        }
    }

    fn frames() -> Frames {
        Frames {
            received: VecDeque::new(),
            sent: Vec::new(),
            room: 1,
            waker: None,
            address: HardwareAddress::Ethernet([2, 0, 0, 0, 0, 1]),
            checksum: Checksum::Both,
        }
    }

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn frames_go_through_the_driver_and_its_interrupt_wakes_us() {
        let mut link = EmbassyLink::new(frames());
        assert!(link.is_up());
        assert_eq!(link.capabilities(), Capabilities::with_mtu(1500));
        let mut ethernet: Ethernet = Ethernet::new(link.ethernet_address().unwrap());
        let config = StackConfig::new(link.capabilities(), [1, 2]);
        let mut stack =
            Stack::new(config, crate::congestion::Reno::default(), Storage::growing()).unwrap();
        for last in [1, 2] {
            stack.add_address(Cidr { address: [10, 0, 0, last].into(), prefix: 24 }).unwrap();
        }
        let woken = Arc::new(Count::default());
        link.set_waker(&Waker::from(woken.clone()));
        let now = Instant::from_secs(1);
        let mut send = |link: &mut EmbassyLink<Frames>| {
            ethernet.transmit(now, &mut stack, &mut |frame| {
                link.transmit(now, frame).map_err(|_| Rejected)
            })
        };
        assert_eq!(send(&mut link), Offered::Taken);
        assert_eq!(send(&mut link), Offered::Rejected, "no room");
        link.driver_mut().waker.take().unwrap().wake();
        assert_eq!(woken.0.load(Ordering::Relaxed), 1);
        let announcement = link.driver_mut().sent.remove(0);
        assert_eq!((announcement.len(), &announcement[12..14]), (42, &[8, 6][..]));
        assert_eq!(send(&mut link), Offered::Taken);

        link.driver_mut().received.push_back(announcement);
        let mut packets = Vec::new();
        let mut deliver =
            |received: crate::link::Received<'_>| packets.push(received.packet.to_vec());
        assert_eq!(link.receive(now, 8, &mut deliver), Ok(1));
        assert_eq!(packets[0].len(), 42);
        link.driver_mut().waker.take().unwrap().wake();
        assert_eq!(woken.0.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn checksums_and_headers_are_counted_as_the_driver_says() {
        let driver = Frames { checksum: Checksum::None, address: HardwareAddress::Ip, ..frames() };
        let mut link = EmbassyLink::new(driver);
        let capabilities = link.capabilities();
        assert_eq!((link.ethernet_address(), capabilities.mtu), (None, 1514));
        assert_eq!(capabilities.checksum, WriteChecksum::PseudoHeader);
        assert_eq!(capabilities.verify, Checksums::ALL);
        // The driver verifies TCP's alone.
        let packets = [6, 1].map(|protocol| [0x45, 0, 0, 0, 0, 0, 0, 0, 64, protocol].to_vec());
        link.driver_mut().received.extend(packets);
        let mut verified = Vec::new();
        let mut deliver = |received: crate::link::Received<'_>| verified.push(received.verify);
        link.receive(Instant::ZERO, 2, &mut deliver).unwrap();
        assert_eq!(verified, [Checksums { ip: true, transport: false }, Checksums::ALL]);
        let packet = Transmit {
            header: &[9; 40],
            payload: [b"a", b"b"],
            transport_offset: 20,
            segment_size: 0,
            checksum: WriteChecksum::PseudoHeader,
            ecn: crate::wire::Ecn::NotEct,
        };
        link.transmit(Instant::ZERO, &packet).unwrap();
        let bytes = &link.driver_mut().sent[0];
        assert_eq!(
            (bytes.len(), &bytes[35..39], &bytes[40..]),
            (42, &[9, 0, 0, 9][..], &b"ab"[..])
        );
    }
}
