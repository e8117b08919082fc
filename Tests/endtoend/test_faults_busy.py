"""Rows 19 to 21: another user or program has the port, or it is not a port. This is reported immediately;
the user's terminal and the port stay unchanged."""

import fcntl
import os
import sys
import tempfile
import termios
import time
import unittest
from pathlib import Path

from Tests.endtoend import test_errors
from Tests.endtoend.faults import processes, record, waits
from Tests.endtoend.faults.line import LineCase
from Tests.endtoend.harness import (
    Device, Pipes, PublicCopy, Terminal, contents, serialterm_binary, shell_status, wait_until)

USER, HOLDER = test_errors.USER, test_errors.BusyTests.HOLDER
LOCK_FOLDER = Path("/var/lock")
# Larger than the kernel's largest process ID.
DEAD = 4_194_305
# The promise, in milliseconds.
AT_MOST = 100
TIMES = 5


def lock_file(node):
    """The UUCP lock file of a port."""
    return LOCK_FOLDER / f"LCK..{node.removeprefix('/dev/').replace('/', '_')}"


class RefusalCase(unittest.TestCase):
    """Measures how long a session takes to end when it cannot have its port."""

    def setUp(self):
        self.binary = self.enterContext(PublicCopy())
        self.waits = Path(self.enterContext(tempfile.TemporaryDirectory()))
        os.chmod(self.waits, 0o777)

    def milliseconds(self, status, path, times=TIMES, user=None):
        """Of several starts, each with this exit status, its terminal untouched."""
        durations = []
        for _ in range(times):
            started = time.monotonic()
            with Terminal(self.binary, "connect", path, user=user,
                          variables=waits.counted(self.waits)) as terminal:
                seconds = processes.seconds_to_end(terminal, started)
                self.assertEqual(shell_status(terminal.wait(0)), status, terminal.seen())
                self.assertEqual(terminal.settings, terminal.original_settings)
                self.assertLessEqual(waits.milliseconds(self.waits, terminal.pid), AT_MOST)
            durations.append(seconds * 1000)
        return durations


class Row19BusyTests(RefusalCase):
    def setUp(self):
        super().setUp()
        self.device = self.enterContext(Device())
        os.chmod(self.device.node, 0o666)
        self.found = self.device.settings

    def measure(self, holder, user=None):
        record(19, f"started to exit 5, held by {holder}",
               self.milliseconds(5, self.device.path, user=user), "ms", at_most=AT_MOST)
        self.assertEqual(self.device.settings, self.found)

    def test_lock_of_another_program(self):
        with Pipes(sys.executable, "-c", HOLDER, self.device.path) as holder:
            holder.stdout.expect(b"locked")
            self.measure("flock", USER)

    @unittest.skipUnless(USER, "needs root, to be refused as somebody else")
    def test_exclusive_mode(self):
        with open(self.device.node, "rb", buffering=0) as port:
            fcntl.ioctl(port, termios.TIOCEXCL)
            self.measure("TIOCEXCL", USER)

    @unittest.skipUnless(os.access(LOCK_FOLDER, os.W_OK), f"{LOCK_FOLDER} is not ours to write to")
    def test_lock_file(self):
        lock = lock_file(self.device.path)
        self.addCleanup(lock.unlink, missing_ok=True)
        lock.write_bytes(b"%10d\n" % os.getpid())
        self.measure("a UUCP lock file", USER)


class Row21NoPortTests(RefusalCase):
    def test_what_is_no_serial_port(self):
        with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile() as file:
            for name, path in (("nothing there", f"{folder}/none"), ("a folder", folder),
                               ("a file", file.name), ("/dev/null", "/dev/null")):
                with self.subTest(name):
                    record(21, f"started to exit 3, {name}", self.milliseconds(3, path), "ms", at_most=AT_MOST)


@unittest.skipUnless(os.access(LOCK_FOLDER, os.W_OK), f"{LOCK_FOLDER} is not ours to write to")
class Row20LockFileTests(LineCase):
    def setUp(self):
        super().setUp()
        self.lock = lock_file(self.device.path)
        self.addCleanup(self.lock.unlink, missing_ok=True)

    def test_lock_of_a_live_process_is_respected_and_its_holder_named(self):
        for contents in (b"%10d\n" % os.getpid(), os.getpid().to_bytes(4, "little")):
            for option in ((), ("--uucp-lock",)):
                with self.subTest(contents, option=option):
                    self.lock.write_bytes(contents)
                    result = self.connect(*option)
                    self.assert_fails(5, rf"busy, held by pid {os.getpid()} \(", result)
                    self.assertEqual(self.lock.read_bytes(), contents)

    def test_lock_is_passed_over_when_the_port_is_shared(self):
        self.lock.write_bytes(b"%10d\n" % os.getpid())
        self.assertEqual(self.connect("--shared").status, 0)
        self.assertTrue(self.lock.exists())

    def test_stale_lock_is_no_obstacle_and_stays(self):
        for contents in (b"%10d\n" % DEAD, DEAD.to_bytes(4, "little")):
            self.lock.write_bytes(contents)
            self.assertEqual(self.connect().status, 0)
            self.assertEqual(self.lock.read_bytes(), contents)
        record(20, "stale lock files that were an obstacle, or removed unasked", 0, "")

    def test_own_lock_is_made_and_removed(self):
        for stale in (None, b"%10d\n" % DEAD):
            with self.subTest(stale):
                if stale:
                    self.lock.write_bytes(stale)
                with Pipes(
                        serialterm_binary(), "connect", self.device.path, "--uucp-lock") as session:
                    expected = b"%10d\n" % session.pid
                    wait_until(
                        lambda: contents(self.lock) == expected,
                        "the lock file names the session")
                    session.close_stdin()
                    self.assertEqual(session.wait(), 0)
                self.assertFalse(self.lock.exists())
        self.assertEqual(list(LOCK_FOLDER.glob("LTMP.*")), [])

    def test_what_says_nothing_is_reported_and_left_alone(self):
        target = self.folder / "precious"
        target.write_bytes(b"precious")
        for option in ((), ("--uucp-lock",)):
            self.lock.write_bytes(b"garbage")
            self.assert_fails(5, f"{self.lock} names no process", self.connect(*option))
            self.assertEqual(self.lock.read_bytes(), b"garbage")
            self.lock.unlink()
            self.lock.mkdir()
            self.assert_fails(5, f"{self.lock} ", self.connect(*option))
            self.lock.rmdir()
            self.lock.symlink_to(target)
            self.assert_fails(5, f"{self.lock} cannot be used", self.connect(*option))
            self.assertEqual(os.readlink(self.lock), str(target))
            self.lock.unlink()
        self.assertEqual(target.read_bytes(), b"precious")
        # The assertions above have found none.
        record(20, "lock files clobbered, and files that a link leads to", 0, "")

    def test_lock_that_is_being_made_is_respected(self):
        self.lock.write_bytes(b"")
        self.assert_fails(5, "busy", self.connect("--uucp-lock"))
        os.utime(self.lock, (time.time() - 60,) * 2)
        self.assertEqual(self.connect("--uucp-lock").status, 0)
