"""What an image must do: each case with a machine and a network of its own."""

import contextlib
import os
import select
import socket
import subprocess
import threading
import time

import peers
from elf import Image
from machine import Machine
from network import BOARD, PEER, TAP, BadCable, Cable, ip

# Both directions of the bad cable.
LOSS = REORDERING = 0.02
OURS, THEIRS = "services", "smoltcp-services"

C_TARGET = "thumbv7m-none-eabi"
# A Cortex-M7, for which there is nothing to compare with.
M7 = "an500"
# Whose sizes are of interest.
SIZED = ["echo", "echo-least", "smoltcp-echo", "services", "smoltcp-services"]


class Lab:
    """The images of one target."""

    def __init__(self, target, folder):
        self.target = target
        self._folder = folder

    def image(self, name):
        return Image(os.path.join(self._folder, name))

    def sizes(self):
        sized = ["echo", "services"] if self.target == M7 else SIZED
        return {name: self.image(name).sizes() for name in sized}

    @contextlib.contextmanager
    def running(self, name, cable=None):
        with cable or Cable() as cable:
            with Machine(self.target, self.image(name), cable.netdev) as machine:
                yield machine


def services(lab):
    """Echo, discard and chargen, every byte verified."""
    with lab.running("services") as machine:
        peers.echo(peers.connect(peers.ECHO), seconds=1)
        peers.discard(peers.connect(peers.DISCARD), seconds=1)
        peers.chargen(peers.connect(peers.CHARGEN), seconds=1)
        return {"stack of services": machine.deepest_stack()}


def echo(lab):
    """The small image: echo, and 50 connections one after another through its two slots."""
    with lab.running("echo") as machine:
        peers.echo(peers.connect(peers.ECHO), seconds=1)
        for _ in range(50):
            peers.echo(peers.connect(peers.ECHO), amount=1000)
        # Two at once, and two that must wait for them.
        at_once(4, amount=20_000)
        return {"stack of echo": machine.deepest_stack()}


def say_here(connection):
    connection.sendall(b"here")
    if connection.recv(4, socket.MSG_WAITALL) != b"here":
        raise AssertionError("wrong content")


def at_once(count, amount):
    problems = []

    def talk():
        try:
            peers.echo(peers.connect(peers.ECHO, 20), amount=amount)
        except (OSError, AssertionError) as problem:
            problems.append(problem)

    threads = [threading.Thread(target=talk) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if problems:
        raise AssertionError(f"{len(problems)} of {count} connections: {problems[0]}")


def four_at_once(lab):
    """Four connections at a time, each established before the first one says something."""
    with lab.running("services"):
        connections = [peers.connect(peers.ECHO) for _ in range(4)]
        for connection in connections:
            say_here(connection)
        for connection in connections:
            connection.close()
        at_once(4, amount=300_000)


def bad_cable(lab):
    """Echo with losses and frames that overtake others, in both directions."""
    with lab.running("services", cable := BadCable(LOSS, REORDERING)):
        peers.echo(peers.connect(peers.ECHO), amount=400_000)
        peers.chargen(peers.connect(peers.CHARGEN), seconds=2)
        if not (cable.lost and cable.overtaken):
            raise AssertionError("the cable was not bad")
        return {"frames lost": cable.lost, "frames overtaken": cable.overtaken}


def peer_that_vanishes(lab):
    """Two peers vanish and leave both slots of the small image taken; it finds out, and serves
    others."""
    with lab.running("echo"):
        gone = [peers.connect(peers.ECHO) for _ in range(2)]
        for connection in gone:
            say_here(connection)
        # Nobody has the address any more, so nobody answers, not even with a reset.
        ip("addr", "add", "10.7.0.3/24", "dev", TAP)
        ip("addr", "del", PEER + "/24", "dev", TAP)
        ip("addr", "replace", "10.7.0.3/24", "dev", TAP)
        begin = time.monotonic()
        peers.echo(peers.connect(peers.ECHO, 30), amount=10_000)
        return {"seconds until the slot was free": round(time.monotonic() - begin, 1)}


def zero_window(lab):
    """A peer that does not read for a while, and gets everything when it does."""
    with lab.running("services"):
        lazy = socket.socket()
        lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        lazy.settimeout(10)
        lazy.connect((BOARD, peers.CHARGEN))
        time.sleep(2)
        peers.chargen(lazy, seconds=1)
        # Now all queues, theirs and ours, fill up.
        lazy = peers.connect(peers.ECHO)
        lazy.setblocking(False)
        sent, received = peers.Expected(peers.PATTERN), peers.Expected(peers.PATTERN)
        while select.select([], [lazy], [], 1)[1]:
            sent.count += lazy.send(sent.next(peers.CHUNK))
        lazy.settimeout(10)
        lazy.shutdown(socket.SHUT_WR)
        while data := lazy.recv(peers.CHUNK):
            received.take(data)
        if received.count != sent.count:
            raise AssertionError(f"{received.count} of {sent.count} bytes came back")
        return {"bytes until all queues were full": sent.count}


def pulled_cable(lab):
    """The cable is pulled out for a second while data is on its way."""
    with lab.running("services") as machine:
        echoing = peers.connect(peers.ECHO)
        for seconds, up in [(0.5, False), (1.5, True)]:
            threading.Timer(seconds, machine.set_link, [up]).start()
        peers.echo(echoing, seconds=4)


def changed_address(lab):
    """The peer gets another hardware address, and nothing tells the board; what it knows expires,
    and it asks again."""
    with lab.running("services"):
        say_here(connection := peers.connect(peers.ECHO))
        connection.close()
        # A permanent entry for the board: the kernel sends no request that would tell it.
        ip("link", "set", TAP, "address", "02:00:00:00:00:77")
        hardware = ("lladdr", "02:00:00:00:00:02", "nud", "permanent", "dev", TAP)
        ip("neigh", "replace", BOARD, *hardware)
        begin = time.monotonic()
        # The first answer ends it.
        command = ["ping", "-c", "1", "-i", "0.5", "-w", "60", BOARD]
        if subprocess.run(command, stdout=subprocess.DEVNULL).returncode != 0:
            raise AssertionError("the board never found the new address")
        seconds = time.monotonic() - begin
        peers.echo(peers.connect(peers.ECHO), amount=10_000)
        return {"seconds until the new address was known": round(seconds, 1)}


def client(lab):
    """The image that sends by itself and ends the emulation."""
    with Cable() as cable, socket.create_server((PEER, peers.DISCARD)) as listener:
        listener.settimeout(20)
        with Machine(lab.target, lab.image("client"), cable.netdev) as machine:
            connection, _ = listener.accept()
            count = 0
            while data := connection.recv(peers.CHUNK):
                count += len(data)
            connection.close()
            if machine.wait(10) != 0:
                raise AssertionError(f"the client failed: {machine.log()}")
            said = machine.log().splitlines()[-1]
            if not said.startswith(f"sent {count} bytes "):
                raise AssertionError(f"{count} bytes arrived, but it {said}")
            return {"client": said}


def least(lab):
    """The smallest image, without SACK and timestamps."""
    with lab.running("echo-least") as machine:
        peers.echo(peers.connect(peers.ECHO), seconds=1)
        for _ in range(50):
            peers.echo(peers.connect(peers.ECHO), amount=1000)
        return {"stack of echo-least": machine.deepest_stack()}


def c_echo(lab):
    """The image in C."""
    with lab.running("c-echo") as machine:
        peers.echo(peers.connect(peers.ECHO), seconds=1)
        for _ in range(50):
            peers.echo(peers.connect(peers.ECHO), amount=1000)
        at_once(4, amount=20_000)
        return {"stack of c-echo": machine.deepest_stack()}


def comparison(lab):
    """What the other stack needs for the same."""
    found = {}
    for name in ("smoltcp-echo", "smoltcp-services"):
        with lab.running(name) as machine:
            peers.echo(peers.connect(peers.ECHO), seconds=0.5)
            found[f"stack of {name}"] = machine.deepest_stack()
    return found


SLOW = [changed_address, peer_that_vanishes]
QUICK = [
    *(echo, services, four_at_once, bad_cable, zero_window, pulled_cable, client),
    *(least, c_echo, comparison),
]


def applies(case, lab):
    """Whether there is such an image for the target."""
    if case is c_echo:
        return lab.target == C_TARGET
    return lab.target != M7 or case not in (least, comparison)


def rates(lab, image, cable, seconds):
    """Mbit/s of each service, and Mbit in a second of QEMU's processor time, which tells less of
    what else the machine does."""
    found = {}
    with lab.running(image, cable) as machine:
        for name in ("echo", "discard", "chargen"):
            connection = peers.connect(getattr(peers, name.upper()), 60)
            begin = machine.processor_seconds()
            count, elapsed = getattr(peers, name)(connection, seconds=seconds)
            used = max(machine.processor_seconds() - begin, 0.01)
            found[f"{name}, Mbit/s"] = count * 8 / elapsed / 1e6
            found[f"{name}, Mbit per CPU second"] = count * 8 / used / 1e6
    return found


def speed(lab, image, seconds):
    return rates(lab, image, Cable(), seconds)


def speed_with_loss(lab, image, seconds):
    """Where 2 % are lost in each direction."""
    found = rates(lab, image, BadCable(LOSS, 0), seconds)
    return {f"2 % lost: {name}": rate for name, rate in found.items() if "CPU" not in name}
