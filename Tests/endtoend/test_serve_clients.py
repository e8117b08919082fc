"""Clients that others have written, with the port of `serialterm serve`."""

import random
import shutil
import tempfile
import unittest

from Tests.endtoend.faults import preload
from Tests.endtoend.faults.line import Driver
from Tests.endtoend.harness import Device, Terminal, slow, wait_until
from Tests.endtoend.harness.loopback import Loopback
from Tests.endtoend.harness.program import REPOSITORY
from Tests.endtoend.servers import Serve, free_port

try:
    import serial
except ImportError:
    serial = None

MEBIBYTE = 1 << 20
# What is on its way at once: pyserial has no limit of its own.
PIECE = 32_768


class ClientTest(unittest.TestCase):
    """Serves a device with a simulated driver, which has what a pty lacks."""

    def setUp(self):
        if not preload.HAS_COMPILER:
            raise unittest.SkipTest("needs a C compiler for the simulated driver")
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.port = free_port()

    def serve(self):
        self.device = self.enterContext(Device())
        self.driver = Driver(self.device.path, self.folder, framing=1)
        self.enterContext(
            Serve.running(self.device.path, self.port, self.folder, self.driver.variables))

    def terminal(self, program, *arguments):
        path = shutil.which(program)
        if path is None:
            raise unittest.SkipTest(f"{program} is not installed")
        self.serve()
        return self.enterContext(Terminal(path, *arguments))

    def talk(self, terminal, ending=b"\r"):
        """A line passes each way."""
        terminal.send(b"status\r")
        self.assertEqual(self.device.read_exactly(6 + len(ending)), b"status" + ending)
        self.device.write(b"all is well\r\n")
        terminal.expect(b"all is well")


@unittest.skipUnless(serial, "python3-serial is not installed")
class PyserialTests(ClientTest):
    def open(self, **settings):
        port = serial.serial_for_url(f"rfc2217://127.0.0.1:{self.port}", timeout=20, **settings)
        self.addCleanup(port.close)
        return port

    def test_settings_lines_and_what_is_discarded(self):
        self.serve()
        port = self.open(baudrate=57600, bytesize=7, parity="E", stopbits=2)
        self.assertEqual(self.device.settings.output_baud, 57600)
        self.assertIn("set 7E2", self.driver.trace)
        for parity, bits, stop in (("N", 8, 1), ("O", 5, 2), ("M", 6, 1), ("S", 7, 2), ("E", 8, 1)):
            port.parity, port.bytesize, port.stopbits = parity, bits, stop
            last = [line for line in self.driver.trace if line.startswith("set ")][-1]
            self.assertEqual(last, f"set {bits}{parity}{stop}")
        port.rtscts = True
        self.assertIn("set 8E1 rtscts", self.driver.trace)
        port.rtscts = False
        port.baudrate = 9600
        wait_until(lambda: self.device.settings.output_baud == 9600, "9600 baud")
        port.dtr = False
        self.assertIn("TIOCMBIC DTR", self.driver.trace)
        port.rts = False
        self.assertIn("TIOCMBIC RTS", self.driver.trace)
        port.dtr = True
        self.assertIn("TIOCMBIS DTR", self.driver.trace)
        port.break_condition = True
        port.break_condition = False
        self.assertTrue(port.cts)
        self.driver.say("DSR")
        wait_until(lambda: port.dsr and not port.cts, "the lines have changed")
        port.reset_input_buffer()
        port.reset_output_buffer()

    @slow
    def test_every_byte_passes_both_ways(self):
        echo = self.enterContext(Loopback())
        driver = Driver(echo.node, self.folder)
        self.enterContext(Serve.running(echo.node, self.port, self.folder, driver.variables))
        port = self.open()
        data = bytes(range(256)) + random.Random(1).randbytes(10 * MEBIBYTE - 256)
        received = bytearray()
        for start in range(0, len(data), PIECE):
            piece = data[start:start + PIECE]
            port.write(piece)
            received += port.read(len(piece))
        self.assertEqual(received, data)


class TerminalTests(ClientTest):
    def test_miniterm(self):
        terminal = self.terminal(
            "pyserial-miniterm", "--raw", f"rfc2217://127.0.0.1:{self.port}", "9600")
        terminal.expect(b"Quit: Ctrl+]")
        self.talk(terminal, b"\r\n")
        self.assertEqual(self.device.settings.output_baud, 9600)
        terminal.send(b"\x1d")
        self.assertEqual(terminal.wait(), 0)

    def test_microcom(self):
        terminal = self.terminal("microcom", "-s", "9600", "-t", f"127.0.0.1:{self.port}")
        terminal.expect(b"connected to 127.0.0.1")
        self.talk(terminal)
        self.assertEqual(self.device.settings.output_baud, 9600)

    def test_telnet(self):
        terminal = self.terminal("telnet", "127.0.0.1", str(self.port))
        terminal.expect(b"Escape character is")
        self.talk(terminal)


class TableTests(unittest.TestCase):
    def test_the_documentation_names_these_clients(self):
        text = (REPOSITORY / "docs/network.md").read_text()
        for client in ("pyserial", "miniterm", "microcom", "telnet"):
            self.assertIn(f"| {client} ", text)


if __name__ == "__main__":
    unittest.main()
