"""A device on a pty that is opened and closed, and a driver with everything that a pty has not."""

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
        self.assertEqual(self.device.settings, self.found, "the port is as it was found")
        self.assertFalse(self.device.exclusive)
        return result

    def assert_fails(self, status, message, result):
        self.assertEqual(result.status, status, result)
        self.assertRegex(result.stderr, b"^serialterm: .*" + message.encode())


class Driver:
    """What preload/line.c makes of the port at `node`; `faults` are its variables: refuse="rate"
    sets LINE_REFUSE. It writes down what it is asked in `folder`."""

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
        """What it was asked, in order, from the first opening."""
        return self._trace.read_text().splitlines() if self._trace.exists() else []

    def count(self, call):
        """How often it was asked that."""
        return self.trace.count(call)

    def say(self, words):
        """What the far end does from now on: "CTS DSR framing=2", see LINE_STATE."""
        new = self._state.with_name("new-state")
        new.write_text(words)
        os.replace(new, self._state)


@unittest.skipUnless(preload.HAS_COMPILER, "needs a C compiler")
class DriverCase(LineCase):
    """The device's driver has modem lines, RS-485 and so on."""

    def driver(self, **faults):
        """One that has been asked nothing."""
        (self.folder / "trace").unlink(missing_ok=True)
        return Driver(self.device.path, self.folder, **faults)

    def trace(self, *options, **faults):
        """What was asked of the driver, from the opening to the closing."""
        driver = self.driver(**faults)
        result = self.connect(*options, variables=driver.variables)
        self.assertEqual((result.status, result.stderr), (0, b""))
        return driver.trace
