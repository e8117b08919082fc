"""Commands of a session as an FTDI chip, a 16550 and a CDC-ACM device receive them."""

import json
import tempfile
import unittest
from pathlib import Path

from Tests.endtoend.faults import PREFIX
from Tests.endtoend.harness import Terminal, serialterm_binary, wait_until
from Tests.endtoend.servers import Serve, free_port
from Tests.stage.chip import Chip
from Tests.stage.line_cases import UART, AcmCase, UartCase


class CommandCase(unittest.TestCase):
    """Has a session on a terminal."""

    def begin(self, node, *options):
        self.terminal = self.enterContext(
            Terminal(serialterm_binary(), "connect", node, *options, size=(24, 120)))
        self.terminal.expect(b"ctrl-t q")

    def command(self, key, said):
        """Types a command, and waits for its message."""
        self.terminal.send(PREFIX + key)
        self.terminal.expect(said)

    def choose(self, key, question, answer, said):
        """Types a command that asks, answers it, and waits for the message."""
        self.command(key, question)
        self.terminal.send(answer + b"\r")
        self.terminal.expect(said)

    def change(self, key, question, answer, settings, taken=None):
        """Changes a setting; `taken` are the resulting settings if the driver changes it."""
        self.choose(key, question + b":", answer, b"Now %s" % (taken or settings))


class ChipCommandTests(CommandCase):
    def setUp(self):
        self.chip = self.enterContext(Chip("COMMAND0"))
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def assert_programmed(self, *expected):
        """Waits until the chip is programmed like this, in this order, and clears its log."""
        def is_there():
            log = iter(self.chip.log)
            return all(words in log for words in expected)
        wait_until(is_there, f"{expected}, in this order, is in {self.chip.log}")
        self.chip.forget()

    def test_settings_are_changed_live(self):
        self.begin(self.chip.node)
        self.chip.forget()
        self.change(b"B", b"baud rate", b"57600", b"57600 8N1")
        self.assert_programmed("baud 57554")
        self.change(b"P", b"parity", b"odd", b"57600 8O1")
        self.assert_programmed("data 8O1 break=0")
        self.change(b"D", b"data bits", b"7", b"57600 7O1")
        self.assert_programmed("data 7O1 break=0")
        self.change(b"S", b"stop bits", b"2", b"57600 7O2")
        self.assert_programmed("data 7O2 break=0")
        self.change(b"F", b"flow control", b"hard", b"57600 7O2 RTS/CTS")
        self.assert_programmed("flow rts/cts")
        self.change(b"F", b"flow control", b"soft", b"57600 7O2 XON/XOFF")
        self.assert_programmed("flow xon/xoff")
        self.change(b"F", b"flow control", b"none", b"57600 7O2")
        self.assert_programmed("flow none")
        self.change(b"B", b"baud rate", b"7000000", b"7000000 7O2", b"9600 7O2")
        self.assert_programmed("baud 9600")

    def test_lines_and_breaks(self):
        self.begin(self.chip.node)
        self.chip.forget()
        self.command(b"b", b"Break sent.")
        self.assert_programmed("data 8N1 break=1", "data 8N1 break=0")
        self.choose(b"g", b"line to toggle:", b"DTR", b"DTR off, RTS on")
        self.assert_programmed("modem dtr=0")
        self.choose(b"g", b"line to toggle:", b"DTR", b"DTR on, RTS on")
        self.assert_programmed("modem dtr=1")
        self.choose(b"p", b"line to pulse:", b"RTS", b"RTS pulsed.")
        self.assert_programmed("modem rts=0", "modem rts=1")
        self.chip.set("dsr", False)
        self.chip.set("ri", True)
        said = b"DTR on, RTS on, CTS on, DSR off, DCD on, RI on."

        def is_said():
            self.terminal.send(PREFIX + b"L")
            try:
                self.terminal.expect(said, timeout=2)
            except AssertionError:
                return False
            return True
        # A server tells the lines a moment later.
        wait_until(is_said, said)

    def test_lines_are_followed_while_the_status_line_shows_them(self):
        log = self.folder / "log.jsonl"
        self.begin(self.chip.node, "--status", "-L", str(log))
        self.terminal.expect(b" DTR RTS CTS DSR DCD ")
        self.chip.set("cts", False)
        self.terminal.expect(b" DTR RTS DSR DCD ")
        self.chip.set("ri", True)
        self.terminal.expect(b" DTR RTS DSR DCD RI ")
        expected = [("DTR RTS CTS DSR DCD", "DTR RTS DSR DCD"),
                    ("DTR RTS DSR DCD", "DTR RTS DSR DCD RI")]

        def logged():
            lines = map(json.loads, log.read_text(encoding="utf-8").splitlines())
            return [(line["old"], line["new"]) for line in lines if line.get("event") == "lines"]
        wait_until(lambda: logged() == expected, f"{expected} in the log")

    def test_chip_is_not_asked_while_nobody_looks(self):
        self.begin(self.chip.node)
        # The last request of an open.
        self.chip.expect("asked")
        self.chip.forget()
        # There is no event to wait for. The interval is long enough for ten requests.
        self.assertRaises(AssertionError, wait_until, lambda: self.chip.log, "it asks", timeout=1)


class ServedChipCommandTests(ChipCommandTests):
    """The same commands of a session with the port of `serialterm serve`: RFC 2217 between them."""

    # The server asks the chip ten times a second while a client is there, which wants to know its lines.
    test_chip_is_not_asked_while_nobody_looks = None

    def begin(self, node, *options):
        port = free_port()
        self.enterContext(Serve.running(node, port, self.folder))
        super().begin(f"rfc2217://127.0.0.1:{port}", *options)
        self.terminal.expect(b"at 115200 8N1")


class UartCommandTests(UartCase, CommandCase):
    def test_settings_and_lines(self):
        self.begin(UART, "--hangup")
        self.change(b"B", b"baud rate", b"57600", b"57600 8N1")
        self.change(b"P", b"parity", b"even", b"57600 8E1")
        self.change(b"D", b"data bits", b"7", b"57600 7E1")
        self.change(b"S", b"stop bits", b"2", b"57600 7E2")
        self.change(b"F", b"flow control", b"soft", b"57600 7E2 XON/XOFF")
        expected = {"57600", "cs7", "parenb", "-parodd", "cstopb", "ixon", "ixoff"}
        self.assertLessEqual(expected, self.settings())
        self.change(b"B", b"baud rate", b"250000", b"250000 7E2 XON/XOFF",
                    b"57600 7E2 XON/XOFF")
        self.choose(b"g", b"line to toggle:", b"DTR", b"DTR off, RTS on")
        self.assertEqual(self.asserted() & {"DTR", "RTS"}, {"RTS"})
        self.choose(b"p", b"line to pulse:", b"DTR", b"DTR pulsed.")
        self.assertEqual(self.asserted() & {"DTR", "RTS"}, {"RTS"})
        self.command(b"b", b"Break sent.")


class AcmCommandTests(AcmCase, CommandCase):
    def assert_asked(self, *expected):
        """Asserts that the device receives these requests and no others."""
        log = []

        def is_there():
            log.extend(self.requests())
            return len(log) >= len(expected)
        wait_until(is_there, f"{expected} is in {log}")
        self.assertEqual(log, list(expected))

    def test_settings_and_lines(self):
        self.begin(self.node)
        self.requests()
        self.change(b"B", b"baud rate", b"57600", b"57600 8N1")
        self.assert_asked("coding 57600 8N1")
        self.change(b"P", b"parity", b"space", b"57600 8S1")
        self.assert_asked("coding 57600 8S1")
        self.change(b"D", b"data bits", b"5", b"57600 5S1")
        self.assert_asked("coding 57600 5S1")
        self.change(b"S", b"stop bits", b"2", b"57600 5S2")
        self.assert_asked("coding 57600 5S2")
        self.choose(b"g", b"line to toggle:", b"RTS", b"DTR on, RTS off")
        self.assert_asked("lines dtr=1 rts=0")
        self.choose(b"p", b"line to pulse:", b"DTR", b"DTR pulsed.")
        self.assert_asked("lines dtr=0 rts=0", "lines dtr=1 rts=0")

    def test_break_is_off_where_the_device_says_that_it_has_none(self):
        self.begin(self.node)
        self.requests()
        self.command(b"b", b"Not available: this port has no break.")
        self.assertEqual(self.requests(), [])
