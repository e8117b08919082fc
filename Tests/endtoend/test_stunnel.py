"""TLS between `serialterm serve` and its client, with stunnel and the configuration of docs/network.md."""

import contextlib
import re
import shutil
import socket
import ssl
import subprocess
import tempfile
import unittest
from pathlib import Path

from Tests.endtoend.harness import (
    TIMEOUT, Device, Pipes, Terminal, serialterm_binary, wait_until)
from Tests.endtoend.harness.program import REPOSITORY
from Tests.endtoend.servers import Serve, free_port, listens

PAGE = REPOSITORY / "docs/network.md"
EVERY_BYTE = bytes(range(256)) * 64


def documented():
    """The configurations of both sides."""
    section = PAGE.read_text().partition("\n## TLS with stunnel\n")[2].partition("\n## ")[0]
    return re.findall(r"(?ms)^```ini\n(.*?)^```", section)


def missing():
    """Why TLS cannot be tested; empty if it can."""
    if not shutil.which("stunnel4"):
        return "stunnel4 is not installed"
    return "" if shutil.which("openssl") else "openssl is not installed"


@unittest.skipIf(missing(), missing())
class StunnelTests(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.plain, self.tls, self.near = free_port(), free_port(), free_port()
        for name in ("lab", "desk", "stranger"):
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                 "-subj", f"/CN={name}", "-keyout", self.folder / f"{name}.key",
                 "-out", self.folder / f"{name}.crt"], check=True, capture_output=True)
        self.device = self.enterContext(Device())
        self.enterContext(Serve.running(self.device.path, self.plain, self.folder))
        lab, self.desk = documented()
        self.stunnel("lab", lab.replace("192.0.2.1:4443", f"127.0.0.1:{self.tls}")
                     .replace("127.0.0.1:4000", f"127.0.0.1:{self.plain}"))

    def stunnel(self, name, text):
        """Runs stunnel until the test ends; `text` is the documented configuration with our ports."""
        path = self.folder / f"{name}.conf"
        path.write_text(
            "foreground = yes\npid =\n" + text.replace("/etc/stunnel", str(self.folder)))
        port = int(re.search(r"accept = 127\.0\.0\.1:(\d+)", text).group(1))
        program = self.enterContext(
            Pipes("stunnel4", str(path)))
        wait_until(lambda: listens(port) or not program.running, "stunnel listens")
        self.assertTrue(program.running, program.seen())
        return program

    def near_side(self, text=None):
        text = (text or self.desk).replace("127.0.0.1:4000", f"127.0.0.1:{self.near}")
        return self.stunnel("desk", text.replace("192.0.2.1:4443", f"127.0.0.1:{self.tls}"))

    def test_settings_and_every_byte_pass(self):
        self.near_side()
        with Terminal(serialterm_binary(), f"rfc2217://127.0.0.1:{self.near}", "-b", "9600") as terminal:
            terminal.expect(b"at 9600 8N1")
            self.assertEqual(self.device.settings.output_baud, 9600)
            terminal.send(b"key")
            self.assertEqual(self.device.read_exactly(3), b"key")
        program = self.enterContext(Pipes(
            serialterm_binary(), "connect", f"rfc2217://127.0.0.1:{self.near}", "--linger", "60"))
        program.send(EVERY_BYTE)
        self.assertEqual(self.device.read_exactly(len(EVERY_BYTE)), EVERY_BYTE)
        self.device.write(EVERY_BYTE)
        self.assertEqual(program.stdout.read_exactly(len(EVERY_BYTE)), EVERY_BYTE)

    def test_a_session_comes_back_when_stunnel_does(self):
        first = self.near_side()
        with Terminal(serialterm_binary(), f"rfc2217://127.0.0.1:{self.near}") as terminal:
            terminal.expect(b"at 115200 8N1")
            first.close()
            terminal.expect(b"is gone, waiting")
            self.near_side()
            terminal.expect(b"is back after")
            terminal.send(b"key")
            self.assertEqual(self.device.read_exactly(3), b"key")

    def test_a_client_without_tls_is_refused(self):
        self.near_side()
        with socket.create_connection(("127.0.0.1", self.tls), TIMEOUT) as plain:
            plain.sendall(b"no TLS\r\n")
            # stunnel answers with an alert, and ends the connection.
            with contextlib.suppress(ConnectionResetError):
                while plain.recv(4096):
                    pass
        self.assert_only_the_desk_connects()

    def test_strangers_are_refused(self):
        """With no certificate, and with one that the server does not know."""
        for name in (None, "stranger"):
            with self.subTest(name):
                context = ssl.create_default_context(cafile=self.folder / "lab.crt")
                context.check_hostname = False
                if name:
                    context.load_cert_chain(self.folder / f"{name}.crt", self.folder / f"{name}.key")
                with self.assertRaises(OSError):
                    self.try_to_send(context)
        self.near_side()
        self.assert_only_the_desk_connects()

    def try_to_send(self, context):
        with socket.create_connection(("127.0.0.1", self.tls), TIMEOUT) as connection:
            with context.wrap_socket(connection) as stream:
                # In TLS 1.3 the refusal comes after the handshake.
                stream.sendall(b"stranger")
                if stream.recv(1) == b"":
                    raise ConnectionError("the connection has ended")

    def assert_only_the_desk_connects(self):
        """The first bytes at the device are those that pass now."""
        with socket.create_connection(("127.0.0.1", self.near), TIMEOUT) as client:
            client.sendall(b"through")
            self.assertEqual(self.device.read_exactly(7), b"through")
        log = (self.folder / "server.log").read_text()
        self.assertEqual(len(re.findall(r"(?m) is here\.$", log)), 1)

    def test_a_server_that_the_client_does_not_know_gets_nothing(self):
        near = self.near_side(self.desk.replace("lab.crt", "stranger.crt"))
        # The end may come at any moment, also while the connection is made.
        with contextlib.suppress(ConnectionResetError, BrokenPipeError):
            with socket.create_connection(("127.0.0.1", self.near), TIMEOUT) as client:
                client.sendall(b"secret")
                self.assertEqual(client.recv(4096), b"")
        near.close()
        self.near_side()
        self.assert_only_the_desk_connects()


if __name__ == "__main__":
    unittest.main()
