"""`serialterm tap` between programs that change settings and pulse lines, as an FTDI chip and a 16550 receive it."""

import os
import re
import tempfile
import termios
import unittest
from pathlib import Path

from Tests.endtoend.harness import Pipes, Port, Terminal, serialterm_binary, wait_until
from Tests.stage.chip import Chip
from Tests.stage.line_cases import UART, UartCase, UartFarEnd
from Tests.stage.stage import monitor


def latency_timer(node):
    """The milliseconds for which the driver lets the chip collect bytes."""
    name = os.path.basename(node)
    return int(Path(f"/sys/bus/usb-serial/devices/{name}/latency_timer").read_text())


class TapProgramTests(unittest.TestCase):
    """A program at a pseudo-terminal, and the chip."""

    def setUp(self):
        self.chip = self.enterContext(Chip("TAP0"))
        self.pty = Path(self.enterContext(tempfile.TemporaryDirectory())) / "plc"
        self.before = latency_timer(self.chip.node)
        self.tap = self.enterContext(
            Pipes(serialterm_binary(), "tap", self.chip.node, "--pty", str(self.pty), "-b", "9600"))
        self.tap.stderr.expect(b"goes to the other")

    def open(self):
        port = self.enterContext(Port(str(self.pty)))
        self.tap.stderr.expect(b"has opened")
        return port

    def set_rate(self, port, rate):
        attributes = termios.tcgetattr(port.descriptor)
        attributes[4] = attributes[5] = rate
        termios.tcsetattr(port.descriptor, termios.TCSANOW, attributes)

    def test_new_settings_reach_the_chip_before_the_bytes_after_them(self):
        port = self.open()
        port.write(b"slow")
        self.chip.expect("sent 736c6f77")
        self.set_rate(port, termios.B19200)
        self.chip.expect("baud 192..")
        port.write(b"fast")
        self.chip.expect("sent 66617374")
        log = self.chip.log
        rate = max(place for place, words in enumerate(log) if re.fullmatch("baud 192..", words))
        self.assertLess(log.index("sent 736c6f77"), rate)
        self.assertLess(rate, log.index("sent 66617374"))
        self.chip.send(b"answer")
        self.assertEqual(port.read_exactly(6), b"answer")

    def test_the_rate_0_and_closing_deassert_both_lines(self):
        port = self.open()
        self.chip.forget()
        self.set_rate(port, termios.B0)
        self.chip.expect("modem dtr=0 rts=0")
        self.chip.forget()
        self.set_rate(port, termios.B19200)
        self.chip.expect("modem dtr=1 rts=1")
        self.chip.forget()
        port.close()
        self.chip.expect("modem dtr=0 rts=0")

    def test_the_chip_has_low_latency_while_the_tap_runs(self):
        wait_until(lambda: latency_timer(self.chip.node) == 1, "the driver asks the chip at once")
        self.tap.signal(15)
        self.tap.wait()
        wait_until(lambda: latency_timer(self.chip.node) == self.before, "the mode is as before")


    def test_a_break_of_the_chip_is_said_to_go_nowhere(self):
        port = self.open()
        self.chip.send(b"before")
        self.assertEqual(port.read_exactly(6), b"before")
        self.chip.send(b"\0", "break")
        self.tap.stderr.expect(b"has no break: those of ")
        self.chip.send(b"after")
        # The zero of the break may pass, as from a line.
        received = port.read_exactly(5)
        if received[:1] == b"\0":
            received = received[1:] + port.read_exactly(1)
        self.assertEqual(received, b"after")


class SilenceTests(unittest.TestCase):
    """Frames by silence, which a chip that collects bytes for 16 ms would hide."""

    def test_the_chip_has_low_latency_while_frames_by_silence_are_shown(self):
        chip = self.enterContext(Chip("TAP2"))
        before = latency_timer(chip.node)
        self.assertGreater(before, 1)
        terminal = self.enterContext(
            Terminal(serialterm_binary(), "connect", chip.node, "--frames", "silence:4"))
        terminal.expect(b"ctrl-t q")
        wait_until(lambda: latency_timer(chip.node) == 1, "the driver asks the chip at once")
        for form, expected in ((b"none", before), (b"silence:20", 1), (b"modbus-rtu", before)):
            terminal.send(b"\x14:frames\r")
            terminal.expect(b"frames:")
            terminal.send(form + b"\r")
            wait_until(lambda: latency_timer(chip.node) == expected, f"{form}: {expected} ms")
        terminal.send(b"\x14q")
        self.assertEqual(terminal.wait(), 0)
        self.assertEqual(latency_timer(chip.node), before)


class TapPortsTests(UartCase):
    """The chip and the UART."""

    def setUp(self):
        super().setUp()
        self.chip = self.enterContext(Chip("TAP1"))
        self.far_end = self.enterContext(UartFarEnd())
        self.tap = self.enterContext(
            Pipes(serialterm_binary(), "tap", self.chip.node, UART, "-b", "9600"))
        self.tap.stderr.expect(b"goes to the other")

    def test_bytes_of_both_pass(self):
        self.chip.send(b"\xff\x00from the chip")
        self.assertEqual(self.far_end.read_exactly(15), b"\xff\x00from the chip")
        self.far_end.write(b"\xfffrom the UART")
        # The driver may give the chip a byte at a time.
        wait_until(
            lambda: "".join(words[5:] for words in self.chip.log if words.startswith("sent "))
            == b"\xfffrom the UART".hex(), f"the chip has got the bytes; {self.chip.log}, {self.tap.seen()}")

    def test_pulsed_inputs_of_the_chip_are_outputs_of_the_uart(self):
        wait_until(lambda: {"DTR", "RTS"} <= self.asserted(), "the port is open")
        for name, line in (("dsr", "DTR"), ("cts", "RTS")):
            with self.subTest(name):
                self.chip.set(name, True)
                wait_until(lambda: line in self.asserted(), f"{line} is asserted")
                self.chip.set(name, False)
                wait_until(lambda: line not in self.asserted(), f"{line} is deasserted")
                self.chip.set(name, True)
                wait_until(lambda: line in self.asserted(), f"{line} is asserted again")

    def test_a_break_of_the_uart_is_a_break_of_the_chip(self):
        wait_until(lambda: "DTR" in self.asserted(), "the port is open")
        self.chip.forget()
        monitor().send_break("isa1")
        self.chip.expect("data 8N1 break=1")
        self.chip.expect("data 8N1 break=0")
