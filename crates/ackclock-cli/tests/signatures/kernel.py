"""The kernel's sockets at either end of connections that are signed with MD5 (RFC 2385).

python3 kernel.py server ADDRESS PORT PEER KEY      echoes connections; says "serving" on standard error
python3 kernel.py client ADDRESS PORT BYTES KEY     sends so many bytes to an echo service, and prints whether
                                                    they came back as they were, as JSON; or the error

KEY: with "-" nothing is signed.
"""

import json
import socket
import struct
import sys
import threading

TCP_MD5SIG = 14


def family(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def sign(end, peer, key):
    """struct tcp_md5sig of linux/tcp.h."""
    if key == "-":
        return
    address = socket.inet_pton(family(peer), peer)
    if family(peer) == socket.AF_INET:
        place = struct.pack("=HH4s", socket.AF_INET, 0, address)
    else:
        place = struct.pack("=HHI16sI", socket.AF_INET6, 0, 0, address, 0)
    key = key.encode()
    end.setsockopt(
        socket.IPPROTO_TCP, TCP_MD5SIG, struct.pack("=128sBBHi80s", place, 0, 0, len(key), 0, key)
    )


def serve(address, port, peer, key):
    listener = socket.socket(family(address))
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sign(listener, peer, key)
    listener.bind((address, port))
    listener.listen(16)
    print("serving", file=sys.stderr, flush=True)
    while True:
        connection, _ = listener.accept()
        while data := connection.recv(65536):
            connection.sendall(data)
        connection.close()


def ask(address, port, count, key):
    data = bytes(n % 251 for n in range(count))
    connection = socket.socket(family(address))
    sign(connection, address, key)
    connection.settimeout(60 if key != "wrong" else 2)
    try:
        connection.connect((address, port))

        def send():
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)

        threading.Thread(target=send).start()
        came = b""
        while part := connection.recv(65536):
            came += part
    except OSError as error:
        return {"error": type(error).__name__}
    return {"right": came == data}


role, address, port, last, key = *sys.argv[1:3], int(sys.argv[3]), *sys.argv[4:6]
if role == "server":
    serve(address, port, last, key)
else:
    print(json.dumps(ask(address, port, int(last), key)))
