"""The kernel's end of the cable, and a bad cable."""

import ctypes
import fcntl
import json
import os
import random
import socket
import struct
import subprocess
import tempfile
import threading

CLONE_NEWNET = 0x4000_0000
TAP = "tap0"
PEER, BOARD = "10.7.0.1", "10.7.0.2"
# linux/if_tun.h
TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x4004_54CA, 2, 0x1000


def ip(*arguments):
    subprocess.run(["ip", *arguments], check=True)


def enter_namespace():
    """Takes this process to a network namespace of its own: no packet leaves it."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "a network namespace needs root")
    ip("link", "set", "lo", "up")


def raise_tap():
    ip("addr", "add", PEER + "/24", "dev", TAP)
    ip("link", "set", TAP, "up")


def frames_from_board():
    """Frames that have come out of the cable at this end."""
    command = ["ip", "-json", "-statistics", "link", "show", "dev", TAP]
    answer = subprocess.run(command, check=True, capture_output=True).stdout
    return json.loads(answer)[0]["stats64"]["rx"]["packets"]


class Cable:
    """A TAP device that QEMU reads and writes itself."""

    netdev = f"tap,id=n0,ifname={TAP},script=no,downscript=no"

    def __enter__(self):
        ip("tuntap", "add", TAP, "mode", "tap")
        raise_tap()
        return self

    def __exit__(self, *_):
        ip("link", "del", TAP)


class BadCable:
    """A TAP device behind a relay that loses and overtakes frames in both directions."""

    def __init__(self, loss, reordering, seed=1):
        self.loss, self.reordering = loss, reordering
        self.passed = self.lost = self.overtaken = 0
        self._seed = seed

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory()
        ours, theirs = (os.path.join(self._folder.name, name) for name in ("relay", "qemu"))
        self.netdev = (
            f"dgram,id=n0,local.type=unix,local.path={theirs},remote.type=unix,remote.path={ours}"
        )
        self._tap = os.open("/dev/net/tun", os.O_RDWR)
        flags = struct.pack("16sH22x", TAP.encode(), IFF_TAP | IFF_NO_PI)
        fcntl.ioctl(self._tap, TUNSETIFF, flags)
        raise_tap()
        self._machine = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._machine.bind(ours)

        def to_machine(frame):
            try:
                self._machine.sendto(frame, theirs)
            except (ConnectionRefusedError, FileNotFoundError):
                pass  # It is not there yet, or no longer.

        directions = [
            (lambda: os.read(self._tap, 2048), to_machine),
            (lambda: self._machine.recv(2048), lambda frame: os.write(self._tap, frame)),
        ]
        for index, (read, write) in enumerate(directions):
            chance = random.Random(self._seed + index)
            threading.Thread(target=self._relay, args=(chance, read, write), daemon=True).start()
        return self

    def __exit__(self, *_):
        # The threads end with the process; nothing arrives any more.
        ip("link", "set", TAP, "down")
        self._folder.cleanup()

    def must_have_been_bad(self):
        if not (self.lost and self.overtaken):
            raise AssertionError("the cable was not bad")

    def _relay(self, chance, read, write):
        late = None
        while True:
            frame = read()
            if chance.random() < self.loss:
                self.lost += 1
                continue
            if late is None and chance.random() < self.reordering:
                late = frame
                continue
            write(frame)
            self.passed += 1
            if late is not None:
                # The next one has overtaken it.
                self.overtaken += 1
                write(late)
                late = None
