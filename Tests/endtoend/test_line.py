"""The options of the line: invalid values."""

from Tests.endtoend.faults.line import LineCase
from Tests.endtoend.harness import serialterm


class UsageTests(LineCase):
    BAD = [
        ("--dtr", "high"), ("--rts", ""), ("--on-open", "dtr"), ("--on-open", "wait=10001"),
        ("--on-open", "rts=on,cts=on"), ("--rs485", "off"), ("--rs485", "delay-before=101"),
        ("--uucp-lock", "--shared")]

    def test_bad_values_are_usage_errors(self):
        for options in self.BAD:
            with self.subTest(options):
                self.assert_fails(2, options[0], self.connect(*options))

    def test_wrong_item_is_named(self):
        result = self.connect("--on-open", "dtr=off,rts=maybe")
        self.assert_fails(2, "item 2, 'rts=maybe': expected rts=on or rts=off", result)

    def test_help_lists_the_options(self):
        text = serialterm("help", "connect", "all").stdout.decode()
        for option in ("--dtr", "--rts", "--hangup, --no-hangup", "--on-open", "--mark-errors",
                       "--rs485", "--low-latency", "--uucp-lock"):
            self.assertIn(option, text)
