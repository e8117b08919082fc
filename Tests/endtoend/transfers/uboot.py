"""U-Boot in an emulated PC, on a pseudo-terminal: a boot loader as boards have it."""

import contextlib
import os
import re
import shutil
import tty
import zlib
from pathlib import Path

from Tests.endtoend.harness import Pipes, Port
from Tests.endtoend.servers import PYTHON

ROM = "/usr/lib/u-boot/qemu-x86_64/u-boot.rom"
QEMU = "qemu-system-x86_64"
POWER = Path(__file__).parents[1] / "servers/power.py"
PROMPT = b"\n=> "
# Seconds until the prompt, without hardware virtualization.
STARTING = 120
ADDRESS = 0x1000000


def missing():
    """Why U-Boot cannot be tested; empty if it can."""
    if not shutil.which(QEMU):
        return f"{QEMU} is not installed"
    return "" if os.path.exists(ROM) else f"{ROM} is not there: u-boot-qemu is not installed"


def started_machine(*options):
    """The emulated PC, and the path of its serial port."""
    machine = Pipes(
        QEMU, "-m", "256", "-bios", ROM, "-display", "none", "-monitor", "none", "-serial", "pty", *options)
    try:
        found = machine.stdout.expect(re.compile(rb"(/dev/pts/\d+)"), timeout=STARTING)
    except BaseException:
        machine.close()
        raise
    return machine, found.group(1).decode()


class SwitchedUBoot:
    """U-Boot in a machine with a power switch, which is off. `power` is the command that switches it, without its
    last word: on, off or cycle. The port at `node` stays open here, unread, because qemu looks only once a second
    whether a closed one is open again."""

    def __init__(self, folder, *options):
        switch = Path(folder) / "switch"
        with contextlib.ExitStack() as stack:
            program, self.node = started_machine("-S", "-qmp", f"unix:{switch},server=on,wait=off", *options)
            stack.enter_context(program)
            port = os.open(self.node, os.O_RDWR | os.O_NOCTTY)
            stack.callback(os.close, port)
            tty.setraw(port)
            self._stack = stack.pop_all()
        self.power = f"{PYTHON} {POWER} {switch}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._stack.close()


class UBoot(Port):
    """U-Boot at its prompt. The port is the test's between transfers: it stays open, because qemu looks
    only once a second whether a closed one is open again."""

    def __init__(self):
        self._machine, self.path = started_machine("-net", "none")
        try:
            super().__init__(self.path)
            self.expect(b"Hit any key", STARTING)
            self.write(b"\r")
            self.expect(PROMPT, STARTING)
            self.version = self.ask("version").split(b"\n")[0].strip().decode()
        except BaseException:
            self._machine.close()
            raise

    def close(self):
        super().close()
        self._machine.close()

    def expect(self, text, timeout=None):
        """Reads up to a text; returns all of it."""
        data = b""
        while not data.endswith(text):
            data += self.read_exactly(1, timeout)
        return data

    def ask(self, command, timeout=None):
        """Types a command at the prompt; returns its output."""
        self.write(command.encode() + b"\r")
        self.expect(b"\n")
        return self.expect(PROMPT, timeout)[:-len(PROMPT)]

    def load(self, command):
        """Types a command that receives a file; returns when it waits for the file."""
        self.write(f"{command} {ADDRESS:#x}\r".encode())
        self.expect(b"bps...\r\n")

    def loaded(self, data):
        """Waits for the end of a load; returns how it differs from the data, empty if it does not."""
        said = self.expect(PROMPT).decode(errors="replace")
        size = int(re.search(r"Total Size\s*=\s*0x([0-9a-f]+)", said).group(1), 16)
        crc = self.ask(f"crc32 {ADDRESS:#x} {size:#x}").decode()
        found = int(re.search(r"==> ([0-9a-f]{8})", crc).group(1), 16)
        return "" if (size, found) == (len(data), zlib.crc32(data)) else (
            f"{size} bytes with the CRC {found:08x} instead of {len(data)} with {zlib.crc32(data):08x}")
