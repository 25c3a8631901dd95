"""An image in QEMU, in a network namespace of this process."""

import json
import os
import socket
import subprocess
import tempfile
import time

# Machine and network device for each target. A Cortex-M3 runs what is built for a Cortex-M0.
MPS2 = ["-net", "nic,netdev=n0"]
MACHINES = {
    "thumbv6m-none-eabi": ["qemu-system-arm", "-M", "mps2-an385", *MPS2],
    "thumbv7m-none-eabi": ["qemu-system-arm", "-M", "mps2-an385", *MPS2],
    "thumbv7em-none-eabihf": ["qemu-system-arm", "-M", "mps2-an386", *MPS2],
    "an500": ["qemu-system-arm", "-M", "mps2-an500", *MPS2],
    "riscv32imac-unknown-none-elf": [
        *("qemu-system-riscv32", "-M", "virt", "-bios", "none"),
        *("-global", "virtio-mmio.force-legacy=false", "-device", "virtio-net-device,netdev=n0"),
    ],
}

PAINT = 0xA5
READY = "ready\n"


class Machine:
    """Runs an image until the end of a `with`. Its log is in a file, its stack is painted."""

    def __init__(self, target, image, netdev):
        self.image = image
        self._folder = tempfile.TemporaryDirectory()
        self.log_path = self._path("log")
        self._stack = image.symbol("_stack_end"), image.symbol("_stack_start")
        with open(self._path("paint"), "wb") as file:
            file.write(bytes([PAINT]) * (self._stack[1] - self._stack[0]))
        command = [
            *MACHINES[target],
            *("-kernel", image.path, "-netdev", netdev),
            *("-device", f"loader,file={self._path('paint')},addr={self._stack[0]},force-raw=on"),
            *("-semihosting-config", "enable=on,target=native"),
            *("-display", "none", "-monitor", "none", "-serial", "none"),
            *("-qmp", f"unix:{self._path('qmp')},server=on,wait=off"),
        ]
        with open(self.log_path, "wb") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def _path(self, name):
        return os.path.join(self._folder.name, name)

    def __enter__(self):
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _start(self):
        self._qmp = socket.socket(socket.AF_UNIX)
        self.wait_for(self._is_connected)
        self._answers = self._qmp.makefile()
        self._answers.readline()
        self.ask("qmp_capabilities")
        self.wait_for(lambda: READY in self.log())

    def _is_connected(self):
        try:
            self._qmp.connect(self._path("qmp"))
        except (FileNotFoundError, ConnectionRefusedError):
            return False  # It has not begun to listen.
        return True

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        self._folder.cleanup()

    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def wait_for(self, condition, seconds=20):
        end = time.monotonic() + seconds
        while not condition():
            if self._process.poll() is not None:
                raise RuntimeError(f"the machine has stopped: {self.log()}")
            if time.monotonic() > end:
                raise RuntimeError(f"nothing happens; the log: {self.log()}")
            time.sleep(0.01)

    def wait(self, seconds):
        """Waits until the image exits; returns its status."""
        return self._process.wait(seconds)

    def processor_seconds(self):
        """Processor time that the emulation has used."""
        with open(f"/proc/{self._process.pid}/stat", encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def ask(self, command, **arguments):
        """A command of QEMU's machine protocol."""
        self._qmp.sendall(json.dumps({"execute": command, "arguments": arguments}).encode())
        while True:
            line = self._answers.readline()
            if not line:
                raise RuntimeError(f"the machine has stopped: {self.log()}")
            answer = json.loads(line)
            if "error" in answer:
                raise RuntimeError(f"{command}: {answer['error']['desc']}")
            if "return" in answer:
                return answer["return"]

    def set_link(self, up):
        """Plugs the cable in or pulls it out."""
        self.ask("set_link", name="n0", up=up)

    def deepest_stack(self):
        """Bytes of the stack that were ever used: where the paint is gone."""
        begin, end = self._stack
        path = self._path("stack")
        self.ask("pmemsave", val=begin, size=end - begin, filename=path)
        with open(path, "rb") as file:
            stack = file.read()
        return len(stack.lstrip(bytes([PAINT])))
