"""An FTDI adapter with a simulated chip: tests read what the driver programs, and choose what the
chip reports. See ftdi_model.py."""

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

from Tests.endtoend.harness import wait_until

MODEL = Path(__file__).with_name("ftdi_model.py")


class Chip:
    """The adapter; it is plugged in until the context is left."""

    def __init__(self, serial):
        self._serial = serial

    def __enter__(self):
        self._entries = []
        self._process = subprocess.Popen(
            [sys.executable, MODEL, self._serial], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True)
        threading.Thread(target=self._listen, daemon=True).start()
        self.link = f"/dev/serial/by-id/usb-FTDI_FT232R_USB_UART_{self._serial}-if00-port0"
        wait_until(lambda: os.path.exists(self.link), f"{self.link} exists")
        return self

    def __exit__(self, *_):
        self._command("quit")
        self._process.wait()
        subprocess.run(["umount", "/dev/ffs-ftdi"], check=True)
        wait_until(lambda: not os.path.lexists(self.link), f"{self.link} is gone")

    @property
    def node(self):
        return os.path.realpath(self.link)

    @property
    def log(self):
        """The requests of the driver so far, in order."""
        return [words for _, words in self._entries]

    @property
    def timed_log(self):
        """The requests with their times in seconds (`time.monotonic`)."""
        return list(self._entries)

    def forget(self):
        """Clears the log."""
        self._entries.clear()

    def expect(self, pattern):
        """Waits until an entry of the log matches."""
        wait_until(
            lambda: any(re.fullmatch(pattern, words) for words in self.log),
            f"{pattern} is in {self.log}")

    def set(self, name, asserted):
        """Asserts or deasserts a modem input: cts, dsr, ri or dcd."""
        self._command(f"set {name} {int(asserted)}")

    def send(self, data, *errors):
        """Makes the chip receive bytes, with errors: parity, framing, overrun or break."""
        self._command(" ".join(["send", data.hex(), *errors]))

    def send_at(self, rate, data, *errors):
        """The same, unless the driver has set another rate by now."""
        self._command(" ".join(["send-at", str(rate), data.hex(), *errors]))

    def _command(self, line):
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def _listen(self):
        for line in self._process.stdout:
            seconds, _, words = line.rstrip("\n").partition(" ")
            self._entries.append((float(seconds), words))
