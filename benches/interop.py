#!/usr/bin/env python3
"""Makes docs/interop.md anew: what this stack and the kernel of the machine agree on, and whether every byte arrives.

    benches/interop.py COMMAND     COMMAND: a built ackclock, such as target/release/ackclock

Needs root, iproute2, iptables and Python. Each row is a connection that echoes its bytes, over a TUN device in a
network namespace of its own; with loss, both directions lose three packets in a hundred.
"""

import json
import os
import platform
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "interop.md")
PEER = os.path.join(ROOT, "benches", "linux", "interop_peer.py")
BYTES = 1_000_000
OURS, THEIRS, BEHIND = ("10.7.0.2", "fd07::2"), ("10.7.0.1", "fd07::1"), ("10.8.0.2", "fd08::2")
PATIENCE = 120

PRELUDE = """
set -e
ip link set dev lo up
mount -t tmpfs tmpfs /run
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -r "$work"' EXIT
"$A" setup tun ack0 --address 10.7.0.2/24 --address fd07::2/64 >/dev/null
begin() {
    : >"$work/ready"
    "$@" >"$work/out" 2>"$work/ready" &
    until grep -q serving "$work/ready"; do sleep 0.01; done
}
"""
LOSS = """
for tables in iptables ip6tables; do
    $tables -A INPUT -m statistic --mode random --probability 0.03 -j DROP
    $tables -A OUTPUT -m statistic --mode random --probability 0.03 -j DROP
done
"""
# The kernel at the other end is behind a router that drops without a word what is too long.
HOLE = """
echo 1 >/proc/sys/net/ipv4/ip_forward
echo 1 >/proc/sys/net/ipv6/conf/all/forwarding
ip netns add peer
ip link add r0 type veth peer name k0 netns peer
ethtool -K r0 tso off gso off gro off >/dev/null
ip netns exec peer ethtool -K k0 tso off gso off gro off >/dev/null
ip address add 10.8.0.1/24 dev r0
ip address add fd08::1/64 dev r0 nodad
ip link set r0 up
ip -n peer address add 10.8.0.2/24 dev k0
ip -n peer address add fd08::2/64 dev k0 nodad
ip -n peer link set lo up
ip -n peer link set k0 up
ip -n peer route add default via 10.8.0.1
ip -n peer -6 route add default via fd08::1
ip netns exec peer sh -c 'echo 2 >/proc/sys/net/ipv4/tcp_mtu_probing'
iptables -A FORWARD -p tcp -m length --length 1401: -j DROP
ip6tables -A FORWARD -p tcp -m length --length 1401: -j DROP
"""
AT_PEER = "ip netns exec peer"
NO_OPTIONS = "for it in timestamps sack window_scaling; do echo 0 >/proc/sys/net/ipv4/tcp_$it; done"


class Feature:
    """A row's feature: our options, the kernel's settings, and what both say was agreed on."""

    def __init__(self, name, ours="", kernel="", peer="plain", agreed=None, is_behind=False):
        self.name, self.ours, self.kernel, self.peer = name, ours, kernel, peer
        self.agreed, self.is_behind = agreed, is_behind


def options(local):
    """What the SYNs agreed on, as our end tells it."""
    words = [word for word, is_on in (
        ("timestamps", local["timestamps"]),
        ("SACK", local["sack"]),
        ("window scaling", local["send_window_shift_bits"] is not None),
    ) if is_on]
    return ", ".join(words) or "nothing"


def ecn(local):
    return "AccECN" if local["accurate_ecn"] else "classic ECN" if local["ecn"] else "no ECN"


FEATURES = (
    Feature("plain", agreed=options),
    Feature("the kernel without options", kernel=NO_OPTIONS, agreed=options),
    Feature("ECN", "--ecn request", "echo 1 >/proc/sys/net/ipv4/tcp_ecn", agreed=ecn),
    Feature("AccECN asked for", "--ecn request-accurate", "echo 1 >/proc/sys/net/ipv4/tcp_ecn", agreed=ecn),
    Feature(
        "Fast Open", "--fast-open on", "echo 3 >/proc/sys/net/ipv4/tcp_fastopen", "fast-open",
        lambda local: f"{local['syn_data']} bytes with the SYN",
    ),
    Feature(
        "MD5", "--md5-key secret", peer="md5",
        agreed=lambda local: "signed" if local["signed"] else "not signed",
    ),
    Feature(
        "path MTU by probes", "--mtu-probing always", HOLE, is_behind=True,
        agreed=lambda local: f"{local['pmtu_bytes']} bytes by our probes",
    ),
)


def script(feature, we_connect, family, loss):
    ours, theirs = OURS[family], (BEHIND if feature.is_behind else THEIRS)[family]
    device = "--tun ack0 --address 10.7.0.2/24 --address fd07::2/64"
    host = f"[{theirs}]" if family else theirs
    lose = (LOSS.replace("INPUT", "FORWARD") if feature.is_behind else LOSS) if loss else ""
    peer = f"{AT_PEER if feature.is_behind else ''} python3 {PEER}"
    # The first connection is for the cookie of Fast Open, and for the way to be there.
    if we_connect:
        ask = f'"$A" echo {host}:7 {device} {feature.ours} --bytes {BYTES} --json'
        return f"""{feature.kernel}
            begin {peer} server {theirs} 7 {feature.peer} {ours}
            "$A" echo {host}:7 {device} {feature.ours} --bytes 1000 --json >/dev/null
            {lose}
            {ask}"""
    serve = f'"$A" serve echo {device} {feature.ours} --json'
    ask = f"{peer} client {ours} 7 {feature.peer}"
    return f"""{feature.kernel}
        begin {serve}
        {ask} 1000 >/dev/null
        {lose}
        {ask} {BYTES}
        kill -INT %1
        wait %1 || true
        cat "$work/out" """


def run(command, text):
    """The JSON objects that a script prints."""
    process = subprocess.run(
        ["unshare", "--net", "--mount", "--pid", "--fork", "timeout", str(PATIENCE), "bash", "-c", PRELUDE + text],
        env={**os.environ, "A": os.path.abspath(command)}, capture_output=True, text=True,
    )
    if process.returncode != 0:
        raise SystemExit(f"{text}\n{process.stderr}")
    decoder, objects, rest = json.JSONDecoder(), [], process.stdout.strip()
    while rest:
        value, end = decoder.raw_decode(rest)
        objects.append(value)
        rest = rest[end:].strip()
    return objects


def row(command, feature, we_connect, family, loss):
    objects = run(command, script(feature, we_connect, family, loss))
    if we_connect:
        [report] = objects
        local, verified = report["local"], report["totals"]["received_bytes"]
        if report["error"]:
            raise SystemExit(f"{feature.name}: {report['error']}")
    else:
        client, service = objects
        local, verified = service["last"], client["verified"]
    if verified != BYTES:
        raise SystemExit(f"{feature.name}: {verified} of {BYTES} bytes are right")
    who = "we" if we_connect else "the kernel"
    return [feature.name, who, "IPv6" if family else "IPv4", "3 %" if loss else "none", feature.agreed(local), f"{verified:,}"]


def main():
    command = sys.argv[1]
    heads = ["feature", "who connects", "family", "loss", "agreed on", "bytes verified"]
    lines = [heads, ["---", "---", "---", "---", "---", "---:"]]
    for feature in FEATURES:
        for we_connect in (True, False):
            for family in (0, 1):
                for loss in (False, True):
                    lines.append(row(command, feature, we_connect, family, loss))
                    print(" | ".join(lines[-1]), file=sys.stderr)
    release = ".".join(platform.release().split("-")[0].split(".")[:2])
    with open(PAGE, "w", encoding="utf-8") as page:
        page.write(f"""# This stack and the kernel's

Made by `benches/interop.py` with Linux {release} at the other end. Each row is one connection over a TUN device, which
sends {BYTES:,} bytes and gets them back; whoever connects compares them. With loss both directions lose three packets in a
hundred. For *path MTU by probes* the kernel is behind a router that drops without a word whatever is longer than 1,400
bytes. What was agreed on is what our end tells. This kernel has neither AccECN, of which it makes classic ECN, nor TCP-AO.

""")
        page.writelines("| " + " | ".join(line) + " |\n" for line in lines)


if __name__ == "__main__":
    main()
