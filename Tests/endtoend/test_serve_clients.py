"""Clients that others have written, with the port of `serialterm serve`: alone, and beside another client."""

import random
import shutil
import socket
import tempfile
import termios
import unittest
from pathlib import Path

from Tests.endtoend.faults import preload
from Tests.endtoend.faults.line import Driver
from Tests.endtoend.harness import (
    TIMEOUT, Deadline, Device, Pipes, Terminal, run, serialterm_binary, slow, wait_until)
from Tests.endtoend.harness.loopback import Loopback
from Tests.endtoend.servers import Serve, conserver, free_port
from Tests.endtoend.servers.documented import DocumentedClient
from Tests.endtoend.servers.esp_rom import CHANGE_RATE, MAC, SYNC, EspROM

try:
    import serial
except ImportError:
    serial = None

MEBIBYTE = 1 << 20
# The number of bytes under way at once: pyserial has no limit itself.
PIECE = 32_768
# What a viewer gets whose protocol has messages for a person.
SEES_PEN = "yes, and it sees who has the pen"

# Copies what labgrid's driver receives, and has it send lines: HOST's port and protocol are arguments.
SERIAL_DRIVER = """import select, sys
from labgrid import Target
from labgrid.driver import SerialDriver
from labgrid.resource import NetworkSerialPort
from pexpect import TIMEOUT
target = Target("board")
NetworkSerialPort(
    target, name=None, host="127.0.0.1", port=int(sys.argv[1]), speed=115200, protocol=sys.argv[2])
driver = SerialDriver(target, name=None)
target.activate(driver)
print("ready", flush=True)
while True:
    try:
        sys.stdout.buffer.write(driver.read(timeout=0.05))
        sys.stdout.flush()
    except TIMEOUT:
        pass
    if select.select([sys.stdin], [], [], 0)[0]:
        driver.sendline(sys.stdin.readline().rstrip())
"""


# Prints what Net::Telnet makes of the bytes of the port in its argument, and has it send lines, or a break.
NET_TELNET = r"""use strict; use Net::Telnet; $| = 1; binmode STDIN;
my $port = Net::Telnet->new(Host => "127.0.0.1", Port => $ARGV[0], Errmode => "return");
print "ready\n";
while (1) {
  my ($input, $ready) = ("", undef);
  vec($input, fileno(STDIN), 1) = vec($input, fileno($port), 1) = 1;
  select($ready = $input, undef, undef, undef);
  if (vec($ready, fileno($port), 1)) {
    # There may be nothing but commands.
    my $text = $port->get(Timeout => 0) // "";
    last if $port->eof;
    $text =~ s/([^\x20-\x7e])/sprintf "<%02x>", ord $1/ge;
    print $text;
  }
  if (vec($ready, fileno(STDIN), 1)) {
    my $line = <STDIN> // last;
    chomp $line;
    $line eq "break" ? $port->break : $port->print($line);
  }
}
"""


class ServedTest(unittest.TestCase):
    """Serves a device in each protocol, with a simulated driver that has the features that a pty lacks."""

    def setUp(self):
        if not preload.HAS_COMPILER:
            raise unittest.SkipTest("needs a C compiler for the simulated driver")
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.ports = {protocol: free_port() for protocol in ("rfc2217", "telnet", "raw")}
        self.path = str(Path(self.folder) / "board.sock")

    def serve(self, device=None):
        self.device = self.enterContext(device or Device())
        self.driver = Driver(self.device.path, self.folder, framing=1)
        words = [f"--listen={port},{protocol}" for protocol, port in self.ports.items()]
        self.server = self.enterContext(Pipes(
            serialterm_binary(), "serve", self.device.path, *words, f"--unix={self.path},raw",
            variables=self.driver.variables))
        for _ in range(4):
            self.server.stderr.expect(b"serving at")

    def url(self, protocol):
        scheme = {"raw": "socket"}.get(protocol, protocol)
        return f"{scheme}://127.0.0.1:{self.ports[protocol]}"

    def neighbour(self):
        """Another client, of bytes alone."""
        client = socket.create_connection(("127.0.0.1", self.ports["raw"]), TIMEOUT)
        self.server.stderr.expect(b" is here.")
        return self.enterContext(client)

    def hears(self, neighbour, data):
        """Waits until the neighbour has these bytes."""
        received = b""
        while data not in received:
            piece = neighbour.recv(4096)
            self.assertTrue(piece, f"the connection has ended after {received!r}")
            received += piece


class ClientCase(DocumentedClient):
    """The tests for every client. A subclass describes how its client differs."""

    # The bytes that the client sends for the Enter key, or for the end of a line.
    ending = b"\r"

    def start(self):
        """Starts the client."""
        raise NotImplementedError

    def send(self, data):
        """Sends a line; `ending` is added."""
        self.client.send(data + b"\r")

    def expect(self, data, timeout=None):
        """Waits until it has received some bytes."""
        self.client.expect(data, timeout)

    def program(self, name, *arguments, of=Terminal, **how):
        path = shutil.which(name)
        if path is None:
            raise unittest.SkipTest(f"{name} is not installed")
        return self.enterContext(of(path, *arguments, **how))

    def has_pen(self):
        self.server.stderr.expect(b" has the pen.")

    def talk(self, neighbour=None):
        """A line passes each way."""
        self.send(b"status")
        self.assertEqual(self.device.read_exactly(6 + len(self.ending)), b"status" + self.ending)
        self.device.write(b"all is well\r\n")
        self.expect(b"all is well")
        if neighbour:
            self.hears(neighbour, b"all is well")

    def test_it_is_alone(self):
        self.serve()
        self.start()
        self.talk()

    def test_it_has_the_pen_while_another_watches(self):
        self.serve()
        self.start()
        self.has_pen()
        neighbour = self.neighbour()
        neighbour.sendall(b"not sent")
        self.server.stderr.expect(b"sends something, but may not")
        self.talk(neighbour)

    def test_it_watches_another_and_has_the_pen_after_it(self):
        self.serve()
        neighbour = self.neighbour()
        self.has_pen()
        self.start()
        self.server.stderr.expect(b" is here.")
        neighbour.sendall(b"version\r")
        self.assertEqual(self.device.read_exactly(8), b"version\r")
        self.hear()
        # Only the end of a line: some programs send each key by itself, and the last might come too late.
        self.send(b"")
        self.server.stderr.expect(b"sends something, but may not")
        neighbour.sendall(b"held\r")
        self.assertEqual(self.device.read_exactly(5), b"held\r")
        neighbour.close()
        self.server.stderr.expect(b" has left.")
        self.talk()

    def hear(self):
        """Waits until the client receives bytes. One that has not begun yet would miss some."""
        deadline = Deadline()
        while True:
            self.device.write(b"2.0\r\n")
            try:
                return self.expect(b"2.0", timeout=0.2)
            except AssertionError:
                if deadline.passed:
                    raise


class SerialPort:
    """A port of pyserial, with the methods of a program."""

    def __init__(self, url, **settings):
        self.port = serial.serial_for_url(url, timeout=0.05, **settings)
        self._received = b""

    def send(self, data):
        self.port.write(data)

    def expect(self, data, timeout=None):
        deadline = Deadline(timeout)
        while data not in self._received:
            if deadline.passed:
                raise AssertionError(f"expected {data!r}; received {self._received!r}")
            self._received += self.port.read(4096)
        self._received = self._received.partition(data)[2]


@unittest.skipUnless(serial, "python3-serial is not installed")
class PyserialCase(ClientCase):
    protocol = ""

    def open(self, **settings):
        client = SerialPort(self.url(self.protocol), **settings)
        self.addCleanup(client.port.close)
        return client

    def start(self):
        self.client = self.open(baudrate=115200)


class PyserialTests(PyserialCase, ServedTest):
    name, speaks, protocol = "pyserial 3.5", "`rfc2217://`", "rfc2217"
    alone = (
        "every parity, data and stop bits, flow control, rates, DTR, RTS, modem lines as they change, "
        "1 MiB of all values through an echo")
    watches = "yes, with the settings that the line has; it refuses others"

    def test_settings_lines_and_what_is_discarded(self):
        self.serve()
        port = self.open(baudrate=57600, bytesize=7, parity="E", stopbits=2).port
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

    def test_a_viewer_cannot_set_the_line(self):
        self.serve()
        holder = self.open(baudrate=57600).port
        with self.assertRaisesRegex(ValueError, "rejected value for option 'baudrate'"):
            self.open(baudrate=9600)
        self.open(baudrate=57600)
        holder.dtr = False
        with self.assertRaisesRegex(ValueError, "rejected value for option 'control'"):
            self.open(baudrate=57600)
        changed = len(self.driver.trace)
        viewer = SerialPort(f"{self.url('rfc2217')}?ign_set_control", baudrate=57600)
        self.addCleanup(viewer.port.close)
        viewer.port.dtr = True
        viewer.port.break_condition = True
        holder.rts = False
        self.assertIn("TIOCMBIC RTS", self.driver.trace[changed:])
        self.assertFalse(
            {"TIOCMBIS DTR", "TIOCSBRK"}.intersection(self.driver.trace[changed:]))
        self.assertEqual(self.device.settings.output_baud, 57600)

    def test_a_viewer_may_ask_for_lines_that_the_port_lacks(self):
        with Device() as device, Serve.running(device.path, self.ports["rfc2217"], self.folder):
            self.open()
            self.open()

    @slow
    def test_every_byte_passes_both_ways(self):
        echo = self.enterContext(Loopback())
        driver = Driver(echo.node, self.folder)
        self.enterContext(
            Serve.running(echo.node, self.ports["rfc2217"], self.folder, driver.variables))
        port = self.open().port
        port.timeout = TIMEOUT
        data = bytes(range(256)) + random.Random(1).randbytes(MEBIBYTE - 256)
        received = bytearray()
        for start in range(0, len(data), PIECE):
            piece = data[start:start + PIECE]
            port.write(piece)
            received += port.read(len(piece))
        self.assertEqual(received, data)


class PyserialSocketTests(PyserialCase, ServedTest):
    name, speaks, protocol = "pyserial 3.5", "`socket://`, raw", "raw"


class MinitermTests(ClientCase, ServedTest):
    name, speaks = "miniterm 3.5", "`rfc2217://`"
    alone = "a line each way, the rate"
    ending = b"\r\n"
    watches = "yes, with the rate of the line"
    rate = "115200"

    def start(self):
        self.client = self.program(
            "pyserial-miniterm", "--raw", self.url("rfc2217"), self.rate)
        self.client.expect(b"Quit: Ctrl+]")

    def test_it_is_alone(self):
        self.rate = "9600"
        super().test_it_is_alone()
        self.assertEqual(self.device.settings.output_baud, 9600)
        self.client.send(b"\x1d")
        self.assertEqual(self.client.wait(), 0)


class MicrocomTests(ClientCase, ServedTest):
    name, speaks = "microcom 2019.01", "`-t`, RFC 2217"
    alone = "a line each way, the rate"
    rate = "115200"

    def start(self):
        address = f"127.0.0.1:{self.ports['rfc2217']}"
        # It greets before it has set up the terminal.
        self.client = self.program("microcom", "-s", self.rate, "-t", address, raw=True)
        self.client.expect(b"connected to 127.0.0.1")

    def test_it_is_alone(self):
        self.rate = "9600"
        super().test_it_is_alone()
        self.assertEqual(self.device.settings.output_baud, 9600)


class TelnetTests(ClientCase, ServedTest):
    name, speaks = "telnet 2.4 (inetutils)", "telnet"
    watches = SEES_PEN

    def start(self):
        self.client = self.program("telnet", "127.0.0.1", str(self.ports["telnet"]))
        self.client.expect(b"Escape character is")
        # Until both have agreed on it, telnet sends lines.
        wait_until(lambda: not self.client.modes[3] & termios.ICANON, "telnet sends each key")

    def test_a_viewer_is_told_that_its_keys_go_nowhere(self):
        self.serve()
        self.neighbour()
        self.has_pen()
        self.start()
        self.send(b"not sent")
        self.expect(b" has the pen: what you type goes nowhere]")


@unittest.skipUnless(shutil.which("gensiot"), "gensiot is not installed: it is in Debian's gensio-bin")
class GensiotTests(ClientCase, ServedTest):
    name, speaks = "gensiot 2.6", "telnet"
    gensios, protocol = "telnet,tcp", "telnet"
    # CR LF in two pieces, CR before NUL and 255, and the code of a break.
    pieces = [b"a\r", b"\nb\r", b"c\r\0\xff", b"\xff\xf3\r", b"\xff", b"\xff\r\n\n\r"]
    alone = "every CR, NUL and 255 both ways"

    def start(self):
        self.client = self.program(
            "gensiot", "-i", "stdio(self)", f"{self.gensios},127.0.0.1,{self.ports[self.protocol]}", of=Pipes)

    def expect(self, data, timeout=None):
        self.client.stdout.expect(data, timeout)

    def test_it_is_alone(self):
        self.serve()
        self.start()
        for piece in self.pieces:
            self.client.send(piece)
            self.assertEqual(self.device.read_exactly(len(piece)), piece)
            self.device.write(piece)
            self.assertEqual(self.client.stdout.read_exactly(len(piece)), piece)


class GensiotPortTests(GensiotTests):
    speaks, gensios, protocol = "RFC 2217", "telnet(rfc2217),tcp", "rfc2217"


class NetTelnetTests(ClientCase, ServedTest):
    """It refuses BINARY: text is that of RFC 854."""

    name, speaks = "Net::Telnet 3.05 (Perl)", "telnet"
    alone = "a line each way, a break; CR LF is one end of line"
    watches = SEES_PEN
    ending = b"\r\n"

    def start(self):
        self.client = self.program("perl", "-e", NET_TELNET, str(self.ports["telnet"]), of=Pipes)
        try:
            self.client.stdout.expect(b"ready")
        except AssertionError:
            raise unittest.SkipTest("Net::Telnet is not installed: it is in Debian's libnet-telnet-perl") from None

    def send(self, data):
        self.client.send(data + b"\n")

    def expect(self, data, timeout=None):
        # As the program prints what is no letter.
        self.client.stdout.expect(data.replace(b"\r\n", b"<0a>"), timeout)

    def test_it_is_alone(self):
        super().test_it_is_alone()
        for piece in (b"one\r", b"\ntwo\rhalf\xff", b"\r\n"):
            self.device.write(piece)
        self.expect(b"<0a>one<0a>two<0d>half<ff><0a>")
        # A pseudo-terminal has no breaks.
        self.send(b"break")
        self.send(b"after it")
        self.assertEqual(self.device.read_exactly(10), b"after it\r\n")


class NetcatTests(ClientCase, ServedTest):
    name, speaks = "nc 1.219 (OpenBSD)", "raw"
    ending = b"\n"

    def start(self):
        self.client = self.program("nc", *self.where(), of=Pipes)

    def where(self):
        return ["127.0.0.1", str(self.ports["raw"])]

    def send(self, data):
        self.client.send(data + b"\n")

    def expect(self, data, timeout=None):
        self.client.stdout.expect(data, timeout)


class NetcatUnixTests(NetcatTests):
    name, speaks = "nc 1.219 (OpenBSD)", "raw, Unix socket"

    def where(self):
        return ["-U", self.path]


@unittest.skipIf(conserver.missing(), conserver.missing())
class ConserverCase(ClientCase):
    """Two people use the console of conserver, which is one client."""

    name = "conserver 8.2.7"
    alone = "two `console`s: one types, both see; its log"
    console = ""

    def start(self):
        places = {"path": self.path, **self.ports}
        self.conserver = self.enterContext(conserver.Conserver(self.console.format(**places)))
        self.client = self.conserver.console()

    def test_it_is_alone(self):
        self.serve()
        self.start()
        second = self.conserver.console("-s")
        self.talk()
        second.expect(b"all is well")
        wait_until(
            lambda: b"all is well" in self.conserver.log.read_bytes(), "conserver has logged it")


class ConserverTelnetTests(ConserverCase, ServedTest):
    speaks = "`type host`, telnet"
    console = "type host; host 127.0.0.1; port {telnet}; protocol telnet;"


class ConserverRawTests(ConserverCase, ServedTest):
    speaks = "`type host`, raw"
    console = "type host; host 127.0.0.1; port {raw}; protocol raw;"


class ConserverUnixTests(ConserverCase, ServedTest):
    speaks = "`type uds`, raw"
    console = "type uds; uds {path};"


@slow
@unittest.skipUnless(shutil.which("labgrid-client"), "labgrid is not installed: it is in PyPI")
class LabgridCase(ClientCase):
    """The driver that tests with labgrid use."""

    name = "labgrid SerialDriver 26.0.1"
    protocol = ""
    ending = b"\n"

    def start(self):
        python = Path(shutil.which("labgrid-client")).resolve().with_name("python3")
        self.client = self.enterContext(Pipes(
            str(python), "-c", SERIAL_DRIVER, str(self.ports[self.protocol]), self.protocol))
        self.client.stdout.expect(b"ready", 3 * TIMEOUT)

    def send(self, data):
        self.client.send(data + b"\n")

    def expect(self, data, timeout=None):
        self.client.stdout.expect(data, timeout)


class LabgridTests(LabgridCase, ServedTest):
    speaks, protocol = "`protocol: rfc2217`", "rfc2217"
    watches = "yes, with the rate of the line"


class LabgridRawTests(LabgridCase, ServedTest):
    speaks, protocol = "`protocol: raw`", "raw"


@slow
@unittest.skipUnless(shutil.which("esptool"), "esptool is not installed: it is in PyPI")
class EsptoolTests(DocumentedClient, ServedTest):
    """An emulated ROM, which esptool resets with DTR and RTS, and asks for its chip."""

    name, speaks = "esptool 5.6", "`rfc2217://…?ign_set_control`"
    alone = "resets an emulated ESP32, reads its chip, changes the rate"
    watches = "refused: it sets the rate when it opens the port; the board is not reset"
    # It resets, and tries for a while; each setting waits for 50 ms in pyserial.
    patience = 6 * TIMEOUT

    def esptool(self, *options):
        return [
            shutil.which("esptool"), *options, "--port", f"{self.url('rfc2217')}?ign_set_control",
            "--no-stub", "chip-id"]

    def test_it_is_alone(self):
        self.serve(EspROM())
        ended = run(*self.esptool("--chip", "esp32", "--baud", "460800"), timeout=self.patience)
        self.assertEqual(ended.status, 0, ended)
        self.assertIn(MAC, ended.stdout)
        self.assertIn(CHANGE_RATE, self.device.commands)
        self.assertEqual(self.device.settings.output_baud, 460800)
        reset = [line for line in self.driver.trace if line.startswith(("TIOCMBI", "write"))]
        reset = reset[:next(at for at, line in enumerate(reset) if line.startswith("write"))]
        # The classic sequence: reset, then the boot loader.
        self.assertEqual(
            [line.removeprefix("TIOCM") for line in reset][-6:],
            ["BIS RTS", "BIC DTR", "BIS DTR", "BIC RTS", "BIS DTR", "BIC DTR"])

    def test_it_has_the_pen_while_another_watches(self):
        self.serve(EspROM())
        self.device.may_answer.clear()
        program = self.enterContext(Pipes(*self.esptool()))
        self.server.stderr.expect(b" has the pen.", self.patience)
        neighbour = self.neighbour()
        neighbour.sendall(b"not sent")
        self.server.stderr.expect(b"sends something, but may not")
        self.device.may_answer.set()
        self.hears(neighbour, bytes([0xC0, 1, SYNC]))
        self.assertEqual(program.wait(self.patience), 0)
        program.stdout.expect(MAC)

    def test_it_cannot_reset_the_board_of_another(self):
        self.serve(EspROM())
        self.neighbour()
        self.server.stderr.expect(b" has the pen.")
        before = len(self.driver.trace)
        ended = run(*self.esptool("--connect-attempts", "1"), timeout=self.patience)
        self.assertNotEqual(ended.status, 0)
        self.assertIn(b"remote rejected value for option 'baudrate'", ended.stderr)
        self.assertEqual(self.device.commands, [])
        self.assertEqual(
            [line for line in self.driver.trace[before:] if line.startswith("TIOCMBI")], [])


if __name__ == "__main__":
    unittest.main()
