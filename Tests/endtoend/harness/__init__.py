"""Drives programs from outside, as a user at a terminal or a script would.

    with Device() as device, Terminal(serialterm_binary(), device.path) as terminal:
        terminal.expect(b"ctrl-t q")
        terminal.send(b"hello")
        self.assertEqual(device.read_exactly(5), b"hello")

`Terminal` runs a program on a terminal of its own, `Pipes` between pipes, `run` to its end; what a
user sees of a terminal is in `harness.screen`. `Loopback` is `serialterm loopback`; `Device` plays
the other end of a serial port and `Port` opens a port as a program would. All are context
managers, and end what they started. Nothing waits without a deadline; what is still missing then
is an AssertionError that shows what came instead.
"""

from .deadline import TIMEOUT, Deadline, contents, wait_until
from .loopback import Loopback
from .pipes import Pipes
from .program import (
    PublicCopy, Result, environment, run, serialterm, serialterm_binary, shell_status)
from .settings import cooked, settings_of
from .slow import slow
from .terminal import Terminal
from .wires import Device, Port

__all__ = [
    "TIMEOUT", "Deadline", "Device", "Loopback", "Pipes", "Port", "PublicCopy", "Result",
    "Terminal", "contents", "cooked", "environment", "run", "serialterm", "serialterm_binary",
    "settings_of", "shell_status", "slow", "wait_until",
]
