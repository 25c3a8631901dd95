#!/bin/sh
# Measures ackclock's sockets beside their peers and the kernel's: `sudo benches/sockets.sh [ROUNDS]`, on
# one processor, on two, and over a path with delay and loss. It needs cargo, ip and taskset, and takes
# about twenty minutes for three rounds. `benches/sockets/tables.py` makes docs/socket_performance.md of
# what it prints.
set -eu
cd "$(dirname "$0")/.."
rounds=${1:-3}
cargo build --quiet --release -p ackclock-cli
cargo build --quiet --release --locked --manifest-path benches/sockets/Cargo.toml --target-dir target/sockets
bench=target/sockets/release/ackclock-socket-benches

# What a run that was killed has left behind.
forget() {
    ip netns list | sed -n 's/^\(ackclock-sockets-[^ ]*\).*/\1/p' | xargs -rn1 ip netns delete
}
trap forget EXIT
forget

# A thousand connections at both ends.
ulimit -n 8192
taskset -c "${CPU:-0}" "$bench" direct "$rounds"
taskset -c 0,1 "$bench" direct "$rounds"
"$bench" lossy "$rounds" target/release/ackclock
