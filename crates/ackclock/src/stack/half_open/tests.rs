use super::*;
use crate::profile::Full;
use crate::tcp::{Config, EcnMode};
use crate::time::Duration;
use crate::wire::{Ecn, IpInfo, Options, Timestamps};

const CLIENT: SeqNumber = SeqNumber(1000);
const ISS: SeqNumber = SeqNumber(5000);

const PASSIVE: Passive = Passive {
    is_request: false,
    opens_fast: false,
    signature: None,
    listener: 3,
    first: FirstNumbers { isn: ISS, timestamp_offset: 500 },
    mtu: 1500,
    receive_memory: (100_000, 262_144),
    defer_accept: 0,
};

fn segment(flags: Flags, seq: SeqNumber, ack: SeqNumber, options: Options) -> Segment<'static> {
    let ip = IpInfo {
        source: [10, 0, 0, 2].into(),
        destination: [10, 0, 0, 1].into(),
        hop_limit: 64,
        dscp: 0,
        ecn: Ecn::NotEct,
    };
    let header = Header {
        source_port: 40_000,
        destination_port: 80,
        seq,
        ack,
        flags,
        window: 1000,
        options,
        ..Header::default()
    };
    Segment { header, ip, payload: &[] }
}

fn syn_options() -> Options {
    Options {
        mss: Some(1460),
        window_scale: Some(7),
        sack_permitted: true,
        timestamps: Some(Timestamps { value: 77, echo: 0 }),
        ..Options::default()
    }
}

fn timestamps(value: u32) -> Options {
    Options { timestamps: Some(Timestamps { value, echo: 0 }), ..Options::default() }
}

fn initial(config: &Config) -> Initial<Full> {
    Initial::new(config, 0)
}

fn record(config: &Config, options: Options) -> HalfOpen<Full> {
    let syn = segment(Flags::SYN, CLIENT, SeqNumber(0), options);
    HalfOpen::new(Instant::ZERO, &initial(config), &syn, &PASSIVE)
}

/// The flags of the SYN-ACK to a SYN with these flags besides.
fn answer_to(ecn: EcnMode, flags: Flags) -> Flags {
    let syn = segment(Flags::SYN | flags, CLIENT, SeqNumber(0), syn_options());
    let initial = initial(&Config { ecn, ..Config::default() });
    let record = HalfOpen::new(Instant::ZERO, &initial, &syn, &PASSIVE);
    record.syn_ack(Instant::ZERO).flags
}

/// What a second SYN with these flags means after a first one, where AccECN is accepted.
fn second_syn(first: Flags, second: Flags) -> (Answer, Flags) {
    let syn = |flags| segment(Flags::SYN | flags, CLIENT, SeqNumber(0), syn_options());
    let initial = initial(&Config { ecn: EcnMode::AcceptAccurate, ..Config::default() });
    let mut record = HalfOpen::new(Instant::ZERO, &initial, &syn(first), &PASSIVE);
    let answer = record.on_segment(Instant::from_secs(1), &syn(second));
    (answer, record.syn_ack(Instant::from_secs(1)).flags)
}

/// RFC 9768 section 3.1.5: nobody can tell in which mode a peer is that has asked for both.
#[test]
fn a_peer_that_asks_for_two_kinds_of_ecn_is_reset() {
    let (classic, accurate) = (Flags::ECE | Flags::CWR, Flags::AE | Flags::ECE | Flags::CWR);
    let agreed = Flags::SYN | Flags::ACK | Flags::CWR;
    assert_eq!(second_syn(accurate, classic).0, Answer::Refuse);
    assert_eq!(second_syn(classic, accurate).0, Answer::Refuse);
    assert_eq!(second_syn(accurate, accurate), (Answer::SynAck, agreed));
    assert_eq!(second_syn(accurate, Flags::NONE), (Answer::SynAck, agreed));
    let none = Flags::SYN | Flags::ACK;
    assert_eq!(second_syn(Flags::NONE, accurate), (Answer::SynAck, none));
}

fn plain() -> HalfOpen<Full> {
    record(&Config::default(), Options::default())
}

#[test]
fn the_syn_ack_agrees_to_what_the_peer_offered() {
    let now = Instant::from_millis(20);
    let all = record(&Config::default(), syn_options()).syn_ack(now);
    assert_eq!(all.flags, Flags::SYN | Flags::ACK);
    assert_eq!((all.seq, all.ack), (ISS, CLIENT + 1));
    assert_eq!(all.window, u16::MAX);
    let expected = Options {
        mss: Some(1460),
        window_scale: Some(3),
        timestamps: Some(Timestamps { value: 520, echo: 77 }),
        ..syn_options()
    };
    assert_eq!(all.options, expected);

    let nothing = plain().syn_ack(now);
    assert_eq!(nothing.options, Options { mss: Some(1460), ..Options::default() });

    let modest = Config {
        mss: Some(536),
        window_scaling: false,
        timestamps: false,
        sack: false,
        ..Config::default()
    };
    let modest = record(&modest, syn_options()).syn_ack(now);
    assert_eq!(modest.options, Options { mss: Some(536), ..Options::default() });
}

#[test]
fn acks_scale_their_window() {
    let ack = record(&Config::default(), syn_options()).ack(Instant::ZERO);
    assert_eq!((ack.seq, ack.ack), (ISS + 1, CLIENT + 1));
    assert_eq!((ack.flags, ack.window), (Flags::ACK, 65_535 >> 3));
}

#[test]
fn each_segment_gets_the_answer_of_section_3_10_7_4() {
    let next = CLIENT + 1;
    let zero = SeqNumber(0);
    let cases = [
        (Flags::SYN, CLIENT, zero, Answer::SynAck),
        (Flags::SYN, next, zero, Answer::Acknowledge),
        (Flags::SYN, CLIENT + 100_000, zero, Answer::Acknowledge),
        (Flags::RST, next, zero, Answer::Forget),
        (Flags::RST, next + 1, zero, Answer::Acknowledge),
        (Flags::RST, CLIENT, zero, Answer::Drop),
        (Flags::NONE, next, zero, Answer::Drop),
        (Flags::ACK, next, ISS + 1, Answer::Establish),
        (Flags::ACK | Flags::FIN, next, ISS + 1, Answer::Establish),
        (Flags::ACK, next + 65_534, ISS + 1, Answer::Establish),
        (Flags::ACK, next + 65_535, ISS + 1, Answer::Acknowledge),
        (Flags::ACK, CLIENT, ISS + 1, Answer::Acknowledge),
        (Flags::ACK, next, ISS, Answer::Reset),
        (Flags::ACK, next, ISS + 2, Answer::Reset),
    ];
    for (flags, seq, ack, expected) in cases {
        let segment = segment(flags, seq, ack, Options::default());
        let answer = plain().on_segment(Instant::ZERO, &segment);
        assert_eq!(answer, expected, "{flags:?} {seq} {ack}");
    }
}

#[test]
fn an_old_timestamp_is_acknowledged_and_a_missing_one_not() {
    let mut record = record(&Config::default(), syn_options());
    let ack = |options| segment(Flags::ACK, CLIENT + 1, ISS + 1, options);
    let now = Instant::ZERO;
    assert_eq!(record.on_segment(now, &ack(timestamps(76))), Answer::Acknowledge);
    assert_eq!(record.on_segment(now, &ack(Options::default())), Answer::Drop);
    assert_eq!(record.on_segment(now, &ack(timestamps(77))), Answer::Establish);
    let reset = segment(Flags::RST, CLIENT + 1, SeqNumber(0), Options::default());
    assert_eq!(record.on_segment(now, &reset), Answer::Forget);
}

#[test]
fn challenges_are_limited_per_record() {
    let mut record = plain();
    let reset = segment(Flags::RST, CLIENT + 2, SeqNumber(0), Options::default());
    let mut challenges = |secs| {
        let answers = (0..20).map(|_| record.on_segment(Instant::from_secs(secs), &reset));
        answers.filter(|answer| *answer == Answer::Acknowledge).count()
    };
    assert_eq!([challenges(10), challenges(14), challenges(15)], [10, 0, 10]);
}

#[test]
fn the_syn_ack_is_repeated_with_backoff_until_the_give_up_time() {
    let mut record = plain();
    assert_eq!(record.deadline(), Instant::from_secs(180), "not sent yet");
    let mut now = Instant::ZERO;
    record.on_syn_ack_sent(now);
    assert_eq!(record.accepted().syn_sent_at, Some(now));
    let mut fired = std::vec::Vec::new();
    loop {
        now = record.deadline();
        fired.push(now.as_millis() / 1000);
        if record.on_timeout(now) == Timeout::GiveUp {
            break;
        }
        record.on_syn_ack_sent(now);
    }
    assert_eq!(fired, [1, 3, 7, 15, 31, 63, 127, 180]);
    let accepted = record.accepted();
    assert_eq!((accepted.syn_sent_at, accepted.syn_retransmits), (None, 8));
}

/// As often as Linux answers: at most once in half a second.
#[test]
fn a_syn_that_is_repeated_thousands_of_times_is_answered_a_few() {
    let syn = segment(Flags::SYN, CLIENT, SeqNumber(0), Options::default());
    let mut record = plain();
    record.on_syn_ack_sent(Instant::ZERO);
    let mut answers = 0;
    // 5000 in 20 seconds.
    for repeated in 1..=5_000 {
        let now = Instant::from_millis(4 * repeated);
        if record.on_segment(now, &syn) == Answer::SynAck {
            record.on_syn_ack_sent(now);
            answers += 1;
        }
        assert!(record.deadline() > now);
    }
    assert_eq!(answers, 40);
}

#[test]
fn ecn_is_agreed_on_if_the_syn_asks_for_it_with_both_flags() {
    let (plain, agreed) = (Flags::SYN | Flags::ACK, Flags::SYN | Flags::ACK | Flags::ECE);
    let asks = Flags::ECE | Flags::CWR;
    for (ecn, answer) in
        [(EcnMode::Off, plain), (EcnMode::Accept, agreed), (EcnMode::Request, agreed)]
    {
        assert_eq!(answer_to(ecn, asks), answer);
        for flags in [Flags::NONE, Flags::ECE, Flags::CWR] {
            assert_eq!(answer_to(ecn, flags), plain);
        }
    }
}

/// RFC 3168 section 6.1.1.1, the example.
#[test]
fn a_peer_that_no_longer_asks_for_ecn_does_without() {
    let asks = segment(Flags::SYN | Flags::ECE | Flags::CWR, CLIENT, SeqNumber(0), syn_options());
    let mut record = HalfOpen::new(Instant::ZERO, &initial(&Config::default()), &asks, &PASSIVE);
    assert_eq!(record.on_segment(Instant::ZERO, &asks), Answer::SynAck, "not sent yet");
    assert!(record.syn_ack(Instant::ZERO).flags.contains(Flags::ECE));
    let no_longer = segment(Flags::SYN, CLIENT, SeqNumber(0), syn_options());
    assert_eq!(record.on_segment(Instant::ZERO, &no_longer), Answer::SynAck);
    assert_eq!(record.syn_ack(Instant::ZERO).flags, Flags::SYN | Flags::ACK);
    assert!(!record.accepted().agreement.ecn);
}

#[test]
fn an_ack_without_data_counts_only_after_the_time_for_data_is_over() {
    let syn = segment(Flags::SYN, CLIENT, SeqNumber(0), Options::default());
    let passive = Passive { defer_accept: 2, ..PASSIVE };
    let mut record = HalfOpen::new(Instant::ZERO, &initial(&Config::default()), &syn, &passive);
    record.on_syn_ack_sent(Instant::ZERO);
    let ack = segment(Flags::ACK, CLIENT + 1, ISS + 1, Options::default());
    let text = Segment { payload: b"a", ..ack };
    assert_eq!(record.on_segment(Instant::ZERO, &ack), Answer::Drop);
    assert_eq!(record.accepted().syn_sent_at, None, "no round trip");
    assert_eq!({ record }.on_segment(Instant::ZERO, &text), Answer::Establish);
    let mut at = |expected| {
        let now = record.deadline();
        assert_eq!((now.as_millis(), record.on_timeout(now)), expected);
    };
    at((1_000, Timeout::Wait));
    at((3_000, Timeout::SynAck));
    record.on_syn_ack_sent(Instant::from_secs(3));
    assert_eq!(record.on_segment(Instant::from_secs(3), &ack), Answer::Establish);
}

#[test]
fn a_peer_that_was_not_heard_gets_time_to_repeat_its_ack() {
    let syn = segment(Flags::SYN, CLIENT, SeqNumber(0), Options::default());
    let passive = Passive { defer_accept: 1, ..PASSIVE };
    let config = Config { syn_give_up: Duration::from_millis(500), ..Config::default() };
    let mut record = HalfOpen::new(Instant::ZERO, &initial(&config), &syn, &passive);
    record.on_syn_ack_sent(Instant::ZERO);
    let ack = segment(Flags::ACK, CLIENT + 1, ISS + 1, Options::default());
    assert_eq!(record.on_segment(Instant::ZERO, &ack), Answer::Drop);
    let now = record.deadline();
    assert_eq!((now.as_millis(), record.on_timeout(now)), (500, Timeout::SynAck));
    record.on_syn_ack_sent(now);
    let now = record.deadline();
    assert_eq!((now.as_millis(), record.on_timeout(now)), (2_500, Timeout::GiveUp));
}

/// The peer's answer to the first of two SYN-ACKs, or to the second.
#[test]
fn the_echo_tells_whether_a_syn_ack_was_sent_again_in_vain() {
    for (asked, sent_at, is_lost) in [(0, Some(0), false), (1_000, None, true)] {
        let mut record = record(&Config::default(), syn_options());
        record.on_syn_ack_sent(Instant::ZERO);
        assert_eq!(record.on_timeout(Instant::from_secs(1)), Timeout::SynAck);
        record.on_syn_ack_sent(Instant::from_secs(1));
        let timestamps = Some(Timestamps { value: 78, echo: 500 + asked });
        let options = Options { timestamps, ..Options::default() };
        let ack = segment(Flags::ACK, CLIENT + 1, ISS + 1, options);
        assert_eq!(record.on_segment(Instant::from_millis(1_500), &ack), Answer::Establish);
        let accepted = record.accepted();
        assert_eq!(
            (accepted.syn_sent_at, accepted.syn_lost),
            (sent_at.map(Instant::from_secs), is_lost)
        );
        assert_eq!(accepted.syn_retransmits, 1);
    }
}

/// The peer's answer to the second of three SYN-ACKs: at least the first was lost.
#[test]
fn the_echo_of_one_of_many_syn_acks_does_not_tell_that_none_was_lost() {
    let mut record = record(&Config::default(), syn_options());
    record.on_syn_ack_sent(Instant::ZERO);
    for seconds in [1, 3] {
        assert_eq!(record.on_timeout(Instant::from_secs(seconds)), Timeout::SynAck);
        record.on_syn_ack_sent(Instant::from_secs(seconds));
    }
    let timestamps = Some(Timestamps { value: 78, echo: 1_500 });
    let options = Options { timestamps, ..Options::default() };
    let ack = segment(Flags::ACK, CLIENT + 1, ISS + 1, options);
    assert_eq!(record.on_segment(Instant::from_millis(3_500), &ack), Answer::Establish);
    let accepted = record.accepted();
    assert_eq!((accepted.syn_sent_at, accepted.syn_lost), (None, true));
}

/// Of a SYN that was sent again the SYN-ACK echoes the later one: the first may have been answered, and
/// the answer lost.
#[test]
fn a_syn_that_comes_again_updates_the_echo() {
    let mut record = record(&Config::default(), syn_options());
    for (value, echo) in [(99, 99), (98, 99)] {
        let timestamps = Some(Timestamps { value, echo: 0 });
        let again = Options { timestamps, ..syn_options() };
        let syn = segment(Flags::SYN, CLIENT, SeqNumber(0), again);
        assert_eq!(record.on_segment(Instant::ZERO, &syn), Answer::SynAck);
        let options = record.syn_ack(Instant::ZERO).options;
        assert_eq!(options.timestamps.map(|timestamps| timestamps.echo), Some(echo));
    }
}
