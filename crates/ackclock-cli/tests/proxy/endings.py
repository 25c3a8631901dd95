"""How connections end, seen from both sides: endings.py server ADDRESS FOLDER, then endings.py client ADDRESS FOLDER"""

import socket
import struct
import sys
import threading
import time
from pathlib import Path

role, address, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
PATIENCE = 30


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def rest(connection):
    """What comes until the end, or how it fails."""
    data = b""
    try:
        while piece := connection.recv(65536):
            data += piece
    except ConnectionResetError:
        return "reset"
    return f"{len(data)} bytes"


def client_ends_first(connection):
    seen = rest(connection)
    connection.sendall(b"x" * 70_000)
    connection.close()
    return seen


def server_ends_first(connection):
    connection.sendall(b"x" * 70_000)
    connection.shutdown(socket.SHUT_WR)
    return rest(connection)


def server_resets(connection):
    connection.recv(1)
    reset(connection)
    return "done"


def client_resets(connection):
    connection.sendall(connection.recv(1))
    return rest(connection)


def server_resets_after_the_clients_end(connection):
    seen = rest(connection)
    reset(connection)
    return seen


def client_resets_after_the_servers_end(connection):
    connection.shutdown(socket.SHUT_WR)
    return rest(connection)


CASES = [
    client_ends_first,
    server_ends_first,
    server_resets,
    client_resets,
    server_resets_after_the_clients_end,
    client_resets_after_the_servers_end,
]


def as_client(case, connection):
    if case is client_ends_first or case is server_resets_after_the_clients_end:
        connection.sendall(b"x" * 50_000)
        connection.shutdown(socket.SHUT_WR)
        return rest(connection)
    if case is server_ends_first:
        seen = rest(connection)
        connection.sendall(b"x" * 50_000)
        connection.close()
        return seen
    if case is server_resets:
        connection.sendall(b"x")
        return rest(connection)
    if case is client_resets:
        connection.sendall(b"x")
        connection.recv(1)
        reset(connection)
        return "done"
    seen = rest(connection)
    reset(connection)
    return seen


def serve(port, case):
    listener = socket.create_server((address, port))
    ready.release()
    connection, _ = listener.accept()
    connection.settimeout(PATIENCE)
    (folder / f"{case.__name__}.new").write_text(case(connection))
    (folder / f"{case.__name__}.new").rename(folder / case.__name__)


def written(case):
    path, end = folder / case.__name__, time.monotonic() + PATIENCE
    while not path.exists():
        if time.monotonic() > end:
            return "nothing"
        time.sleep(0.01)
    return path.read_text()


ready = threading.Semaphore(0)
if role == "server":
    for port, case in enumerate(CASES, 9000):
        threading.Thread(target=serve, args=(port, case)).start()
        ready.acquire()
    print("serving", file=sys.stderr, flush=True)
else:
    for port, case in enumerate(CASES, 9000):
        connection = socket.create_connection((address, port), timeout=PATIENCE)
        seen = as_client(case, connection)
        print(f"{case.__name__}: client {seen}, server {written(case)}")
    # Nobody listens there.
    try:
        socket.create_connection((address, 9999), timeout=PATIENCE)
        print("refused: connected")
    except ConnectionRefusedError:
        print("refused: refused")
    # There is no way to that one.
    try:
        socket.create_connection(("203.0.113.99", 9000), timeout=4)
        print("unreachable: connected")
    except TimeoutError:
        print("unreachable: no answer")
