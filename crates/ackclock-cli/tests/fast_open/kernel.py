"""The kernel's sockets at either end of a Fast Open (RFC 7413).

python3 kernel.py server ADDRESS PORT    echoes connections; says "serving" on standard error
python3 kernel.py client ADDRESS PORT    opens two connections, each with a request of 1,000 bytes, and prints
                                         for each whether the data that went with its SYN were taken, as JSON
"""

import json
import socket
import sys

MSG_FASTOPEN = 0x20000000
# tcpi_options (the sixth byte of tcp_info): the SYN carried data that were acknowledged by the SYN-ACK.
TCPI_OPT_SYN_DATA = 32
REQUEST = bytes(n % 251 for n in range(1000))


def family(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def options(connection):
    return connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)[5]


def serve(address, port):
    listener = socket.socket(family(address))
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_FASTOPEN, 16)
    listener.bind((address, port))
    listener.listen(16)
    print("serving", file=sys.stderr, flush=True)
    while True:
        connection, _ = listener.accept()
        while data := connection.recv(65536):
            connection.sendall(data)
        connection.close()


def ask(address, port):
    connection = socket.socket(family(address))
    sent = connection.sendto(REQUEST, MSG_FASTOPEN, (address, port))
    connection.settimeout(20)
    connection.sendall(REQUEST[sent:])
    connection.shutdown(socket.SHUT_WR)
    came = b""
    while data := connection.recv(65536):
        came += data
    taken = bool(options(connection) & TCPI_OPT_SYN_DATA)
    connection.close()
    return {"syn_data": taken, "right": came == REQUEST}


role, address, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
if role == "server":
    serve(address, port)
else:
    for _ in range(2):
        print(json.dumps(ask(address, port)))
