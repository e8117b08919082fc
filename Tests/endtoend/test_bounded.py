"""Nothing that a user types, and nothing that a folder holds, keeps the session from its work."""

import os
import re
import time

from Tests.endtoend.faults import LEAVING, PREFIX, processes, record
from Tests.endtoend.harness import processor, slow, wait_until
from Tests.endtoend.test_line_input import LineInputTest
from Tests.endtoend.test_send_file import SendFileTest

# The seconds of processor time that the session may need until it has logged what the device says, and quit. The
# promise is 500 ms, of which a debug build would need some twenty times as much. Without bounds these take from
# seconds to minutes.
LIMIT = 5


class BoundedTest(SendFileTest):
    def ask(self):
        self.press(b"x")
        self.screen.wait_for_text("file to send:")

    def expect_alive(self):
        """The port is read, and the quit key has an effect."""
        size = self.log.stat().st_size if self.log.exists() else 0
        used = processes.processor_seconds_of_all_threads(self.terminal.pid)
        started = time.monotonic()
        with processor.measured() as whole:
            self.device.write(b"said meanwhile")
            self.wait_for_log(size + len(b"said meanwhile"))
            logged = time.monotonic()
            status, seconds = self.quit(self.terminal)
        self.assertEqual(status, 0)
        self.assertLess(whole.seconds - used, LIMIT)
        self.assert_given_back(self.terminal)
        record("reliability", "received to logged while a list works", (logged - started) * 1000, "ms", at_most=LEAVING)
        record("reliability", "quit key to the end while a list works", seconds * 1000, "ms", at_most=LEAVING)

    def begin(self, *options, **how):
        super().begin("--log", str(self.log), "--log-append", *options, **how)


@slow
class FolderTests(BoundedTest):
    def test_thousands_of_long_names_and_a_query_that_fits_nearly_all_of_them(self):
        for number in range(2_000):
            (self.files / ("a" * 250 + f"{number:04}")[-255:]).touch()
        self.begin(cwd=self.files)
        self.ask()
        # The list without a query also contains the parent folder.
        self.terminal.send(b"a" * 200 + b"b")
        self.screen.wait_for_text("0/2000")
        self.terminal.send(b"\x7f" * 50 + b"b a" * 50)
        self.expect_alive()

    def test_more_files_than_anybody_looks_through(self):
        for number in range(50_000):
            os.close(os.open(self.files / f"file {number:05}", os.O_CREAT | os.O_WRONLY))
        (self.files / "zz").write_bytes(b"the last one")
        self.begin(cwd=self.files)
        self.ask()
        self.terminal.send(b"file 4")
        # Enter waits for the folder.
        self.terminal.send(b"\x15zz\r")
        self.send_as_it_is()
        self.assertEqual(self.device.read_exactly(12), b"the last one")
        self.screen.wait_for_text("sent zz, 12 bytes")
        self.ask()
        self.terminal.send(b"file 4999")
        self.screen.wait_for_text("file 49999")
        self.expect_alive()

    def test_hundreds_of_slashes(self):
        for number in range(2_000):
            (self.files / ("a" * 250 + f"{number:04}")[-255:]).touch()
        for begin, end in ((b"", b""), (b"\x1b[200~", b"\x1b[201~")):
            with self.subTest(begin):
                self.begin(cwd=self.files)
                self.ask()
                self.terminal.send(begin + b"/" * 500 + end)
                self.screen.wait_for(lambda lines: any("/////" in line for line in lines), "slashes")
                self.expect_alive()

    def test_searching_and_walking_by_turns(self):
        for number in range(2_000):
            (self.files / ("a" * 250 + f"{number:04}")[-255:]).touch()
        self.begin(cwd=self.files)
        self.ask()
        # Each key has work to do, and more of them wait than one turn has time for.
        self.terminal.send(b"a\x1b[B" * 1_000)
        self.expect_alive()


class ClusterTests(BoundedTest):
    TEXTS = {
        "accents": "e" + "\u0301" * 5_000, "emoji": "\U0001F468" + "\u200d\U0001F469" * 1_200,
        "flags": "\U0001F1E9" * 3_000}

    def test_one_letter_with_thousands_of_accents_in_a_list(self):
        for name, text in self.TEXTS.items():
            with self.subTest(name):
                self.begin()
                self.open_palette(self.terminal, self.screen)
                self.terminal.send(text.encode())
                self.screen.wait_for(
                    lambda lines: any(re.search(r"\b0/\d+", line) for line in lines), "no match")
                self.expect_alive()


class LineClusterTests(BoundedTest, LineInputTest):
    def begin(self, *options):
        LineInputTest.begin(self, "--log", str(self.log), "--log-append", *options)

    def test_one_letter_with_thousands_of_accents_in_the_line(self):
        for name, text in ClusterTests.TEXTS.items():
            with self.subTest(name):
                self.begin()
                self.terminal.send(text.encode())
                self.terminal.send(b"\x01x\x05y")
                self.screen.wait_for(
                    lambda lines: any(
                        line.startswith("> x") or line.endswith("y") for line in lines), "the line")
                self.expect_alive()

    def test_what_does_not_fit_is_said(self):
        self.begin()
        self.terminal.send(b"\x1b[200~" + b"x" * 66_000 + b"\x1b[201~")
        self.screen.wait_for_text("not sent (")
        self.screen.wait_for_text("the line is full")
        self.terminal.send(b"\r")
        line = self.device.read_exactly(65_537)
        self.assertEqual(line, b"x" * 65_536 + b"\r")
        wait_until(lambda: b"not sent" in self.terminal.output, "what was left out")
        self.terminal.send(PREFIX + b"q")
        self.assertEqual(self.terminal.wait(), 0)
