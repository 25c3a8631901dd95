"""Clients of the services: sockets of this machine's kernel, which verify every byte that they get."""

import random
import select
import socket
import struct
import time

from network import BOARD

ECHO, DISCARD, CHARGEN = 7, 9, 19
PATTERN = random.Random(862).randbytes(1 << 16)
CHUNK = 1 << 14
LINE = 72
CHARACTERS = 95


def connect(port, seconds=10.0, size=None):
    """A connection, with so many bytes for its two queues if that is told."""
    peer = socket.socket()
    if size is not None:
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, size)
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, size)
    peer.settimeout(seconds)
    peer.connect((BOARD, port))
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return peer


def chargen_lines():
    """All there are, before they begin again (RFC 864)."""
    printable = [ord(" ") + index for index in range(CHARACTERS)]
    ring = bytes(printable * 2)
    return b"".join(ring[line : line + LINE] + b"\r\n" for line in range(CHARACTERS))


class Expected:
    """A stream that is known, and must arrive."""

    def __init__(self, pattern):
        self._pattern = pattern * 2
        self._length = len(pattern)
        self.count = 0

    def next(self, length):
        """The next bytes of it, not more than `length`."""
        at = self.count % self._length
        return self._pattern[at : at + min(length, self._length)]

    def take(self, data):
        at = 0
        while at < len(data):
            expected = self.next(len(data) - at)
            if data[at : at + len(expected)] != expected:
                raise AssertionError(f"wrong content after {self.count} bytes")
            at += len(expected)
            self.count += len(expected)


def echo(peer, seconds=None, amount=None, patience=20.0):
    """Sends for so long or so many bytes and half-closes; everything must come back, and then the
    end. Returns the bytes that came back, and the seconds that it took."""
    peer.setblocking(False)
    sent, received = Expected(PATTERN), Expected(PATTERN)
    begin = last = time.monotonic()
    sending = True
    while True:
        now = time.monotonic()
        if now - last > patience:
            raise AssertionError(f"stuck after {received.count} of {sent.count} bytes")
        if sending and (
            (seconds is not None and now - begin >= seconds)
            or (amount is not None and sent.count >= amount)
        ):
            peer.shutdown(socket.SHUT_WR)
            sending = False
        readable, writable, _ = select.select([peer], [peer] if sending else [], [], 1.0)
        if writable:
            room = CHUNK if amount is None else min(CHUNK, amount - sent.count)
            sent.count += peer.send(sent.next(room))
            last = now
        if readable:
            data = peer.recv(CHUNK)
            if not data:
                break
            received.take(data)
            last = now
    if sending or received.count != sent.count:
        raise AssertionError(f"{received.count} of {sent.count} bytes came back")
    peer.close()
    return received.count, time.monotonic() - begin


def discard(peer, seconds):
    """Sends for so long, until everything is acknowledged; returns the bytes and the seconds."""
    begin = time.monotonic()
    sent = Expected(PATTERN)
    while time.monotonic() - begin < seconds:
        sent.count += peer.send(sent.next(CHUNK))
    peer.shutdown(socket.SHUT_WR)
    if peer.recv(1):
        raise AssertionError("the discard service said something")
    peer.close()
    return sent.count, time.monotonic() - begin


def chargen(peer, seconds):
    """Reads for so long; returns the bytes and the seconds. The connection is broken off: the
    service would go on for ever."""
    begin = time.monotonic()
    received = Expected(chargen_lines())
    while time.monotonic() - begin < seconds:
        received.take(peer.recv(CHUNK))
    elapsed = time.monotonic() - begin
    break_off(peer)
    return received.count, elapsed


def break_off(peer):
    """Closes with a RST."""
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.close()
