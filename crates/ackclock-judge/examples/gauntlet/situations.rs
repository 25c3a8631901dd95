//! The situations over emulated paths: short ones first, so that what is badly broken is found soon.

use crate::Situation;
use crate::actor::{Leave, Plan, QUIET};
use crate::batches;
use crate::drawn;
use crate::emulated::Run;
use crate::far;
use crate::hosts::{Hosting, Tune};
use crate::peers;
use crate::rates;
use crate::speeds;
use crate::values;
use ackclock::tcp::{AckPolicy, Config, EcnMode, Keepalive, Nagle, RecoveryAlgorithm};
use ackclock::time::Duration;

const MS: fn(u64) -> Duration = Duration::from_millis;
const CLEAN: &str = "rate=10mbit,delay=10ms,loss=0";

/// Situations by lot, and peers.
const DRAWN: u64 = 700;
const WIDE: u64 = 700;
const PEERS: u64 = 1_500;
const BATCHES: u64 = 100;

/// Both ends have this configuration.
fn both(change: impl FnOnce(&mut Config)) -> [Config; 2] {
    let mut config = Config::default();
    change(&mut config);
    [config; 2]
}

fn writes(amount: u64) -> Plan {
    Plan { amount, ..QUIET }
}

/// All of them.
pub(crate) fn all() -> Vec<Situation> {
    let mut list = Vec::new();
    let mut add = |name: String, run: Run| {
        list.push(Situation { name, run: Box::new(move || run.run()) });
    };
    for (name, run) in small() {
        add(name.into(), run);
    }
    for (name, run) in options() {
        add(name.into(), run);
    }
    for (name, run) in transfers(120_000, 1) {
        add(name, run);
    }
    for (name, run) in long() {
        add(name.into(), run);
    }
    for (name, run) in transfers(1_000_000, 2) {
        add(name, run);
    }
    for (name, run) in far::all() {
        add(name, run);
    }
    for seed in 1..=DRAWN {
        add(format!("drawn {seed}"), drawn::run(seed));
    }
    for (name, run) in urgent_and_timeouts() {
        add(name, run);
    }
    for (name, run) in crowds() {
        add(name, run);
    }
    for (name, run) in accurate_ecn().into_iter().chain(lent()).chain(rates::all()) {
        add(name, run);
    }
    for (name, run) in speeds::all() {
        list.push(Situation { name, run: Box::new(move || run.run()) });
    }
    for seed in 1..=WIDE {
        let run = drawn::wide_run(seed);
        list.push(Situation { name: format!("wide {seed}"), run: Box::new(move || run.run()) });
    }
    for seed in 1..=PEERS {
        list.push(Situation {
            name: format!("peer {seed}"),
            run: Box::new(move || peers::play(seed)),
        });
    }
    for seed in 1..=BATCHES {
        list.push(Situation {
            name: format!("batches {seed}"),
            run: Box::new(move || batches::play(seed)),
        });
    }
    list.extend(values::all());
    list
}

/// Single conversations that show one thing each.
fn small() -> Vec<(&'static str, Run)> {
    let run = Run::new(CLEAN);
    let slow = Plan { reads_from: MS(3_000), read: 3_000, read_gap: MS(50), ..QUIET };
    vec![
        ("a short transfer", run.clone()),
        ("over IPv6", Run { ipv6: true, ..run.clone() }),
        ("both directions", Run { plans: [writes(40_000), writes(50_000)], ..run.clone() }),
        (
            "request and answer",
            Run { plans: [writes(300), Plan { answers: true, ..writes(20_000) }], ..run.clone() },
        ),
        (
            "small writes",
            Run {
                plans: [
                    Plan { piece: 90, gap: MS(3), ..writes(9_000) },
                    Plan { piece: 10, gap: MS(70), ..writes(300) },
                ],
                ..run.clone()
            },
        ),
        (
            "small writes without Nagle",
            Run {
                configs: both(|config| config.nagle = Nagle::Off),
                plans: [Plan { piece: 90, gap: MS(3), ..writes(9_000) }, QUIET],
                ..run.clone()
            },
        ),
        (
            "a reader that sleeps",
            Run {
                configs: both(|config| config.receive_buffer = 20_000),
                plans: [writes(90_000), slow],
                ..run.clone()
            },
        ),
        (
            "a reader of few bytes",
            Run {
                configs: both(|config| {
                    config.receive_buffer = 6_000;
                    config.window_scaling = false;
                }),
                plans: [writes(40_000), Plan { read: 137, read_gap: MS(5), ..QUIET }],
                ..run.clone()
            },
        ),
        (
            "a closed window over a path that loses",
            Run {
                path: "rate=10mbit,delay=10ms,loss=20%",
                configs: both(|config| config.receive_buffer = 8_000),
                plans: [
                    writes(30_000),
                    Plan { reads_from: MS(8_000), read: 4_000, read_gap: MS(700), ..QUIET },
                ],
                ..run.clone()
            },
        ),
        (
            "closed with data unread",
            Run {
                plans: [
                    Plan {
                        stays: MS(100),
                        reads_from: MS(10_000),
                        leave: Leave::CloseBoth,
                        ..QUIET
                    },
                    Plan { leave: Leave::Never, ..writes(5_000) },
                ],
                limit: MS(3_000),
                arrives: false,
                ..run.clone()
            },
        ),
        (
            "closed both ways while data comes",
            Run {
                plans: [
                    Plan { stays: MS(300), leave: Leave::CloseBoth, ..writes(100) },
                    Plan { piece: 1_000, gap: MS(20), leave: Leave::Never, ..writes(50_000) },
                ],
                limit: MS(3_000),
                arrives: false,
                ..run.clone()
            },
        ),
        (
            "given up in the middle",
            Run {
                plans: [Plan { leave: Leave::Abort, ..writes(20_000) }, QUIET],
                limit: MS(3_000),
                arrives: false,
                ..run.clone()
            },
        ),
        (
            "both close at once",
            Run {
                plans: [
                    Plan { stays: MS(100), leave: Leave::CloseBoth, ..writes(500) },
                    Plan { stays: MS(100), leave: Leave::CloseBoth, ..writes(500) },
                ],
                ..run.clone()
            },
        ),
        (
            "opened by both at once",
            Run { simultaneous: true, plans: [writes(9_000), writes(8_000)], ..run.clone() },
        ),
        (
            "urgent data",
            Run {
                plans: [Plan { piece: 700, gap: MS(4), urgent: 5, ..writes(30_000) }, QUIET],
                ..run.clone()
            },
        ),
        (
            "kept alive",
            Run {
                configs: both(|config| {
                    config.keepalive =
                        Some(Keepalive { idle: MS(4_000), interval: MS(1_000), count: 4 });
                }),
                plans: [Plan { stays: MS(30_000), ..writes(3_000) }, QUIET],
                ..run.clone()
            },
        ),
        (
            "kept alive until the path is gone",
            Run {
                path: "rate=10mbit,delay=10ms,loss=0,outage=6s..200s:lose",
                configs: both(|config| {
                    config.keepalive =
                        Some(Keepalive { idle: MS(4_000), interval: MS(1_000), count: 4 });
                }),
                plans: [Plan { stays: MS(100_000), ..writes(3_000) }, QUIET],
                limit: MS(30_000),
                arrives: false,
                ..run.clone()
            },
        ),
        (
            "an outage in the middle",
            Run {
                path: "rate=2mbit,delay=10ms,loss=0,outage=100ms..9s",
                plans: [writes(200_000), QUIET],
                ..run.clone()
            },
        ),
        (
            "small writes during an outage",
            Run {
                path: "rate=2mbit,delay=10ms,loss=0,outage=250ms..2s:lose",
                configs: both(|config| config.nagle = Nagle::Off),
                plans: [Plan { piece: 90, gap: MS(110), ..writes(3_000) }, QUIET],
                ..run.clone()
            },
        ),
        (
            "an outage and keep-alives",
            Run {
                path: "rate=2mbit,delay=10ms,loss=0,outage=100ms..3s",
                configs: both(|config| {
                    config.keepalive =
                        Some(Keepalive { idle: MS(300), interval: MS(200), count: 50 });
                }),
                plans: [writes(200_000), QUIET],
                ..run.clone()
            },
        ),
        (
            "SYNs are lost, and data too",
            Run {
                path: "rate=10mbit,delay=10ms,loss=0,outage=0s..1500ms/3050ms..5s:lose",
                configs: both(|config| config.timestamps = false),
                plans: [Plan { piece: 700, gap: MS(1), ..writes(30_000) }, QUIET],
                ..run.clone()
            },
        ),
        (
            "data marked on its way",
            Run {
                path: "rate=3mbit,delay=10ms,loss=1%,queue=codel:1ms:20ms:1000:ecn",
                law: "reno",
                configs: both(|config| config.ecn = EcnMode::Request),
                plans: [writes(500_000), QUIET],
                ..run.clone()
            },
        ),
        (
            "nobody answers",
            Run {
                path: "rate=10mbit,delay=10ms,loss=100%",
                limit: MS(100_000),
                arrives: false,
                ..run.clone()
            },
        ),
        (
            "the peer is gone",
            Run {
                path: "rate=10mbit,delay=10ms,loss=0,outage=90ms..2000s:lose",
                configs: both(|config| config.give_up = Duration::from_secs(120)),
                plans: [writes(300_000), QUIET],
                limit: MS(400_000),
                arrives: false,
                ..run.clone()
            },
        ),
        (
            "SYNs are lost",
            Run {
                path: "rate=10mbit,delay=10ms,loss=0,outage=0s..2500ms:lose",
                plans: [writes(100_000), QUIET],
                ..run.clone()
            },
        ),
        (
            "idle, then a burst",
            Run {
                plans: [Plan { piece: 100_000, gap: MS(9_000), ..writes(300_000) }, QUIET],
                ..run.clone()
            },
        ),
        (
            "many short connections",
            Run { connections: 60, apart: MS(7), plans: [writes(900), writes(700)], ..run.clone() },
        ),
        (
            "many short connections over a path that loses",
            Run {
                path: "rate=10mbit,delay=10ms,loss=8%",
                connections: 60,
                apart: MS(7),
                plans: [writes(3_000), writes(2_000)],
                ..run
            },
        ),
    ]
}

/// Each option off and on, and other sizes.
fn options() -> Vec<(&'static str, Run)> {
    let lossy = Run {
        path: "rate=10mbit,delay=10ms,loss=3%,reorder=2%:3,duplicate=1%",
        plans: [writes(200_000), writes(100_000)],
        ..Run::new(CLEAN)
    };
    let with = |change: fn(&mut Config)| Run { configs: both(change), ..lossy.clone() };
    let mut list = vec![
        ("no timestamps", with(|config| config.timestamps = false)),
        ("no SACK", with(|config| config.sack = false)),
        ("no window scaling", with(|config| config.window_scaling = false)),
        ("every segment acknowledged", with(|config| config.ack_policy = AckPolicy::EverySegment)),
        (
            "late acks",
            with(|config| {
                config.ack_policy = AckPolicy::Delayed { timeout: MS(400), quick_acks: 0 };
            }),
        ),
        ("ECN", with(|config| config.ecn = EcnMode::Request)),
        ("a least RTO of a second", with(|config| config.rto.min = MS(1_000))),
        ("an MSS of 300", with(|config| config.mss = Some(300))),
        (
            "none of the options",
            with(|config| {
                (config.timestamps, config.sack, config.window_scaling) = (false, false, false);
                config.ecn = EcnMode::Off;
            }),
        ),
        (
            "a large buffer",
            with(|config| (config.receive_buffer, config.send_buffer) = (1 << 22, 1 << 22)),
        ),
    ];
    let small_mtu = Run { path: "rate=5mbit,delay=10ms,loss=1%,mtu=600", ..lossy.clone() };
    list.push(("a small MTU", small_mtu));
    list.push((
        "a small MTU back",
        Run {
            path: "rate=10mbit,delay=10ms,loss=1%",
            back: Some("rate=10mbit,delay=10ms,loss=1%,mtu=900"),
            ..lossy.clone()
        },
    ));
    let mut one_side = lossy;
    one_side.configs[1].timestamps = false;
    one_side.configs[1].window_scaling = false;
    one_side.configs[0].sack = false;
    list.push(("options of one side", one_side));
    list
}

/// Paths of all kinds, under each law and recovery.
fn transfers(amount: u64, seed: u64) -> Vec<(String, Run)> {
    const PATHS: [(&str, bool); 10] = [
        ("rate=10mbit,delay=20ms,loss=3%", false),
        ("rate=10mbit,delay=20ms,loss=0,queue=10", false),
        ("rate=2mbit,delay=100ms,loss=10%", false),
        ("rate=10mbit,delay=20ms,loss=0,reorder=5%:10ms", false),
        ("rate=10mbit,delay=20ms,loss=1%,duplicate=5%", false),
        ("rate=10mbit,delay=1ms,loss=1%,reorder=5%:3,duplicate=5%,corrupt=2%", false),
        ("rate=5mbit,delay=50ms,loss=0,queue=codel:5ms:100ms:1000:ecn", true),
        ("rate=100mbit,delay=5ms,loss=0,queue=200", false),
        ("rate=10mbit,delay=20ms,loss=0.5%,jitter=5ms", false),
        ("rate=1mbit,delay=30ms,loss=1%,mtu=700,queue=20", false),
    ];
    const LAWS: [&str; 4] = ["reno", "cubic", "veno", "bbr"];
    const RECOVERIES: [RecoveryAlgorithm; 4] = [
        RecoveryAlgorithm::Rack,
        RecoveryAlgorithm::Rfc6675,
        RecoveryAlgorithm::NewReno,
        RecoveryAlgorithm::Reno,
    ];
    let mut list = Vec::new();
    for (place, (path, ecn)) in PATHS.into_iter().enumerate() {
        for turn in 0..4 {
            let (law, recovery) = (LAWS[turn], RECOVERIES[(turn + place) % 4]);
            let configs = both(|config| {
                config.recovery = recovery;
                config.timestamps = (turn + place / 4) % 2 == 0;
                config.ecn = if ecn { EcnMode::Request } else { EcnMode::Accept };
            });
            let plans = [writes(amount), QUIET];
            let limit = Duration::from_secs(900);
            let run = Run { law, configs, plans, seed, limit, ..Run::new(path) };
            let name = format!("{amount} bytes, {law}, {}, {path}", recovery.name());
            list.push((name, run));
        }
    }
    list
}

/// Urgent data of many segments; and a path that is gone for good, where the application has set, when it opened or later, how
/// long it waits.
fn urgent_and_timeouts() -> Vec<(String, Run)> {
    let gone = |law: &'static str, tune: Option<Tune>, timeout: Option<u64>| {
        let mut run = Run::new("rate=10mbit,delay=10ms,loss=0,outage=90ms..2000s:lose");
        (run.law, run.arrives, run.limit) = (law, false, MS(400_000));
        run.configs = both(|config| config.user_timeout = timeout.map(Duration::from_secs));
        run.plans[0] = Plan { tune: tune.map(|tune| (MS(30), tune)), ..writes(300_000) };
        run
    };
    let later = Tune::UserTimeout(Duration::from_secs(20));
    let bulk = Plan { piece: 40_000, gap: MS(3), urgent: 2, ..writes(800_000) };
    let urgent = Run { plans: [bulk, bulk], ..Run::new(CLEAN) };
    let narrow = Run { path: "rate=10mbit,delay=10ms,loss=0,mtu=300", ..urgent.clone() };
    let mut list = vec![
        ("much urgent data".to_string(), urgent),
        ("much urgent data over a narrow path".to_string(), narrow),
    ];
    for law in ["cubic", "bbr"] {
        list.push((format!("a user timeout, {law}"), gone(law, None, Some(30))));
        list.push((
            format!("a user timeout that is set later, {law}"),
            gone(law, Some(later), None),
        ));
        list.push((
            format!("a user timeout that is lowered, {law}"),
            gone(law, Some(later), Some(200)),
        ));
    }
    list
}

/// Many connections to one port that has room for few half-open ones, so that others get SYN cookies, in each of the periods
/// that a cookie tells; and many one after the other, none of which has to wait.
fn crowds() -> Vec<(String, Run)> {
    let crowd = |ipv6: bool, begins: u64, apart: u64, half_open: usize| Run {
        ipv6,
        connections: 20,
        one_port: true,
        begins: MS(begins),
        apart: MS(apart),
        plans: [writes(3_000), writes(2_000)],
        hosting: Some([Hosting::small(64), Hosting::small(half_open)]),
        limit: Duration::from_secs(900),
        ..Run::new(CLEAN)
    };
    let mut list = Vec::new();
    for ipv6 in [false, true] {
        for begins in [0, 40_000, 80_000, 130_000] {
            let when = format!("over IPv{} at {begins} ms", if ipv6 { 6 } else { 4 });
            list.push((format!("a crowd {when}"), crowd(ipv6, begins, 0, 2)));
            list.push((format!("one after the other {when}"), crowd(ipv6, begins, 900, 2)));
            let mut waiting = crowd(ipv6, begins, 2, 64);
            waiting.plans[1].accepts_from = MS(begins + 1_000);
            list.push((format!("a crowd that waits {when}"), waiting));
        }
    }
    list
}

/// AccECN over paths that mark, lose and reorder, in both directions, and with an end that knows less of it.
fn accurate_ecn() -> Vec<(String, Run)> {
    const PATHS: [&str; 3] = [
        "rate=5mbit,delay=20ms,loss=0,queue=codel:1ms:20ms:1000:ecn",
        "rate=5mbit,delay=20ms,loss=2%,duplicate=1%,queue=codel:1ms:20ms:1000:ecn",
        "rate=20mbit,delay=5ms,loss=0.5%,reorder=2%:3ms,queue=codel:1ms:20ms:1000:ecn",
    ];
    use EcnMode::{Accept, AcceptAccurate, Request, RequestAccurate};
    const MODES: [[EcnMode; 2]; 4] = [
        [RequestAccurate, AcceptAccurate],
        [RequestAccurate, RequestAccurate],
        [RequestAccurate, Accept],
        [Request, AcceptAccurate],
    ];
    let mut list = Vec::new();
    for (place, path) in PATHS.into_iter().enumerate() {
        for (turn, modes) in MODES.into_iter().enumerate() {
            let law = ["reno", "cubic", "prague", "bbr"][(place + turn) % 4];
            let mut run = Run { law, plans: [writes(300_000), writes(100_000)], ..Run::new(path) };
            for (config, mode) in run.configs.iter_mut().zip(modes) {
                config.ecn = mode;
                config.timestamps = turn % 2 == 0;
            }
            (run.simultaneous, run.limit) = (turn == 1 && place > 0, Duration::from_secs(300));
            list.push((format!("accurate ECN {modes:?}, {law}, {path}"), run));
        }
    }
    list
}

/// Stacks in memory that is lent, which one connection after the other has.
fn lent() -> Vec<(String, Run)> {
    let paths = [CLEAN, "rate=10mbit,delay=10ms,loss=2%,reorder=2%:3"];
    let run = |law: &'static str, path: &'static str| Run {
        law,
        connections: 6,
        one_port: true,
        apart: MS(6_000),
        configs: both(|config| config.msl = MS(500)),
        plans: [writes(400_000), writes(20_000)],
        hosting: Some([Hosting::lent(), Hosting::lent()]),
        alike: path == CLEAN,
        limit: Duration::from_secs(300),
        ..Run::new(path)
    };
    let named = |(law, path): (&'static str, &'static str)| {
        (format!("lent memory, {law}, {path}"), run(law, path))
    };
    ["reno", "bbr"].into_iter().flat_map(|law| paths.map(|path| (law, path))).map(named).collect()
}

/// What takes long in virtual time or has much to send.
fn long() -> Vec<(&'static str, Run)> {
    let run = Run::new(CLEAN);
    vec![
        (
            "a window of megabytes",
            Run {
                path: "rate=1gbit,delay=20ms,loss=0,queue=5000",
                configs: both(|config| {
                    (config.receive_buffer, config.send_buffer) = (1 << 23, 1 << 23);
                }),
                plans: [writes(12_000_000), QUIET],
                ..run.clone()
            },
        ),
        (
            "both directions over a path that loses",
            Run {
                path: "rate=5mbit,delay=15ms,loss=2%",
                plans: [writes(900_000), writes(900_000)],
                ..run.clone()
            },
        ),
        (
            "acks get lost",
            Run {
                back: Some("rate=10mbit,delay=10ms,loss=30%"),
                plans: [writes(600_000), QUIET],
                ..run
            },
        ),
    ]
}
