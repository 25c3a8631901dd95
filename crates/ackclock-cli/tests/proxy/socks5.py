"""A SOCKS5 server (RFC 1928) that connects to IP addresses and asks for no login: python3 socks5.py ADDRESS PORT"""

import asyncio
import ipaddress
import socket
import struct
import sys

SUCCEEDED, UNREACHABLE, REFUSED = 0, 4, 5


async def carry(reader, writer, other):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.write_eof()
    except OSError:
        # The other side of a connection that was reset is reset.
        linger = struct.pack("ii", 1, 0)
        for each in (writer, other):
            if (connected := each.get_extra_info("socket")) is not None:
                connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            each.transport.abort()


async def serve(reader, writer):
    _, methods = await reader.readexactly(2)
    await reader.readexactly(methods)
    writer.write(b"\5\0")
    _, _, _, kind = await reader.readexactly(4)
    host = ipaddress.ip_address(await reader.readexactly({1: 4, 4: 16}[kind]))
    (port,) = struct.unpack("!H", await reader.readexactly(2))
    answer = lambda code: writer.write(bytes([5, code, 0, 1]) + bytes(6))
    try:
        far_reader, far_writer = await asyncio.open_connection(str(host), port)
    except ConnectionRefusedError:
        answer(REFUSED)
        return writer.close()
    except OSError:
        answer(UNREACHABLE)
        return writer.close()
    answer(SUCCEEDED)
    await asyncio.gather(carry(reader, far_writer, writer), carry(far_reader, writer, far_writer))
    writer.close()
    far_writer.close()


async def main():
    server = await asyncio.start_server(serve, sys.argv[1], int(sys.argv[2]), backlog=1024)
    print("serving", file=sys.stderr, flush=True)
    await server.serve_forever()


asyncio.run(main())
