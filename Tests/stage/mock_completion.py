"""Completion of TARGETs by Tab in real shells, with devices mocked by umockdev. Runs in umockdev-wrapper; run.py
starts it."""

import os
import unittest

from Tests.endtoend.harness import serialterm_binary
from Tests.endtoend.harness.shells import (
    BASH, BASH_WITH_PACKAGE, DELETE_LINE, FISH, ZSH, CompletionFolder)
from Tests.stage.mock_devices import Bed

# The keys typed, and the only argument that the program gets when Enter is pressed then.
COMPLETED = [
    ("serialterm usb:0403:6001:A\t", "usb:0403:6001:A10K"),
    ("serialterm usb:0403:6\t:A\t", "usb:0403:6001:A10K"),
    ("serialterm \"usb:0403:6001:A\t", "usb:0403:6001:A10K"),
    ("serialterm usb\\:0403\\:6001\\:A\t", "usb:0403:6001:A10K"),
    ("serialterm serial:B\t", "serial:B 9'\"$x"),
    ("serialterm serial:'B\t", "serial:B 9'\"$x"),
    ("serialterm seri\tB\t", "serial:B 9'\"$x"),
    ("serialterm port:pci-0000:00:14.0-usb-0:1\t", "port:pci-0000:00:14.0-usb-0:1:1.0"),
    ("serialterm ttyUSB\t1\t", "ttyUSB1"),
    ("serialterm /dev/ttyUSB\t0\t", "/dev/ttyUSB0"),
]


class CompletionTests(unittest.TestCase):
    def check(self, shell):
        if not shell.is_installed:
            self.skipTest(f"needs {shell.name}")
        bed = Bed()
        bed.plug(0, "A10K"), bed.plug(1, "B 9'\"$x")
        folder = self.enterContext(CompletionFolder(shell))
        # The shell itself sees the real system.
        folder.install(serialterm_binary(), f"LD_PRELOAD='{os.environ['LD_PRELOAD']}'")
        with folder.started(LD_PRELOAD=None) as terminal:
            for typed, word in COMPLETED:
                with self.subTest(typed):
                    terminal.send(f"{DELETE_LINE}{typed}\r".encode())
                    terminal.expect(f"words:<{word}>.\r\n".encode())
            terminal.send(f"{DELETE_LINE}serialterm ttyUSB".encode() + shell.tabs)
            terminal.expect(shell.described(b"ttyUSB0", b"0403:6001 A10K FTDI FT232R USB UART"))

    def test_bash(self):
        self.check(BASH)

    def test_bash_with_package(self):
        self.check(BASH_WITH_PACKAGE)

    def test_zsh(self):
        self.check(ZSH)

    def test_fish(self):
        self.check(FISH)


if __name__ == "__main__":
    unittest.main()
