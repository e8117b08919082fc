"""Leaving a session whatever happens: the user's terminal as it was, nothing lost in silence."""

import fcntl
import os
import random
import re
import signal
import tempfile
import termios
import time
import unittest
from pathlib import Path

from Tests.endtoend.harness import Device, Terminal, serialterm_binary, wait_until

PREFIX = b"\x14"
# How long leaving may take, in seconds, whatever stalls.
LEAVING = 0.5


def memory(pid):
    """The resident memory of a process, in bytes."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1)) * 1024


def guards():
    """The guard processes that there are."""
    found = set()
    for name in Path("/proc").glob("[0-9]*/comm"):
        try:
            if name.read_text(encoding="utf-8") == "serialterm-grd\n":
                found.add(int(name.parent.name))
        except OSError:
            pass  # It has just ended.
    return found


class LeavingTests(unittest.TestCase):
    def setUp(self):
        self.device = self.enterContext(Device())

    def session(self, *options):
        terminal = self.enterContext(
            Terminal(serialterm_binary(), "connect", self.device.path, *options))
        terminal.expect(b"ctrl-t q")
        wait_until(lambda: self.device.exclusive, "the port is opened exclusively")
        return terminal

    def restored(self, terminal):
        wait_until(
            lambda: terminal.settings == terminal.original_settings, "the terminal is restored")

    def assert_leaves(self, terminal, keys=PREFIX + b"q"):
        status, duration = terminal.leave(keys)
        self.assertEqual(status, 0)
        self.assertLess(duration, LEAVING)
        self.assertEqual(terminal.settings, terminal.original_settings)


class CrashTests(LeavingTests):
    def test_crash_restores_the_terminal_and_keeps_its_signal(self):
        for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGILL, signal.SIGBUS):
            with self.subTest(number.name):
                terminal = self.session()
                terminal.signal(number)
                self.assertEqual(terminal.wait(), -number)
                self.restored(terminal)

    def test_guard_restores_the_terminal_after_a_kill(self):
        for _ in range(10):
            terminal = self.session()
            terminal.signal(signal.SIGKILL)
            self.assertEqual(terminal.wait(), -signal.SIGKILL)
            self.restored(terminal)

    def test_guard_leaves_a_terminal_alone_that_somebody_else_has_set(self):
        before = guards()
        terminal = self.session()
        (guard,) = guards() - before
        mine = terminal.modes
        mine[3] ^= termios.ECHO
        terminal.modes = mine
        terminal.signal(signal.SIGKILL)
        terminal.wait()
        wait_until(lambda: guard not in guards(), "the guard ends")
        self.assertEqual(terminal.modes, mine)

    def test_killed_session_lets_go_of_the_port(self):
        terminal = self.session()
        terminal.signal(signal.SIGKILL)
        terminal.wait()
        with open(self.device.node, "rb", buffering=0,
                  opener=lambda path, _: os.open(path, os.O_RDWR | os.O_NOCTTY)) as port:
            fcntl.flock(port, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def test_no_guard_stays_behind(self):
        before = guards()
        terminal = self.session()
        self.assertEqual(len(guards() - before), 1)
        self.assert_leaves(terminal)
        self.assertEqual(guards() - before, set())

    def test_guard_that_was_stopped_keeps_nobody(self):
        before = guards()
        terminal = self.session()
        for guard in guards() - before:
            os.kill(guard, signal.SIGSTOP)
        self.assert_leaves(terminal)


class StopTests(LeavingTests):
    def test_stopped_session_gives_the_terminal_back_until_it_is_continued(self):
        terminal = self.session()
        raw = terminal.settings
        for _ in range(20):
            terminal.signal(signal.SIGTSTP)
            self.restored(terminal)
            state = Path(f"/proc/{terminal.pid}/stat")
            wait_until(lambda: state.read_text().rsplit(") ")[1][0] == "T", "it is stopped")
            terminal.signal(signal.SIGCONT)
            wait_until(lambda: terminal.settings == raw, "the terminal is raw again")
        terminal.send(b"x")
        self.assertEqual(self.device.read_exactly(1), b"x")
        self.assert_leaves(terminal)


class StallTests(LeavingTests):
    def test_device_that_holds_us_is_said_to_and_does_not_keep_anyone(self):
        terminal = self.session("--flow", "soft")
        self.device.write(b"\x13")
        terminal.send(b"held back")
        terminal.expect(b"held by the device")
        self.device.write(b"still heard")
        terminal.expect(b"still heard")
        self.device.write(b"\x11")
        self.assertEqual(self.device.read_exactly(9), b"held back")
        terminal.expect(b"takes bytes again")
        self.device.write(b"\x13")
        terminal.send(b"abc" + PREFIX + b"c")
        terminal.expect(b"reconnect")
        self.assert_leaves(terminal)
        self.assertIn(b"3 bytes were not sent", terminal.transcript.expect_end())

    def test_quit_key_is_heard_behind_a_paste_that_the_device_does_not_take(self):
        terminal = self.session()
        before = memory(terminal.pid)
        paste = random.Random(2).randbytes(1_000_000).replace(PREFIX, b"x")
        terminal.send(paste)
        self.assertLess(memory(terminal.pid) - before, 64 << 20)
        self.assert_leaves(terminal)
        unsent = re.search(rb"([\d,]+) bytes were not sent", terminal.transcript.expect_end())
        taken = self.device.rest()
        self.assertEqual(taken, paste[:len(taken)])
        self.assertEqual(len(taken) + int(unsent.group(1).replace(b",", b"")), len(paste))

    def test_paste_reaches_a_slow_device_whole(self):
        terminal = self.session()
        paste = random.Random(3).randbytes(80_000).replace(PREFIX, b"x")
        terminal.send(paste)
        self.assertEqual(self.device.read_exactly(len(paste), rate=40_000), paste)
        self.assert_leaves(terminal)

    def test_stalled_terminal_keeps_neither_the_log_nor_anyone(self):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder, "log")
            terminal = self.session("--log", str(log))
            terminal.stall()
            data = random.Random(4).randbytes(2_000_000)
            self.device.write(data)
            wait_until(lambda: log.stat().st_size == len(data), "all of it is in the log")
            self.assertEqual(log.read_bytes(), data)
            self.assertEqual(log.stat().st_mode & 0o777, 0o600)
            started = time.monotonic()
            terminal.send(PREFIX + b"q")
            self.assertEqual(terminal.wait(), 0)
            self.assertLess(time.monotonic() - started, LEAVING)
            self.assertEqual(terminal.settings, terminal.original_settings)


    def test_what_a_stalled_terminal_missed_is_counted_when_it_goes_on(self):
        terminal = self.session()
        terminal.stall()
        count = 2_000_000
        self.device.write(b"~" * count)
        terminal.resume()
        missed = terminal.expect(re.compile(rb"\[([\d,]+) bytes not shown\]")).group(1)
        self.device.write(b"end")
        terminal.expect(b"end")
        shown = terminal.output.count(b"~")
        self.assertEqual(shown + int(missed.replace(b",", b"")), count)
        self.assert_leaves(terminal)


class LogTests(LeavingTests):
    def test_log_never_replaces_nor_follows_anything(self):
        with tempfile.TemporaryDirectory() as folder:
            there = Path(folder, "there")
            there.write_bytes(b"before")
            link = Path(folder, "link")
            link.symlink_to(there)
            fifo = Path(folder, "fifo")
            os.mkfifo(fifo)
            for path, options in ((there, ()), (link, ("--log-append",)), (link, ()),
                                  (fifo, ("--log-append",)), (folder, ("--log-append",))):
                with self.subTest(path=path, options=options):
                    terminal = self.enterContext(Terminal(
                        serialterm_binary(), "connect", self.device.path, "-L", str(path),
                        *options))
                    self.assertEqual(terminal.wait(), 7)
                    self.assertEqual(terminal.settings, terminal.original_settings)
            self.assertEqual(there.read_bytes(), b"before")

    def test_log_is_added_to_when_asked(self):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder, "log")
            log.write_bytes(b"before ")
            terminal = self.session("--log", str(log), "--log-append")
            self.device.write(b"\x00\xff\xc3\x28 after")
            wait_until(lambda: log.stat().st_size == 17, "the log is written")
            self.assertEqual(log.read_bytes(), b"before \x00\xff\xc3\x28 after")
            self.assert_leaves(terminal)
