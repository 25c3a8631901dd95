"""Those that are attacked: `ackclock serve` over a TUN interface or packet sockets, and the kernel's TCP.

The attacker is in a network namespace whose interface `wire0` leads to the victim.
"""

import json
import os
import re
import resource
import selectors
import signal
import socket
import subprocess
import sys
import time

from wire import ATTACKER, NOBODY, VICTIM

SERVICES = {"echo": 7, "chargen": 19}
# Processes of the server on the kernel's sockets, so that each has descriptors for its connections where
# their number is limited to 20,000.
SERVERS = 4


def run(*command):
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)


def raise_limit():
    """Lets this process and its children have as many descriptors as it may."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class World:
    """The attacker's namespace, and that of the victim if its TCP is the kernel's."""

    def __init__(self):
        mark = os.getpid()
        self.attacker, self.victim = f"robust-a{mark}", f"robust-v{mark}"

    def __enter__(self):
        for name in (self.attacker, self.victim):
            run("ip", "netns", "add", name)
            run("ip", "-n", name, "link", "set", "lo", "up")
        return self

    def __exit__(self, *_):
        for name in (self.attacker, self.victim):
            run("ip", "netns", "delete", name)

    def in_attacker(self, *command):
        run("ip", "netns", "exec", self.attacker, *command)

    def configure(self):
        """Gives the attacker its addresses, and room for many connections and neighbours."""
        for last in (1, *range(11, 16)):
            run("ip", "-n", self.attacker, "address", "add", f"10.9.0.{last}/24", "dev", "wire0")
        run("ip", "-n", self.attacker, "link", "set", "wire0", "up", "txqueuelen", "10000")
        self.in_attacker("sysctl", "-qw", "net.ipv4.ip_local_port_range=1024 65000")

    def join(self):
        """Joins the two namespaces by a pair of Ethernet interfaces."""
        run("ip", "link", "add", "wire0", "netns", self.attacker, "type", "veth", "peer", "name",
            "wire0", "netns", self.victim)
        # Packets as a network carries them.
        for name in (self.attacker, self.victim):
            run("ip", "netns", "exec", name, "ethtool", "-K", "wire0", "tx", "off", "tso", "off",
                "gso", "off", "gro", "off")
        self.configure()


class Subject:
    """A victim in a world; a context, in which it serves."""

    process = None

    def __init__(self, world, service):
        self.world, self.service = world, service

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()

    def launch(self, namespace, *command):
        self.process = subprocess.Popen(
            ["ip", "netns", "exec", namespace, *map(str, command)],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
        )
        line = self.process.stderr.readline()
        if "serving" not in line:
            raise SystemExit(f"the victim does not serve: {line}")

    def memory(self):
        """Resident megabytes, now and at most, if the victim is a process that has them."""
        return None


class Ours(Subject):
    """Our stack, in the attacker's namespace or (with packet sockets) at the other end of its wire."""

    def __init__(self, world, service, program, options=(), packet=False):
        super().__init__(world, service)
        self.program, self.options, self.packet = program, options, packet

    def start(self):
        common = [self.program, "serve", self.service, "--address", f"{VICTIM}/24", *self.options]
        if self.packet:
            self.world.join()
            run("ip", "-n", self.world.victim, "link", "set", "wire0", "up")
            return self.launch(self.world.victim, *common, "--via", "packet", "--interface", "wire0",
                               "--gateway", ATTACKER)
        run("ip", "-n", self.world.attacker, "tuntap", "add", "dev", "wire0", "mode", "tun")
        self.world.configure()
        return self.launch(self.world.attacker, *common, "--tun", "wire0")

    def memory(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            values = dict(re.findall(r"(VmRSS|VmHWM):\s*(\d+) kB", file.read()))
        return [round(int(values[name]) / 1024, 1) for name in ("VmRSS", "VmHWM")]


class Kernel(Subject):
    """The kernel's TCP, with a server of this script on it."""

    def start(self):
        self.world.join()
        victim = self.world.victim
        run("ip", "-n", victim, "address", "add", f"{VICTIM}/24", "dev", "wire0")
        run("ip", "-n", victim, "link", "set", "wire0", "up")
        run("ip", "-n", victim, "route", "add", f"{NOBODY}/16", "via", ATTACKER)
        run("ip", "-n", victim, "route", "add", "default", "via", ATTACKER)
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run.py")
        self.launch(victim, "python3", script, "--serve", self.service)


def serve(service):
    """An echo or chargen server on the kernel's sockets, until it is killed."""
    text = bytes(range(32, 127)) * 100
    server = socket.create_server(("", SERVICES[service]), backlog=4096)
    server.setblocking(False)
    for _ in range(SERVERS - 1):
        if os.fork() == 0:
            break
    else:
        print("serving", file=sys.stderr, flush=True)
    waiting = selectors.DefaultSelector()
    waiting.register(server, selectors.EVENT_READ)
    room = 0.6 * resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    interest = selectors.EVENT_READ if service == "echo" else selectors.EVENT_READ | selectors.EVENT_WRITE
    while True:
        for key, events in waiting.select():
            peer = key.fileobj
            if peer is server:
                if len(waiting.get_map()) < room:
                    accept(server, waiting, interest)
                else:
                    waiting.unregister(server)
                continue
            try:
                if events & selectors.EVENT_READ:
                    data = peer.recv(1 << 16)
                    if not data:
                        raise ConnectionError
                    if service == "echo":
                        peer.send(data)
                if events & selectors.EVENT_WRITE:
                    peer.send(text)
            except BlockingIOError:
                pass
            except OSError:
                waiting.unregister(peer)
                peer.close()


def accept(server, waiting, interest):
    """Takes the connections that wait, up to a number of them."""
    for _ in range(256):
        try:
            peer, _ = server.accept()
        except OSError:
            return
        peer.setblocking(False)
        waiting.register(peer, interest)


def attack(world, name, seconds):
    """Runs an attack in the attacker's namespace; returns what it prints."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run.py")
    begun = time.monotonic()
    process = subprocess.Popen(
        ["ip", "netns", "exec", world.attacker, "python3", script, "--inside", name],
        stdout=subprocess.PIPE, text=True, start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return {"result": f"no end within {seconds} s"}
    if process.returncode:
        return {"result": "the attack failed"}
    return json.loads(output) | {"took_seconds": round(time.monotonic() - begun, 1)}
