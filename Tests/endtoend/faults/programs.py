"""The terminal programs to compare, and how to use each."""

import re
import shutil
import subprocess
from typing import NamedTuple

from Tests.endtoend.harness import serialterm_binary

PYTHON = "/usr/bin/python3" if shutil.which("/usr/bin/python3") else "python3"


class ProgramUnderTest(NamedTuple):
    """How to start and quit a terminal program, and the options that the faults need."""

    name: str
    # Starts it. The node follows, then `after`.
    command: tuple
    # Prints the version.
    version_command: tuple
    # The text that it prints when its port is open; None if there is none.
    ready: bytes
    # The keys that quit, then those that confirm it.
    quit: tuple
    after: tuple = ()
    # Turns XON/XOFF on.
    soft_flow: tuple = None
    # Options to end when the device goes; empty if it always does.
    no_reconnect: tuple = ()
    # Options to log; the path follows.
    log: tuple = None
    # Seconds after which it counts as stuck.
    patience: float = 5
    # The reasons why it cannot be tested with a fault, by the name of the fault.
    lacks: dict = {}

    @property
    def is_installed(self):
        return self.version is not None

    @property
    def version(self):
        """The version number; None if it is not installed."""
        try:
            result = subprocess.run(
                self.version_command, capture_output=True, timeout=10, check=False)
        except FileNotFoundError:
            return None
        number = re.search(rb"\d+\.\d+(\.\d+)?", result.stdout + result.stderr)
        return number and number.group().decode()

    def arguments(self, node, log=None, soft_flow=False, reconnect=True):
        """The command line."""
        options = (*self.log, str(log)) if log else ()
        flow = self.soft_flow if soft_flow else ()
        flow += () if reconnect else self.no_reconnect
        # If the command ends with -D, the node must follow that directly.
        *command, last = self.command
        ahead, last = ((), (last,)) if last == "-D" else ((last,), ())
        return (*command, *ahead, *flow, *options, *last, node, *self.after)


NO_LOG = "has no log"


def programs():
    """serialterm, and the terminal programs of Debian."""
    return [
        ProgramUnderTest(
            "serialterm", (serialterm_binary(), "connect"), (serialterm_binary(), "--version"),
            ready=b"ctrl-t q", quit=(b"\x14q",), soft_flow=("-f", "soft"), no_reconnect=("-n",),
            log=("--log",)),
        ProgramUnderTest(
            "tio", ("tio", "-b", "115200"), ("tio", "--version"),
            ready=b"Connected", quit=(b"\x14q",), soft_flow=("-f", "soft"), no_reconnect=("-n",),
            log=("--log", "--log-file")),
        ProgramUnderTest(
            "picocom", ("picocom", "-b", "115200"), ("picocom", "--help"),
            ready=b"Terminal ready", quit=(b"\x01\x18",), soft_flow=("-f", "x"),
            log=("--logfile",)),
        ProgramUnderTest(
            "minicom", ("minicom", "-o", "-b", "115200", "-D"), ("minicom", "--version"),
            ready=b"CTRL-A Z", quit=(b"\x01x", b"\r"), log=("-C",),
            lacks={"pipe": "needs a terminal", "cut": "needs a terminal", "held": "no option for it"}),
        ProgramUnderTest(
            "miniterm", (PYTHON, "-m", "serial.tools.miniterm"),
            (PYTHON, "-c", "import serial; print(serial.VERSION)"),
            ready=b"--- Quit", quit=(b"\x1d",), after=("115200",), soft_flow=("--xonxoff",),
            lacks={"pipe": "needs a terminal", "cut": "needs a terminal", "log": NO_LOG, "last": NO_LOG}),
    ]
