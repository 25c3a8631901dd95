//! That the numbers of `published.toml` are what experiments run with and are judged by.

use ackclock_lab::mutants::Mutant;
use ackclock_lab::{Plan, Settings, Shard, papers, published, run, select};
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::atomic::AtomicBool;

/// Values that experiments have as words: the experiment, what it is a value of, and its key.
const WORDS: &[(&str, &str, &str)] = &[
    ("jacobson88.startup", "queue", "jacobson88.startup.gateway_buffer_packets"),
    (
        "jacobson88.four_conversations",
        "queue",
        "jacobson88.four_conversations.gateway_buffer_packets",
    ),
    (
        "jacobson88.slip_timer",
        "line",
        "jacobson88.retransmit_timer.examples_bandwidth_dominated.link_bps",
    ),
    ("zhang91.one_way_3", "buffer", "zhang91.one_way_3.buffer_packets"),
    ("zhang91.two_way_5_5", "tau", "zhang91.two_way_5_5.tau_s"),
    ("zhang91.two_way_1_1_small_pipe", "tau", "zhang91.two_way_1_1_small_pipe.tau_s"),
    ("zhang91.two_way_1_1_small_pipe", "buffer", "zhang91.two_way_1_1_small_pipe.buffer_packets"),
    ("zhang91.two_way_1_1_large_pipe", "tau", "zhang91.two_way_1_1_large_pipe.tau_s"),
    ("zhang91.two_way_1_1_large_pipe", "buffer", "zhang91.two_way_1_1_large_pipe.buffer_packets"),
    ("zhang91.fixed_windows", "tau", "zhang91.fixed_windows_small_pipe.tau_s"),
    ("zhang91.fixed_windows", "tau", "zhang91.fixed_windows_large_pipe.tau_s"),
    ("zhang91.fixed_windows", "w1", "zhang91.fixed_windows_small_pipe.windows.0"),
    ("zhang91.fixed_windows", "w1", "zhang91.fixed_windows_large_pipe.windows.0"),
    ("zhang91.fixed_windows", "w2", "zhang91.fixed_windows_small_pipe.windows.1"),
    ("zhang91.fixed_windows", "w2", "zhang91.fixed_windows_large_pipe.windows.1"),
    ("veno.modem", "threshold", "veno.algorithm.beta"),
    ("veno.loss_sweep", "threshold", "veno.algorithm.alpha"),
    ("veno.loss_sweep", "delay", "veno.loss_sweep.delay_s"),
    ("veno.loss_sweep", "loss", "veno.loss_sweep.loss.0"),
    ("veno.loss_sweep", "loss", "veno.loss_sweep.loss.1"),
    ("veno.coexistence", "loss", "veno.coexistence.cases.0.loss.0"),
    ("veno.coexistence", "loss", "veno.coexistence.cases.0.loss.1"),
    ("veno.coexistence", "loss", "veno.coexistence.cases.1.loss.0"),
    ("veno.coexistence", "loss", "veno.coexistence.cases.1.loss.1"),
];

/// What no experiment reads, and why.
const UNREAD: &[(&str, &[&str])] = &[
    (
        "the laws, timers and windows are the core's, whose tests have their rules and constants",
        &[
            "allman98.initial_window.after_rto",
            "allman98.initial_window.formula",
            "allman98.initial_window.knobs.initwin_bytes",
            "allman98.initial_window.knobs.initwin_segs",
            "allman99.algorithms.ack_every_segment",
            "allman99.algorithms.appropriate_byte_counting",
            "allman99.algorithms.delayed_ack",
            "allman99.algorithms.limited_byte_counting",
            "allman99.algorithms.scaled_byte_counting",
            "jacobson88.retransmit_timer.mean_deviation.arithmetic",
            "jacobson88.retransmit_timer.mean_deviation.gain_deviation",
            "jacobson88.retransmit_timer.mean_deviation.gain_mean",
            "jacobson88.retransmit_timer.mean_deviation.k",
            "jacobson88.retransmit_timer.original_1988.k",
            "jacobson88.retransmit_timer.rfc793.alpha",
            "jacobson88.retransmit_timer.rfc793.beta",
            "veno.algorithm.active",
            "veno.algorithm.base_rtt",
            "veno.algorithm.decrease_congestion",
            "veno.algorithm.decrease_random",
            "veno.algorithm.diff",
            "veno.algorithm.increase",
            "veno.algorithm.recovery",
            "veno.algorithm.slow_start",
            "veno.algorithm.ssthresh_base",
            "zhang91.network.sender",
            "zhang91.network.window",
        ],
    ),
    (
        "scenarios and metrics in words, which are code here",
        &[
            "allman98.burst_probe.common_path",
            "allman98.burst_probe.common_path_found",
            "allman98.burst_probe.probes_in_each_round",
            "allman98.internet.receivers",
            "allman98.modem.header_compression",
            "allman98.modem.hosts",
            "allman98.transfers.metrics",
            "allman99.many_flows.flows",
            "allman99.network.metrics.goodput",
            "allman99.network.metrics.throughput",
            "jacobson88.four_conversations.conversations",
            "jacobson88.four_conversations.with_congestion_avoidance.receivers.fast",
            "jacobson88.four_conversations.with_congestion_avoidance.receivers.slow",
            "jacobson88.four_conversations.with_congestion_avoidance.sender",
            "jacobson88.four_conversations.without_congestion_avoidance.sender",
            "veno.coexistence.loss_direction",
            "veno.dummynet.double_pass",
            "veno.loss_sweep.loss_direction",
            "zhang91.fixed_windows_large_pipe.buffer_packets",
            "zhang91.fixed_windows_small_pipe.buffer_packets",
            "zhang91.network.delayed_ack",
            "zhang91.network.queue",
            "zhang91.network.start",
            "zhang91.one_way_3.connections",
            "zhang91.two_way_5_5.connections",
        ],
    ),
    (
        "heads and first columns of tables, and the row that the others are in parts of",
        &[
            "allman99.fairness.columns",
            "allman99.one_on_one.columns",
            "allman99.one_on_one.drop_tail.0.0",
            "allman99.one_on_one.drop_tail.0.1",
            "allman99.one_on_one.drop_tail.0.2",
            "allman99.one_on_one.drop_tail.0.3",
            "allman99.one_on_one.drop_tail.0.4",
            "allman99.one_on_one.red.0.0",
            "allman99.one_on_one.red.0.1",
            "allman99.one_on_one.red.0.2",
            "allman99.one_on_one.red.0.3",
            "allman99.one_on_one.red.0.4",
            "allman99.one_on_one.drop_tail.1.0",
            "allman99.one_on_one.drop_tail.2.0",
            "allman99.one_on_one.drop_tail.3.0",
            "allman99.one_on_one.red.1.0",
            "allman99.one_on_one.red.2.0",
            "allman99.one_on_one.red.3.0",
        ],
    ),
    (
        "constants of the network: 450 bytes of payload and 80 ms of a packet follow from them",
        &["zhang91.network.ack_packet_bytes", "zhang91.network.data_packet_bytes"],
    ),
    ("the bandwidth that is left of the link is taken", &["jacobson88.startup.link_bps"]),
    (
        "the best and the worst of the old conversations are compared",
        &[
            "jacobson88.four_conversations.without_congestion_avoidance.conversation_Bps.1",
            "jacobson88.four_conversations.without_congestion_avoidance.conversation_Bps.2",
        ],
    ),
    ("how many runs there are is each experiment's own", &["allman99.one_on_one.runs"]),
    (
        "not measured",
        &[
            "allman99.many_flows.abc_after_idle",
            "jacobson88.retransmit_timer.claim_avoidance_spurious",
            "jacobson88.window_adjustment.decrease",
            "jacobson88.window_adjustment.increase_behind_better_gateways",
        ],
    ),
];

/// A word as a number in the units of `published.toml`.
fn number(word: &str) -> Option<f64> {
    let units = [("ms", 1e-3), ("s", 1.0), ("%", 1e-2), ("bit", 1.0), ("", 1.0)];
    units
        .iter()
        .find_map(|(unit, factor)| Some(word.strip_suffix(unit)?.parse::<f64>().ok()? * factor))
}

fn check_words() {
    for (id, name, key) in WORDS {
        let experiment = select(&[*id]).unwrap()[0];
        let offers = experiment.offers();
        let offer = offers.iter().find(|offer| offer.name == *name);
        let values = &offer.unwrap_or_else(|| panic!("{id} has no {name}")).values;
        let printed = published::number(key);
        let is_printed = |word: &String| number(word).is_some_and(|it| (it - printed).abs() < 1e-9);
        assert!(values.iter().any(is_printed), "{id}: {name} is {values:?}, printed is {printed}");
    }
}

#[test]
fn all_that_the_papers_print_is_read_by_an_experiment() {
    check_words();
    let plan = Plan {
        experiments: papers::all().collect(),
        quick: true,
        // As many as some quantities need to be there.
        seeds: NonZeroU64::new(3),
        mutant: Some(&Mutant::NONE),
        settings: Settings::default(),
        captures: None,
    };
    let jobs = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let results = run(&plan, Shard::WHOLE, jobs, &AtomicBool::new(false), &());
    for outcome in &results.outcomes {
        assert_eq!(outcome.failures, Vec::<String>::new(), "{}", outcome.experiment.id());
    }
    // What the paper leaves out is told to people.
    let unread = published::unread();
    let unread: Vec<&str> =
        unread.iter().map(String::as_str).filter(|key| !key.ends_with(".unstated")).collect();
    let told: Vec<&str> = UNREAD.iter().flat_map(|(_, keys)| keys.iter().copied()).collect();
    let new: Vec<_> = unread.iter().filter(|key| !told.contains(key)).collect();
    assert_eq!(new, [&""; 0], "read them, or say above why not");
    let read: Vec<_> = told.iter().filter(|key| !unread.contains(key)).collect();
    assert_eq!(read, [&""; 0], "are read by now: strike them");
}
