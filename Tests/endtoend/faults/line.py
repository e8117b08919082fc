"""A device on a pty, and a simulated driver with the features that a pty lacks."""

import os
import tempfile
import unittest
from pathlib import Path

from Tests.endtoend.harness import Device, serialterm

from . import preload


class LineCase(unittest.TestCase):
    """Has a `device` on a pty."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.device = self.enterContext(Device())
        self.found = self.device.settings

    def connect(self, *options, **how):
        """Opens the port and closes it again."""
        result = serialterm(
            "connect", self.device.path, "--linger", "0", *options, **how)
        self.assertEqual(self.device.settings, self.found, "the settings of the port are restored")
        self.assertFalse(self.device.exclusive)
        return result

    def assert_fails(self, status, message, result):
        self.assertEqual(result.status, status, result)
        self.assertRegex(result.stderr, b"^serialterm: .*" + message.encode())


class Driver:
    """The driver that preload/line.c simulates for the port at `node`; `faults` are its variables:
    refuse="rate" sets LINE_REFUSE. It writes a trace of its requests in `folder`."""

    def __init__(self, node, folder, **faults):
        self._trace = Path(folder) / "trace"
        self._state = Path(folder) / "state"
        named = {f"LINE_{name.upper()}": str(value) for name, value in faults.items()}
        self.variables = {
            "LD_PRELOAD": preload.library("line.c"), "LINE_NODE": node,
            "LINE_TRACE": str(self._trace), "LINE_STATE": str(self._state), **named}
        self.say("CTS")

    @property
    def trace(self):
        """The requests in order, since the first open."""
        return self._trace.read_text().splitlines() if self._trace.exists() else []

    def count(self, call):
        """The number of times that a request was made."""
        return self.trace.count(call)

    def say(self, words):
        """Sets what the far end does from now on: "CTS DSR framing=2", see LINE_STATE."""
        new = self._state.with_name("new-state")
        new.write_text(words)
        os.replace(new, self._state)


@unittest.skipUnless(preload.HAS_COMPILER, "needs a C compiler")
class DriverCase(LineCase):
    """Has a device whose driver supports modem lines, RS-485 and so on."""

    def driver(self, **faults):
        """A new driver with an empty trace."""
        (self.folder / "trace").unlink(missing_ok=True)
        return Driver(self.device.path, self.folder, **faults)

    def trace(self, *options, **faults):
        """The requests to the driver, from the open to the close of a session."""
        driver = self.driver(**faults)
        result = self.connect(*options, variables=driver.variables)
        self.assertEqual((result.status, result.stderr), (0, b""))
        return driver.trace
