//! Formats of files, link-layer headers, and what is wrong with a file.

use crate::script::{End, Segment, handshake, ms, pcap, pcap_as, read, segment};
use ackclock_trace::{CaptureError, Connection, GraphPage, Selection, Settings, analyse};
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketBlock;
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::{DataLink, Endianness, TsResolution};

fn segments() -> Vec<Segment> {
    let mut all = handshake(true);
    all.push(segment(ms(50), End::A, 1, 1).payload(1000));
    all.push(segment(ms(90), End::B, 1, 1001).payload(700));
    all.push(segment(ms(100), End::A, 1001, 701));
    all
}

/// What the segments are, in whichever file.
fn expected() -> Vec<Connection> {
    let (connections, _, result) = read(&pcap(&segments()));
    assert!(result.is_ok() && connections[0].a_to_b.unique_bytes == 1000);
    connections
}

#[test]
fn all_kinds_of_pcap_files_say_the_same() {
    for resolution in [TsResolution::NanoSecond, TsResolution::MicroSecond] {
        for order in [Endianness::Little, Endianness::Big] {
            let file = pcap_as(&segments(), DataLink::RAW, resolution, order, &[]);
            assert_eq!(read(&file).0, expected(), "{resolution:?} {order:?}");
        }
    }
}

#[test]
fn all_kinds_of_link_layer_headers_are_understood() {
    let ethernet = [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 6];
    let cooked = [0, 0, 0, 1, 0, 6, 0, 1, 2, 3, 4, 5, 0, 0, 8, 0];
    let cooked_2 = [8, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, 6, 0, 1, 2, 3, 4, 5, 0, 0];
    let kinds: [(DataLink, Vec<u8>); 12] = [
        (DataLink::ETHERNET, [&ethernet[..], &[8, 0]].concat()),
        (DataLink::ETHERNET, [&ethernet[..], &[0x81, 0, 0, 5, 8, 0]].concat()),
        (DataLink::ETHERNET, [&ethernet[..], &[0x88, 0xa8, 0, 5, 0x81, 0, 0, 7, 8, 0]].concat()),
        (DataLink::LINUX_SLL, cooked.to_vec()),
        (DataLink::LINUX_SLL2, cooked_2.to_vec()),
        (DataLink::NULL, vec![2, 0, 0, 0]),
        (DataLink::NULL, vec![0, 0, 0, 2]),
        (DataLink::LOOP, vec![0, 0, 0, 2]),
        (DataLink::PPP, vec![0xff, 3, 0, 0x21]),
        (DataLink::Unknown(12), vec![]),
        (DataLink::IPV4, vec![]),
        (DataLink::RAW, vec![]),
    ];
    for (kind, header) in kinds {
        let resolution = TsResolution::NanoSecond;
        let file = pcap_as(&segments(), kind, resolution, Endianness::Little, &header);
        assert_eq!(read(&file).0, expected(), "{kind:?} {header:?}");
    }
}

#[test]
fn ipv6_is_as_good() {
    let segments: Vec<_> = segments().into_iter().map(Segment::ipv6).collect();
    let (connections, _, _) = read(&pcap(&segments));
    assert_eq!(connections[0].a.to_string(), "[fd09::1]:4000");
    assert_eq!(connections[0].a_to_b, expected()[0].a_to_b);
}

#[test]
fn a_link_type_that_is_not_known_is_named() {
    let kind = DataLink::USB_LINUX;
    let file = pcap_as(&segments(), kind, TsResolution::NanoSecond, Endianness::Little, &[]);
    let (connections, summary, result) = read(&file);
    assert!(connections.is_empty() && result.is_ok());
    assert_eq!(summary.unknown_link_packets, 6);
    let text = summary.to_string();
    assert!(text.contains("6 packets with a link-layer header that is not known (link type 189)"));
}

#[test]
fn a_snap_length_cuts_payload_and_not_what_is_counted() {
    let segments: Vec<_> = segments().into_iter().map(|segment| segment.captured(10)).collect();
    let (connections, _, result) = read(&pcap(&segments));
    assert!(result.is_ok());
    let a = &connections[0].a_to_b;
    assert_eq!((a.unique_bytes, a.cut_packets), (1000, 1));
    // Shorter than the headers: said, and left out.
    let mut file = pcap_as(&[], DataLink::RAW, TsResolution::NanoSecond, Endianness::Little, &[]);
    for bytes in [30_u32, 60] {
        let (packet, _) = segments[3].bytes();
        file.extend([1_u32, 0, bytes.min(30), 1040].map(u32::to_le_bytes).concat());
        file.extend(&packet[..30]);
    }
    let (_, summary, _) = read(&file);
    assert_eq!((summary.cut_packets, summary.tcp_packets), (2, 0));
}

#[test]
fn packets_captured_before_segmentation_without_a_length_have_that_of_the_record() {
    let mut file = pcap_as(&[], DataLink::RAW, TsResolution::NanoSecond, Endianness::Little, &[]);
    let (mut packet, length) = segment(ms(0), End::A, 1, 1).payload(9000).bytes();
    packet[2..4].fill(0);
    file.extend([1, 0, length, length].map(u32::to_le_bytes).concat());
    file.extend(packet);
    assert_eq!(read(&file).0[0].a_to_b.unique_bytes, 9000);
}

/// A pcapng file with two interfaces that count time differently; each packet is there twice.
fn pcapng(order: Endianness) -> Vec<u8> {
    let mut writer = PcapNgWriter::with_endianness(Vec::new(), order).unwrap();
    for (name, resolution) in [("left", 6), ("right", 9)] {
        writer
            .write_pcapng_block(InterfaceDescriptionBlock {
                linktype: DataLink::RAW,
                snaplen: 0,
                options: vec![
                    InterfaceDescriptionOption::IfName(name.into()),
                    InterfaceDescriptionOption::IfTsResol(resolution),
                ],
            })
            .unwrap();
    }
    for segment in segments() {
        let (data, length) = segment.bytes();
        for (interface_id, scale) in [(0, 1000), (1, 1)] {
            // The library writes its time as nanoseconds, whatever the interface counts in.
            let timestamp = segment.at / scale;
            let data = data.as_slice().into();
            let block = EnhancedPacketBlock {
                interface_id,
                timestamp,
                original_len: length,
                data,
                options: vec![],
            };
            writer.write_pcapng_block(block).unwrap();
        }
    }
    writer.into_inner()
}

#[test]
fn each_interface_of_a_pcapng_file_has_connections_and_a_clock_of_its_own() {
    for order in [Endianness::Little, Endianness::Big] {
        let (connections, summary, result) = read(&pcapng(order));
        assert!(result.is_ok() && summary.packets == 12);
        let names: Vec<_> = connections.iter().map(|of| of.interface.as_deref()).collect();
        assert_eq!(names, [Some("left"), Some("right")]);
        for connection in connections {
            assert_eq!(connection.a_to_b, expected()[0].a_to_b);
            assert_eq!(connection.duration_s, 0.1);
        }
    }
}

#[test]
fn a_page_of_graphs_says_which_interface_and_draws_each_direction_with_data() {
    let mut graphs = GraphPage::new(Selection::default());
    let file = pcapng(Endianness::Little);
    let (summary, _) = analyse(&file[..], Settings::default(), &mut graphs);
    let html = graphs.html("a<b", &summary, Some("cut off"));
    for text in ["TCP connections in a&lt;b", "cut off", "At left: 1000 B and 700 B", "At right: "]
    {
        assert!(html.contains(text), "{text}");
    }
    // Two connections, two directions, four graphs.
    assert_eq!(html.matches("<svg").count(), 16);
}

#[test]
fn a_section_may_follow_another_in_the_other_byte_order() {
    let file = [pcapng(Endianness::Little), pcapng(Endianness::Big)].concat();
    let (connections, summary, result) = read(&file);
    assert!(result.is_ok());
    assert_eq!((connections.len(), summary.packets), (4, 24));
}

#[test]
fn a_truncated_file_is_read_up_to_there() {
    for file in [pcap(&segments()), pcapng(Endianness::Little)] {
        let whole = read(&file).1.packets;
        let (_, summary, result) = read(&file[..file.len() - 5]);
        let error = result.unwrap_err();
        assert_eq!(summary.packets, whole - 1);
        let CaptureError::Truncated { packets, missing, .. } = error else { panic!("{error}") };
        assert_eq!((packets, missing), (whole - 1, 5));
        let text = error.to_string();
        assert!(
            text.starts_with("the capture ends within a packet: 5 bytes of what begins"),
            "{text}"
        );
    }
}

#[test]
fn a_file_with_garbage_is_read_up_to_there() {
    let segments = segments();
    let before = pcap(&segments[..3]);
    for garbage in [&[0xee; 100][..], &[0x7f; 20]] {
        let (connections, summary, result) = read(&[&before, garbage].concat());
        let error = result.unwrap_err();
        assert_eq!((connections.len(), summary.packets), (1, 3));
        let CaptureError::Malformed { offset, packets, .. } = &error else { panic!("{error}") };
        assert_eq!((*offset, *packets), (before.len() as u64, 3));
        let text = error.to_string();
        assert!(text.contains("3 packets before it were read"), "{text}");
    }
}

#[test]
fn packets_of_garbage_are_counted_and_the_rest_is_analysed() {
    let mut file = pcap(&segments());
    for length in [0_u8, 1, 19, 40, 90] {
        file.extend([200, 0, length.into(), length.into()].map(u32::to_le_bytes).concat());
        file.extend(std::iter::repeat_n(0x45, length.into()));
    }
    let (connections, summary, result) = read(&file);
    assert!(result.is_ok());
    assert_eq!((summary.packets, summary.tcp_packets), (11, 6));
    assert_eq!(connections, expected());
}

#[test]
fn what_is_no_capture_is_said_to_be_none() {
    let said = |bytes: &[u8]| read(bytes).2.unwrap_err().to_string();
    assert!(said(b"").ends_with("it is empty"));
    assert!(said(b"\x1f\x8b\x08aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa").contains("zcat FILE"));
    assert!(said(b"GET / HTTP/1.1 and so on and on").contains("as tcpdump -w or dumpcap write it"));
}
