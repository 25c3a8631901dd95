#!/usr/bin/env python3
"""Measures the emulated path in real time: ping and TCP between the kernels of two namespaces.

Run it as root from anywhere: `sudo benches/emulate.py`. It needs cargo (or the program's path as its
argument), ip, ping and unshare. It prints a table of what was expected and what was measured; it
decides nothing, for a busy machine is late.
"""

import json
import os
import re
import socket
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LEFT, RIGHT = "10.9.0.1", "10.9.0.2"
PORT = 9000
SECONDS = 10  # a transfer goes on for
# Payload of a packet of 1500 bytes: less the headers of IPv4 and TCP and the timestamps.
PAYLOAD_SHARE = 1448 / 1500


def send():
    """Sends zeros to the right with reno for a while, in the namespace of the left."""
    with socket.create_connection((RIGHT, PORT)) as sender:
        sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"reno")
        data, end = bytes(1 << 18), time.monotonic() + SECONDS
        while time.monotonic() < end:
            sender.send(data)


def receive():
    """Prints the rate of payload in bit/s after the first second."""
    with socket.create_server((RIGHT, PORT)) as server:
        print("listening", flush=True)
        receiver, _ = server.accept()
    buffer = bytearray(1 << 20)
    received, begin, first = 0, time.monotonic(), None
    while length := receiver.recv_into(buffer):
        received += length
        last = time.monotonic()
        if first is None and last - begin >= 1:
            first = last, received
    print((received - first[1]) * 8 / (last - first[0]))


def inside(namespace, *command):
    arguments = ["ip", "netns", "exec", namespace, *command]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)


class Emulation:
    """The program, joining a TUN interface in each of the namespaces a and b."""

    def __init__(self, program, path):
        ends = ["--left", f"ns:a/tun0={LEFT}/24", "--right", f"ns:b/tun0={RIGHT}/24"]
        self.process = subprocess.Popen(
            [program, "emulate", *ends, "--path", path, "--json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        announcement = self.process.stderr.readline()
        if not announcement.startswith("emulating"):
            sys.exit(announcement.strip())

    def end(self):
        self.process.terminate()
        return json.loads(self.process.communicate()[0])


def ping(program, path):
    emulation = Emulation(program, path)
    said, _ = inside("a", "ping", "-q", "-c", "50", "-i", "0.1", RIGHT).communicate()
    emulation.end()
    least, mean, most = re.search(r"= ([\d.]+)/([\d.]+)/([\d.]+)/", said).groups()
    return f"{mean} ms ({least} to {most})"


def transfer(program, path):
    emulation = Emulation(program, path)
    receiver = inside("b", sys.executable, __file__, "receive")
    receiver.stdout.readline()
    inside("a", sys.executable, __file__, "send").communicate()
    rate = float(receiver.communicate()[0]) / 1e6
    report = emulation.end()
    there = report["to_right"]
    return (
        f"{rate:.2f} Mbit/s; late by {there['late_mean_seconds'] * 1e3:.2f} ms on average, "
        f"{there['late_max_seconds'] * 1e3:.1f} ms at most; {there['not_taken_packets']} packets "
        f"not taken; busy {report['busy_share']:.0%}"
    )


def measure(program):
    os.makedirs("/run/netns")
    for namespace in ["a", "b"]:
        subprocess.run(["ip", "netns", "add", namespace], check=True)
    print(f"load of this machine before: {os.getloadavg()[0]:.1f}\n")
    print(f"{'path':40} {'':8} {'expected':24} measured")
    gigabit = f"at most {1000 * PAYLOAD_SHARE:.0f} Mbit/s"
    for path, measured, expected, what in [
        ("rate=10mbit,delay=20ms,loss=0", "ping", "40 ms +- 1 ms", ping),
        ("rate=10mbit,delay=20ms,loss=0,queue=64", "reno", "9.45 to 9.66 Mbit/s", transfer),
        ("rate=1gbit,delay=1ms,loss=0,queue=500", "reno", gigabit, transfer),
    ]:
        print(f"{path:40} {measured:8} {expected:24} {what(program, path)}", flush=True)


def main():
    match sys.argv[1:]:
        case ["send"]:
            send()
        case ["receive"]:
            receive()
        case ["measure", program]:
            measure(program)
        case [program] if not os.path.isfile(program):
            sys.exit(f"there is no program {program}\n\n{__doc__}")
        case _ if os.geteuid() != 0:
            sys.exit("run it as root: sudo benches/emulate.py")
        case [program]:
            # Names of namespaces, and whatever is left running, go with these.
            script = 'mount -t tmpfs tmpfs /run && exec "$@"'
            own = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c"]
            again = [sys.executable, __file__, "measure", os.path.abspath(program)]
            os.execvp(own[0], [*own, script, "sh", *again])
        case _:
            build = ["cargo", "build", "--release", "--message-format=json", "-p", "ackclock-cli"]
            built = subprocess.run(build, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
            messages = map(json.loads, built.stdout.splitlines())
            programs = [each["executable"] for each in messages if each.get("executable")]
            os.execv(sys.executable, [sys.executable, __file__, programs[-1]])


main()
