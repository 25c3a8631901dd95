#!/usr/bin/env bash
# The papers' laboratory in eight parts by GNU parallel, on this machine or, with
# `--sshloginfile nodes`, on several that share this directory; then one report.
set -euo pipefail
parts=8
parallel --halt soon,fail=0 "ackclock lab run all --jobs 1 --shard {}/$parts --out part-{}" ::: $(seq "$parts")
ackclock lab merge part-* --out report
