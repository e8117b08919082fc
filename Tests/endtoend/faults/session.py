"""Sessions of the program under test, with a device that the test controls."""

import contextlib
import fcntl
import os
import tempfile
import time
import unittest
from pathlib import Path
from types import SimpleNamespace

from Tests.endtoend.harness import (
    Device, Pipes, Terminal, cooked, serialterm_binary, shell_status, wait_until)

from . import processes, waits

PREFIX = b"\x14"
# The milliseconds within which a session can be left, in any state.
LEAVING = 500
# The text that a session prints when its port is open.
GREETING = b"ctrl-t q"


class SessionTest(unittest.TestCase):
    """Has `device`, with a link that keeps its name, and a folder for a log."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.log = self.folder / "log"
        self._waits = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.device = self.enterContext(Device(link=self.folder / "port", settings=cooked))
        self.port_settings = self.device.settings

    def connect(self, *options, variables=None, **how):
        """A session on a terminal, returned before it has opened its port."""
        return Terminal(
            serialterm_binary(), "connect", self.device.path, *options,
            variables=waits.counted(self._waits, variables), **how)

    def session(self, *options, **how):
        """A session on a terminal, returned when it has opened its port."""
        terminal = self.enterContext(self.connect(*options, **how))
        terminal.expect(GREETING)
        return terminal

    def pipes(self, *options, variables=None, **how):
        """A session with pipes, returned when it has set up its port."""
        program = self.enterContext(Pipes(
            serialterm_binary(), "connect", self.device.path, *options,
            variables=waits.counted(self._waits, variables), **how))
        wait_until(
            lambda: self.device.settings != self.port_settings or not program.running,
            "the port is set up")
        return program

    def guard_of(self, terminal):
        """The guard process, which restores the terminal if the session is killed."""
        return processes.the_one(terminal.pid, processes.GUARD)

    def quit(self, terminal, at_most=LEAVING):
        """Types the keys that quit; returns the exit status and the seconds until the end. `at_most`: as for
        `leaving`."""
        with self.leaving(terminal, at_most) as left:
            terminal.send(PREFIX + b"q")
        return left.status, left.seconds

    def signal(self, terminal, number, at_most=LEAVING):
        """Sends a signal to the program only; returns the exit status as a shell shows it, and the
        seconds until the end. `at_most`: as for `leaving`."""
        with self.leaving(terminal, at_most) as left:
            terminal.signal(number)
        return left.status, left.seconds

    @contextlib.contextmanager
    def leaving(self, program, at_most=LEAVING):
        """Does in it what ends a program, and waits for the end: `status` is then the exit status as a shell shows it,
        and `seconds` the time since the beginning.

        The program itself may wait `at_most` milliseconds for nothing but time. The seconds depend on what else the
        machine does: they are for `record`."""
        left = SimpleNamespace()
        waited, started = self.waited(program), time.monotonic()
        yield left
        left.status, left.seconds = self.ended(program, started)
        self.assertLessEqual(self.waited(program) - waited, at_most, "milliseconds that the program waited by itself")

    def waited(self, program):
        """The milliseconds that a program of this test has waited so far for nothing but time."""
        return waits.milliseconds(self._waits, program.pid)

    def ended(self, program, since):
        """Waits for the end; returns the exit status as a shell shows it, and the seconds."""
        seconds = processes.seconds_to_end(program, since)
        return shell_status(program.wait(0)), seconds

    def unplug_and_read(self, program):
        """Unplugs the device. Returns the bytes that its driver had taken and that it had not read. The kernel
        holds them and does not report their number, so they are read while the program is stopped."""
        with processes.stopped(program.pid):
            # poll(2) of a pseudo-terminal completes what is on its way, so nothing comes later.
            taken = self.device.read_available(0)
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

    def expect_held(self, terminal):
        """Waits until the session reports that the device accepts no bytes."""
        terminal.expect(b"held by the device")
