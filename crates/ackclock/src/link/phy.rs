//! Links over devices that implement [`smoltcp::phy::Device`], version 0.14.

use super::contiguous::{Unverified, capabilities, copy_whole};
use super::{Link, TransmitError};
use crate::stack::{Capabilities, Received, Segmentation, Transmit};
use crate::time::Instant;
use crate::wire::{ETHERNET_HEADER, MAX_HEADER};
use core::convert::Infallible;
use core::num::{NonZeroU16, NonZeroUsize};
use smoltcp::phy::{Device, DeviceCapabilities, Medium, PacketMeta, RxToken, TxToken};

/// A [`Link`] over a device written for smoltcp. A device whose medium is Ethernet carries frames, and has to
/// be used with [`Ethernet`](super::ethernet::Ethernet).
///
/// Checksums that the device computes or verifies, and segmentation that it does, are left to it. Such a
/// device needs a packet in contiguous memory: each is copied once, into the device's memory.
#[derive(Debug)]
pub struct PhyLink<D> {
    device: D,
    verify: Unverified,
    /// Bytes before the IP header in a frame.
    ip_offset: usize,
}

impl<D: Device> PhyLink<D> {
    /// A link over this device.
    pub fn new(device: D) -> Self {
        let capabilities = device.capabilities();
        let verify = unverified(&capabilities);
        let is_ethernet = capabilities.medium == Medium::Ethernet;
        let ip_offset = if is_ethernet { ETHERNET_HEADER } else { 0 };
        PhyLink { device, verify, ip_offset }
    }

    /// Whether the device carries Ethernet frames.
    pub fn is_ethernet(&self) -> bool {
        self.device.capabilities().medium == Medium::Ethernet
    }

    /// The wrapped device.
    pub fn device_mut(&mut self) -> &mut D {
        &mut self.device
    }
}

impl<D: Device> Link for PhyLink<D> {
    type Error = Infallible;

    fn capabilities(&self) -> Capabilities {
        let device = self.device.capabilities();
        let we_compute = device.checksum.tcp.tx();
        let mut all = capabilities(device.ip_mtu(), self.verify, we_compute);
        // Segments cut in software need new checksums.
        if !we_compute {
            let segmentation = &device.segmentation;
            let (ipv4, ipv6) = (payload(segmentation.tcpv4), payload(segmentation.tcpv6));
            all.segmentation = Segmentation { ipv4, ipv6 };
        }
        all
    }

    fn transmit(
        &mut self,
        now: Instant,
        packet: &Transmit<'_>,
    ) -> Result<(), TransmitError<Infallible>> {
        let mut token = self.device.transmit(timestamp(now)).ok_or(TransmitError::Full)?;
        let mut meta = PacketMeta::default();
        meta.segmentation_offload_size = NonZeroU16::new(packet.segment_size);
        token.set_meta(meta);
        token.consume(packet.len(), |to| copy_whole(packet, to));
        Ok(())
    }

    fn receive(
        &mut self,
        now: Instant,
        budget: usize,
        deliver: &mut dyn FnMut(Received<'_>),
    ) -> Result<usize, Infallible> {
        for received in 0..budget {
            let Some((token, _)) = self.device.receive(timestamp(now)) else {
                return Ok(received);
            };
            token.consume(|packet| {
                let verify = self.verify.of(packet.get(self.ip_offset..).unwrap_or_default());
                deliver(Received { packet, verify });
            });
        }
        Ok(budget)
    }
}

/// The checksums that the device leaves to the stack to verify.
fn unverified(device: &DeviceCapabilities) -> Unverified {
    Unverified {
        ip: device.checksum.ipv4.rx(),
        tcp: device.checksum.tcp.rx(),
        icmpv4: device.checksum.icmpv4.rx(),
        icmpv6: device.checksum.icmpv6.rx(),
    }
}

/// Most payload bytes of a transmission that the device can cut, if it takes at most `limit` bytes at once.
fn payload(limit: Option<NonZeroUsize>) -> u32 {
    let frame = limit.map_or(0, NonZeroUsize::get);
    let payload = frame.saturating_sub(ETHERNET_HEADER + MAX_HEADER);
    u32::try_from(payload).unwrap_or(u32::MAX)
}

fn timestamp(now: Instant) -> smoltcp::time::Instant {
    let micros = i64::try_from(now.as_nanos() / 1000).unwrap_or(i64::MAX);
    smoltcp::time::Instant::from_micros(micros)
}

#[cfg(all(test, feature = "alloc", feature = "ipv4", feature = "ipv6"))]
mod tests {
    use super::*;
    use crate::link::ethernet::Ethernet;
    use crate::stack::{Cidr, ListenConfig, Offered, Rejected, Stack, StackConfig, Storage};
    use crate::tcp::Config;
    use crate::wire::{Checksums, EtherType, EthernetAddress, WriteChecksum, ethernet_header};
    use core::net::Ipv6Addr;
    use smoltcp::phy::{Checksum, Loopback};
    use std::collections::VecDeque;
    use std::vec::Vec;

    /// A device whose frames the test sees.
    #[derive(Default)]
    struct Frames {
        received: VecDeque<Vec<u8>>,
        sent: Vec<(Vec<u8>, PacketMeta)>,
        capabilities: DeviceCapabilities,
        is_full: bool,
    }

    struct Received(Vec<u8>);
    struct Sent<'a>(&'a mut Vec<(Vec<u8>, PacketMeta)>, PacketMeta);

    impl RxToken for Received {
        fn consume<R, F: FnOnce(&[u8]) -> R>(self, f: F) -> R {
            f(&self.0)
        }
    }

    impl TxToken for Sent<'_> {
        fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, len: usize, f: F) -> R {
            let mut bytes = std::vec![0xee; len];
            let answer = f(&mut bytes);
            self.0.push((bytes, self.1));
            answer
        }

        fn set_meta(&mut self, meta: PacketMeta) {
            self.1 = meta;
        }
    }

    impl Device for Frames {
        type RxToken<'a> = Received;
        type TxToken<'a> = Sent<'a>;

        fn receive(&mut self, now: smoltcp::time::Instant) -> Option<(Received, Sent<'_>)> {
            let received = Received(self.received.pop_front()?);
            Some((received, self.transmit(now)?))
        }

        fn transmit(&mut self, _: smoltcp::time::Instant) -> Option<Sent<'_>> {
            (!self.is_full).then_some(Sent(&mut self.sent, PacketMeta::default()))
        }

        fn capabilities(&self) -> DeviceCapabilities {
            self.capabilities.clone()
        }
    }

    /// A device that computes TCP checksums, or does so and segments.
    fn offloading(segment: Option<usize>) -> PhyLink<Frames> {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.max_transmission_unit = 1514;
        capabilities.checksum.tcp = Checksum::None;
        capabilities.segmentation.tcpv4 = segment.and_then(NonZeroUsize::new);
        capabilities.segmentation.tcpv6 = segment.and_then(NonZeroUsize::new);
        PhyLink::new(Frames { capabilities, ..Frames::default() })
    }

    fn stack<D: Device>(link: &PhyLink<D>) -> Stack<'static> {
        let config = StackConfig::new(link.capabilities(), [1, 2]);
        let mut stack = Stack::new(config, Default::default(), Storage::growing()).unwrap();
        stack.add_address(Cidr { address: [10, 0, 0, 1].into(), prefix: 24 }).unwrap();
        stack
    }

    #[test]
    fn a_stack_talks_to_itself_over_a_loopback_device() {
        let mut link = PhyLink::new(Loopback::new(Medium::Ip));
        assert!(!link.is_ethernet());
        let mut stack = stack(&link);
        stack.add_address(Cidr { address: [127, 0, 0, 1].into(), prefix: 8 }).unwrap();
        let mut now = Instant::from_secs(1);
        let remote = "127.0.0.1:80".parse().unwrap();
        let listener = stack.listen(ListenConfig::new(remote)).unwrap();
        let client = stack.connect(now, remote, None, &Config::default()).unwrap();
        stack.send(now, client, b"hello").unwrap();
        let mut bytes = [0; 10];
        let mut server = None;
        for _ in 0..20 {
            let mut sink = |packet: &Transmit<'_>| link.transmit(now, packet).map_err(|_| Rejected);
            while stack.transmit(now, &mut sink).is_taken() {}
            link.receive(now, 8, &mut |received| {
                assert_eq!(received.verify, Checksums { ip: false, transport: false });
                assert_eq!(received.packet[36..38], [0; 2], "a checksum left to the device");
                stack.on_received(now, &received);
            })
            .unwrap();
            server = server.or_else(|| stack.accept(listener));
            now += crate::time::Duration::from_millis(1);
        }
        assert_eq!(stack.receive(now, server.unwrap(), &mut bytes), Ok(5));
        assert_eq!(&bytes[..5], b"hello");
    }

    #[test]
    fn frames_go_through_an_ethernet_device_which_may_be_full() {
        let mut link = PhyLink::new(Frames::default());
        link.device_mut().capabilities.max_transmission_unit = 1514;
        assert!(link.is_ethernet());
        assert_eq!(link.capabilities(), Capabilities::with_mtu(1500));
        let mut stack = stack(&link);
        let mut ethernet: Ethernet = Ethernet::new(EthernetAddress([2, 0, 0, 0, 0, 1]));
        let now = Instant::from_secs(1);
        link.device_mut().is_full = true;
        let transmit = |link: &mut PhyLink<_>, stack: &mut _, ethernet: &mut Ethernet| {
            ethernet.transmit(now, stack, &mut |frame| {
                link.transmit(now, frame).map_err(|error| {
                    assert_eq!(error, TransmitError::Full);
                    Rejected
                })
            })
        };
        assert_eq!(transmit(&mut link, &mut stack, &mut ethernet), Offered::Rejected);
        link.device_mut().is_full = false;
        assert_eq!(transmit(&mut link, &mut stack, &mut ethernet), Offered::Taken);
        assert_eq!(transmit(&mut link, &mut stack, &mut ethernet), Offered::Nothing);
        let announcement = link.device_mut().sent.remove(0).0;
        assert_eq!((announcement.len(), &announcement[12..14]), (42, &[8, 6][..]));
        // Somebody else has that address, too.
        let mut other = announcement;
        other[6..12].copy_from_slice(&[2, 0, 0, 0, 0, 2]);
        other[22..28].copy_from_slice(&[2, 0, 0, 0, 0, 2]);
        link.device_mut().received.extend([other.clone(), other.clone(), other]);
        let mut deliver = |received: crate::link::Received<'_>| {
            ethernet.on_received(now, &mut stack, &received);
        };
        assert_eq!(link.receive(now, 2, &mut deliver), Ok(2));
        assert_eq!(link.receive(now, 2, &mut deliver), Ok(1));
        assert_eq!(ethernet.statistics().conflicts, 3);
    }

    #[test]
    fn what_the_device_computes_and_cuts_is_left_to_it() {
        assert_eq!(offloading(None).capabilities().checksum, WriteChecksum::PseudoHeader);
        assert_eq!(offloading(None).capabilities().segmentation, Segmentation::NONE);
        let mut link = offloading(Some(20_000));
        assert_eq!(link.capabilities().segmentation, Segmentation::both(20_000 - 14 - 100));
        let header: Vec<u8> = (0..60).collect();
        let packet = Transmit {
            header: &header,
            payload: [&[7; 3000], &[]],
            transport_offset: 40,
            segment_size: 1000,
            checksum: WriteChecksum::PseudoHeader,
            ecn: crate::wire::Ecn::NotEct,
        };
        link.transmit(Instant::ZERO, &packet).unwrap();
        let (bytes, meta) = link.device_mut().sent.remove(0);
        assert_eq!(meta.segmentation_offload_size, NonZeroU16::new(1000));
        assert_eq!(bytes[..56], header[..56]);
        assert_eq!(bytes[56..58], [0; 2]);
        assert_eq!((&bytes[58..60], bytes.len()), (&header[58..], 3060));
        link.transmit(Instant::ZERO, &Transmit { segment_size: 0, ..packet }).unwrap();
        assert_eq!(link.device_mut().sent[0].1.segmentation_offload_size, None);
        // A device that segments and does not compute checksums could not complete what it cuts.
        link.device_mut().capabilities.checksum.tcp = Checksum::Both;
        assert_eq!(link.capabilities().segmentation, Segmentation::NONE);
    }

    #[test]
    fn a_device_that_cuts_one_family_does_so_for_that_one() {
        let mut link = offloading(Some(20_000));
        link.device_mut().capabilities.segmentation.tcpv6 = None;
        let only_ipv4 = Segmentation { ipv4: 20_000 - 14 - 100, ipv6: 0 };
        assert_eq!(link.capabilities().segmentation, only_ipv4);
        // So a stack does as it is told.
        let mut stack = stack(&link);
        stack.add_address(Cidr { address: Ipv6Addr::LOCALHOST.into(), prefix: 128 }).unwrap();
        let (now, config) = (Instant::from_secs(1), Config::default());
        for (remote, is_cut) in [("10.0.0.1:80", true), ("[::1]:80", false)] {
            let remote = remote.parse().unwrap();
            let listener = stack.listen(ListenConfig::new(remote)).unwrap();
            let client = stack.connect(now, remote, None, &config).unwrap();
            to_itself(now, &mut stack);
            let server = stack.accept(listener).unwrap();
            stack.send(now, client, &[7; 5_000]).unwrap();
            let sizes = to_itself(now, &mut stack);
            assert_eq!(sizes.iter().any(|size| *size > 1_500), is_cut, "{remote}: {sizes:?}");
            assert_eq!(stack.receive(now, server, &mut [0; 6_000]), Ok(5_000));
        }
    }

    /// Hands the stack what it sends, until there is nothing; returns the payloads' lengths.
    fn to_itself(now: Instant, stack: &mut Stack<'static>) -> Vec<usize> {
        let mut sizes = Vec::new();
        let mut packets = Vec::new();
        loop {
            let mut sink = |packet: &Transmit<'_>| {
                let mut bytes = std::vec![0; packet.len()];
                packet.copy_to(&mut bytes).unwrap();
                sizes.push(packet.payload.iter().map(|part| part.len()).sum());
                packets.push(bytes);
                Ok(())
            };
            while stack.transmit(now, &mut sink).is_taken() {}
            if packets.is_empty() {
                return sizes;
            }
            let verify = Checksums { ip: true, transport: false };
            for packet in packets.drain(..) {
                stack.on_received(now, &crate::link::Received { packet: &packet, verify });
            }
        }
    }

    #[test]
    fn what_a_device_does_not_verify_is_verified_though_it_verifies_tcp() {
        #[rustfmt::skip]
        let mut request = [
            0x45, 0, 0, 30, 0, 0, 0x40, 0, 64, 1, 0x26, 0xdd, 10, 0, 0, 2, 10, 0, 0, 1,
            8, 0, 0x96, 0x9a, 0, 1, 0, 2, b'a', b'b',
        ];
        request[29] = b'c';
        let [to, from] = [1, 2].map(|last| EthernetAddress([2, 0, 0, 0, 0, last]));
        let frame = [&ethernet_header(to, from, EtherType::Ipv4)[..], &request].concat();
        for (icmp, bad) in [(Checksum::Both, 1), (Checksum::None, 0)] {
            let mut device = offloading(None).device;
            device.capabilities.checksum.icmpv4 = icmp;
            device.received.push_back(frame.clone());
            let mut link = PhyLink::new(device);
            let mut stack = stack(&link);
            let mut ethernet: Ethernet = Ethernet::new(to);
            let now = Instant::from_secs(1);
            let mut deliver = |received: crate::link::Received<'_>| {
                ethernet.on_received(now, &mut stack, &received);
            };
            assert_eq!(link.receive(now, 1, &mut deliver), Ok(1));
            assert_eq!(stack.statistics().bad_checksum, bad, "{icmp:?}");
        }
    }
}
