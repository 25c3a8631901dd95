#!/usr/bin/env bash
# Has the tests keep their packet scripts, and plays them to this machine's kernel; as root. Arguments go to the player:
# `--write` makes the page docs/kernel_scripts.md anew.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ACKCLOCK_KEEP_SCRIPTS=$folder cargo test --quiet -p ackclock-packetdrill -p ackclock-testkit --test scripts
cargo run -p ackclock-kernel-player -- play "$folder" --page docs/kernel_scripts.md "$@"
