"""What becomes of the line's settings: as an FTDI chip, a 16550 and a CDC-ACM device see them."""

import fcntl
import os
import re
import shlex
import struct
import subprocess
import termios
import unittest
from pathlib import Path

from Tests.endtoend.harness import Pipes, serialterm, serialterm_binary, wait_until
from Tests.endtoend.harness.wires import Wire
from Tests.stage.chip import Chip
from Tests.stage.gadget import AcmGadget
from Tests.stage.stage import monitor

TABLES = Path(__file__).resolve().parents[2] / "docs" / "line-control.md"
UART = "/dev/ttyS1"
# What the kernel sets at an open, and at the last close.
OPENED = "modem dtr=1 rts=1"
CLOSED = "modem dtr=0 rts=0"
TIOCGSERIAL, ASYNC_LOW_LATENCY = 0x541E, 0x2000


def rows(heading):
    """The rows of the table below a heading of docs/line-control.md: its cells, without marks."""
    _, _, section = TABLES.read_text(encoding="utf-8").partition(f"\n### {heading}\n")
    lines = [line for line in section.partition("\n#")[0].splitlines() if line.startswith("|")]
    return [[cell.strip().replace("`", "") for cell in line.strip("|").split("|")]
            for line in lines[2:]]


def connect(node, options, stdin=b"word"):
    """A session that sends a word; returns what it says."""
    result = serialterm("connect", node, *options, stdin=stdin)
    assert result.status == 0, result
    return result.stderr.decode()


class TableCase(unittest.TestCase):
    def assert_said(self, expected, said):
        """Asserts that all was said that is expected: nothing, where that is empty."""
        if expected:
            self.assertIn(expected, said)
        else:
            self.assertEqual(said, "")


class ChipCase(TableCase):
    def setUp(self):
        self.chip = self.enterContext(Chip("LINE0"))

    def programmed(self, *options):
        """What a session with these options programs, from the opening to the closing."""
        self.chip.forget()
        said = connect(self.chip.node, options)
        self.assertEqual(said, "")
        return self.chip.log

    def lines(self, *options):
        """The same of DTR and RTS alone."""
        return [words for words in self.programmed(*options) if words.startswith("modem")]


class ChipTableTests(ChipCase):
    def test_chip_is_programmed_as_the_table_says(self):
        table = rows("An FTDI chip")
        self.assertGreater(len(table), 10)
        for options, expected, said in table:
            with self.subTest(options):
                self.chip.forget()
                self.assert_said(said, connect(self.chip.node, shlex.split(options)))
                log = iter(self.chip.log)
                for words in expected.split(", "):
                    self.assertIn(words, log, f"of {expected}, in this order: {self.chip.log}")


class Row39OpeningTests(ChipCase):
    def test_kernel_asserts_both_lines_and_deasserts_them_at_the_closing(self):
        self.assertEqual(self.lines("--hangup"), [OPENED, CLOSED])

    def test_lines_are_as_asked_before_anything_else_is_programmed(self):
        log = self.programmed("--hangup", "--dtr", "off", "--rts", "off")
        self.assertEqual(log[log.index(OPENED) + 1], CLOSED)
        self.assertEqual([words for words in log if words.startswith("modem")],
                         [OPENED, CLOSED, CLOSED])
        # Written down for the document: how long the device sees what the kernel sets.
        times = [seconds for seconds, words in self.chip.timed_log if words in (OPENED, CLOSED)]
        print(f"figure: DTR and RTS asserted for {1000 * (times[1] - times[0]):.1f} ms", flush=True)

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
        # The kernel asserts nothing at an open with that speed, and both when it is left.
        self.assertEqual(self.lines("--dtr", "off", "--rts", "off")[-1], CLOSED)

    def test_settings_are_put_back(self):
        log = self.programmed("--baud", "57600", "--data-bits", "7", "--parity", "odd")
        self.assertEqual(
            [words for words in log if words.startswith(("baud", "data"))],
            ["data 8N1 break=0", "baud 9600", "data 7O1 break=0", "baud 57554",
             "data 8N1 break=0", "baud 9600"])


class ReceivedTests(ChipCase):
    def test_errors_are_told_and_the_bytes_are_the_same(self):
        for errors, said in ((("parity",), b"parity or framing error: 0x41"),
                             (("framing",), b"parity or framing error: 0x41"),
                             (("break",), b"break was received")):
            for option in ((), ("--mark-errors",)):
                with self.subTest(errors, option=option):
                    with Pipes(serialterm_binary(), "connect", self.chip.node, *option) as session:
                        session.send(b"x")
                        self.chip.expect("sent 78")
                        self.chip.forget()
                        self.chip.send(b"\xff<")
                        # A break is a zero to the chip.
                        self.chip.send(b"\0" if "break" in errors else b"A", *errors)
                        self.chip.send(b">\xff")
                        byte = b"\0" if "break" in errors else b"A"
                        self.assertEqual(session.stdout.read_exactly(5), b"\xff<" + byte + b">\xff")
                        if option:
                            session.stderr.expect(re.compile(said))
                        session.close_stdin()
                        session.wait()
                        if not option:
                            self.assertEqual(session.stderr.data, b"")


class UartFarEnd(Wire):
    """What is at the other end of the UART's wire."""

    def __init__(self):
        self.descriptor = os.open("/dev/virtio-ports/isa1", os.O_RDWR | os.O_NONBLOCK)


class UartTests(TableCase):
    def setUp(self):
        # Root opens what somebody has open: without a speed the port is as after a start.
        subprocess.run(["stty", "-F", UART, "sane", "9600", "cs8", "-parenb", "-cstopb"], check=True)

    @staticmethod
    def asserted():
        """The lines that the driver says are asserted, without a port of our own."""
        text = Path("/proc/tty/driver/serial").read_text(encoding="ascii")
        return set(re.search(r"^1: .* (\S*)$", text, re.M)[1].split("|"))

    def test_uart_takes_what_the_table_says(self):
        table = rows("A 16550")
        self.assertGreater(len(table), 4)
        for options, expected, said in table:
            with self.subTest(options):
                with Pipes(serialterm_binary(), "connect", UART, *shlex.split(options)) as session:
                    words = expected.split()
                    wait_until(lambda: set(words) <= self.settings(), f"{UART} is set to {words}")
                    session.close_stdin()
                    self.assertEqual(session.wait(), 0)
                    self.assert_said(said, session.stderr.data.decode())

    @staticmethod
    def settings():
        """What stty says, words and numbers alike."""
        port = os.open(UART, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            return set(subprocess.run(
                ["stty", "-a"], stdin=port, stdout=subprocess.PIPE, text=True,
                check=True).stdout.replace(";", " ").split())
        finally:
            os.close(port)

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
            session.stderr.expect(b"break was received")

    def test_rs485_is_not_there(self):
        result = serialterm("connect", UART, "--rs485", "on")
        self.assertEqual(result.status, 1)
        self.assertIn(b"this port has no RS-485 mode", result.stderr)

    def test_low_latency_is_set_and_put_back(self):
        self.assertFalse(self.has_low_latency())
        with Pipes(serialterm_binary(), "connect", UART, "--low-latency") as session:
            wait_until(self.has_low_latency, "low latency is set")
            session.close_stdin()
            self.assertEqual(session.wait(), 0)
        self.assertFalse(self.has_low_latency())

    @staticmethod
    def has_low_latency():
        port = os.open(UART, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            # struct serial_struct: the flags are its fifth number.
            answer = fcntl.ioctl(port, TIOCGSERIAL, bytes(72))
            return bool(struct.unpack_from("<i", answer, 16)[0] & ASYNC_LOW_LATENCY)
        finally:
            os.close(port)


class AcmTableTests(TableCase):
    CONTROL = Path("/sys/kernel/debug/dynamic_debug/control")
    REQUEST = re.compile(r"acm_ctrl_msg - rq (0x\w+), val (0x\w+|0), len (0x\w+|0)")
    CODING = re.compile(r"set line: (\d+) (\d+) (\d+) (\d+)")

    def setUp(self):
        if not self.CONTROL.exists():
            subprocess.run(["mount", "-t", "debugfs", "none", "/sys/kernel/debug"], check=True)
        self.CONTROL.write_text("module cdc_acm +p\n", encoding="ascii")
        self.gadget = self.enterContext(AcmGadget("0x2341", "0x0043", "LINE42"))
        self.node, = self.gadget.nodes
        # What is sent must go somewhere: without a reader the session waits for it.
        self.enterContext(self.gadget.far_end(0))
        self.kernel = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, self.kernel)
        self.addCleanup(self.CONTROL.write_text, "module cdc_acm -p\n")

    def requests(self):
        """What the driver has sent to the device since it was asked last, in words."""
        found = []
        while True:
            try:
                line = os.read(self.kernel, 8192).decode(errors="replace")
            except BlockingIOError:
                return found
            if match := self.CODING.search(line):
                rate, stop, parity, bits = map(int, match.groups())
                stop = {0: "1", 1: "1.5", 2: "2"}[stop]
                found.append(f"coding {rate} {bits}{'NOEMS'[parity]}{stop}")
            elif match := self.REQUEST.search(line):
                request, value = int(match[1], 16), int(match[2], 16)
                if request == 0x22:
                    found.append(f"lines dtr={value & 1} rts={value >> 1 & 1}")
                elif request == 0x23:
                    found.append(f"break {value:#x}")

    def test_device_is_asked_for_what_the_table_says(self):
        table = rows("A CDC-ACM device")
        self.assertGreater(len(table), 4)
        for options, expected, said in table:
            with self.subTest(options):
                self.requests()
                self.assert_said(said, connect(self.node, shlex.split(options)))
                log = self.requests()
                rest = iter(log)
                for words in expected.split(", "):
                    self.assertIn(words, rest, f"of {expected}, in this order: {log}")
