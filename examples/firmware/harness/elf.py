"""What is in an ELF image of 32 bits, little-endian: sizes and symbols."""

import struct

ALLOC, WRITE = 2, 1
SYMBOLS, NO_BITS = 2, 8


class Image:
    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            self._bytes = file.read()
        begin = struct.unpack_from("<I", self._bytes, 32)[0]
        size, count, names = struct.unpack_from("<HHH", self._bytes, 46)
        self._sections = [
            struct.unpack_from("<10I", self._bytes, begin + size * index) for index in range(count)
        ]
        self._names = self._sections[names][4]

    def sizes(self):
        """Bytes of text (read-only data included), data and bss, and of a connection if that is
        told."""
        sizes = {"text": 0, "data": 0, "bss": 0}
        for name, kind, flags, _, _, size, *_ in self._sections:
            # The stack is measured.
            if not flags & ALLOC or self._text(self._names + name) == ".stack":
                continue
            if kind == NO_BITS:
                sizes["bss"] += size
            else:
                sizes["data" if flags & WRITE else "text"] += size
        try:
            sizes["connection"] = self.symbol("connection_bytes")
        except KeyError:
            pass
        return sizes

    def symbol(self, name):
        """The address of a symbol."""
        for _, kind, _, _, offset, size, link, *_ in self._sections:
            if kind != SYMBOLS:
                continue
            names = self._sections[link][4]
            for at in range(offset, offset + size, 16):
                place, value = struct.unpack_from("<II", self._bytes, at)
                if self._text(names + place) == name:
                    return value
        raise KeyError(f"{self.path} has no symbol {name}")

    def _text(self, begin):
        return self._bytes[begin : self._bytes.index(b"\0", begin)].decode()
