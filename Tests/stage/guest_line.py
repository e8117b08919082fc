"""The line settings as an FTDI chip, a 16550 and a CDC-ACM device receive them."""

import fcntl
import json
import os
import shlex
import struct
import termios
import threading
import tty
import unittest
from pathlib import Path

from Tests.endtoend.faults import record
from Tests.endtoend.harness import Pipes, serialterm, serialterm_binary, wait_until
from Tests.endtoend.harness.uart import received
from Tests.stage.chip import Chip
from Tests.stage.line_cases import UART, AcmCase, UartCase, UartFarEnd
from Tests.stage.stage import monitor

TABLES = Path(__file__).resolve().parents[2] / "docs" / "line-control.md"
# The driver's settings at an open and at the last close.
OPENED = "modem dtr=1 rts=1"
CLOSED = "modem dtr=0 rts=0"
# In the middle column: only lines; the port is not opened; the rest is not programmed any more.
LINES = {"DTR", "-DTR", "RTS", "-RTS"}
NOTHING, NO = "nothing", "no "
TIOCGSERIAL, ASYNC_LOW_LATENCY = 0x541E, 0x2000


def rows(heading):
    """The cells of the table below a heading of docs/line-control.md, without backquotes."""
    _, _, section = TABLES.read_text(encoding="utf-8").partition(f"\n### {heading}\n")
    lines = [line for line in section.partition("\n#")[0].splitlines() if line.startswith("|")]
    return [[cell.strip().replace("`", "") for cell in line.strip("|").split("|")]
            for line in lines[2:]]


def connect(node, options, status=0):
    """Runs a session that sends a word; returns its messages."""
    result = serialterm("connect", node, *options, stdin=b"word")
    assert result.status == status, result
    return result.stderr.decode()


def status_of(expected):
    """The exit status of a row's session: 1 if the port is not opened."""
    return 1 if expected == NOTHING else 0


class TableCase(unittest.TestCase):
    def assert_said(self, expected, said):
        """Asserts that the messages contain the expected one, or are empty if that is.

        The tests open the ports too, and a session says so.
        """
        said = "".join(
            line for line in said.splitlines(keepends=True)
            if "is also open in" not in line and "no other program uses" not in line)
        if expected:
            self.assertIn(expected, said)
        else:
            self.assertEqual(said, "")

    def assert_in_order(self, expected, log):
        """Asserts that a log contains what a row expects, in its order."""
        rest = iter(log)
        for words in expected.split(", ") if expected != NOTHING else ():
            if words.startswith(NO):
                rest = list(rest)
                self.assertNotIn(words.removeprefix(NO), rest, f"of {expected}: {log}")
                rest = iter(rest)
            else:
                self.assertIn(words, rest, f"of {expected}, in this order: {log}")


class ChipCase(TableCase):
    def setUp(self):
        self.chip = self.enterContext(Chip("LINE0"))

    def programmed(self, *options):
        """The requests of a session with these options, from the open to the close."""
        self.chip.forget()
        said = connect(self.chip.node, options)
        self.assertEqual(said, "")
        return self.chip.log

    def lines(self, *options):
        """The requests of a session with these options for DTR and RTS."""
        return [words for words in self.programmed(*options) if words.startswith("modem")]


class ChipTableTests(ChipCase):
    def test_chip_is_programmed_as_the_table_says(self):
        table = rows("An FTDI chip")
        self.assertGreater(len(table), 10)
        for options, expected, said in table:
            with self.subTest(options):
                self.chip.forget()
                self.assert_said(said, connect(
                    self.chip.node, shlex.split(options), status_of(expected)))
                self.assert_in_order(expected, self.chip.log)


class RateProbeTests(ChipCase):
    RATE, LINE = 57600, b"sensor 7: 21.5 degrees, 1013 hPa\r\n"

    def talk(self, stop):
        """Sends a line again and again, which arrives with errors while the chip has another rate."""
        while not stop.wait(0.02):
            rates = [words.split()[1] for words in self.chip.log if words.startswith("baud ")]
            rate = int(rates[-1]) if rates else 9600
            if abs(rate - self.RATE) < 600:
                self.chip.send_at(rate, self.LINE)
            else:
                # A packet of the chip has 62 bytes.
                self.chip.send_at(rate, received(self.LINE, self.RATE, rate)[:62] or b"\0", "framing")

    def test_rate_is_found_by_text_without_counted_errors(self):
        # The kernel itself echoes input between the opening and raw mode, if the port was left so.
        node = os.open(self.chip.node, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        tty.setraw(node)
        os.close(node)
        self.chip.forget()
        stop = threading.Event()
        thread = threading.Thread(target=self.talk, args=[stop])
        thread.start()
        try:
            result = serialterm("doctor", "--probe", "--json", self.chip.node)
        finally:
            stop.set()
            thread.join()
        self.assertEqual(result.status, 0, result)
        found = json.loads(result.stdout)
        self.assertEqual((found["baud"], found["framing"]), (self.RATE, "8N1"), found)
        trials = {trial["baud"]: trial for trial in found["trials"]}
        likely = trials.pop(self.RATE)
        self.assertEqual(likely["text"], likely["bytes"], found)
        # What the chip sent before it had this rate may come after; then the other rates are tried too.
        self.assertTrue(all(likely["framingErrors"] < trial["framingErrors"] for trial in trials.values()), found)
        # The rate that the port had comes first, and comes back.
        self.assertEqual(found["trials"][0]["baud"], 9600)
        rates = [words for words in self.chip.log if words.startswith("baud ")]
        self.assertEqual(rates[0], rates[-1])
        self.assertEqual([words for words in self.chip.log if words.startswith("sent")], [])


class Row39OpeningTests(ChipCase):
    def test_kernel_asserts_both_lines_and_deasserts_them_at_the_closing(self):
        self.assertEqual(self.lines("--hangup"), [OPENED, CLOSED])

    def test_lines_are_as_asked_before_anything_else_is_programmed(self):
        log = self.programmed("--hangup", "--dtr", "off", "--rts", "off")
        self.assertEqual(log[log.index(OPENED) + 1], CLOSED)
        self.assertEqual([words for words in log if words.startswith("modem")],
                         [OPENED, CLOSED, CLOSED])
        # How long the device sees the values that the kernel sets.
        times = [seconds for seconds, words in self.chip.timed_log if words in (OPENED, CLOSED)]
        record(39, "DTR and RTS asserted by the kernel before they are as asked, emulated machine",
               1000 * (times[1] - times[0]), "ms")

    def test_chip_is_asked_for_its_lines_once(self):
        log = self.programmed()
        # At the close, the driver itself also asks whether everything is sent.
        self.assertEqual(log[:log.index("sent 776f7264")].count("asked"), 1, log)

    def test_one_line_is_set_and_the_other_kept(self):
        self.assertEqual(self.lines("--no-hangup", "--dtr", "off"), [OPENED, "modem dtr=0"])

    def test_lines_stay_when_there_is_no_hang_up_and_the_next_user_finds_that(self):
        self.assertEqual(self.lines("--no-hangup"), [OPENED])
        self.assertEqual(self.lines(), [OPENED])
        self.assertEqual(self.lines("--hangup"), [OPENED, CLOSED])

    def test_lines_are_as_asked_where_the_speed_was_0(self):
        port = os.open(self.chip.node, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            modes = termios.tcgetattr(port)
            modes[2] &= ~termios.HUPCL
            modes[4] = modes[5] = termios.B0
            termios.tcsetattr(port, termios.TCSANOW, modes)
        finally:
            os.close(port)
        # The kernel asserts nothing at an open with speed 0, and both when the speed changes.
        self.assertEqual(self.lines("--dtr", "off", "--rts", "off")[-1], CLOSED)

    def test_settings_are_put_back(self):
        log = self.programmed("--baud", "57600", "--data-bits", "7", "--parity", "odd")
        self.assertEqual(
            [words for words in log if words.startswith(("baud", "data"))],
            ["data 8N1 break=0", "baud 9600", "data 7O1 break=0", "baud 57554",
             "data 8N1 break=0", "baud 9600"])


class ReceivedTests(ChipCase):
    def test_errors_are_told_and_the_bytes_are_the_same(self):
        for errors, said, counted in (
                (("parity",), b"parity or framing error: 0x41", b"1 parity error"),
                (("framing",), b"parity or framing error: 0x41", b"1 framing error"),
                (("break",), b"received a break", b"1 break")):
            for option in ((), ("--mark-errors",)):
                with self.subTest(errors, option=option):
                    with Pipes(serialterm_binary(), "connect", self.chip.node, *option) as session:
                        session.send(b"x")
                        self.chip.expect("sent 78")
                        self.chip.forget()
                        self.chip.send(b"\xff<")
                        # The chip receives a break as a zero byte.
                        self.chip.send(b"\0" if "break" in errors else b"A", *errors)
                        self.chip.send(b">\xff")
                        byte = b"\0" if "break" in errors else b"A"
                        self.assertEqual(session.stdout.read_exactly(5), b"\xff<" + byte + b">\xff")
                        expected = said if option else b"the driver counted " + counted
                        session.stderr.expect(expected)
                        session.close_stdin()
                        self.assertEqual(session.wait(), 0)
                        self.assertEqual(session.stderr.data.count(b"\n"), 1, "reported once")

    def test_overrun_is_counted_where_errors_are_marked_too(self):
        with Pipes(serialterm_binary(), "connect", self.chip.node, "--mark-errors") as session:
            session.send(b"x")
            self.chip.expect("sent 78")
            self.chip.send(b"A", "overrun")
            session.stderr.expect(b"the driver counted 1 overrun.")


class UartTests(UartCase, TableCase):
    def test_uart_takes_what_the_table_says(self):
        table = rows("A 16550")
        far_end = self.enterContext(UartFarEnd())
        self.assertGreater(len(table), 4)
        for options, expected, said in table:
            with self.subTest(options):
                if expected == NOTHING:
                    self.assert_said(said, connect(UART, shlex.split(options), 1))
                    continue
                with Pipes(serialterm_binary(), "connect", UART, *shlex.split(options)) as session:
                    words = set(expected.split())
                    if words <= LINES:
                        session.send(b"x")
                        # Data that earlier tests have sent may still arrive.
                        while far_end.read_exactly(1) != b"x":
                            pass
                        self.assertEqual(self.lines(), words)
                    else:
                        wait_until(lambda: words <= self.words(), f"{UART} is set to {words}")
                    session.close_stdin()
                    self.assertEqual(session.wait(), 0)
                    self.assert_said(said, session.stderr.data.decode())

    def test_lines_are_set_and_dropped(self):
        far_end = self.enterContext(UartFarEnd())
        for options, expected in (
                ((), {"DTR", "RTS"}), (("--dtr", "off"), {"RTS"}), (("--rts", "off"), {"DTR"}),
                (("--dtr", "off", "--rts", "off"), set())):
            with self.subTest(options):
                with Pipes(serialterm_binary(), "connect", UART, "--hangup", *options) as session:
                    session.send(b"x")
                    self.assertEqual(far_end.read_exactly(1), b"x")
                    self.assertEqual(self.asserted() & {"DTR", "RTS"}, expected)
                    session.close_stdin()
                    self.assertEqual(session.wait(), 0)
                self.assertEqual(self.asserted() & {"DTR", "RTS"}, set())

    def test_lines_stay_without_a_hang_up(self):
        connect(UART, ["--no-hangup"])
        self.assertEqual(self.asserted() & {"DTR", "RTS"}, {"DTR", "RTS"})
        connect(UART, ["--hangup"])
        self.assertEqual(self.asserted() & {"DTR", "RTS"}, set())

    def test_break_is_told(self):
        with Pipes(serialterm_binary(), "connect", UART, "--mark-errors") as session:
            wait_until(lambda: "DTR" in self.asserted(), "the port is open")
            wait_until(lambda: "115200" in self.settings(), "the port is set up")
            monitor().send_break("isa1")
            session.stderr.expect(b"received a break")

    def test_low_latency_is_set_and_put_back(self):
        self.assertFalse(self.has_low_latency())
        with Pipes(serialterm_binary(), "connect", UART, "--low-latency") as session:
            wait_until(self.has_low_latency, "low latency is set")
            session.close_stdin()
            self.assertEqual(session.wait(), 0)
        self.assertFalse(self.has_low_latency())

    def lines(self):
        """The lines in the notation of the table. Does not open the port: every open asserts both
        lines, even while another program has the port open."""
        asserted = self.asserted()
        return {name if name in asserted else f"-{name}" for name in ("DTR", "RTS")}

    def words(self):
        """The settings and the driver's flags in the notation of the table."""
        return self.settings() | ({"low_latency"} if self.has_low_latency() else set())

    @staticmethod
    def has_low_latency():
        port = os.open(UART, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            # The flags are the fifth int of struct serial_struct.
            answer = fcntl.ioctl(port, TIOCGSERIAL, bytes(72))
            return bool(struct.unpack_from("<i", answer, 16)[0] & ASYNC_LOW_LATENCY)
        finally:
            os.close(port)


class AcmTableTests(AcmCase, TableCase):
    def test_device_is_asked_for_what_the_table_says(self):
        table = rows("A CDC-ACM device")
        self.assertGreater(len(table), 4)
        for options, expected, said in table:
            with self.subTest(options):
                self.requests()
                self.assert_said(said, connect(
                    self.node, shlex.split(options), status_of(expected)))
                self.assert_in_order(expected, self.requests())
