use super::*;
use ackclock::congestion::CongestionController;
use ackclock::tcp::{Nagle, RecoveryAlgorithm};

fn parse(text: &str) -> Result<Scenario, ScenarioError> {
    Scenario::parse(text, "file.toml")
}

fn error(text: &str) -> String {
    parse(text).map(|_| ()).unwrap_err().to_string()
}

const PAIR: &str = "duration = \"10s\"\n[pair]\npath = \"rate=1mbit,delay=10ms,loss=0\"\n";

/// The example in the documentation of the module.
fn documented() -> String {
    let lines = include_str!("mod.rs").lines();
    let block = lines.skip_while(|line| *line != "//! ```toml").skip(1);
    let block = block.take_while(|line| *line != "//! ```");
    block.map(|line| line.trim_start_matches("//!").trim_start().to_owned() + "\n").collect()
}

#[test]
fn the_documented_example_is_one() {
    let scenario = parse(&documented()).unwrap();
    assert_eq!(scenario.flows.len(), 11);
    let laws: Vec<_> = scenario.laws.iter().map(|law| law.law.name()).collect();
    assert_eq!(laws, ["reno", "cubic", "reno", "reno"]);
    let results = scenario.run().unwrap();
    assert_eq!((results.from, results.until), (Instant::from_secs(10), Instant::from_secs(60)));
    assert_eq!(results.flows.len(), 11);
    for (index, flow) in results.flows.iter().enumerate() {
        assert_eq!(flow.error, None, "{}", flow.name);
        assert_eq!(flow.ended.is_some(), index > 0, "{}", flow.name);
        let started = flow.started.unwrap();
        assert!(started <= Instant::from_secs(5), "{}", flow.name);
    }
    let bottleneck = results.links.iter().find(|link| link.ends == ["left", "right"]).unwrap();
    assert!(bottleneck.utilisation > 0.9, "{}", bottleneck.utilisation);
    // The bottleneck carries what is delivered, with headers, and retransmissions.
    let delivered: u64 = results.flows.iter().map(|flow| flow.delivered).sum();
    let share = delivered as f64 / bottleneck.statistics.bytes_carried as f64;
    assert!((0.85..1.0).contains(&share), "{share}");
}

#[test]
fn laws_and_windows_have_the_words_of_the_command_line() {
    let text = r#"
        duration = "1s"
        law = "veno:threshold=3,growth=abc"
        [pair]
        path = "rate=10mbit,delay=1ms,loss=0"
        [connection]
        initial_window = "rfc3390"
        restart_after_idle = "jacobson88:rtt"
        [[flows]]
        from = "left"
        to = "right"
        [[flows]]
        from = "left"
        to = "right"
        connection = { initial_window = 4 }
    "#;
    let scenario = parse(text).unwrap();
    assert_eq!(scenario.laws[0].to_string(), "veno:threshold=3,growth=abc");
    let scenario_of = |head: &str| format!("{head}\n{PAIR}");
    let grown = parse(&scenario_of("cc = \"newreno\"\ngrowth = \"lbc\"")).unwrap();
    assert_eq!(grown.laws[0].to_string(), "newreno:growth=lbc");
    let refused = error(&scenario_of("law = \"fixed:20\"\ngrowth = \"lbc\""));
    assert!(refused.contains("growth"), "{refused}");
    let windows: Vec<_> =
        scenario.flows.iter().map(|flow| flow.connections[0].initial_window.to_string()).collect();
    assert_eq!(windows, ["rfc3390", "4"]);
    let restart = scenario.flows[0].connections[0].restart_after_idle;
    assert_eq!(restart.to_string(), "jacobson88:rtt");
}

#[test]
fn a_run_in_steps_is_the_same_run() {
    let scenario = parse(&documented()).unwrap();
    let whole = format!("{:?}", scenario.run().unwrap());
    let mut run = scenario.start(()).unwrap();
    let mut now = Instant::ZERO;
    while !run.run_until(now).unwrap() {
        now += Duration::from_millis(777);
    }
    assert_eq!(format!("{:?}", run.results()), whole);
}

#[test]
fn another_seed_is_another_run() {
    let mut scenario = parse(&documented()).unwrap();
    let starts = |scenario: &Scenario| -> Vec<_> {
        scenario.run().unwrap().flows.iter().map(|flow| flow.started).collect()
    };
    let first = starts(&scenario);
    scenario.set_seed(2);
    assert_ne!(starts(&scenario), first);
}

#[test]
fn a_run_ends_when_all_flows_are_done() {
    let text = format!(
        "{PAIR}[[flows]]\nfrom = \"left\"\nto = \"right\"\nbytes = 125000\nservice = \"echo\""
    );
    let results = parse(&text).unwrap().run().unwrap();
    let flow = &results.flows[0];
    assert_eq!((flow.delivered, flow.error), (125_000, None));
    assert!(flow.ended.is_some_and(|ended| ended <= results.until));
    // A megabit takes a second each way, and the echo begins a window after the data.
    assert!((1_000..2_000).contains(&results.until.as_millis()), "{:?}", results.until);
    assert_eq!(results.links.len(), 2);
}

#[test]
fn a_listed_network_runs_as_a_ready_made_one() {
    let listed = "duration = \"10s\"\nip = 6
        [[hosts]]\nname = \"left\"\n[[hosts]]\nname = \"right\"\n[[routers]]\nname = \"router1\"
        [[links]]\nbetween = [\"left\", \"router1\"]\npath = \"loss=1%\"\nback = \"loss=0\"
        [[links]]\nbetween = [\"router1\", \"right\"]\npath = \"loss=0\"";
    let chain = "duration = \"10s\"\nip = 6
        [chain]\nhops = [\"loss=1%\", \"loss=0\"]\nback = [\"loss=0\", \"loss=0\"]";
    let flow = "\n[[flows]]\nfrom = \"left\"\nto = \"right\"\nbytes = \"1MB\"";
    let results = [listed, chain]
        .map(|text| format!("{:?}", parse(&format!("{text}{flow}")).unwrap().run().unwrap()));
    assert_eq!(results[0], results[1]);
}

/// RFC 5925 section 6.1: both ends change their keys in mid-transfer, whichever of them opens the connection.
#[test]
fn a_rollover_changes_the_keys_of_open_connections() {
    for [from, to, before, after, ids] in [
        ["left", "right", "1", "3", "current 3, next 4"],
        ["right", "left", "1", "3", "current 4, next 3"],
    ] {
        let text = format!(
            "duration = \"60s\"\nao_keys = [\"{before}/2=secret\", \"{after}/4:AES128=other\"]
            [[ao_rollover]]\nat = \"2s\"\nkey = 3\n[pair]\npath = \"loss=2%\"
            [[flows]]\nfrom = \"{from}\"\nto = \"{to}\"\nbytes = \"1MB\""
        );
        let results = parse(&text).unwrap().run().unwrap();
        let flow = &results.flows[0];
        assert_eq!((flow.delivered, flow.error), (1_000_000, None), "{from}");
        let ao = flow.info.unwrap().ao.unwrap();
        assert_eq!(ao.dropped, 0);
        assert_eq!(format!("current {}, next {}", ao.current_key, ao.rnext_key), ids);
    }
}

/// RFC 2385 and RFC 5925: of connections over either family, with loss.
#[test]
fn keys_sign_the_segments_of_all_connections() {
    for (family, keys) in [
        (4, "md5_key = \"secret\""),
        (4, "ao_keys = [\"1=secret\", \"2:AES128:no-options=other\"]"),
        (6, "ao_keys = [\"2:AES128=other\"]"),
        (4, "ao_keys = [\"1/2=secret\"]"),
        (6, "ao_keys = [\"9/8=secret\", \"7=other\"]"),
    ] {
        let text = format!(
            "duration = \"60s\"\nip = {family}\n{keys}\n[pair]\npath = \"loss=2%\"
            [[flows]]\nfrom = \"left\"\nto = \"right\"\nbytes = \"1MB\""
        );
        let results = parse(&text).unwrap().run().unwrap();
        let flow = &results.flows[0];
        assert_eq!((flow.delivered, flow.error), (1_000_000, None), "{keys}");
        let info = flow.info.unwrap();
        assert!(info.signed, "{keys}");
        assert_eq!(info.ao.is_some(), keys.starts_with("ao"), "{keys}");
        assert_eq!(info.ao.map_or(0, |ao| ao.dropped), 0, "{keys}");
    }
    for (keys, problem) in [
        ("ao_keys = [\"secret\"]", "ID[/RECV_ID]"),
        (
            "ao_keys = [\"1/2=secret\"]\nao_rollover = [{ at = \"1s\", key = 2 }]",
            "none of the ao_keys",
        ),
        ("ao_keys = [\"1=a\", \"1=b\"]", "one of the IDs"),
        ("md5_key = \"\"", "1 to 80 bytes"),
    ] {
        let error = parse(&format!("{keys}\n{PAIR}")).unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
    }
}

#[test]
fn settings_of_connections_are_those_of_the_file_and_then_of_the_flow() {
    let text = format!(
        "{PAIR}[connection]\nmss = 500\nnagle = \"off\"\nrecovery = \"newreno\"\necn = \"request\"\nfast_open = \"without-cookie\"\nreuse_metrics = true
        rto = \"jacobson88:ticks\"\nbackoff = \"linear\"\nrto_max = \"64s\"\nack_timer = \"heartbeat\"
        iw = 4\nrestart = \"rfc7661\"\npacing = \"always\"\nburst_limit = 3
        [[flows]]\nfrom = \"left\"\nto = \"right\"\nconnection = {{ mss = 900, sack = false }}"
    );
    let mut expected = ackclock::tcp::Config::default();
    (expected.mss, expected.nagle, expected.sack) = (Some(900), Nagle::Off, false);
    expected.recovery = "newreno".parse().unwrap();
    expected.ecn = "request".parse().unwrap();
    expected.fast_open = "without-cookie".parse().unwrap();
    expected.reuse_metrics = true;
    expected.rto = "jacobson88:ticks".parse().unwrap();
    expected.rto.backoff = "linear".parse().unwrap();
    expected.rto.max = Duration::from_secs(64);
    expected.ack_timer = "heartbeat".parse().unwrap();
    expected.initial_window = "4".parse().unwrap();
    expected.restart_after_idle = "rfc7661".parse().unwrap();
    expected.pacing = "always".parse().unwrap();
    expected.burst_limit = std::num::NonZeroU16::new(3);
    assert_eq!(parse(&text).unwrap().flows[0].connections, [expected; 2]);
}

#[test]
fn a_law_brings_its_recovery_unless_one_is_named() {
    let flow = "[[flows]]\nfrom = \"left\"\nto = \"right\"\n";
    let text =
        format!("law = \"newreno\"\n{PAIR}[[hosts]]\nname = \"right\"\nlaw = \"tahoe\"\n{flow}");
    let recoveries = |text: &str| {
        parse(text).unwrap().flows[0].connections.map(|connection| connection.recovery)
    };
    let brought = [RecoveryAlgorithm::NewReno, RecoveryAlgorithm::Tahoe];
    assert_eq!(recoveries(&text), brought);
    let named = recoveries(&format!("{text}connection = {{ recovery = \"sack-pipe\" }}"));
    assert_eq!(named, [RecoveryAlgorithm::SackPipe; 2]);
}

#[test]
fn times_and_policies_have_the_words_of_the_command_line() {
    let text = "duration = \"1.5min\"\n[pair]\npath = \"delay=0.001min\"\n[[flows]]
        from = \"left\"\nto = \"right\"\nconnection = { ack_policy = \"delayed=100us\" }";
    let scenario = parse(text).unwrap();
    assert_eq!(scenario.end(), Instant::from_secs(90));
    let link = scenario.topology().links().next().unwrap();
    assert_eq!(scenario.topology().path(link).delay, Duration::from_millis(60));
    assert_eq!(scenario.flows[0].connections[0].ack_policy.to_string(), "delayed=100µs");
}

#[test]
fn an_on_off_source_pauses_between_its_bursts() {
    let flow = |more: &str| {
        let text =
            format!("{PAIR}[[flows]]\nfrom = \"left\"\nto = \"right\"\nbytes = 1000\n{more}");
        let results = parse(&text).unwrap().run().unwrap();
        let flow = &results.flows[0];
        // The run may have ended before the last ack.
        let bursts = flow.delivered / 1_000;
        assert!(
            flow.delivered.is_multiple_of(1_000)
                && (flow.bursts..=flow.bursts + 1).contains(&bursts)
        );
        (flow.bursts, results.until)
    };
    let (bursts, until) = flow("pause = \"1s\"\nbursts = 3");
    // Three pauses of a second each, and some round trips of 20 ms.
    assert!(bursts == 3 && (3_000..3_300).contains(&until.as_millis()), "{until:?}");
    let (bursts, until) = flow("pause = \"1s\"");
    assert_eq!((bursts, until), (9, Instant::from_secs(10)));
    // Ten seconds of pauses with a mean of 0.1 s, and bursts of about 0.03 s.
    let (bursts, _) = flow("pause = \"exponential:0.1s\"");
    assert!((50..110).contains(&bursts), "{bursts}");
}

#[test]
fn an_unknown_key_is_told_with_the_near_ones() {
    assert_eq!(
        error("durration = \"1s\""),
        "file.toml:1: durration: there is no such key here: did you mean duration?"
    );
    assert_eq!(
        error(&format!("{PAIR}bak = \"loss=0\"")),
        "file.toml:4: bak: there is no such key here: did you mean back?"
    );
    assert_eq!(
        error(&format!("{PAIR}zzz = 1")),
        "file.toml:4: zzz: there is no such key here: use one of path, back"
    );
    assert_eq!(
        error(&format!("{PAIR}[connection]\nackpolicy = \"every\"")),
        "file.toml:5: ackpolicy: there is no such key here: did you mean ack_policy?"
    );
    assert_eq!(
        error(&format!("{PAIR}[[flows]]\nfrom = \"left\"\nto = \"right\"\nservice = \"eco\"")),
        "file.toml:7: service: there is no word 'eco' here: did you mean echo?"
    );
}

#[test]
fn a_value_that_cannot_be_used_is_told_with_its_place_and_what_to_do() {
    for (line, expected) in [
        ("path2", "file.toml:4: path2: key with no value, expected `=`"),
        (
            "back = \"rate=fast\"",
            "file.toml:4: back: 'rate=fast': the unit must be bit, kbit, mbit or gbit (per second)",
        ),
        ("back = 5", "file.toml:4: back: invalid type: integer `5`, expected text in quotes"),
        (
            "[connection]\nmss = 70000",
            "file.toml:5: mss: invalid value: integer `70000`, expected a whole number from 0 to 65535",
        ),
        (
            "[connection]\nhop_limit = 0\n[[flows]]\nfrom = \"left\"\nto = \"right\"",
            "file.toml:4: connection: hop_limit must be 1 to 255",
        ),
        ("[connection]\nack_policy = \"never\"", "file.toml:5: ack_policy: use every, delayed, "),
        (
            "[[hosts]]\nname = \"lefd\"",
            "file.toml:5: name: there is no host 'lefd': did you mean left?",
        ),
        (
            "[[hosts]]\nname = \"left\"\nlaw = \"new\"",
            "file.toml:6: law: unknown law: use cubic, reno, ",
        ),
        (
            "[[flows]]\nfrom = \"left\"\nto = \"left\"",
            "file.toml:6: to: a flow goes from one host to another",
        ),
        (
            "[[flows]]\nfrom = \"left\"\nto = \"right\"\nstart = \"5s..1s\"",
            "file.toml:7: start: the end of a span must not be below its beginning",
        ),
        (
            "[[flows]]\nfrom = \"left\"\nto = \"right\"\nbursts = 5",
            "file.toml:7: bursts: say how much each of them is: give bytes or time",
        ),
        (
            "[[flows]]\nfrom = \"left\"\nto = \"right\"\nbytes = -1",
            "file.toml:7: bytes: invalid type: integer `-1`, expected text in quotes",
        ),
        (
            "[[flows]]\nfrom = \"left\"\nto = \"right\"\nbytes = 1\ntime = \"1s\"",
            "file.toml:8: time: there are bytes already: remove one",
        ),
        (
            "[chain]\nhops = [\"loss=0\"]",
            "file.toml:4: chain: there is one ready-made network already: remove one of them",
        ),
        (
            "[[routers]]\nname = \"r\"",
            "file.toml:5: routers: a ready-made network has its own: remove these, or the network",
        ),
    ] {
        let found = error(&format!("{PAIR}{line}"));
        assert!(found.starts_with(expected), "{found}");
    }
}

#[test]
fn what_is_wrong_with_the_whole_is_told_too() {
    assert_eq!(
        error("[pair]\npath = \"loss=0\""),
        "file.toml:1: duration: this key is missing: give it"
    );
    assert_eq!(
        error("duration = \"5s\"\nwarm_up = \"5s\"\n[pair]\npath = \"loss=0\""),
        "file.toml:1: duration: the duration must be longer than the warm_up"
    );
    assert_eq!(error("duration = \"5s\"\nip = 5"), "file.toml:2: ip: use 4 or 6");
    assert_eq!(
        error("duration = \"5s\"\n[chain]\nhops = []"),
        "file.toml:2: hops: give at least one hop, and as many ways back if there are any"
    );
    for pairs in [0, 48_129, 5_000_000_000_u64] {
        let table = "[dumbbell]\nbottleneck = \"loss=0\"\naccess = [\"loss=0\"]";
        assert_eq!(
            error(&format!("duration = \"5s\"\n{table}\npairs = {pairs}")),
            "file.toml:5: pairs: make it 1 to 48128, the most that can have a flow each"
        );
    }
    let lonely = parse("duration = \"5s\"\n[[hosts]]\nname = \"one\"").unwrap();
    assert_eq!(
        lonely.run().unwrap_err().to_string(),
        "file.toml: host 'one' must have one link: join it to one host or router"
    );
    let missing = Scenario::load("no/such/file.toml").unwrap_err().to_string();
    assert!(missing.starts_with("no/such/file.toml: "), "{missing}");
}
