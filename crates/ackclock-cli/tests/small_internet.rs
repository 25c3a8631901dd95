//! Measurements in a small Internet: our host, a chain of three routers, and five hosts with the
//! kernel's discard and echo behind the last one, each in a network namespace of its own. Two of the
//! links are emulated, with their rate, delay, loss and queue.
#![cfg(target_os = "linux")]

mod namespace;

use namespace::{in_namespace, reports};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::process::{Command, Output};

/// Addresses that the routers answer from, in the order of the path.
const ROUTERS: [&str; 3] = ["10.0.1.2", "10.0.2.2", "10.0.3.2"];

/// Addresses of the hosts.
const HOSTS: [&str; 5] = ["10.1.1.2", "10.1.2.2", "10.1.3.2", "10.1.4.2", "10.1.5.2"];

/// Runs a script in the small Internet. `links` are the two directions of the links between the routers, in
/// the form of `--path`.
fn in_small_internet(links: [&str; 2], script: &str) -> Option<Output> {
    let [there, back] = links;
    in_namespace(&format!(
        r#"
        mkdir /run/netns
        for name in r1 r2 r3 h1 h2 h3 h4 h5; do
            ip netns add $name
            ip -n $name link set dev lo up
        done
        for router in r1 r2 r3; do
            # Routers answer as often as they are asked.
            ip netns exec $router sysctl -q -w net.ipv4.ip_forward=1 net.ipv4.icmp_ratelimit=0
            ip netns exec $router sysctl -q -w net.ipv4.icmp_msgs_per_sec=1000000 \
                net.ipv4.icmp_msgs_burst=100000 2>/dev/null \
                || ip netns exec $router sysctl -q -w net.ipv4.icmp_ratemask=0
        done
        sysctl -q -w net.ipv4.ip_forward=1
        # cable NAMESPACE INTERFACE ADDRESS NAMESPACE INTERFACE ADDRESS
        cable() {{
            ip link add $2 netns $1 type veth peer name $5 netns $4
            for end in "$1 $2 $3" "$4 $5 $6"; do
                set -- $end
                ip -n $1 address add $3 dev $2
                ip netns exec $1 ethtool -K $2 tx off tso off gso off gro off >/dev/null
                ip -n $1 link set dev $2 up
            done
        }}
        touch /run/netns/us
        mount --bind /proc/self/ns/net /run/netns/us
        cable us us0 10.0.1.1/24 r1 r1us 10.0.1.2/24
        for host in 1 2 3 4 5; do
            cable r3 r3h$host 10.1.$host.1/24 h$host h${{host}}r3 10.1.$host.2/24
            ip -n h$host route add default via 10.1.$host.1
        done
        begin link12 emulating "$A" emulate --left ns:r1/r1r2=10.0.2.1/24 \
            --right ns:r2/r2r1=10.0.2.2/24 --path {there} --path-back {back}
        begin link23 emulating "$A" emulate --left ns:r2/r2r3=10.0.3.1/24 \
            --right ns:r3/r3r2=10.0.3.2/24 --path {back} --path-back {back}
        ip route add default via 10.0.1.2
        ip -n r1 route add 10.7.0.0/24 via 10.0.1.1
        ip -n r1 route add default via 10.0.2.2
        ip -n r2 route add 10.1.0.0/16 via 10.0.3.2
        ip -n r2 route add default via 10.0.2.1
        ip -n r3 route add default via 10.0.3.1
        for host in 1 2 3 4 5; do
            for service in discard echo; do
                begin $service$host serving ip netns exec h$host \
                    "$A" serve $service --via kernel
            done
        done
        {script}
        "#
    ))
}

/// Path that is fast, short and free of losses.
const GOOD: &str = "rate=100mbit,delay=1ms,loss=0,queue=1000";

/// Path with losses, and with queues that a large window fills.
const POOR: &str = "rate=20mbit,delay=2ms,loss=1%,queue=24";

fn hops(route: &Value) -> Vec<BTreeSet<&str>> {
    let hops = route["hops"].as_array().expect("hops");
    hops.iter()
        .map(|hop| {
            let answers = hop["answers"].as_array().expect("answers");
            answers.iter().map(|answer| answer["from"].as_str().expect("an address")).collect()
        })
        .collect()
}

#[test]
fn path_finds_the_three_routers_in_their_order_and_that_all_routes_share_them() {
    let script = format!(
        r#"
        for probe in icmp udp tcp; do
            "$A" path --json --probe $probe --port 9 {}
        done
        "#,
        HOSTS.join(" ")
    );
    let Some(output) = in_small_internet([GOOD, GOOD], &script) else {
        return;
    };
    let reports = reports(&output);
    assert_eq!(reports.len(), 3);
    for report in &reports {
        let routes = report["routes"].as_array().expect("routes");
        assert_eq!(routes.len(), HOSTS.len());
        for (route, host) in routes.iter().zip(HOSTS) {
            let expected: Vec<_> =
                ROUTERS.iter().chain([&host]).map(|it| BTreeSet::from([*it])).collect();
            assert_eq!((hops(route), &route["reached"]), (expected, &json!(true)), "{report}");
        }
        let common = &report["common_path"];
        let gateways = common["hops"].as_array().expect("hops").iter().map(|hop| {
            let gateways = hop["gateways"].as_array().expect("gateways");
            assert_eq!((gateways.len(), &gateways[0]["share"]), (1, &json!(1.0)));
            gateways[0]["address"].as_str().expect("an address")
        });
        assert_eq!(gateways.collect::<Vec<_>>(), ROUTERS);
        assert_eq!(common["beyond"], Value::Null);
    }
}

#[test]
fn bprobe_tells_the_queue_it_goes_through_and_a_rate_limit_from_a_queue() {
    // The line takes 0.2 s for a packet of 512 bytes; by then the whole burst has arrived.
    let slow = "rate=20kbit,delay=1ms,loss=0,queue=16,in_service=counted";
    let script = r#"
        "$A" bprobe 10.1.1.2 --ttl 2 --count 100 --json
        # In front of that queue all are answered.
        "$A" bprobe 10.1.1.2 --ttl 1 --count 100 --json
        # Six answers, and then one a second.
        ip netns exec r1 sysctl -q -w net.ipv4.icmp_ratelimit=1000 net.ipv4.icmp_ratemask=6168
        "$A" bprobe 10.1.1.2 --ttl 1 --count 100 --json
    "#;
    let Some(output) = in_small_internet([slow, GOOD], script) else {
        return;
    };
    let reports = reports(&output);
    let measured = |index: usize| &reports[index]["measurements"][0];
    let through = measured(0);
    assert_eq!(through["verdict"], "capacity", "{through}");
    let packets = through["packets"].as_u64().expect("packets");
    assert!(packets.abs_diff(16) <= 1, "{through}");
    assert_eq!(through["burst"]["answers_from"], json!({ ROUTERS[1]: packets }));
    assert_eq!(reports[0]["capacity_distribution"], json!([[packets as f64, 1.0]]));
    let before = measured(1);
    assert_eq!((&before["verdict"], &before["packets"]), (&json!("at_least"), &json!(100)));
    let limited = measured(2);
    assert_eq!(limited["verdict"], "rate_limited", "{limited}");
}

#[test]
fn a_campaign_that_is_killed_goes_on_where_it_stopped_and_is_reported() {
    let script = format!(
        r#"
        cat >"$work/plan.toml" <<'PLAN'
            name = "small Internet"
            seed = 1
            rounds = 2
            hosts = {HOSTS:?}
            [transfer]
            initial_windows = ["1", "4", "16384B"]
            pcap = true
            [bursts]
            count = 20
            wait = "300ms"
            [limits]
            pause = "10ms"
            bits_per_second = 100_000_000
PLAN
        campaign() {{
            exec "$A" campaign run "$work/plan.toml" --tun ack0 --address 10.7.0.2/24 --exceed-caps
        }}
        campaign >&2 &
        campaign=$!
        finished() {{ cat "$work/plan/results.jsonl" 2>/dev/null | wc -l; }}
        until [ "$(finished)" -ge 14 ]; do
            kill -0 $campaign
            sleep 0.02
        done
        kill -KILL $campaign
        wait $campaign || true
        cp "$work/plan/results.jsonl" "$work/before"
        # What a power failure may leave.
        printf '{{"kind":"transfer","st' >>"$work/plan/results.jsonl"
        (campaign) >&2
        # Nothing is left to do.
        (campaign) >&2
        wc -l <"$work/before"
        grep -c '"error":null' "$work/plan/results.jsonl"
        head -c "$(wc -c <"$work/before")" "$work/plan/results.jsonl" | cmp - "$work/before"
        cat "$work/plan/results.jsonl"
        ls "$work/plan"/*.pcap | wc -l
        "$A" campaign report "$work/plan" >&2
        cat "$work/plan/report.json"
        "$A" trace --json "$work/plan/transfer-1-0-2.pcap"
        grep -o '<figure id="[^"]*"' "$work/plan/report.html" | grep -o '"[^"]*"'
        "#
    );
    let Some(output) = in_small_internet([POOR, GOOD], &script) else {
        return;
    };
    let printed = reports(&output);
    let before = printed[0].as_u64().expect("a count");
    assert!((14..51).contains(&before), "{before}");
    let records = &printed[2..53];
    let steps: BTreeSet<_> = records.iter().map(|it| it["step"].as_str()).collect();
    assert_eq!(steps.len(), 51, "each step once");
    let of_kind = |kind: &str| records.iter().filter(|it| it["kind"] == kind).count();
    assert_eq!([of_kind("transfer"), of_kind("route"), of_kind("burst")], [30, 15, 6]);
    for transfer in records.iter().filter(|it| it["kind"] == "transfer") {
        assert_eq!((&transfer["error"], &transfer["acked_bytes"]), (&Value::Null, &json!(16_384)));
        assert_eq!(transfer["info"]["mss_bytes"], 500, "512 without timestamps: {transfer}");
        assert!(transfer["rtt"]["samples"].as_u64() > Some(0));
    }
    assert_eq!(printed[53], 30);
    let report = &printed[54];
    assert_eq!((&report["transfers"], &report["failures"]), (&json!(30), &json!({})));
    let hops = report["common_path"]["hops"].as_array().expect("hops");
    let gateways: Vec<_> = hops.iter().map(|hop| &hop["gateways"][0]["address"]).collect();
    assert_eq!(gateways, ROUTERS);
    assert_eq!(report["common_path"]["routes"], 15);
    for host in report["hosts"].as_array().expect("hosts") {
        assert_eq!((&host["hops"], &host["transfers"]), (&json!(4.0), &json!(6)), "{host}");
    }
    assert_eq!(report["bursts"].as_array().map(Vec::len), Some(6));
    for variant in report["variants"].as_array().expect("variants") {
        assert_eq!(variant["time_saved_percent"]["count"], 10);
    }
    let figures =
        ["time-saved", "extra-retransmissions", "rtt", "hops", "common-path", "burst-capacity"];
    let figures = figures.map(|name| json!(format!("figure-{name}")));
    assert_eq!(printed[56..], figures);
    // The whole transfer may leave at once; still, each segment has a packet of its own.
    let sent = &printed[55]["connections"][0]["a_to_b"];
    assert_eq!((&sent["coalesced_packets"], &sent["max_segment"]), (&json!(0), &json!(500)));
}

#[test]
fn a_campaign_can_go_by_packet_sockets_through_a_gateway() {
    // The stack is a neighbour of the first router on a LAN, with an address of its own.
    let script = r#"
        cat >"$work/plan.toml" <<'PLAN'
            name = "packet"
            rounds = 1
            hosts = ["10.1.1.2", "10.1.2.2:9"]
            [transfer]
            initial_windows = ["1", "4"]
            pcap = true
            [bursts]
            count = 10
            [limits]
            pause = "10ms"
PLAN
        "$A" campaign run "$work/plan.toml" --exceed-caps --via packet --interface us0 \
            --address 10.0.1.9/24 --gateway 10.0.1.2 >&2
        cat "$work/plan/results.jsonl"
        # Both ends of what the captures have: ours is the one of the LAN.
        for file in "$work/plan"/*.pcap; do
            "$A" trace "$file" --json >"$work/trace"
            cat "$work/trace"
        done
    "#;
    let Some(output) = in_small_internet([GOOD, GOOD], script) else {
        return;
    };
    let printed = reports(&output);
    let (records, traces) = printed.split_at(printed.len() - 4);
    let transfers: Vec<_> = records.iter().filter(|it| it["kind"] == "transfer").collect();
    assert_eq!((transfers.len(), records.len()), (4, 4 + 4 + 1));
    for transfer in transfers {
        assert_eq!((&transfer["error"], &transfer["acked_bytes"]), (&Value::Null, &json!(16_384)));
    }
    for trace in traces {
        let connection = &trace["connections"][0];
        let ours = connection["a"].as_str().expect("an address");
        assert!(ours.starts_with("10.0.1.9:"), "{connection}");
        assert_eq!(connection["a_to_b"]["unique_bytes"], 16_384);
    }
}

#[test]
fn a_campaign_can_have_what_it_sends_echoed_by_either_way_out() {
    let script = r#"
        cat >"$work/plan.toml" <<'PLAN'
            name = "echo"
            rounds = 1
            hosts = ["10.1.1.2"]
            [transfer]
            service = "echo"
            initial_windows = ["rfc6928"]
            laws = ["cubic", "veno"]
            [bursts]
            count = 0
PLAN
        "$A" campaign run "$work/plan.toml" --tun ack0 --address 10.7.0.2/24 >&2
        "$A" campaign run "$work/plan.toml" --via raw --guard --out "$work/raw" >&2
        cat "$work/plan/results.jsonl" "$work/raw/results.jsonl"
    "#;
    let Some(output) = in_small_internet([GOOD, GOOD], script) else {
        return;
    };
    let records = reports(&output);
    let transfers: Vec<_> = records.iter().filter(|it| it["kind"] == "transfer").collect();
    let laws: BTreeSet<_> = transfers.iter().filter_map(|it| it["law"].as_str()).collect();
    assert_eq!((transfers.len(), laws), (4, BTreeSet::from(["cubic", "veno"])));
    for transfer in transfers {
        assert_eq!(transfer["info"]["received_bytes"], 16_384, "{transfer}");
        assert_eq!(transfer["info"]["congestion_control"], transfer["law"]);
    }
}

#[test]
fn routes_and_bursts_of_ipv6_are_measured_too() {
    let script = r#"
        mkdir /run/netns
        ip netns add r1
        ip netns add h1
        ip link add us0 type veth peer name r1us netns r1
        ip -n r1 link add r1h1 type veth peer name h1r1 netns h1
        ip netns exec r1 sysctl -q -w net.ipv6.conf.all.forwarding=1 net.ipv6.icmp.ratelimit=0
        ip address add fd01::1/64 dev us0 nodad
        ip -n r1 address add fd01::2/64 dev r1us nodad
        ip -n r1 address add fd02::1/64 dev r1h1 nodad
        ip -n h1 address add fd02::2/64 dev h1r1 nodad
        ip link set dev us0 up
        ip -n r1 link set dev r1us up
        ip -n r1 link set dev r1h1 up
        ip -n h1 link set dev h1r1 up
        ip route add default via fd01::2
        ip -n h1 route add default via fd02::1
        # Until both neighbours are known.
        until ping -q -c 1 -W 1 fd02::2 >&2; do sleep 0.05; done
        "$A" path --json fd02::2
        "$A" path --json --probe udp fd02::2
        "$A" bprobe --json fd02::2 --ttl 1 --count 20
        "$A" path --probe tcp fd02::2 >&2 || echo $?
    "#;
    let Some(output) = in_namespace(script) else {
        return;
    };
    let reports = reports(&output);
    for report in &reports[..2] {
        let route = &report["routes"][0];
        let expected = ["fd01::2", "fd02::2"].map(|it| BTreeSet::from([it]));
        assert_eq!((hops(route), &route["reached"]), (expected.to_vec(), &json!(true)), "{report}");
    }
    let measured = &reports[2]["measurements"][0];
    assert_eq!((&measured["verdict"], &measured["packets"]), (&json!("at_least"), &json!(20)));
    assert_eq!(reports[3], 1, "TCP probes need IPv4");
}

#[test]
fn hosts_that_cannot_be_probed_take_no_route_from_the_others() {
    let script = r#"
        neighbour
        ip -n peer address add fd01::2/64 dev v1 nodad
        ip address add fd01::1/64 dev v0 nodad
        hosts='no.such.host.invalid 198.51.100.1 fd01::2 10.1.0.2'
        "$A" path --json --probe tcp $hosts || echo $?
        "$A" path --probe tcp $hosts >"$work/text" 2>"$work/complaint" || echo $?
        grep -c '^10.1.0.2 (10.1.0.2): 1 hops$' "$work/text"
        grep -c '3 of 4 routes could not be looked for' "$work/complaint"
    "#;
    let Some(output) = in_namespace(script) else {
        return;
    };
    let reports = reports(&output);
    let routes = reports[0]["routes"].as_array().expect("routes");
    let reasons = [
        Some("cannot find the address of no.such.host.invalid"),
        Some("there is no way to 198.51.100.1"),
        Some("tcp probes need IPv4"),
        None,
    ];
    for (route, reason) in routes.iter().zip(reasons) {
        let error = route["error"].as_str();
        let is_said = error.is_some_and(|error| error.starts_with(reason.unwrap_or("nothing")));
        assert_eq!((is_said, error.is_some()), (reason.is_some(), reason.is_some()), "{route}");
    }
    assert_eq!((routes.len(), &routes[3]["reached"]), (4, &json!(true)));
    assert_eq!(reports[1..], [json!(1), json!(1), json!(1), json!(1)]);
}

/// File of a plan in a directory that is removed at the end of the test.
struct PlanFile(std::path::PathBuf);

impl PlanFile {
    fn new(name: &str, limits: &str) -> Self {
        let name = format!("ackclock-plan-{name}-{}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&directory).expect("a directory");
        let text =
            format!("name = 'dry'\nrounds = 2\nhosts_file = 'hosts.txt'\n[limits]\n{limits}\n");
        std::fs::write(directory.join("plan.toml"), text).expect("a plan");
        let hosts = "# mine\n192.0.2.7\nb.invalid # slow\n";
        std::fs::write(directory.join("hosts.txt"), hosts).expect("hosts");
        PlanFile(directory)
    }

    fn run(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ackclock"));
        command.args(["campaign", "run"]).arg(self.0.join("plan.toml")).args(arguments);
        let output = command.output().expect("the program starts");
        let said = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8_lossy(&said).into_owned())
    }
}

impl Drop for PlanFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_dry_run_says_what_would_be_sent_and_keeps_nothing() {
    let plan = PlanFile::new("dry", "");
    let (status, said) = plan.run(&["--dry-run"]);
    assert_eq!(status, Some(0), "{said}");
    for part in ["28 transfers of", "to 2 hosts (TCP port 9, discard)", "  b.invalid\n", "6 routes"]
    {
        assert!(said.contains(part), "no '{part}' in: {said}");
    }
    assert!(!plan.0.join("plan").exists());
}

#[test]
fn a_way_out_by_which_nobody_can_be_reached_is_refused_before_anything_is_kept() {
    let plan = PlanFile::new("way", "");
    for (arguments, says) in [
        (&["--via", "packet"][..], "with packet sockets give --interface NAME, and --address"),
        (&["--via", "raw", "--ports", "9-1"], "--ports: "),
        (&["--via", "tun"], "give --tun NAME and --address CIDR"),
    ] {
        let (status, said) = plan.run(arguments);
        assert_eq!((status, said.contains(says)), (Some(2), true), "{said}");
        assert!(!plan.0.join("plan").exists());
    }
}

#[test]
fn a_plan_beyond_the_polite_limits_is_refused_without_the_option() {
    let plan = PlanFile::new("excess", "pause = '1ms'");
    let (status, said) = plan.run(&["--via", "raw"]);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("'pause' is 1ms, 1s would be polite"), "{said}");
    assert!(said.contains("--exceed-caps") && !plan.0.join("plan").exists());
    let (status, said) = plan.run(&["--dry-run"]);
    assert_eq!(status, Some(0));
    assert!(said.contains("needs --exceed-caps: 'pause'"), "{said}");
}
