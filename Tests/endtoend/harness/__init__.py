"""Runs programs from outside, like a user at a terminal or a script.

    with Device() as device, Terminal(serialterm_binary(), device.path) as terminal:
        terminal.expect(b"ctrl-t q")
        terminal.send(b"hello")
        self.assertEqual(device.read_exactly(5), b"hello")

`Terminal` runs a program on a new terminal, `Pipes` with pipes, and `run` until it ends;
`harness.screen` has a terminal emulator. `Loopback` is `serialterm loopback`; `Device` is the other
end of a serial port, and `Port` opens a port like a program. All are context managers, and end the
processes that they start. Every wait has a deadline, and fails with an AssertionError that shows
what was received.
"""

from .deadline import TIMEOUT, Deadline, contents, wait_until
from .loopback import Loopback
from .open_files import files_of
from .pace import pace
from .pipes import Pipes
from .program import (
    Program, PublicCopy, Result, environment, run, serialterm, serialterm_binary, shell_status)
from .settings import cooked, settings_of
from .slow import alone, slow, soak
from .terminal import Terminal
from .wires import Device, Port, opens_exclusive_ports, unread
from .wrapping import wrapped

__all__ = [
    "TIMEOUT", "Deadline", "Device", "Loopback", "Pipes", "Port", "Program", "PublicCopy", "Result",
    "Terminal", "alone", "contents", "cooked", "environment", "files_of", "opens_exclusive_ports", "pace", "run",
    "serialterm", "serialterm_binary", "settings_of", "shell_status", "slow", "soak", "unread", "wait_until", "wrapped",
]
