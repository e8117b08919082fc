"""`serialterm profile import-ser2net`: a configuration of ser2net becomes profiles, which `serve` serves as ser2net
did. What becomes of each setting is the matter of Ser2netImportTests."""

import shutil
import socket
import subprocess
import tempfile
import textwrap
import unittest
from pathlib import Path

import serial

from Tests.endtoend.harness import Device, Loopback, Pipes, Terminal, serialterm, serialterm_binary
from Tests.endtoend.harness.deadline import TIMEOUT, wait_until
from Tests.endtoend.harness.program import REPOSITORY
from Tests.endtoend.servers import free_port, listens


class ImportCase(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.file = self.folder / "ser2net.yaml"
        self.config = self.folder / "config.toml"

    def imported(self, text):
        self.file.write_text(text)
        result = serialterm("profile", "import-ser2net", str(self.file))
        self.assertEqual(result.status, 0, result)
        return result


class CommandTests(ImportCase):
    def test_settings_without_a_counterpart_are_counted(self):
        text = "connection: &a\n  accepter: tcp,localhost,2000\n  connector: echo\n"
        result = self.imported(text + "  timeout: 5\n  options:\n    banner: hi\n")
        self.assertIn(b": 2 settings not imported; the comments say why.", result.stderr)
        self.assertIn(b"# not imported: banner = hi (", result.stdout)
        self.assertNotIn(b"nothing is saved", result.stderr)
        self.assertEqual(self.imported(text).stderr, b"")
        piped = serialterm("profile", "import-ser2net", "-", stdin=text.encode())
        self.assertEqual(piped.stdout, self.imported(text).stdout)
        with Terminal(serialterm_binary(), "profile", "import-ser2net", str(self.file)) as terminal:
            terminal.expect(b"nothing is saved")
            self.assertEqual(terminal.wait(), 0)

    def test_every_form_of_yaml_is_read(self):
        one = "accepter: 'tcp,localhost,2000', connector: echo"
        expected = self.imported(f"connections: {{a: {{{one}}}}}\n").stdout
        self.assertTrue(expected.startswith(b"[profile.a]\n"), expected)
        for text in (f"--- {{connections: {{a: {{{one}}}}}}}\n", f"  connection: &a {{{one}}}\n",
                     f'"connections" :\n  a: {{{one}}}\n', f"? connections\n: {{a: {{{one}}}}}\n",
                     f"\ufeffconnection: &a {{{one}}}\n"):
            self.assertEqual(self.imported(text).stdout, expected, text)

    def test_a_file_without_connections_says_so(self):
        result = self.imported("# all commented out\ndefine: &confver 1.0\n")
        self.assertEqual(result.stdout, b"")
        self.assertIn(f"{self.file} has no connection.".encode(), result.stderr)

    def test_a_mistake_has_its_file_line_and_column(self):
        for text, what in (
                ("connection: &a\n  accepter: tcp,1\n\tconnector: echo\n", "3:1: a tab cannot indent"),
                ("{connections: {a: {accepter: x\n", "1:19: the bracket has no closing one"),
                ("connection: &a\n  accepter: *b\n", "2:13: there is no definition 'b' above"),
                ("connection: &a\n  accepter: tcp,1\n  connector: echo\n---\n- x\n", "5:1: expected 'connection:'")):
            self.file.write_text(text)
            result = serialterm("profile", "import-ser2net", str(self.file))
            self.assertEqual((result.status, result.stdout), (2, b""))
            self.assertIn(f"serialterm: {self.file}:{what}".encode(), result.stderr)
        for file in (self.folder / "none", self.folder):
            result = serialterm("profile", "import-ser2net", str(file))
            self.assertEqual((result.status, result.stdout), (2, b""))
            self.assertIn(str(file).encode(), result.stderr)

    def test_the_import_that_the_documentation_shows(self):
        page = (REPOSITORY / "docs/serving.md").read_text()
        source = page.partition("```yaml\ndefine:")[2].partition("```")[0]
        shown = page.partition("$ serialterm profile import-ser2net")[2].partition("\n")[2]
        self.assertEqual(
            self.imported("define:" + source).stdout.decode(), shown.partition("```")[0])


@unittest.skipUnless(shutil.which("ser2net"), "ser2net is not installed")
class SameServiceTests(ImportCase):
    """The same clients at ser2net and at `serve`, at the same ports."""

    def setUp(self):
        super().setUp()
        self.raw, self.telnet, self.full = free_port(), free_port(), free_port()
        self.names = ("raw", "telnet", "full")
        self.device = self.enterContext(Device())
        self.boards = [self.enterContext(Loopback("--board")).node for _ in range(2)]
        self.file.write_text(textwrap.dedent(f"""\
            %YAML 1.1
            ---
            define: &line 115200n81,
                    local
            connection: &raw
              accepter: tcp,127.0.0.1,{self.raw}
              connector: serialdev,
                {self.device.path},
                *(line)
            connection: &telnet
              accepter: telnet,tcp,127.0.0.1,{self.telnet}
              connector: "serialdev,{self.boards[0]},*(line)"
            connection: &full
              accepter: telnet(rfc2217),tcp,127.0.0.1,{self.full}
              connector: serialdev,{self.boards[1]},*(line)
              options: {{max-connections: 2, kickolduser: false}}
            """))

    def as_of_version_3(self):
        """The same three connections in the form of ser2net.conf."""
        self.file = self.file.with_suffix(".conf")
        self.names = [f"port-{port}" for port in (self.raw, self.telnet, self.full)]
        self.file.write_text(
            f"BANNER:banner:\\r\\nport \\p\\r\\n\n"
            f"127.0.0.1,{self.raw}:raw:0:{self.device.path}:115200 8DATABITS NONE 1STOPBIT LOCAL\n"
            f"127.0.0.1,{self.telnet}:telnet:0:{self.boards[0]}:115200 LOCAL\n"
            f"127.0.0.1,{self.full}:telnet:0:{self.boards[1]}:115200 LOCAL remctl max-connections=2\n")

    def check(self):
        """What users of the three ports see."""
        with socket.create_connection(("127.0.0.1", self.raw), TIMEOUT) as client:
            # IAC is a byte as any other.
            client.sendall(b"\xff\xfe!")
            self.assertEqual(self.device.read_exactly(3), b"\xff\xfe!")
            self.device.write(b"\xff\xfb\x01")
            received = b""
            while len(received) < 3:
                received += client.recv(3 - len(received))
            self.assertEqual(received, b"\xff\xfb\x01")
        with socket.create_connection(("127.0.0.1", self.telnet), TIMEOUT) as client:
            # telnet(1) begins in the same way; both servers negotiate, without COM-PORT-OPTION.
            client.sendall(b"\xff\xfd\x03\r\0")
            received = b""
            while b"board> " not in received:
                received += client.recv(4096)
            self.assertIn(b"\xff\xfb", received)
            self.assertNotIn(b"\xff\xfd\x2c", received)
        with serial.serial_for_url(
                f"rfc2217://127.0.0.1:{self.full}?ign_set_control", baudrate=9600, timeout=TIMEOUT) as port:
            port.write(b"\r")
            self.assertTrue(port.read_until(b"board> ").endswith(b"board> "))
            port.baudrate = 115200

    def test_clients_notice_no_difference_to_a_file_of_version_3(self):
        # ser2net 4.3 reads it, too, with a warning.
        self.as_of_version_3()
        self.test_clients_notice_no_difference()

    def test_clients_notice_no_difference(self):
        ports = (self.raw, self.telnet, self.full)
        process = subprocess.Popen(
            ["ser2net", "-d", "-n", "-u", "-c", str(self.file)], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_until(lambda: all(map(listens, ports)), "ser2net listens")
            self.check()
        finally:
            process.kill()
            process.wait(TIMEOUT)
        wait_until(lambda: not any(map(listens, ports)), "ser2net has ended")
        result = serialterm("profile", "import-ser2net", str(self.file))
        self.config.write_bytes(result.stdout)
        program = self.enterContext(Pipes(
            serialterm_binary(), "serve", *self.names, "--config", str(self.config)))
        for port in ports:
            program.stderr.expect(b"serving at 127.0.0.1:%d" % port)
        self.check()


if __name__ == "__main__":
    unittest.main()
