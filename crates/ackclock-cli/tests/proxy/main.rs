//! `ackclock proxy` between programs of the kernel's TCP: a client whose connections are routed into a TUN
//! interface, and servers in another namespace.
#![cfg(target_os = "linux")]

#[path = "../namespace/mod.rs"]
mod namespace;

use namespace::{in_namespace, reports};
use serde_json::Value;

/// Servers' addresses in the namespace "peer", a way there that nobody takes by itself, and
/// `carry NAME ARGUMENT...` to begin a proxy into whose interface these addresses are routed.
const SERVERS: &str = r#"
    mkdir /run/netns
    neighbour
    ip -6 address add fd01::1/64 dev v0 nodad
    ip -n peer -6 address add fd01::2/64 dev v1 nodad
    ip -n peer address add 203.0.113.1/32 dev lo
    ip -n peer -6 address add 2001:db8::1/128 dev lo nodad
    ip route add 203.0.113.0/24 via 10.1.0.2 dev v0 metric 200
    ip -6 route add 2001:db8::/32 via fd01::2 dev v0 metric 2000
    ip -n peer route add unreachable 203.0.113.99
    at_peer sysctl -qw net.ipv4.ip_forward=1
    carry() {
        name=$1
        shift
        begin "$name" carrying "$A" proxy --tun tun0 "$@"
        ip route replace 203.0.113.0/24 dev tun0 metric 100
        ip -6 route replace 2001:db8::/32 dev tun0 metric 1000
    }
    socks5() { begin socks5 serving ip netns exec peer python3 "$SCRIPTS/socks5.py" 10.1.0.2 1080; }
"#;

/// The two ways out, as arguments of `carry`.
const WAYS: [&str; 2] = ["--direct --interface v0", "--to socks5://10.1.0.2:1080"];

fn run(script: &str) -> Option<(Vec<Value>, Vec<String>)> {
    let scripts = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/proxy");
    let output = in_namespace(&format!("SCRIPTS={scripts}\n{SERVERS}\n{script}"))?;
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr).lines().map(str::to_owned).collect();
    Some((reports(&output), said))
}

#[test]
fn what_programs_fetch_comes_whole() {
    for way in WAYS {
        let script = format!(
            r#"
            socks5
            mkdir "$work/www"
            head -c 5000000 /dev/urandom >"$work/www/data"
            git init -q "$work/origin"
            cp "$work/www/data" "$work/origin"
            git -C "$work/origin" -c core.autocrlf=false add data
            git -C "$work/origin" -c user.name=a -c user.email=a@b commit -qm "data"
            git clone -q --bare "$work/origin" "$work/www/repository.git"
            git -C "$work/www/repository.git" update-server-info
            at_peer python3 -m http.server --bind :: --directory "$work/www" 8000 >/dev/null 2>&1 &
            begin iperf Server ip netns exec peer sh -c 'iperf3 --server --forceflush >&2'
            begin echo serving ip netns exec peer "$A" serve echo --via kernel --port 7
            carry proxy {way} --json --interval 100ms
            proxy=$!
            until curl --silent --fail --max-time 60 http://203.0.113.1:8000/data >"$work/got"; do sleep 0.1; done
            cmp "$work/got" "$work/www/data" && echo IPv4 fetched >&2
            curl --silent --fail --max-time 60 'http://[2001:db8::1]:8000/data' | cmp - "$work/www/data" \
                && echo IPv6 fetched >&2
            git clone -q http://203.0.113.1:8000/repository.git "$work/clone"
            cmp "$work/clone/data" "$work/www/data" && echo cloned >&2
            for direction in "" --reverse; do
                # The server is busy for a while after the first one.
                until iperf3 --client 203.0.113.1 --bytes 30M $direction --json >"$work/count"; do sleep 0.1; done
                grep -A 5 sum_received "$work/count" | grep '"bytes"' >&2
            done
            python3 "$SCRIPTS/many.py" 203.0.113.1 7 200 >&2
            kill -INT $proxy
            wait $proxy
            cat "$work/proxy"
            "#
        );
        let Some((reports, said)) = run(&script) else {
            return;
        };
        let received: Vec<u64> = said
            .iter()
            .filter_map(|line| line.trim().strip_prefix("\"bytes\":"))
            .map(|number| number.trim().trim_end_matches(',').parse().expect("a number"))
            .collect();
        // iperf3's client ends the server's count while data are on their way to it.
        assert!(
            received.len() == 2 && received[0] > 1 << 20 && received[1] >= 30 << 20,
            "{said:?}"
        );
        for line in ["IPv4 fetched", "IPv6 fetched", "cloned", "200 of 200 flows are right"] {
            assert!(said.iter().any(|it| it == line), "no '{line}' in {said:?}");
        }
        let report = &reports[0];
        let count = |key: &str| report[key].as_u64().expect("a count");
        assert_eq!(report["command"], "proxy");
        assert!(count("completed_connections") >= 200 + 2 + 3, "{report}");
        // A server of iperf3's that has data left when its client ends resets that connection.
        assert!(count("failed_connections") <= 2, "{report}");
        let carried = [count("out_bytes"), count("back_bytes")];
        let least = [10_000_000 + received[0], 25_000_000 + received[1]];
        assert!(carried[0] > least[0] && carried[1] > least[1], "{report}");
        let intervals = report["intervals"].as_array().expect("intervals");
        let sum = |key: &str| -> u64 {
            intervals.iter().map(|interval| interval[key].as_u64().expect("a count")).sum()
        };
        for key in ["opened_connections", "out_bytes", "back_bytes"] {
            assert_eq!(sum(key), count(key), "{key}: {report}");
        }
    }
}

#[test]
fn each_end_of_a_connection_is_carried_as_it_is() {
    for way in WAYS {
        let script = format!(
            r#"
            socks5
            begin server serving ip netns exec peer python3 "$SCRIPTS/endings.py" server 203.0.113.1 "$work"
            carry proxy {way} --json
            proxy=$!
            until ping -q -c 1 -w 1 10.1.0.2 >/dev/null; do sleep 0.1; done
            python3 "$SCRIPTS/endings.py" client 203.0.113.1 "$work" >&2
            kill -INT $proxy
            wait $proxy
            cat "$work/proxy"
            "#
        );
        let Some((reports, said)) = run(&script) else {
            return;
        };
        let expected = [
            "client_ends_first: client 70000 bytes, server 50000 bytes",
            "server_ends_first: client 70000 bytes, server 50000 bytes",
            "server_resets: client reset, server done",
            "client_resets: client done, server reset",
            "server_resets_after_the_clients_end: client reset, server 50000 bytes",
            "client_resets_after_the_servers_end: client 0 bytes, server reset",
            "refused: refused",
            "unreachable: no answer",
        ];
        assert_eq!(said, expected, "{way}");
        let report = &reports[0];
        assert_eq!(report["completed_connections"], 2, "{report}");
        assert_eq!(report["failed_connections"], 4, "{report}");
        assert_eq!(report["refused_requests"], 1, "{report}");
        assert!(report["unreachable_requests"].as_u64() >= Some(1), "{report}");
        assert_eq!(report["open_connections"], 0, "{report}");
    }
}

#[test]
fn who_waits_in_vain_gives_way_to_newcomers() {
    let script = r#"
        begin echo serving ip netns exec peer "$A" serve echo --via kernel --port 7
        at_peer iptables -A INPUT -d 203.0.113.50 -j DROP
        ip -n peer address add 203.0.113.50/32 dev lo
        carry proxy --direct --interface v0 --requests 50 --connect-time 60s --json
        proxy=$!
        python3 -c '
import asyncio, sys
async def ask(number):
    await asyncio.open_connection("203.0.113.50", 1000 + number)
async def main():
    waits = [asyncio.ensure_future(ask(number)) for number in range(200)]
    await asyncio.sleep(1)
    for _ in range(10):
        reader, writer = await asyncio.open_connection("203.0.113.1", 7)
        writer.write(b"here I am")
        print(await reader.readexactly(9), file=sys.stderr)
        writer.close()
    for wait in waits:
        wait.cancel()
asyncio.run(asyncio.wait_for(main(), 60))
'
        kill -INT $proxy
        wait $proxy
        cat "$work/proxy"
    "#;
    let Some((reports, said)) = run(script) else {
        return;
    };
    assert_eq!(said, ["b'here I am'"; 10]);
    let report = &reports[0];
    let count = |key: &str| report[key].as_u64().expect("a count");
    assert_eq!(count("opened_connections"), 10, "{report}");
    assert!(count("given_up_requests") >= 150, "{report}");
}
