"""Packets of our own making, on an interface of the attacker's namespace."""

import socket
import struct
import time

VICTIM, ATTACKER = "10.9.0.2", "10.9.0.1"
# Addresses of nobody, which the victim reaches through the attacker: what it answers is lost.
NOBODY = "10.20.0.0"

FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
ETHERNET = 14
OUTGOING = 4  # PACKET_OUTGOING of linux/if_packet.h
IPV4, IPV6, ARP = 0x0800, 0x86DD, 0x0806


def checksum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    total = (total & 0xFFFF) + (total >> 16)
    return ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF


def ipv4(source, destination, protocol, payload):
    head = struct.pack(
        "!BBHHHBBH4s4s",
        *(0x45, 0, 20 + len(payload), 0, 0x4000, 64, protocol, 0),
        *(socket.inet_aton(source), socket.inet_aton(destination)),
    )
    return head[:10] + struct.pack("!H", checksum(head)) + head[12:] + payload


def tcp(source, destination, ports, flags, seq=0, ack=0, window=65535, options=b"", payload=b""):
    """A segment in IPv4 from `source` to `destination`, between the two `ports`."""
    options += b"\1" * (-len(options) % 4)
    offset = (20 + len(options)) // 4 << 4
    head = struct.pack("!HHIIBBHHH", *ports, seq & 0xFFFFFFFF, ack & 0xFFFFFFFF, offset, flags,
                       window, 0, 0)
    segment = head + options + payload
    pseudo = socket.inet_aton(source) + socket.inet_aton(destination)
    pseudo += struct.pack("!BBH", 0, 6, len(segment))
    total = checksum(pseudo + segment)
    return ipv4(source, destination, 6, segment[:16] + struct.pack("!H", total) + segment[18:])


def echo_request(source, destination, number=1):
    """An ICMP echo request in IPv4."""
    message = struct.pack("!BBHHH", 8, 0, 0, 77, number) + bytes(8)
    message = message[:2] + struct.pack("!H", checksum(message)) + message[4:]
    return ipv4(source, destination, 1, message)


def mss(size):
    return struct.pack("!BBH", 2, 4, size)


class Segment:
    """A segment of TCP in IPv4, read from a packet."""

    def __init__(self, packet):
        header = (packet[0] & 15) * 4
        self.length = len(packet)
        self.total = struct.unpack_from("!H", packet, 2)[0]
        self.source = socket.inet_ntoa(packet[12:16])
        self.destination = socket.inet_ntoa(packet[16:20])
        self.ports = struct.unpack_from("!HH", packet, header)
        self.seq, self.ack = struct.unpack_from("!II", packet, header + 4)
        self.flags = packet[header + 13]
        self.payload = self.total - header - (packet[header + 12] >> 4) * 4

    def end(self):
        """The number after the last one of this segment."""
        return self.seq + self.payload + bool(self.flags & SYN) + bool(self.flags & FIN)


class Wire:
    """An interface: a TUN interface, which carries IP packets, or one that carries frames."""

    def __init__(self, name="wire0", receives=True):
        protocol = 3 if receives else 0  # ETH_P_ALL
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(protocol))
        self.socket.bind((name, protocol))
        self.socket.setsockopt(socket.SOL_SOCKET, 33, 64 << 20)  # SO_RCVBUFFORCE
        self.socket.setsockopt(socket.SOL_SOCKET, 32, 16 << 20)  # SO_SNDBUFFORCE
        self.frames = self.socket.getsockname()[3] == 1  # ARPHRD_ETHER
        self.own = self.socket.getsockname()[4]
        self.victim = None

    def find_victim(self):
        """Asks for the hardware address of the victim, if the interface has such addresses."""
        if not self.frames or self.victim:
            return
        for _ in range(20):
            self.socket.send(arp(1, self.own, ATTACKER, b"\0" * 6, VICTIM, b"\xff" * 6))
            for kind, data in self.received(0.2):
                if kind == ARP and data[6:8] == b"\0\2" and data[14:18] == socket.inet_aton(VICTIM):
                    self.victim = data[8:14]
                    return
        raise SystemExit("the victim has no hardware address")

    def frame(self, packet):
        """The packet as this interface carries it."""
        if not self.frames:
            return packet
        self.find_victim()
        kind = IPV6 if packet[0] >> 4 == 6 else IPV4
        return self.victim + self.own + struct.pack("!H", kind) + packet

    def send(self, *packets):
        for packet in packets:
            self.put(self.frame(packet))

    def put(self, frame):
        """Sends a frame; waits for room."""
        while True:
            try:
                return self.socket.send(frame)
            except OSError as error:
                if error.errno != 105:  # ENOBUFS
                    raise
                time.sleep(0.0005)

    def frames_received(self, seconds):
        """What arrives in this time, as whole frames."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.socket.settimeout(left)
            try:
                data, (_, kind, way, _, _) = self.socket.recvfrom(1 << 16)
            except TimeoutError:
                return
            finally:
                self.socket.settimeout(None)
            if way != OUTGOING:
                yield kind, data

    def received(self, seconds):
        """The kind and the packet of what arrives in this time."""
        for kind, data in self.frames_received(seconds):
            yield kind, data[ETHERNET:] if self.frames else data

    def segments(self, seconds):
        """Segments of TCP from the victim that arrive in this time."""
        for kind, data in self.received(seconds):
            if kind == IPV4 and len(data) >= 40 and data[9] == 6 and data[12:16] == VICTIM_BYTES:
                yield Segment(data)


VICTIM_BYTES = socket.inet_aton(VICTIM)


def arp(operation, own, address, other, target, to):
    """A frame with an ARP packet: `own` has `address`, `other` (of whom nothing may be known) `target`."""
    return to + own + struct.pack("!HHHBBH", ARP, 1, IPV4, 6, 4, operation) + own \
        + socket.inet_aton(address) + other + socket.inet_aton(target)


class Peer:
    """The client of one connection, without a kernel."""

    def __init__(self, wire, source, port, service, options=mss(1460), window=65535):
        self.wire, self.window = wire, window
        self.source, self.ports = source, (port, service)
        self.seq, self.ack = port * 7919, 0
        self.options = options

    def segment(self, flags, **more):
        more = {"seq": self.seq, "ack": self.ack if flags & ACK else 0, "window": self.window} | more
        return tcp(self.source, VICTIM, self.ports, flags, **more)

    def syn(self):
        return self.segment(SYN, options=self.options)

    def is_mine(self, segment):
        return segment.ports == self.ports[::-1] and segment.destination == self.source

    def connect(self, patience=5):
        """Opens the connection; returns whether the victim has answered."""
        self.wire.send(self.syn())
        for segment in self.wire.segments(patience):
            if self.is_mine(segment) and segment.flags & SYN:
                self.seq, self.ack = self.seq + 1, segment.end()
                self.wire.send(self.segment(ACK))
                return True
        return False


def address_of_nobody(index):
    """One of 65,000 addresses behind the attacker."""
    return f"10.20.{index // 250 % 250 + 1}.{index % 250 + 1}"
