//! SYNs with any option area: what we offer, agree to and then use fits together.

use crate::peer::{PEER_ISN, Peer, Sent, header};
use ackclock::congestion::BuiltIn;
use ackclock::seq::SeqNumber;
use ackclock::tcp::Config;
use ackclock::time::Duration;
use ackclock::wire::{
    Checksums, Flags, Header, Options, Protocol, SignatureKind, Timestamps, WriteChecksum,
    parse_packet, write_packet_header,
};
use arbitrary::{Result, Unstructured};

/// The longest option area, in bytes.
const MOST_OPTIONS: usize = 40;
/// Where the TCP header begins in the peer's packets.
const TCP: usize = 20;
const TCP_HEADER: usize = 20;
/// RFC 9293 MUST-15.
const DEFAULT_MSS: u16 = 536;
/// Least MSS of a peer that is believed.
const LEAST_MSS: u16 = 48;
/// RFC 7323 section 2.3.
const MOST_SHIFT: u8 = 14;
/// What our side writes, in bytes.
const DATA: usize = 300;

pub(crate) fn run(data: &[u8]) {
    // Input that ends early is not worth more.
    let _ = handshake(&mut Unstructured::new(data));
}

fn handshake(u: &mut Unstructured<'_>) -> Result<()> {
    let mut config = Config::default();
    config.timestamps = u.arbitrary()?;
    config.sack = u.arbitrary()?;
    config.window_scaling = u.arbitrary()?;
    config.mss = *u.choose(&[None, Some(1), Some(1_000)])?;
    config.receive_buffer = *u.choose(&[256 * 1024, 1, 1 << 30])?;
    config.send_buffer = DATA as u32;
    let passive = u.arbitrary()?;
    let area: Vec<u8> = u.bytes(u.len().min(MOST_OPTIONS))?.to_vec();

    let mut peer = Peer::new(BuiltIn::default());
    let (seq, window) = (PEER_ISN, 60_000);
    if passive {
        peer.listen(&config);
        let syn = Header { seq, flags: Flags::SYN, window, ..header() };
        let (bytes, offered) = with_options(&syn, &area);
        let sent = peer.packet(&bytes);
        let Some(offered) = offered.filter(is_for_us) else {
            assert!(sent.is_empty(), "a bad SYN is not answered: {sent:?}");
            return Ok(());
        };
        let [answer] = &sent[..] else {
            panic!("a SYN is answered with one segment: {sent:?}");
        };
        check_syn(&config, &answer.header.options);
        check_answer(&answer.header.options, &offered);
        peer.our_isn = answer.header.seq;
        let agreed = agreed(&answer.header.options, &offered);
        exchange(&mut peer, &agreed, answer.header.options.timestamps);
    } else {
        let syn = peer.connect(&config);
        check_syn(&config, &syn.header.options);
        let flags = Flags::SYN | Flags::ACK;
        let answer = Header { seq, ack: peer.our_isn + 1, flags, window, ..header() };
        let (bytes, offered) = with_options(&answer, &area);
        let sent = peer.packet(&bytes);
        let Some(offered) = offered.filter(is_for_us) else {
            assert!(sent.is_empty(), "a bad SYN is not answered: {sent:?}");
            return Ok(());
        };
        let agreed = agreed(&syn.header.options, &offered);
        check_use(&sent, &agreed);
        exchange(&mut peer, &agreed, syn.header.options.timestamps);
    }
    Ok(())
}

/// The packet with exactly this option area (padded with zeros), and what our parser reads in it.
fn with_options(header: &Header, area: &[u8]) -> (Vec<u8>, Option<Options>) {
    let padded = area.len().div_ceil(4) * 4;
    let mut packet = [0; ackclock::wire::MAX_HEADER];
    let ip = ackclock::wire::IpInfo {
        source: [10, 0, 0, 2].into(),
        destination: [10, 0, 0, 1].into(),
        hop_limit: 64,
        dscp: 0,
        ecn: ackclock::wire::Ecn::NotEct,
    };
    // The area takes the place of payload, so that lengths and the IP checksum are right.
    let mut options = area.to_vec();
    options.resize(padded, 0);
    let complete = WriteChecksum::Complete;
    let len = write_packet_header(&mut packet, &ip, header, [&options, &[]], complete);
    let mut bytes = [&packet[..len], &options].concat();
    bytes[TCP + 12] = (((TCP_HEADER + padded) / 4) << 4) as u8;
    // The sum changes by as much as the data offset did.
    let sum = u16::from_be_bytes([bytes[TCP + 16], bytes[TCP + 17]]);
    let change = ((padded / 4) << 12) as u16;
    let (mut new, carry) = (!sum).overflowing_add(change);
    new += u16::from(carry);
    bytes[TCP + 16..TCP + 18].copy_from_slice(&(!new).to_be_bytes());
    let read = match parse_packet(&bytes, Checksums::default()) {
        Ok(packet) => match packet.protocol {
            Protocol::Tcp(segment) => Some(segment.header.options),
            other => panic!("not TCP: {other:?}"),
        },
        Err(error) => {
            assert_eq!(error, ackclock::wire::WireError::Option);
            None
        }
    };
    (bytes, read)
}

/// Whether a host without any key takes a segment with these options: an MD5 digest is for a connection that
/// uses one, whereas a TCP-AO option is ignored (RFC 5925 section 7.3).
fn is_for_us(options: &Options) -> bool {
    options.signature != Some(SignatureKind::Md5)
}

/// What our SYN offers is what the settings say.
fn check_syn(config: &Config, options: &Options) {
    assert!(options.mss.is_some_and(|mss| mss > 0));
    assert!(!options.sack_permitted || config.sack);
    assert!(options.timestamps.is_none() || config.timestamps);
    assert!(options.window_scale.is_none_or(|shift| config.window_scaling && shift <= MOST_SHIFT));
    assert!(options.sack.is_empty());
}

/// A SYN-ACK has only options that the SYN had (the MSS excepted).
fn check_answer(answer: &Options, offered: &Options) {
    assert!(!answer.sack_permitted || offered.sack_permitted);
    assert!(answer.window_scale.is_none() || offered.window_scale.is_some());
    assert!(answer.timestamps.is_none() || offered.timestamps.is_some());
    if let (Some(ours), Some(theirs)) = (answer.timestamps, offered.timestamps) {
        assert_eq!(ours.echo, theirs.value);
    }
}

/// What both SYNs agree on.
struct Agreed {
    sack: bool,
    timestamps: bool,
    most_data: usize,
    peer_timestamp: u32,
}

fn agreed(ours: &Options, theirs: &Options) -> Agreed {
    let timestamps = ours.timestamps.is_some() && theirs.timestamps.is_some();
    let told = theirs.mss.filter(|mss| *mss > 0);
    let mss = told.map_or(DEFAULT_MSS, |mss| mss.max(LEAST_MSS));
    let room = if timestamps { mss.saturating_sub(12) } else { mss };
    Agreed {
        sack: ours.sack_permitted && theirs.sack_permitted,
        timestamps,
        most_data: usize::from(room.max(1)),
        peer_timestamp: theirs.timestamps.map_or(0, |timestamps| timestamps.value),
    }
}

/// Segments use what was agreed on and nothing else.
fn check_use(sent: &[Sent], agreed: &Agreed) {
    for Sent { header, payload } in sent {
        let Options { mss, window_scale, sack_permitted, timestamps, signature, sack } =
            header.options;
        let of_syn = (mss, window_scale, sack_permitted, header.options.fast_open());
        assert_eq!(of_syn, (None, None, false, None), "not a SYN");
        assert_eq!(signature, None, "there is no key");
        assert_eq!(timestamps.is_some(), agreed.timestamps);
        assert!(sack.is_empty() || agreed.sack);
        assert!(payload.len() <= agreed.most_data, "{} bytes", payload.len());
    }
}

/// The handshake ends and data goes both ways.
fn exchange(peer: &mut Peer, agreed: &Agreed, ours: Option<Timestamps>) {
    let echo = ours.map_or(0, |timestamps| timestamps.value);
    let timestamps = Timestamps { value: agreed.peer_timestamp, echo };
    let options =
        Options { timestamps: agreed.timestamps.then_some(timestamps), ..Options::default() };
    let seq = PEER_ISN + 1;
    let mut ack = Header { seq, ack: peer.our_isn + 1, options, ..header() };
    let sent = peer.says(&ack);
    check_use(&sent, agreed);
    peer.accept();
    assert!(peer.info().is_some_and(|info| info.state.is_synchronized()), "established");
    // Behind a hole, so that it is reported if it may be.
    let sent = peer.sends(&Header { seq: seq + 1, ..ack }, &[1]);
    check_use(&sent, agreed);
    let mut taken = 0;
    let mut sent = peer.write(DATA);
    for _ in 0..2 * DATA {
        check_use(&sent, agreed);
        let ends = sent.iter().map(|sent| sent.header.seq + sent.payload.len() as u32);
        ack.ack = ends.fold(ack.ack, SeqNumber::max);
        taken = ack.ack.since(peer.our_isn + 1) as usize;
        if taken == DATA {
            break;
        }
        sent = peer.says(&ack);
        if sent.is_empty() {
            sent = peer.wait(Duration::from_secs(1), 1);
        }
    }
    assert_eq!(taken, DATA, "everything was sent");
    peer.check();
}
