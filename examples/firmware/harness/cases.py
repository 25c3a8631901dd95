"""What an image must do: each case with a machine and a network of its own."""

import concurrent.futures
import contextlib
import os
import select
import socket
import subprocess
import time

import peers
from elf import Image
from machine import Machine
from network import BOARD, PEER, TAP, BadCable, Cable, frames_from_board, ip

# Both directions of the bad cable.
LOSS = REORDERING = 0.02
# Frames from the board that show that data is on its way.
FLOWING = 20
OURS, THEIRS = "services", "smoltcp-services"

# For which the images in C and with embassy are built.
EXTRA_TARGET, EXTRA = "thumbv7m-none-eabi", ["c-echo", "embassy-echo"]
# A Cortex-M7, for which there is nothing to compare with.
M7 = "an500"
# Whose sizes are of interest.
SIZED = ["echo", "echo-least", "smoltcp-echo", "services", "smoltcp-services", "client"]


class Lab:
    """The images of one target."""

    def __init__(self, target, folder):
        self.target = target
        # Of the images that ran, in all cases of this process.
        self.stacks = {}
        self._folder = folder

    def image(self, name):
        return Image(os.path.join(self._folder, name))

    def sizes(self):
        sized = ["echo", "services"] if self.target == M7 else SIZED
        if self.target == EXTRA_TARGET:
            sized = [*sized, *EXTRA]
        return {name: self.image(name).sizes() for name in sized}

    @contextlib.contextmanager
    def running(self, name, cable=None):
        with cable or Cable() as cable:
            with Machine(self.target, self.image(name), cable.netdev) as machine:
                yield machine
                name = f"stack of {name}"
                self.stacks[name] = max(self.stacks.get(name, 0), machine.deepest_stack())


def services(lab):
    """Echo and chargen, every byte verified; discard, of which only the peer's kernel can tell that all
    was acknowledged."""
    with lab.running("services"):
        peers.echo(peers.connect(peers.ECHO), seconds=1)
        peers.discard(peers.connect(peers.DISCARD), seconds=1)
        peers.chargen(peers.connect(peers.CHARGEN), seconds=1)


def echo(lab):
    """The small image: echo, and 50 connections one after another through its two slots."""
    with lab.running("echo"):
        peers.echo(peers.connect(peers.ECHO), seconds=1)
        for _ in range(50):
            peers.echo(peers.connect(peers.ECHO), amount=1000)
        # Two at once, and two that must wait for them.
        at_once(4, amount=20_000)


def echo_in_trouble(lab):
    """The small image with all that takes more of its stack than a clean cable does: losses, frames
    that overtake others, a window of zero, a cable that is pulled out, pings and a closed port."""
    with lab.running("echo", cable := BadCable(LOSS, REORDERING)) as machine:
        peers.echo(peers.connect(peers.ECHO), amount=100_000)
        at_once(2, amount=20_000)
        filled = fill_queues(peers.connect(peers.ECHO, size=8192))
        ping("-s", "548", "-i", "0.1", "-w", "10")
        refuse(peers.CHARGEN)
        pull(machine, peers.connect(peers.ECHO), seconds=2)
        cable.must_have_been_bad()
        return {"bytes until the small queues were full": filled}


def say_here(connection):
    connection.sendall(b"here")
    if connection.recv(4, socket.MSG_WAITALL) != b"here":
        raise AssertionError("wrong content")


def at_once(count, amount):
    """So many echoes at a time."""
    with concurrent.futures.ThreadPoolExecutor(count) as threads:
        talks = [
            threads.submit(lambda: peers.echo(peers.connect(peers.ECHO, 20), amount=amount))
            for _ in range(count)
        ]
    for talk in talks:
        talk.result()


def ping(*arguments):
    """Waits for one answer."""
    command = ["ping", "-c", "1", *arguments, BOARD]
    if subprocess.run(command, stdout=subprocess.DEVNULL).returncode != 0:
        raise AssertionError("no answer to a ping")


def refuse(port):
    """The port must be closed."""
    try:
        peers.connect(port)
    except ConnectionRefusedError:
        return
    raise AssertionError(f"port {port} is open")


def fill_queues(lazy):
    """Sends to the echo service and reads nothing until all queues are full; then everything must come
    back. Returns how much it was."""
    lazy.setblocking(False)
    sent, received = peers.Expected(peers.PATTERN), peers.Expected(peers.PATTERN)
    while select.select([], [lazy], [], 1)[1]:
        sent.count += lazy.send(sent.next(peers.CHUNK))
    lazy.settimeout(20)
    lazy.shutdown(socket.SHUT_WR)
    while data := lazy.recv(peers.CHUNK):
        received.take(data)
    lazy.close()
    if received.count != sent.count:
        raise AssertionError(f"{received.count} of {sent.count} bytes came back")
    return sent.count


def pull(machine, connection, seconds):
    """Pulls the cable out for a second while there is an echo on a connection, which must come to a
    good end."""
    with concurrent.futures.ThreadPoolExecutor(1) as thread:
        begin = frames_from_board()
        talking = thread.submit(peers.echo, connection, seconds=seconds)
        machine.wait_for(lambda: frames_from_board() >= begin + FLOWING)
        machine.set_link(False)
        # What was on its way arrives.
        machine.wait_for(lambda: not flows(0.1))
        if flows(1) or talking.done():
            raise AssertionError("data comes through a cable that was pulled out")
        machine.set_link(True)
        talking.result()


def flows(seconds):
    """Whether anything comes from the board meanwhile."""
    before = frames_from_board()
    time.sleep(seconds)
    return frames_from_board() != before


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
        cable.must_have_been_bad()
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
        return {"bytes until all queues were full": fill_queues(peers.connect(peers.ECHO))}


def pulled_cable(lab):
    """The cable is pulled out for a second while data is on its way."""
    with lab.running("services") as machine:
        pull(machine, peers.connect(peers.ECHO), seconds=4)


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
        ping("-i", "0.5", "-w", "60")
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
    with lab.running("echo-least"):
        peers.echo(peers.connect(peers.ECHO), seconds=1)
        for _ in range(50):
            peers.echo(peers.connect(peers.ECHO), amount=1000)


def c_echo(lab):
    """The image in C."""
    with lab.running("c-echo"):
        peers.echo(peers.connect(peers.ECHO), seconds=1)
        for _ in range(50):
            peers.echo(peers.connect(peers.ECHO), amount=1000)
        at_once(4, amount=20_000)


def embassy_echo(lab):
    """The image whose connections are tasks of embassy's executor."""
    with lab.running("embassy-echo"):
        peers.echo(peers.connect(peers.ECHO), seconds=1)
        for _ in range(50):
            peers.echo(peers.connect(peers.ECHO), amount=1000)
        at_once(4, amount=20_000)


def comparison(lab):
    """What the other stack needs for the same."""
    for name in ("smoltcp-echo", "smoltcp-services"):
        with lab.running(name):
            peers.echo(peers.connect(peers.ECHO), seconds=0.5)


SLOW = [changed_address, peer_that_vanishes]
QUICK = [
    *(echo, echo_in_trouble, services, four_at_once, bad_cable, zero_window, pulled_cable),
    *(client, least, c_echo, embassy_echo, comparison),
]


def applies(case, lab):
    """Whether there is such an image for the target."""
    if case in (c_echo, embassy_echo):
        return lab.target == EXTRA_TARGET
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
