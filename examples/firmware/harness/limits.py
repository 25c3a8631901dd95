"""What an image may take of a microcontroller. The speeds are no limits: they are timings. The linker holds
the memory of `echo` to 16 KiB."""

# Bytes of text of images, on the target for which that is promised.
TEXT_TARGET, TEXT = "thumbv7em-none-eabihf", {"echo": 30_000, "echo-least": 21 << 10}
# Bytes that the stack of `echo` has. Where it used all of them nobody knows how many more it would have
# used: not every machine faults there.
STACK = 2 << 10


def problems(target, result):
    """What is beyond a limit, in words."""
    if target == TEXT_TARGET:
        for image, most in TEXT.items():
            size = result["sizes"][image]["text"]
            if size > most:
                yield f"text of {image}: {size:,} B, more than {most:,}"
    stack = result.get("found", {}).get("stack of echo")
    if stack is not None and stack >= STACK:
        yield f"stack of echo: all of its {STACK:,} B were used"
