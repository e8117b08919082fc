"""What a session keeps, and where it refuses to."""

import os
import tempfile
import unittest
from pathlib import Path

from Tests.endtoend.harness import Device, Terminal, serialterm_binary, wait_until


class LogTests(unittest.TestCase):
    def setUp(self):
        self.device = self.enterContext(Device())

    def session(self, *options):
        return self.enterContext(
            Terminal(serialterm_binary(), "connect", self.device.path, *options))

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
                    terminal = self.session("-L", str(path), *options)
                    self.assertEqual(terminal.wait(), 7)
                    self.assertEqual(terminal.settings, terminal.original_settings)
            self.assertEqual(there.read_bytes(), b"before")

    def test_log_is_added_to_when_asked(self):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder, "log")
            log.write_bytes(b"before ")
            terminal = self.session("--log", str(log), "--log-append")
            terminal.expect(b"ctrl-t q")
            self.device.write(b"\x00\xff\xc3\x28 after")
            wait_until(lambda: log.stat().st_size == 17, "the log is written")
            self.assertEqual(log.read_bytes(), b"before \x00\xff\xc3\x28 after")
            self.assertEqual(terminal.leave()[0], 0)

    def test_attempt_that_fails_leaves_no_log_behind(self):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder, "log")
            terminal = self.enterContext(Terminal(
                serialterm_binary(), "connect", "/dev/nowhere", "--log", str(log)))
            self.assertEqual(terminal.wait(), 3)
            self.assertFalse(log.exists())
