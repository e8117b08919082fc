"""Lines whose hardware shows its settings: a 16550 and a CDC-ACM device. chip.py is for FTDI."""

import os
import re
import subprocess
import unittest
from pathlib import Path

from Tests.endtoend.harness.wires import Wire
from Tests.stage.gadget import AcmGadget

UART = "/dev/ttyS1"


class UartFarEnd(Wire):
    """The far end of the UART."""

    def __init__(self):
        self.descriptor = os.open("/dev/virtio-ports/isa1", os.O_RDWR | os.O_NONBLOCK)


class UartCase(unittest.TestCase):
    def setUp(self):
        # Resets the port to its settings after a boot. Root can open it even in exclusive mode.
        subprocess.run(["stty", "-F", UART, "sane", "9600", "cs8", "-parenb", "-cstopb"], check=True)

    @staticmethod
    def asserted():
        """The asserted lines, from the driver, without opening the port."""
        text = Path("/proc/tty/driver/serial").read_text(encoding="ascii")
        return set(re.search(r"^1: .* (\S*)$", text, re.M)[1].split("|"))

    @staticmethod
    def settings():
        """The words and numbers in the output of stty."""
        port = os.open(UART, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            return set(subprocess.run(
                ["stty", "-a"], stdin=port, stdout=subprocess.PIPE, text=True,
                check=True).stdout.replace(";", " ").split())
        finally:
            os.close(port)


class AcmCase(unittest.TestCase):
    CONTROL = Path("/sys/kernel/debug/dynamic_debug/control")
    REQUEST = re.compile(r"acm_ctrl_msg - rq (0x\w+), val (0x\w+|0), len (0x\w+|0)")
    CODING = re.compile(r"set line: (\d+) (\d+) (\d+) (\d+)")

    def setUp(self):
        if not self.CONTROL.exists():
            subprocess.run(["mount", "-t", "debugfs", "none", "/sys/kernel/debug"], check=True)
        self.CONTROL.write_text("module cdc_acm +p\n", encoding="ascii")
        self.gadget = self.enterContext(AcmGadget("0x2341", "0x0043", "LINE42"))
        self.node, = self.gadget.nodes
        # Without a reader, the session would wait until its data is sent.
        self.enterContext(self.gadget.far_end(0))
        self.kernel = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, self.kernel)
        # Skips older messages: they may be overwritten while they are read, and read(2) would fail
        # with EPIPE.
        os.lseek(self.kernel, 0, os.SEEK_END)
        self.addCleanup(self.CONTROL.write_text, "module cdc_acm -p\n")

    def requests(self):
        """Descriptions of the requests that the driver has sent since the last call."""
        found = []
        while True:
            try:
                line = os.read(self.kernel, 8192).decode(errors="replace")
            except BlockingIOError:
                return found
            if match := self.CODING.search(line):
                rate, stop, parity, bits = map(int, match.groups())
                stop = {0: "1", 1: "1.5", 2: "2"}[stop]
                found.append(f"coding {rate} {bits}{'NOEMS'[parity]}{stop}")
            elif match := self.REQUEST.search(line):
                request, value = int(match[1], 16), int(match[2], 16)
                if request == 0x22:
                    found.append(f"lines dtr={value & 1} rts={value >> 1 & 1}")
                elif request == 0x23:
                    found.append(f"break {value:#x}")
