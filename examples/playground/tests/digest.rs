//! The digest of the capture.

use ackclock_emulator::scenario::Scenario;
use ackclock_playground::{Advanced, Session};
use serde_json::Value;

const SCENARIO: &str = r#"
seed = 7
duration = "5s"
law = "bbr"
[dumbbell]
bottleneck = "rate=5mbit,delay=10ms,loss=1%,queue=30"
access = ["rate=1gbit,delay=0.1ms,loss=0"]
pairs = 2
[[hosts]]
name = "receiver2"
law = "cubic"
processing = "0.1ms"
[[flows]]
from = "sender1"
to = "receiver1"
[[flows]]
from = "receiver2"
to = "sender2"
start = "0s..2s"
"#;

fn summary(instants: u32) -> Value {
    let mut session = Session::start(SCENARIO).unwrap();
    while session.advance(instants).unwrap() == Advanced::Running {}
    serde_json::from_str(&session.summary()).unwrap()
}

#[test]
fn slices_do_not_change_what_happens() {
    let whole = summary(u32::MAX);
    assert_eq!(whole["digest"].as_str().map(str::len), Some(64));
    assert_eq!(summary(1), whole);
    assert_eq!(summary(97), whole);
}

#[test]
fn who_watches_does_not_change_what_happens() {
    let scenario = Scenario::parse(SCENARIO, "scenario").unwrap();
    let results = scenario.run().unwrap();
    let delivered = results.flows.iter().map(|flow| flow.throughput);
    let told = &summary(97)["results"]["flows"];
    let told = told.as_array().unwrap().iter().map(|flow| flow["throughput"].as_f64().unwrap());
    assert!(told.eq(delivered));
}

#[test]
fn a_network_without_one_bottleneck_is_refused() {
    let text = "duration = \"1s\"\n[pair]\npath = \"loss=0\"\n[[flows]]\nfrom = \"left\"\nto = \"right\"\n";
    let problem = Session::start(text).unwrap_err();
    assert_eq!(problem, "the playground draws dumbbells: give a table [dumbbell]");
}
