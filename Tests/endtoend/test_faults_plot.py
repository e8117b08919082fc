"""Row 60: numbers that are hard to plot."""

import time

from Tests.endtoend.faults import processes, record
from Tests.endtoend.harness import wait_until
from Tests.endtoend.test_plot import KEYS, OPEN, PLOT, RateTest, reading

MEBIBYTE = 1 << 20
# The values of a line, as a device prints them. Only those that are finite have a place on the chart.
VALUES = (
    "nan", "NaN", "inf", "-inf", "INF", "1e308", "-1e308", "1.7976931348623157e308", "1e309", "-1e999",
    "5e-324", "1e-400", "-0", "0", "1" * 400, "0." + "3" * 400, "1e99999999999", "12345678901234567890",
    "nan(0x7)", "", "+", "-", ".", "e5", "0x1p3", "1e", "1_000")
NAMES = range(10_000)
LONG = 1_000_000


class Row60NumbersTests(RateTest):
    def setUp(self):
        super().setUp()
        self.rates, self.growths = [], []

    def record(self, what):
        record(60, f"redraws a second with {what}", self.rates, "/s")
        record(60, f"memory gained by {what}", self.growths, "MiB")

    def check(self, *said):
        """Sends bytes while the plot is open. The log has all of them, the screen is drawn rarely, memory is
        bounded, and plot, keyboard and text work afterwards."""
        self.start("--log", str(self.log))
        self.send(50)
        self.terminal.send(PLOT)
        self.screen.wait_for_text(OPEN)
        expected = b"".join(map(reading, range(50)))
        memory = processes.memory(self.terminal.pid)[0]
        self.terminal.catch_up()
        started, before = time.monotonic(), self.redraws()
        for piece in said:
            self.device.write(piece)
            expected += piece

        def is_shown():
            # Until a slow terminal has caught up, text that finds no room is left out.
            nonlocal expected
            last = reading(self.sent)
            self.sent += 1
            self.device.write(last)
            expected += last
            self.wait_for_log(len(expected))
            self.terminal.catch_up()
            return last.split()[-1] in self.terminal.output

        wait_until(is_shown, "a reading is shown")
        self.assertEqual(self.log.read_bytes(), expected)
        count, seconds = self.redraws() - before, time.monotonic() - started
        # The first one is drawn at once: a rate needs a second.
        self.rates.append(count / max(seconds, 1))
        self.growths.append(processes.memory(self.terminal.pid)[1] - memory)
        self.assertLessEqual(count, seconds * 10 + 2)
        self.assertLessEqual(self.growths[-1], 16)
        self.screen.skip()
        self.screen.resize(24, 90)
        self.screen.wait_for(lambda lines: lines[14].find(OPEN) > 60, "the wider plot")
        self.send(5)
        self.terminal.send(b"typed")
        self.assert_device_got(b"typed")
        self.take_keys()
        for key in (b"l", b"c", b"\x1b[D", b"f", b"l", b"a", b"c", b" "):
            self.terminal.send(key)
        self.press(b"?", "close the plot")
        self.press(b"?q", f"hum:{99 + self.sent}")
        self.screen.wait_until_gone(KEYS)
        self.assertEqual(self.quit(self.terminal)[0], 0)
        self.log.unlink()

    def test_values_without_a_place_on_the_chart(self):
        lines = [f"temp:{value}\thum:{value}\r\n".encode() for value in VALUES]
        self.check(*lines * 1_000)
        self.record("values like NaN, inf and 1e308")

    def test_ten_thousand_names_in_as_many_lines(self):
        for what, form in (
                ("labels", "n%d:%d\r\n"), ("pairs", "n%d=%d\r\n"), ("Teleplot", ">n%d:%d\r\n"),
                ("JSON", '{"n%d":%d}\r\n')):
            with self.subTest(what):
                lines = "".join(form % (number, number) for number in NAMES).encode()
                self.check(lines * 10)
        self.record("10,000 names")

    def test_ten_thousand_names_in_a_line(self):
        for what, line in (
                ("labels", " ".join(f"n{number}:1" for number in NAMES)),
                ("pairs", " ".join(f"n{number}=1" for number in NAMES)),
                ("JSON", "{" + ",".join(f'"n{number}":1' for number in NAMES) + "}"),
                ("CSV", ",".join(f"n{number}" for number in NAMES) + "\r\n"
                 + ",".join("1" for number in NAMES))):
            with self.subTest(what):
                self.check(*[line.encode() + b"\r\n"] * 10)
        self.record("10,000 names in a line")

    def test_a_line_of_a_megabyte(self):
        for what, part in (
                ("digits", b"1"), ("values", b"1,"), ("labels", b"temp:1 "), ("names", b"temp"),
                ("JSON", b'{"a":')):
            with self.subTest(what):
                line = (part * (LONG // len(part) + 1))[:LONG]
                self.check(line, b"\r\n", line, b"\r\n")
        self.record("a line of 1 MB")
