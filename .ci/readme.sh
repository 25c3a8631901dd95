#!/usr/bin/env bash
# Runs what README.md shows to firmware with the features that it names there, and no others.
set -euo pipefail
cd "$(dirname "$0")/.."

features=$(python3 -c '
import re, tomllib
block = re.search(r"```toml\n(.*?)```", open("README.md").read(), re.DOTALL)[1]
print(",".join(tomllib.loads(block)["dependencies"]["ackclock"]["features"]))')
cargo test --package ackclock --example lent_memory --no-default-features --features "$features"
cargo run --package ackclock --example lent_memory --no-default-features --features "$features"
