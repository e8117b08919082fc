"""Changes of the line by the far end are shown and logged when they happen. While the lines are not shown,
nothing wakes the process. preload/line.c simulates the line."""

import itertools
import json
import time
import unittest

from Tests.endtoend.faults import HAS_COMPILER, PREFIX
from Tests.endtoend.faults.line import Driver
from Tests.endtoend.harness import Deadline, pace, slow, wait_until
from Tests.endtoend.test_status import StatusTest

ASK = "TIOCMGET"
ASK_COUNTS = "TIOCGICOUNT"


@unittest.skipUnless(HAS_COMPILER, "needs a C compiler")
class WatchTest(StatusTest):
    def setUp(self):
        super().setUp()
        self.driver = Driver(self.device.path, self.folder)
        self.events = self.folder / "log.jsonl"

    def logged(self, event):
        """The events of one kind in the log, without their times."""
        lines = [json.loads(line) for line in self.events.read_text().splitlines()]
        return [{name: value for name, value in line.items() if name not in ("time", "path")}
                for line in lines if line.get("event") == event]

    def wait_for_logged(self, event, expected):
        wait_until(lambda: self.logged(event) == expected, f"{expected} in the log")


class ModemLineTests(WatchTest):
    def test_status_line_shows_what_the_far_end_does_and_the_log_has_it(self):
        self.begin("-L", str(self.events), variables=self.driver.variables)
        self.wait_for_status("  DTR RTS CTS  ")
        for lines in ("CTS DSR", "DSR DCD RI", ""):
            self.driver.say(lines)
            self.wait_for_status(f"  {' '.join(['DTR RTS', lines]).strip()}  ")
        self.terminal.send(PREFIX + b"g")
        self.screen.wait_for_text("line to toggle")
        self.terminal.send(b"RTS\r")
        self.screen.wait_for_text("RTS off")
        self.wait_for_logged("lines", [
            {"event": "lines", "old": "DTR RTS CTS", "new": "DTR RTS CTS DSR"},
            {"event": "lines", "old": "DTR RTS CTS DSR", "new": "DTR RTS DSR DCD RI"},
            {"event": "lines", "old": "DTR RTS DSR DCD RI", "new": "DTR RTS"},
            {"event": "lines", "old": "DTR RTS", "new": "DTR"}])

    @slow
    def test_driver_is_asked_only_while_somebody_looks(self):
        self.terminal, self.screen = self.start(variables=self.driver.variables)
        # Once when the port was opened, and never again.
        self.assert_falls_asleep()
        self.assertEqual(self.driver.count(ASK), 1)
        self.switch_status("on")
        started, asked = time.monotonic(), self.driver.count(ASK)
        wait_until(lambda: self.driver.count(ASK) >= asked + 10, "it is asked again and again")
        # A timer is never early: between ten times are nine intervals, or eight from the second on.
        self.assertGreater(time.monotonic() - started, 0.8)
        self.switch_status("off")
        self.assert_falls_asleep()

    def test_lines_are_right_again_when_the_device_is_back(self):
        self.begin(variables=self.driver.variables)
        self.device.hang_up()
        self.wait_for_status("waiting for")
        asked = self.driver.count(ASK)
        self.assert_falls_asleep()
        self.assertEqual(self.driver.count(ASK), asked, "there is no port to ask")
        self.device.plug()
        self.wait_for_status("  DTR RTS CTS  ")
        self.driver.say("DCD")
        self.wait_for_status("  DTR RTS DCD  ")

    def switch_status(self, expected):
        self.open_palette(self.terminal, self.screen, b"status-line")
        self.terminal.send(b"\r")
        self.screen.wait_for_text(f"status-line is {expected}.")
        self.screen.wait_until_gone("command:")


class PulseTests(WatchTest):
    PULSE = PREFIX + b"pRTS\r"

    def setUp(self):
        super().setUp()
        self.terminal, self.screen = self.start(variables=self.driver.variables)
        # Changes that the opening caused are not examined.
        self.before = len(self.driver.trace)

    def changes(self):
        """The changes of the lines, and then of the port."""
        return [call for call in self.driver.trace[self.before:]
                if call.startswith("TIOCMB") or call == "close"]

    def test_one_that_follows_at_once_begins_when_the_first_has_ended(self):
        self.terminal.send(self.PULSE + self.PULSE)
        expected = ["TIOCMBIC RTS", "TIOCMBIS RTS"] * 2
        wait_until(lambda: len(self.changes()) >= len(expected), "both are over")
        self.assertEqual(self.changes(), expected)

    def test_one_that_is_not_over_ends_when_the_session_does(self):
        self.terminal.send(self.PULSE + PREFIX + b"q")
        self.assertEqual(self.terminal.wait(), 0)
        self.assertEqual(self.changes()[:2], ["TIOCMBIC RTS", "TIOCMBIS RTS"])


class CountedErrorTests(WatchTest):
    def begin_logging(self, *options):
        self.driver.say("CTS framing=5 break=1")
        self.terminal, self.screen = self.start(
            "-L", str(self.events), *options, variables=self.driver.variables, size=(24, 120))
        # Errors that were counted before the opening do not belong to this session.
        self.device.write(b"first")
        self.screen.wait_for_text("first")

    def test_errors_are_said_with_their_counts_and_logged(self):
        self.begin_logging()
        self.driver.say("CTS framing=7 break=2 parity=1 overrun=3 buffer=1")
        self.device.write(b"second")
        self.screen.wait_for_text(
            "the driver counted 2 framing errors, 1 parity error, 3 overruns, 1 buffer overrun, "
            "1 break.")
        self.wait_for_logged("errors", [{
            "event": "errors", "framing": 2, "parity": 1, "overrun": 3, "bufferOverrun": 1,
            "break": 1}])

    def send_garbage(self, counts, is_enough, what):
        """Sends the bytes that a receiver makes of text at another rate, 20 at a time, of which 10 have an error if
        the counts say so."""
        started, deadline, number = time.monotonic(), Deadline(), 0
        while not is_enough():
            self.assertFalse(deadline.passed, what)
            self.driver.say(f"CTS framing={next(counts)} break=1")
            self.device.write(bytes.fromhex("e01cfc009c") * 4)
            number += 1
            pace(started, number, 50)

    def send_garbage_for_long(self, counts):
        """Until the session has looked at the counts ten times more."""
        asked = self.driver.count(ASK_COUNTS)
        self.send_garbage(counts, lambda: self.driver.count(ASK_COUNTS) >= asked + 10, "it is asked ten times")

    def test_a_wrong_rate_is_hinted_once(self):
        self.begin_logging()
        counts = itertools.count(10, 10)
        self.send_garbage(counts, lambda: self.screen.row_of("wrong baud rate") is not None, "the hint")
        self.screen.wait_for_text("This looks like a wrong baud rate. ctrl-t B changes it.")
        self.send_garbage_for_long(counts)
        self.device.write(b"\r\nthe end\r\n")
        self.screen.wait_for_text("the end")
        self.assertEqual(self.terminal.transcript._data.count(b"wrong baud rate"), 1)

    def test_without_line_errors_the_same_bytes_are_no_hint(self):
        self.begin_logging()
        self.send_garbage_for_long(itertools.repeat(5))
        self.device.write(b"\r\nthe end\r\n")
        self.screen.wait_for_text("the end")
        self.assertNotIn(b"wrong baud rate", self.terminal.transcript._data)

    def test_more_errors_are_said_together_at_the_latest_when_it_ends(self):
        self.begin_logging()
        for count in (6, 7, 8):
            self.driver.say(f"framing={count} break=1")
            self.device.write(b"x")
            self.wait_for_logged(
                "errors", [{"event": "errors", "framing": 1}] * (count - 5))
        self.assertEqual(self.quit(self.terminal)[0], 0)
        said = self.terminal.transcript.expect_end()
        self.assertIn(b"the driver counted 1 framing error.", said)
        counts = [int(part.split(b"counted ")[1].split()[0])
                  for part in said.split(b"the driver ")[1:]]
        self.assertEqual(sum(counts), 3)

    def test_overruns_alone_are_said_where_errors_are_marked(self):
        self.begin_logging("--mark-errors")
        self.driver.say("framing=9 break=4 overrun=1")
        self.device.write(b"second")
        self.screen.wait_for_text("the driver counted 1 overrun.")

    @slow
    def test_nobody_wakes_for_errors_while_no_byte_comes(self):
        self.begin_logging()
        self.assert_falls_asleep()
        self.driver.say("framing=1000")
        self.assert_falls_asleep()
        self.assertNotIn(b"the driver counted", self.terminal.output)
