"""Ports of servers: every setting, line and byte, for each server."""

import os
import random
import tempfile
import unittest

from Tests.endtoend.faults import PREFIX, preload
from Tests.endtoend.faults.line import Driver
from Tests.endtoend.harness import TIMEOUT, Device, Pipes, Terminal, serialterm_binary, slow, wait_until
from Tests.endtoend.harness.loopback import Loopback
from Tests.endtoend.harness.program import REPOSITORY
from Tests.endtoend.servers import (
    SERVERS, EspServer, Gensiot, PortManager, Ser2net, Serve, Sredird, free_port, serves)

MEBIBYTE = 1 << 20


class Settings:
    """The settings of a line, as options and in the form in which they are shown."""

    def __init__(self, rate, framing, flow="none"):
        self.rate, self.framing, self.flow = rate, framing, flow

    @property
    def options(self):
        parity = {"N": "none", "O": "odd", "E": "even", "M": "mark", "S": "space"}
        bits, letter, stop = self.framing
        return ["-b", str(self.rate), "-d", bits, "-p", parity[letter], "-s", stop, "-f", self.flow]

    @property
    def shown(self):
        flow = {"none": "", "soft": " XON/XOFF", "hard": " RTS/CTS"}[self.flow]
        return f"at {self.rate} {self.framing}{flow}."

    @property
    def traced(self):
        """The trace of the simulated driver."""
        flow = {"none": "", "soft": " xonxoff", "hard": " rtscts"}[self.flow]
        return f"set {self.framing}{flow}"


# Together they have every value of each setting.
COMMON = [
    Settings(300, "7E2", "soft"), Settings(9600, "8O1"), Settings(57600, "6N2", "hard"),
    Settings(38400, "5N1"), Settings(115200, "8N1")]
MARK, SPACE, ODD_RATE = Settings(9600, "8M1"), Settings(9600, "7S1"), Settings(250000, "8N1")
SPECIAL = [(MARK, "parity"), (SPACE, "parity"), (ODD_RATE, "baud rate")]


class ServerCase:
    """The tests for every server. A subclass describes how its server differs."""

    server = None
    # The settings of SPECIAL that the server does not apply, which the program reports.
    unset = ()
    # How a break is made of it; empty for not at all.
    breaks = ("TIOCSBRK", "TIOCCBRK")
    # The same of telnet alone, and what the device gets of "after it".
    telnet_breaks, after_break = (), b"after it"
    # Whether DTR is set at once, and not kept for a sequence.
    toggles = True
    # The message for the second client, and its exit status.
    busy, busy_status, told = b"does not answer", 5, "that the server does not answer"
    # How much passes exactly.
    passes = "10 MiB"

    @classmethod
    def setUpClass(cls):
        if reason := cls.server.missing():
            raise unittest.SkipTest(reason)
        if not preload.HAS_COMPILER:
            raise unittest.SkipTest("needs a C compiler for the simulated driver")

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.port = free_port()
        self.target = f"rfc2217://127.0.0.1:{self.port}"

    def driver(self):
        """A device on a pty, with a driver that has the features that a pty lacks."""
        device = self.enterContext(Device())
        return device, Driver(device.path, self.folder, framing=1)

    def terminal(self, *options, form="rfc2217"):
        target = f"{form}://127.0.0.1:{self.port}"
        return Terminal(serialterm_binary(), "connect", target, *options)

    def serve(self, driver, node):
        return self.server.running(node, self.port, self.folder, driver.variables)

    def leave(self, terminal):
        terminal.send(PREFIX + b"q")
        self.assertEqual(terminal.wait(), 0)

    def test_every_setting_is_set_and_read_back(self):
        device, driver = self.driver()
        with self.serve(driver, device.path):
            for settings in COMMON + [each for each, _ in SPECIAL if each not in self.unset]:
                with self.subTest(settings.shown), self.terminal(*settings.options) as terminal:
                    terminal.expect(settings.shown.encode())
                    self.assertEqual(device.settings.output_baud, settings.rate)
                    self.assertEqual(
                        [line for line in driver.trace if line.startswith("set ")][-1],
                        settings.traced)
                    self.leave(terminal)
            for settings, name in SPECIAL:
                if settings in self.unset:
                    with self.subTest(settings.shown), self.terminal(*settings.options) as terminal:
                        terminal.expect(f"the driver set {name}".encode())
                        self.leave(terminal)

    def test_lines_and_a_break_reach_the_device(self):
        device, driver = self.driver()
        with self.serve(driver, device.path):
            with self.terminal("--dtr", "off", "--rts", "on") as terminal:
                terminal.expect(b"at 115200 8N1")
                terminal.send(PREFIX + b"L")
                terminal.expect(b"DTR off, RTS on")
                self.assertEqual(lines_after(driver.trace), {"RTS"})
                if self.toggles:
                    terminal.send(PREFIX + b"g")
                    terminal.expect(b"line to toggle")
                    terminal.send(b"DTR\r")
                    wait_until(
                        lambda: lines_after(driver.trace) == {"DTR", "RTS"}, "DTR is asserted")
                terminal.send(PREFIX + b"b")
                terminal.expect(b"Break sent" if self.breaks else b"this port has no break")
                for call in self.breaks:
                    wait_until(lambda call=call: call in driver.trace, call)
                self.leave(terminal)

    def test_telnet_alone_passes_bytes_and_a_break(self):
        device, driver = self.driver()
        with self.serve(driver, device.path):
            with self.terminal(form="telnet") as terminal:
                terminal.expect(b"this server also has RFC 2217: %s" % self.target.encode())
                # CR LF in two pieces, CR alone, NUL.
                for piece in (b"a\r", b"\nb\r", b"c\r\0d"):
                    terminal.send(piece)
                    self.assertEqual(device.read_exactly(len(piece)), piece)
                device.write(b"from the device")
                terminal.expect(b"from the device")
                terminal.send(PREFIX + b"b")
                terminal.expect(b"Break sent")
                for call in self.telnet_breaks:
                    wait_until(lambda call=call: call in driver.trace, call)
                terminal.send(b"after it")
                self.assertEqual(device.read_exactly(len(self.after_break)), self.after_break)
                self.leave(terminal)

    def test_it_comes_back_after_a_restart(self):
        device, driver = self.driver()
        with self.serve(driver, device.path):
            terminal = self.enterContext(self.terminal("-b", "9600"))
            terminal.expect(b"at 9600 8N1")
        terminal.expect(b"is gone, waiting")
        with self.serve(driver, device.path):
            terminal.expect(b"is back after")
            terminal.send(b"key")
            self.assertEqual(device.read_exactly(3), b"key")
            self.assertEqual(device.settings.output_baud, 9600)

    def test_a_second_client_is_told(self):
        device, driver = self.driver()
        with self.serve(driver, device.path), self.terminal() as first:
            first.expect(b"at 115200 8N1")
            second = self.enterContext(Pipes(serialterm_binary(), "connect", self.target))
            self.assertEqual(second.wait(), self.busy_status)
            second.stderr.expect(self.busy)
            device.write(b"still here")
            first.expect(b"still here")

    @slow
    def test_every_byte_passes_both_ways(self):
        data = bytes(range(256)) + random.Random(2217).randbytes(10 * MEBIBYTE - 256)
        echo = self.enterContext(Loopback())
        driver = Driver(echo.node, self.folder)
        with self.serve(driver, echo.node):
            program = self.enterContext(
                Pipes(serialterm_binary(), "connect", self.target, "--linger", "30"))
            program.send(data)
            self.assertEqual(program.stdout.read_exactly(len(data), timeout=4 * TIMEOUT), data)

    @classmethod
    def row(cls):
        """The server's row in the documentation."""
        unset = [name for name, settings in
                 (("mark", MARK), ("space", SPACE), ("250000", ODD_RATE)) if settings in cls.unset]
        settings = f"all but {', '.join(unset)}: warned about" if unset else "all"
        lines = "yes" if cls.toggles else "at the opening; sequences are the server's"
        length = ", of its own length" if "tcsendbreak" in cls.breaks else ""
        return (
            f"| {cls.server.name} {cls.documented} | {settings} | {lines} | yes{length} | {cls.passes} "
            f"| yes | {cls.told} |")

    def test_the_documentation_has_its_row(self):
        self.assertIn(self.row(), (REPOSITORY / "docs/network.md").read_text().splitlines())


def lines_after(trace):
    """The output lines that are asserted after these requests."""
    lines = {"DTR", "RTS"}
    for call, *names in map(str.split, trace):
        if call == "TIOCMSET":
            lines = set(names)
        elif call == "TIOCMBIS":
            lines |= set(names)
        elif call == "TIOCMBIC":
            lines -= set(names)
    return lines


class ServeTests(ServerCase, unittest.TestCase):
    server, documented = Serve, "0.1"
    # It knows that a pseudo-terminal has no breaks. The stage shows one on a chip.
    breaks = ()
    told = "who has the pen; it watches"

    def test_a_second_client_is_told(self):
        device, driver = self.driver()
        with self.serve(driver, device.path), self.terminal() as first:
            first.expect(b"at 115200 8N1")
            with self.terminal() as second:
                second.expect(b"has the pen: you watch")
                device.write(b"for both")
                first.expect(b"for both")
                second.expect(b"for both")
                second.send(b"x")
                second.expect(b"not sent: ")
                first.send(b"k")
                self.assertEqual(device.read_exactly(1), b"k")
                self.leave(first)
                # Now it can ask for the pen, because no other client has it.
                second.expect(b"Nobody has the pen now.")
                second.expect(b"has left.")
                second.send(PREFIX + b"w")
                second.expect(b"you have the pen.")
                second.send(b"s")
                self.assertEqual(device.read_exactly(1), b"s")


class Ser2netTests(ServerCase, unittest.TestCase):
    server, documented = Ser2net, "4.3"
    telnet_breaks = ("TCSBRK",)
    busy, told = b"in use", "that the port is in use"


class GensiotTests(ServerCase, unittest.TestCase):
    server, documented = Gensiot, "2.6"
    telnet_breaks = ("TCSBRK",)
    told = "nothing: both use the port"

    def test_a_second_client_is_told(self):
        device, driver = self.driver()
        with self.serve(driver, device.path), self.terminal() as first:
            first.expect(b"at 115200 8N1")
            with self.terminal() as second:
                second.expect(b"at 115200 8N1")


class PortManagerTests(ServerCase, unittest.TestCase):
    server, documented = PortManager, "3.5"


@slow
class EspServerTests(ServerCase, unittest.TestCase):
    server, documented = EspServer, "5.6"
    toggles = False

    def driver(self):
        self.device, driver = super().driver()
        return self.device, driver

    def leave(self, terminal):
        super().leave(terminal)

        def is_free():
            # It serves the next client when its reader has returned, which waits three seconds for a byte.
            self.device.write(b"\0")
            return not serves(self.port)
        wait_until(is_free, "the server has left the client")


class SredirdTests(ServerCase, unittest.TestCase):
    server, documented = Sredird, "2.2"
    unset = (MARK, SPACE, ODD_RATE)
    breaks = ("tcsendbreak",)
    # It takes IAC BRK for a command of three bytes.
    after_break = b"fter it"
    passes = "64 KiB, one way at a time; 1 KiB at once from the device"
    # Ended or reset, whichever is seen first.
    busy, busy_status, told = b"the connection", 6, "that the connection has ended"

    def leave(self, terminal):
        super().leave(terminal)
        lock = self.server.lock(self.folder)
        wait_until(lambda: not os.path.exists(lock), "the server has removed its lock file")

    @slow
    def test_every_byte_passes_both_ways(self):
        data = bytes(range(256)) + random.Random(2217).randbytes(65_536 - 256)
        device, driver = self.driver()
        with self.serve(driver, device.path):
            program = self.enterContext(Pipes(serialterm_binary(), "connect", self.target))
            program.send(data)
            self.assertEqual(device.read_exactly(len(data)), data)
            # Its buffer of 2,048 bytes is lost if a byte that it escapes comes when one place is left.
            for start in range(0, len(data), 1_024):
                piece = data[start:start + 1_024]
                device.write(piece)
                self.assertEqual(program.stdout.read_exactly(len(piece)), piece)


class TableTests(unittest.TestCase):
    def test_every_server_is_tested(self):
        tested = {case.server for case in ServerCase.__subclasses__()}
        self.assertEqual(tested, set(SERVERS))


if __name__ == "__main__":
    unittest.main()
