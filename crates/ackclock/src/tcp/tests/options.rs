//! Options of segments: where each may stand, and the MSS (RFC 9293 sections 3.1, 3.2, 3.7.1).

use super::*;
use crate::profile::Full;
use crate::tcp::handshake::Offer;

/// MUST-5: those that only mean something in a SYN change nothing elsewhere.
#[test]
fn options_are_taken_in_any_segment() {
    let mut test = Test::established(config());
    let before = test.info();
    let options = Options {
        mss: Some(9),
        window_scale: Some(9),
        sack_permitted: true,
        timestamps: Some(Timestamps { value: 9, echo: 9 }),
        ..Options::default()
    };
    let _ = test.segment(Header { options, ..header(IRS + 1, ISS + 1, ACK | FIN) }, &[0, 1]);
    assert_eq!((test.state(), test.read(0)), (State::CloseWait, 2));
    let after = test.info();
    assert_eq!((after.mss, after.peer_mss), (before.mss, before.peer_mss));
    assert_eq!((after.window_scale, after.send_window), (None, before.send_window));
}

/// MUST-65.
#[test]
fn only_a_syn_carries_an_mss_option() {
    let mut test = Test::connecting(config());
    test.queue(0, 1_500);
    test.connection.shutdown(test.now);
    let mut sent = test.sent();
    let options = Options { mss: Some(1_000), ..Options::default() };
    let _ = test.segment(Header { options, ..header(IRS, ISS + 1, SYN | ACK) }, &[]);
    sent.extend(test.sent());
    test.peer(5, 5, 0, Flags::NONE);
    sent.extend(test.sent());
    test.connection.abort();
    sent.extend(test.sent());
    let shape: Vec<_> = sent.iter().map(|s| (s.flags, s.options.mss)).collect();
    assert_eq!(
        shape,
        [(SYN, Some(1_000)), (ACK, None), (FIN | ACK, None), (ACK, None), (RST | ACK, None)]
    );
}

/// MUST-67: neither the packets of the link nor the setting can be exceeded.
#[test]
fn the_mss_announced_is_what_fits_a_packet() {
    let with = |mss| {
        let mut config = config();
        config.mss = mss;
        config
    };
    for (mtu, ip_header, mss, announced) in [
        (1_500, 20, None, 1_460),
        (1_280, 40, None, 1_220),
        (576, 20, None, 536),
        (576, 20, Some(9_000), 536),
        (9_000, 40, Some(1_000), 1_000),
        (1 << 20, 20, None, 65_535),
    ] {
        let offer = Agreement::<Full>::offer(&Offer::of(&with(mss)), mtu, ip_header, 10_000);
        assert_eq!(offer.our_mss, announced);
    }
}
