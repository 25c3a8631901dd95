"""The kernel's sockets at either end of a connection; see ../interop.py.

python3 interop_peer.py server ADDRESS PORT KIND PEER    echoes connections; says "serving" on standard error
python3 interop_peer.py client ADDRESS PORT KIND BYTES   sends so many bytes to an echo service, and prints how many
                                                         came back as they were, as JSON

KIND: plain, fast-open or md5 (key "secret").
"""

import json
import socket
import struct
import sys
import threading

MSG_FASTOPEN = 0x20000000
TCP_MD5SIG = 14
KEY = b"secret"
PATIENCE = 100


def family(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def sign(end, peer):
    """struct tcp_md5sig of linux/tcp.h."""
    address = socket.inet_pton(family(peer), peer)
    if family(peer) == socket.AF_INET:
        place = struct.pack("=HH4s", socket.AF_INET, 0, address)
    else:
        place = struct.pack("=HHI16sI", socket.AF_INET6, 0, 0, address, 0)
    option = struct.pack("=128sBBHi80s", place, 0, 0, len(KEY), 0, KEY)
    end.setsockopt(socket.IPPROTO_TCP, TCP_MD5SIG, option)


def serve(address, port, kind, peer):
    listener = socket.socket(family(address))
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if kind == "md5":
        sign(listener, peer)
    if kind == "fast-open":
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_FASTOPEN, 16)
    listener.bind((address, port))
    listener.listen(16)
    print("serving", file=sys.stderr, flush=True)
    while True:
        connection, _ = listener.accept()
        while data := connection.recv(65536):
            connection.sendall(data)
        connection.close()


def ask(address, port, kind, count):
    data = bytes(n % 251 for n in range(count))
    connection = socket.socket(family(address))
    sent = 0
    if kind == "md5":
        sign(connection, address)
    if kind == "fast-open":
        sent = connection.sendto(data, MSG_FASTOPEN, (address, port))
    else:
        connection.connect((address, port))
    connection.settimeout(PATIENCE)

    def send():
        connection.sendall(data[sent:])
        connection.shutdown(socket.SHUT_WR)

    threading.Thread(target=send).start()
    came = b""
    while part := connection.recv(65536):
        came += part
    right = next((at for at, pair in enumerate(zip(came, data)) if pair[0] != pair[1]), min(len(came), len(data)))
    return {"verified": right}


role, address, port, kind, last = *sys.argv[1:3], int(sys.argv[3]), *sys.argv[4:6]
if role == "server":
    serve(address, port, kind, last)
else:
    print(json.dumps(ask(address, port, kind, int(last))))
