#!/usr/bin/env python3
"""Makes docs/socket_performance.md of what benches/sockets.sh prints: `benches/sockets/tables.py FILE...`.

Of cases that were measured more than once the last counts.
"""

import json
import pathlib
import sys

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "socket_performance.md"

HEAD = """\
# Sockets beside their peers

Made by `benches/sockets/tables.py` from what `benches/sockets.sh` prints; not to be edited by hand.

```sh
sudo benches/sockets.sh 3 | tee target/sockets.txt
benches/sockets/tables.py target/sockets.txt
```

Each contestant serves discard, echo and a source of bytes in a process of its own. The clients are the
kernel's sockets, in network namespaces. Between the two is a TUN device of 1,500 bytes MTU; the kernel's
own sockets, which cannot be reached over one, are at the other end of a veth pair, whose large packets are
never cut nor summed. So they are the cheapest way there is on the same machine, not a peer over TUN.

All but two contestants answer every connection that comes out of the TUN device, wherever it is to go, as
tun2socks does; the run loop and the blocking sockets listen. The
peers are driven as their own examples drive them, with their default settings and the MTU given: ipstack
1.0 and netstack-smoltcp 0.2 with the device of the crate `tun`, and netstack-smoltcp a second time with
`tun-rs`, which takes the kernel's large packets and cuts them in the process. Those that know offload pass
large packets on whole; *without offload* ours have what the peers have. Tasks run on tokio's runtime of
several threads.

Contestants took turns, on a virtual machine with two processors that others used too. A figure is the
median of the rounds, and a ratio (*times*) that of the ratios of each round; of rates more is better, of
processor time less. Processor time is that of the contestant's process, user's and system's: a write to a TUN
device does the kernel's receiving too, so that the kernel's own sockets, which leave it to others, are not
measured by it quite as the others are. *The run loop* is what `ackclock serve` has, with offload or without,
as the contestant.

Delay and loss are those of `ackclock emulate` between the clients and the namespace of the contestant:
{path}, all contestants at the same time, each over a path of its own that loses the same packets.
"""


def rows(paths):
    """What each case comes to, in order."""
    found = {}
    for path in paths:
        for line in pathlib.Path(path).read_text().splitlines():
            row = json.loads(line) if line.startswith("{") else {}
            if "cells" in row:
                found.setdefault(row["case"], {})[row["contender"]] = row
    return found


def cell(name, value):
    if value is None:
        return "-"
    if name.startswith(("times", "Gbit", "CPU s", "CPU ms")):
        # Three digits that count, and no more.
        return f"{value:.{max(0, 2 - len(str(int(value))) + 1)}f}" if value >= 0.1 else f"{value:.4f}"
    return f"{value:,.0f}"


def table(case, contenders):
    rows = list(contenders.values())
    names = [name for name, _ in rows[0]["cells"]]
    lines = [f"| {case} | " + " | ".join(names) + " |", "| --- |" + " ---: |" * len(names)]
    for row in rows:
        failed = f" ({row['failed']} of {row['rounds']} failed)" if row["failed"] else ""
        cells = " | ".join(cell(name, value) for name, value in row["cells"])
        lines.append(f"| {row['contender']}{failed} | {cells} |")
    return "\n".join(lines) + "\n"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    path = "`rate=100mbit,delay=50ms,loss=2%,queue=1000` each way"
    parts = [HEAD.format(path=path)]
    parts += [table(case, contenders) for case, contenders in rows(sys.argv[1:]).items()]
    PAGE.write_text("\n".join(parts))


if __name__ == "__main__":
    main()
