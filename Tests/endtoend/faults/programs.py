"""The terminal programs that are compared, and how each is used."""

import re
import shutil
import subprocess
from typing import NamedTuple

from Tests.endtoend.harness import serialterm_binary

PYTHON = "/usr/bin/python3" if shutil.which("/usr/bin/python3") else "python3"


class ProgramUnderTest(NamedTuple):
    """How a terminal program is started on a device, left, and told what the faults need."""

    name: str
    # Starts it; the node comes last, but for what `after` adds.
    command: tuple
    # Prints the version.
    version_command: tuple
    # What it prints when its port is open; None where its screen does not say.
    ready: bytes
    # The keys that quit, with what confirms it.
    quit: tuple
    after: tuple = ()
    # Turns XON/XOFF on.
    soft_flow: tuple = None
    # Logs to the file that follows.
    log: tuple = None
    # Why it cannot do what a fault is about, by the fault's name.
    lacks: dict = {}

    @property
    def is_installed(self):
        return self.version is not None

    @property
    def version(self):
        """The version's number, or None when it is not there."""
        try:
            said = subprocess.run(
                self.version_command, capture_output=True, timeout=10, check=False)
        except FileNotFoundError:
            return None
        number = re.search(rb"\d+\.\d+(\.\d+)?", said.stdout + said.stderr)
        return number and number.group().decode()

    def arguments(self, node, log=None, soft_flow=False):
        """The command line."""
        options = (*self.log, str(log)) if log else ()
        flow = self.soft_flow if soft_flow else ()
        # The node follows the command at once where that ends with an option for it.
        *command, last = self.command
        ahead, last = ((), (last,)) if last == "-D" else ((last,), ())
        return (*command, *ahead, *flow, *options, *last, node, *self.after)


NO_LOG = "has no log"


def programs():
    """serialterm, and those of Debian."""
    return [
        ProgramUnderTest(
            "serialterm", (serialterm_binary(), "connect"), (serialterm_binary(), "--version"),
            ready=b"ctrl-t q", quit=(b"\x14q",), soft_flow=("-f", "soft"), log=("--log",)),
        ProgramUnderTest(
            "tio", ("tio", "-b", "115200"), ("tio", "--version"),
            ready=b"Connected", quit=(b"\x14q",), soft_flow=("-f", "soft"),
            log=("--log", "--log-file")),
        ProgramUnderTest(
            "picocom", ("picocom", "-b", "115200"), ("picocom", "--help"),
            ready=b"Terminal ready", quit=(b"\x01\x18",), soft_flow=("-f", "x"),
            log=("--logfile",)),
        ProgramUnderTest(
            "minicom", ("minicom", "-o", "-b", "115200", "-D"), ("minicom", "--version"),
            ready=b"CTRL-A Z", quit=(b"\x01x", b"\r"), log=("-C",),
            lacks={"pipe": "needs a terminal", "held": "no option for it"}),
        ProgramUnderTest(
            "miniterm", (PYTHON, "-m", "serial.tools.miniterm"),
            (PYTHON, "-c", "import serial; print(serial.VERSION)"),
            ready=b"--- Quit", quit=(b"\x1d",), after=("115200",), soft_flow=("--xonxoff",),
            lacks={"pipe": "needs a terminal", "log": NO_LOG, "last": NO_LOG}),
    ]
