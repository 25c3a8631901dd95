#!/bin/sh
# Makes docs/congestion_figures.md anew: every table of figures that docs/congestion.md speaks of. The
# figures are of virtual time and of instructions, so they do not depend on the machine. Takes a few
# minutes; needs valgrind.
set -eu
cd "$(dirname "$0")/.."
figures=docs/congestion_figures.md
run() {
    cargo bench --quiet -p ackclock-benches --bench "$1"
}
{
    echo "# Figures of congestion control and loss recovery"
    echo
    echo "Made by \`benches/congestion.sh\`; [congestion.md](congestion.md) says what they mean."
    for part in \
        "closed_forms:Closed forms" \
        "against_smoltcp:Beside smoltcp 0.14" \
        "recoveries:Loss recovery" \
        "random_loss:Random losses on 50 Mbit/s and 40 ms" \
        "two_way:HyStart++ and transfers in both directions" \
        "fair_queueing:Requests beside a giant window"; do
        printf '\n## %s\n\n' "${part#*:}"
        run "${part%%:*}"
    done
    printf '\n## Instructions per ack in the steady state\n\n```text\n'
    run ack_instructions
    echo '```'
} >"$figures.new"
mv "$figures.new" "$figures"
