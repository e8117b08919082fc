"""Sessions of the program under test, with a device that the test controls."""

import fcntl
import os
import statistics
import tempfile
import time
import unittest
from pathlib import Path

from Tests.endtoend.harness import (
    Device, Pipes, Terminal, cooked, serialterm_binary, shell_status, wait_until)

from . import processes
from .figures import under_load

PREFIX = b"\x14"
# The maximum time to quit in seconds, in any state of the session.
LEAVING = under_load(0.5)
# The text that a session prints when its port is open.
GREETING = b"ctrl-t q"


class SessionTest(unittest.TestCase):
    """Has `device`, with a link that keeps its name, and a folder for a log."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.log = self.folder / "log"
        self.device = self.enterContext(Device(link=self.folder / "port", settings=cooked))
        self.port_settings = self.device.settings

    def connect(self, *options, **how):
        """A session on a terminal, returned before it has opened its port."""
        return Terminal(
            serialterm_binary(), "connect", self.device.path, *options, **how)

    def session(self, *options, **how):
        """A session on a terminal, returned when it has opened its port."""
        terminal = self.enterContext(self.connect(*options, **how))
        terminal.expect(GREETING)
        return terminal

    def pipes(self, *options, **how):
        """A session with pipes, returned when it has set up its port."""
        program = self.enterContext(
            Pipes(serialterm_binary(), "connect", self.device.path, *options, **how))
        wait_until(
            lambda: self.device.settings != self.port_settings or not program.running,
            "the port is set up")
        return program

    def guard_of(self, terminal):
        """The guard process, which restores the terminal if the session is killed."""
        return processes.the_one(terminal.pid, processes.GUARD)

    def quit(self, terminal):
        """Types the keys that quit; returns the exit status and the seconds until the end."""
        started = time.monotonic()
        terminal.send(PREFIX + b"q")
        return self.ended(terminal, started)

    def signal(self, terminal, number):
        """Sends a signal to the program only; returns the exit status as a shell shows it, and the
        seconds until the end."""
        started = time.monotonic()
        terminal.signal(number)
        return self.ended(terminal, started)

    def ended(self, program, since):
        """Waits for the end; returns the exit status as a shell shows it, and the seconds."""
        seconds = processes.seconds_to_end(program, since)
        return shell_status(program.wait(0)), seconds

    def unplug_and_read(self, program):
        """Unplugs the device. Returns the bytes that its driver had taken and that it had not read. The kernel
        holds them and does not report their number, so they are read while the program is stopped."""
        with processes.stopped(program.pid):
            taken = self.device.read_available()
            self.device.hang_up()
        return taken

    def replug(self):
        """Plugs in a new device in place of one that was closed."""
        self.device.close()
        Path(self.device.path).unlink(missing_ok=True)
        self.device.plug()
        self.port_settings = self.device.settings

    def assert_given_back(self, terminal):
        """Asserts that terminal, port and locks are as before, and that no process is left."""
        self.assertEqual(terminal.settings, terminal.original_settings)
        self.assertEqual(self.device.settings, self.port_settings)
        self.assertFalse(self.device.exclusive)
        self.assert_port_is_free()
        self.assertEqual(processes.in_session(terminal.pid), {})

    def assert_port_is_free(self):
        """Asserts that no process holds the lock (flock) that terminal programs use."""
        descriptor = os.open(self.device.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        finally:
            os.close(descriptor)

    def wait_for_log(self, count):
        """Waits until the log contains at least `count` bytes."""
        wait_until(
            lambda: self.log.exists() and self.log.stat().st_size >= count,
            f"{count} bytes in the log")

    def assert_typical(self, durations, limit):
        """The median is within a limit, in milliseconds: single runs may meet a busy machine."""
        self.assertLessEqual(statistics.median(durations), limit)

    def expect_held(self, terminal):
        """Waits until the session reports that the device accepts no bytes."""
        terminal.expect(b"held by the device")
