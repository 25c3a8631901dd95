"""What an image may take of a microcontroller. The speeds are no limits: they are timings."""

import os

# Bytes of text of images, on the target for which that is promised.
TEXT_TARGET, TEXT = "thumbv7em-none-eabihf", {"echo": 30_000, "echo-least": 21 << 10}
# Bytes of the deepest stack of `echo`, and of all its memory. On the other machine virtio's driver needs
# more than that for itself.
STACK, RAM = 2 << 10, 16 << 10
VIRTIO = "riscv32imac-unknown-none-elf"
# What must not grow any more: bytes of text, target and image.
RATCHET = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "sizes.txt")


def committed():
    with open(RATCHET, encoding="utf-8") as file:
        lines = [line.split() for line in file]
    return {(target, image): int(size) for size, target, image in lines}


def problems(target, result):
    """What is beyond a limit, in words."""
    sizes, found = result["sizes"], result.get("found", {})
    limits = {}
    if target == TEXT_TARGET:
        for image, most in TEXT.items():
            limits[f"text of {image}"] = sizes[image]["text"], most
    for (of, image), size in committed().items():
        if of == target:
            limits[f"text of {image} (sizes.txt)"] = sizes[image]["text"], size
    stack = found.get("stack of echo")
    if stack is not None:
        limits["stack of echo"] = stack, STACK
        if target != VIRTIO:
            limits["memory of echo"] = sizes["echo"]["data"] + sizes["echo"]["bss"] + stack, RAM
    for what, (value, limit) in limits.items():
        if value > limit:
            yield f"{what}: {value:,} B, more than {limit:,}"


def lower(results):
    """Writes down what has become smaller."""
    allowed = committed()
    for target, image in allowed:
        if target in results:
            size = results[target]["sizes"][image]["text"]
            allowed[target, image] = min(allowed[target, image], size)
    with open(RATCHET, "w", encoding="utf-8") as file:
        file.writelines(f"{size} {target} {image}\n" for (target, image), size in allowed.items())
