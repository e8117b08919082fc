"""`serialterm monitor` where nothing is plugged in or out; the stage shows the rest."""

import json
import re
import signal
import unittest

from Tests.endtoend.harness import Pipes, serialterm, serialterm_binary, shell_status
from Tests.endtoend.test_list import assert_device

RFC_3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(Z|[+-]\d\d:\d\d)")


class MonitorTests(unittest.TestCase):
    def test_a_deadline_ends_it(self):
        for option in ("--deadline", "--timeout"):
            with self.subTest(option):
                result = serialterm("monitor", "--json", option, "0.2")
                self.assertEqual((result.status, result.stderr), (0, b""))
                self.assertGreaterEqual(result.duration, 0.2)

    def test_what_is_there_is_told_first(self):
        listed = json.loads(serialterm("list", "--json", "--all").stdout)
        result = serialterm("monitor", "--json", "--all", "--timeout", "0.2")
        events = [json.loads(line) for line in result.stdout.splitlines()]
        for event in events:
            self.assertEqual(event["event"], "present")
            self.assertRegex(event["time"], RFC_3339)
            assert_device(self, event["device"])
        self.assertEqual(
            [event["device"]["node"] for event in events], [device["node"] for device in listed])

    def test_table_has_a_line_for_each_device(self):
        names = serialterm("list", "--names", "--all").stdout.split()
        lines = serialterm("monitor", "--all", "--timeout", "0.2").stdout.splitlines()
        self.assertEqual(len(lines), len(names))
        for line, name in zip(lines, names):
            self.assertIn(name, line)
            self.assertIn(b"present", line)

    def test_signals_end_it(self):
        if not serialterm("list", "--names", "--all").stdout:
            self.skipTest("this machine has no serial device at all")
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(number.name):
                # With --all there is something to read, which shows that it has begun.
                with Pipes(serialterm_binary(), "monitor", "--all") as monitor:
                    monitor.stdout.expect(b"\n")
                    monitor.signal(number)
                    self.assertEqual(shell_status(monitor.wait()), 128 + number)
