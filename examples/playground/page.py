"""Makes one page of the playground's parts, which needs no server and no network: page.py WASM OUTPUT.

Modules are imported by name. A map in the page says where they are: in the page itself, as data, since a browser
refuses modules from a file beside it."""

import base64
import json
import pathlib
import sys

LARGEST = 2_000_000  # bytes of the page
PARTS = pathlib.Path(__file__).parent / "page"


def data(kind, content):
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def page(wasm):
    imports = {
        f"playground/{part.stem}": data("text/javascript", part.read_bytes())
        for part in sorted(PARTS.glob("*.js"))
    }
    html = (PARTS / "index.html").read_text(encoding="utf-8")
    for place, content in (
        ("/* style.css */", (PARTS / "style.css").read_text(encoding="utf-8")),
        ("/* modules */", json.dumps({"imports": imports})),
        ("/* emulator */", base64.b64encode(wasm).decode()),
    ):
        if html.count(place) != 1:
            sys.exit(f"index.html: '{place}' must be there once")
        html = html.replace(place, content)
    return html


def main():
    wasm, output = map(pathlib.Path, sys.argv[1:])
    content = page(wasm.read_bytes()).encode()
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_bytes(content)
    print(f"{output}: {len(content):,} bytes, of which the emulator {wasm.stat().st_size:,} before base64")
    if len(content) >= LARGEST:
        sys.exit(f"{output}: {len(content)} bytes; it must be less than {LARGEST}")


main()
