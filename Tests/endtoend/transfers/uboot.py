"""U-Boot in an emulated PC, on a pseudo-terminal: a boot loader as boards have it."""

import os
import re
import shutil
import zlib

from Tests.endtoend.harness import Pipes, Port

ROM = "/usr/lib/u-boot/qemu-x86_64/u-boot.rom"
QEMU = "qemu-system-x86_64"
PROMPT = b"\n=> "
# Seconds until the prompt, without hardware virtualization.
STARTING = 120
ADDRESS = 0x1000000


def missing():
    """Why U-Boot cannot be tested; empty if it can."""
    if not shutil.which(QEMU):
        return f"{QEMU} is not installed"
    return "" if os.path.exists(ROM) else f"{ROM} is not there: u-boot-qemu is not installed"


class UBoot(Port):
    """U-Boot at its prompt. The port is the test's between transfers: it stays open, because qemu looks
    only once a second whether a closed one is open again."""

    def __init__(self):
        self._machine = Pipes(
            QEMU, "-m", "256", "-bios", ROM, "-display", "none", "-monitor", "none", "-net", "none",
            "-serial", "pty")
        try:
            self.path = self._machine.stdout.expect(
                re.compile(rb"(/dev/pts/\d+)"), timeout=STARTING).group(1).decode()
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
