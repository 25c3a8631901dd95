#!/usr/bin/env python3
"""Makes docs/performance.md of the JSON lines that the benchmarks print: `benches/performance.py FILE...`.

Lines that are not JSON are passed over. Of rows that were measured more than once the last counts.
"""

import json
import pathlib
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "performance.md"

COMMANDS = """\
cargo bench -p ackclock-benches --bench memory --bench parts --bench emulator_hops | tee target/benches.txt
cargo bench -p ackclock-benches --bench instructions | tee -a target/benches.txt
cargo test -p ackclock --test many_connections -- --nocapture | tee -a target/benches.txt
sudo benches/tun.sh | tee -a target/benches.txt
benches/performance.py target/benches.txt
"""

HEAD = f"""\
# Performance

Made by `benches/performance.py` from what the benchmarks print; not to be edited by hand.

What is compared ran in the same process and in turns, on an x86-64 virtual machine with two processors
that had other work to do. Ratios carry over to another machine; times do not, and are shown only where
the project asks for them: what is added to the floor, what a gigabyte costs, how fast the emulator is.
Instructions are counted by callgrind.

Both ends, the applications' copies and the wire (one copy) are in one thread and one memory, at MTU
1500. Ours runs with everything on: SACK, timestamps, RACK-TLP and CUBIC. smoltcp is version 0.14, whose
default is no congestion control; where nothing else is said it runs so, without timestamps.

To measure again:

```sh
{COMMANDS}```
"""

ABOUT = {
    "over TUN": """\
Against the kernel on one processor, by the processor time of both ends. The *minimal driver* knows its
packets beforehand, keeps to the peer's window, and does nothing else that a TCP must do. CPU seconds per
GB (10^9 bytes of payload) are those of both ends on this machine. smoltcp knows no offload: beside
messages with it smoltcp's go without.
""",
    "several queues": """\
A connection on each queue of a TUN interface, against the kernel, with a stack and a thread for each
queue, by the time of the busier processor and, where that is said, by the clock on the wall, to which
other work on the machine counts too. All that is done for a queue stays on its processor. CPU seconds
are those of the threads of both, without what softirqs take.
""",
    "bulk": """\
One direction, as fast as it goes. The end that receives takes in all that has arrived, as a driver's
batch, and speaks then; so acks thin out by themselves. The rows that ack every second segment show what
a batch of one (smoltcp: of two) costs. *Copies and checksums alone* is the floor: a loop with the same
four copies and two checksums and no protocol. *In place* means that the applications write and read
where the data lie, *checksum offload* that the link sums and verifies. Beside IPv6 as much payload goes
over IPv4.
""",
    "ping-pong": """\
A message goes to the peer's application, which sends it back.
""",
    "open and close": """\
Handshake, then FIN from both sides. smoltcp's sockets are used again, with virtual time jumping over
TIME-WAIT; ours leaves a record in TIME-WAIT each time, of which at most 1,000 are kept.
""",
    "idle connections": """\
One connection carries data beside others that are established and idle (with smoltcp: sockets that
listen, which cost it the same).
""",
    "codec": "Headers and checksum of one packet, written with its payload or read and verified.\n",
    "checksum": """\
The Internet checksum beside smoltcp's (`smoltcp::wire::checksum`) and RFC 1071's loop, one 16-bit word
after another.
""",
    "copy and checksum": """\
A copy and the sum of what was copied, one after the other as in the stack, beside both in one pass. For
segments one pass gains nothing, since the copy leaves them in the fastest memory; so the stack has none.
There is little that could use it, too: what arrives is copied only once its checksum was found right, and
what an application sends is copied before it is known where segments end. There remain links that copy
packets into memory of their own.
""",
    "ack processing": "An ack that reports one more segment, with holes behind it, beside one without.\n",
    "large flights": """\
A fixed window over a path that loses at random (seeded), in the steady state: each ack lets another
segment go. 86,000 segments of 1,500 bytes are 10 Gbit/s over 100 ms. The peer acknowledges each segment,
with SACK, so that there are about as many holes as the path loses in a round trip: 1, 9 and 86. With 1 of
them four of ten acks find no hole, and so cost less; with more the searches of the scoreboard are all that
grows, by a step for each doubling. Time and instructions are those of an ack and the transmission that it
lets go, with the path and the peer that the benchmark plays. Times grow further where the flight does not
fit into the caches.
""",
    "timers": """\
Messages and their answers on two connections beside others that are idle, all of which have a keepalive
timer armed. While a message is under way its connection's deadline is the earliest of all, and once it was
answered the latest: it crosses the whole timer queue both times. There are two connections, since the
deadline of the one that was heard last is not in the queue.
""",
    "emulator hops": """\
How fast the emulator is with everything that the hosts' stacks, the queues and the routers do about a
packet, on one processor. The project asks for a million packets over a link in a second and more.
""",
    "memory of 100,000 connections": """\
What the allocator has given each stack, by the number of its connections, which are established and
have nothing in flight. The project allows 200 MiB for all, which is 2,097 for each.
""",
    "instructions": "What one of each takes; what setting it up takes is not in it.\n",
}


# Of which row in the table of instructions a contender's are.
INSTRUCTIONS = {"large flights": "ack, {contender}, {case}"}


def rows(paths):
    """The rows of all files by benchmark and case, in order."""
    found = {}
    for path in paths:
        for line in pathlib.Path(path).read_text().splitlines():
            if line.startswith("{"):
                row = json.loads(line)
                # A single round is no result.
                if "round" in row:
                    continue
                case = found.setdefault(row["bench"], {}).setdefault(row["case"], {})
                case[row["contender"]] = row
    return found


def times_table(bench, case, contenders, instructions):
    """How many times as fast as the references each contender is, and what else is known of all."""
    rows = list(contenders.values())
    references = [ratio["reference"] for ratio in rows[0]["ratios"]]
    columns = [f"times as fast as {reference}" for reference in references]
    figures = [
        lambda row, number=number: f"{row['ratios'][number]['times']:.2f}"
        for number in range(len(references))
    ]
    if "copies and checksums alone" in contenders:
        floor = contenders["copies and checksums alone"]["ns"]
        columns.append(f"ns per {rows[0]['unit']} above the floor")
        figures.append(lambda row: f"{row['ns'] - floor:.0f}")
    if bench == "emulator hops":
        columns.append("million packets per second")
        figures.append(lambda row: f"{1e3 / row['ns']:.2f}")
    if bench in INSTRUCTIONS:
        columns.append(f"instructions per {rows[0]['unit']}")
        figures.append(
            lambda row: f"{instructions[INSTRUCTIONS[bench].format(**row)]['instructions']:.0f}"
        )
    if all("cpu_seconds_per_gigabyte" in row for row in rows):
        columns.append("CPU seconds per GB")
        figures.append(lambda row: f"{row['cpu_seconds_per_gigabyte']:.2f}")
    lines = [f"| {case} | " + " | ".join(columns) + " |", "| --- |" + " ---: |" * len(columns)]
    for name, row in contenders.items():
        lines.append(f"| {name} | " + " | ".join(figure(row) for figure in figures) + " |")
    return "\n".join(lines) + "\n"


def instructions_table(contenders):
    lines = ["| | instructions | for one |", "| --- | ---: | --- |"]
    for name, row in contenders.items():
        lines.append(f"| {name} | {row['instructions']:.0f} | {row['unit']} |")
    return "\n".join(lines) + "\n"


def bytes_table(case, contenders):
    lines = [f"| | {case} |", "| --- | ---: |"]
    lines += [f"| {name} | {row['bytes']} |" for name, row in contenders.items()]
    return "\n".join(lines) + "\n"


def main():
    if len(sys.argv) < 2:
        sys.exit(f"{__doc__}\n{COMMANDS}")
    parts = [HEAD]
    found = rows(sys.argv[1:])
    instructions = found.get("instructions", {}).get("one of each", {})
    for bench, cases in found.items():
        parts.append(f"## {bench[0].upper()}{bench[1:]}\n")
        parts.append(ABOUT.get(bench, ""))
        for case, contenders in cases.items():
            counts = all("instructions" in row for row in contenders.values())
            if all("bytes" in row for row in contenders.values()):
                parts.append(bytes_table(case, contenders))
            elif counts:
                parts.append(instructions_table(contenders))
            else:
                parts.append(times_table(bench, case, contenders, instructions))
    PAGE.write_text("\n".join(part for part in parts if part))


if __name__ == "__main__":
    main()
