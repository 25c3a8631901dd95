"""Flows at once to an echo service, each of which checks its own bytes: many.py ADDRESS PORT FLOWS"""

import asyncio
import random
import sys


async def flow(number):
    data = random.Random(number).randbytes(50_000)
    reader, writer = await asyncio.open_connection(sys.argv[1], int(sys.argv[2]))

    async def send():
        writer.write(data)
        await writer.drain()
        writer.write_eof()

    _, echoed = await asyncio.gather(send(), reader.read(-1))
    writer.close()
    return echoed == data


async def main():
    right = await asyncio.gather(*map(flow, range(int(sys.argv[3]))))
    print(f"{sum(right)} of {len(right)} flows are right")


asyncio.run(asyncio.wait_for(main(), 90))
