"""Sessions of the program under test, with a device that the test plays."""

import fcntl
import os
import tempfile
import time
import unittest
from pathlib import Path

from Tests.endtoend.harness import (
    Device, Pipes, Terminal, cooked, serialterm_binary, shell_status, wait_until)

from . import processes

PREFIX = b"\x14"
# How long leaving may take, in seconds, whatever the session is doing.
LEAVING = 0.5
# What a session prints when its port is open.
GREETING = b"ctrl-t q"


class SessionTest(unittest.TestCase):
    """Has `device`, behind a link that keeps its name, and a folder with room for a log."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.log = self.folder / "log"
        self.device = self.enterContext(Device(link=self.folder / "port", settings=cooked))
        self.port_settings = self.device.settings

    def connect(self, *options, **how):
        """A session on a terminal, which may not have opened its port yet."""
        return Terminal(
            serialterm_binary(), "connect", self.device.path, *options, **how)

    def session(self, *options, **how):
        """A session on a terminal, once the port is the program's."""
        terminal = self.enterContext(self.connect(*options, **how))
        terminal.expect(GREETING)
        return terminal

    def pipes(self, *options, **how):
        """A session between pipes, once the port is the program's."""
        program = self.enterContext(
            Pipes(serialterm_binary(), "connect", self.device.path, *options, **how))
        wait_until(
            lambda: self.device.settings != self.port_settings or not program.running,
            "the port is set up")
        return program

    def guard_of(self, terminal):
        """The process that stands by for the case that the session is killed."""
        return processes.the_one(terminal.pid, processes.GUARD)

    def quit(self, terminal):
        """Types the keys that quit; returns the exit status and the seconds that it took."""
        started = time.monotonic()
        terminal.send(PREFIX + b"q")
        return self.ended(terminal, started)

    def signal(self, terminal, number):
        """Sends a signal to the program alone; returns how a shell shows the exit status, and the
        seconds that it took."""
        started = time.monotonic()
        terminal.signal(number)
        return self.ended(terminal, started)

    def ended(self, program, since):
        """Waits for the end; returns how a shell shows the exit status, and the seconds."""
        seconds = processes.seconds_to_end(program, since)
        return shell_status(program.wait(0)), seconds

    def assert_given_back(self, terminal):
        """Everything is as before: the terminal, the port, the port's locks; nobody is left."""
        self.assertEqual(terminal.settings, terminal.original_settings)
        self.assertEqual(self.device.settings, self.port_settings)
        self.assertFalse(self.device.exclusive)
        self.assert_port_is_free()
        self.assertEqual(processes.in_session(terminal.pid), {})

    def assert_port_is_free(self):
        """Nobody holds the lock that terminal programs respect."""
        descriptor = os.open(self.device.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        finally:
            os.close(descriptor)

    def wait_for_log(self, count):
        """Waits until the log holds so many bytes."""
        wait_until(
            lambda: self.log.exists() and self.log.stat().st_size >= count,
            f"{count} bytes in the log")

    def expect_held(self, terminal):
        """Waits until the session says that the device takes nothing."""
        terminal.expect(b"held by the device")
