//! Networks that are files.

use crate::http::{get, page, serve};
use ackclock::time::Duration;
use ackclock_emulator::scenario::Scenario;
use ackclock_net::sim::{Outcome, SimNet};

const DUMBBELL: &str = r#"
duration = "60s"
seed = 5
law = "reno"

[dumbbell]
bottleneck = "rate=1.5mbit,delay=20ms,loss=1%,queue=40"
access = ["rate=100mbit,delay=1ms,loss=0", "rate=100mbit,delay=5ms,loss=0"]

[[hosts]]
name = "sender2"
law = "cubic"
"#;

#[test]
fn the_programs_of_a_scenarios_hosts_share_its_bottleneck() {
    let scenario = Scenario::parse(DUMBBELL, "dumbbell").unwrap();
    let mut sim = SimNet::of_scenario(&scenario, ()).unwrap();
    let address = {
        let topology = sim.topology();
        let server = topology.hosts().find(|&host| topology.name(host) == "receiver1").unwrap();
        topology.addresses(server)[0]
    };
    sim.service("receiver1", move |host| serve(host.net().clone(), (address, 80).into(), 50_000))
        .unwrap();
    for (name, law) in [("sender1", "reno"), ("sender2", "cubic")] {
        sim.host(name, move |host| async move {
            let got = get(host.net(), (address, 80).into(), "/p").await?;
            assert_eq!(got, page("/p", 50_000));
            let stream =
                ackclock_net::aio::TcpStream::connect(host.net(), (address, 80).into()).await?;
            assert_eq!(stream.info()?.congestion, law);
            Ok(())
        })
        .unwrap();
    }
    assert_eq!(sim.run(Duration::from_secs(60)).unwrap(), Outcome::Done);
}

#[test]
fn a_scenario_with_flows_of_its_own_is_refused() {
    let flows = "[[flows]]\nfrom = \"sender1\"\nto = \"receiver1\"\n";
    let scenario = Scenario::parse(&format!("{DUMBBELL}\n{flows}"), "dumbbell").unwrap();
    let refused = SimNet::of_scenario(&scenario, ()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the scenario has flows: remove them, programs take their place"
    );
}
