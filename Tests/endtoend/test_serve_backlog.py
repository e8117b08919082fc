"""`serialterm serve --backlog`: what the device sent before a client connects."""

import os
import socket
import tempfile
import threading
import time
import unittest
from pathlib import Path

from Tests.endtoend.harness import Device, Pipes, serialterm, serialterm_binary, soak
from Tests.endtoend.harness.deadline import TIMEOUT, wait_until
from Tests.endtoend.servers import free_port

IAC, WILL, WONT, DO, DONT, SB, SE = 255, 251, 252, 253, 254, 250, 240
COM_PORT = 44


def without_telnet(data):
    """The data in a stream of telnet, without its commands."""
    plain, index = bytearray(), 0
    while index < len(data):
        if data[index] != IAC:
            plain.append(data[index])
            index += 1
        elif index + 1 >= len(data):
            break
        elif data[index + 1] == IAC:
            plain.append(IAC)
            index += 2
        elif data[index + 1] == SB:
            end = data.find(bytes([IAC, SE]), index)
            if end < 0:
                break
            index = end + 2
        else:
            index += 3 if data[index + 1] in (WILL, WONT, DO, DONT) else 2
    # Without binary transmission, a carriage return has a zero after it.
    return bytes(plain).replace(b"\r\0", b"\r")


class BacklogTest(unittest.TestCase):
    def setUp(self):
        self.device = self.enterContext(Device())
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.places = {}
        self.sent = b""

    def serve(self, *options, protocols=("raw",)):
        words = []
        for protocol in protocols:
            if protocol == "unix":
                self.places[protocol] = self.folder / "board.sock"
                words += ["--unix", f"{self.places[protocol]},raw"]
            else:
                self.places[protocol] = free_port()
                words += ["--listen", f"{self.places[protocol]},{protocol}"]
        program = self.enterContext(
            Pipes(serialterm_binary(), "serve", self.device.path, *words, *options))
        for _ in protocols:
            program.stderr.expect(b"serving at")
        return program

    def client(self, protocol="raw"):
        place = self.places[protocol]
        if protocol == "unix":
            client = socket.socket(socket.AF_UNIX)
            client.settimeout(TIMEOUT)
            client.connect(str(place))
        else:
            client = socket.create_connection(("127.0.0.1", place), TIMEOUT)
        self.addCleanup(client.close)
        if protocol == "telnet":
            client.sendall(bytes([IAC, DONT, COM_PORT]))
        if protocol == "rfc2217":
            client.sendall(bytes([IAC, WILL, COM_PORT]))
        return client

    def read(self, client, count, protocol="raw"):
        data, plain = b"", b""
        while len(plain) < count:
            piece = client.recv(65_536)
            self.assertTrue(piece, f"the connection has ended after {len(plain)} bytes of {count}")
            data += piece
            plain = data if protocol in ("raw", "unix") else without_telnet(data)
        return plain

    def device_sends(self, data):
        self.device.write(data)
        self.sent += data

    def logged(self, log):
        """Waits until the program has read all that the device sent."""
        wait_until(lambda: log.exists() and log.stat().st_size == len(self.sent), "the log is complete")


class BacklogTests(BacklogTest):
    def test_the_text_of_a_boot_is_complete_after_a_late_connection_on_each_protocol(self):
        self.boot(3)

    @soak
    def test_it_is_complete_again_and_again(self):
        self.boot(50)

    def boot(self, rounds):
        protocols = ("raw", "telnet", "rfc2217", "unix")
        log = self.folder / "log"
        self.serve("--backlog", "4M", "--log", str(log), protocols=protocols)
        number = 0
        for round in range(rounds):
            for protocol in protocols:
                lines = b"".join(b"%06d \xff boot\r\n" % (number + i) for i in range(20))
                number += 20
                # A part is sent before, a part while the client connects.
                half = len(lines) // 2 + round
                self.device_sends(lines[:half])
                if round % 2:
                    self.logged(log)
                writer = threading.Thread(target=self.device_sends, args=(lines[half:],))
                writer.start()
                with self.client(protocol) as client:
                    writer.join()
                    self.assertEqual(self.read(client, len(self.sent), protocol), self.sent)

    def test_without_the_option_a_client_gets_only_what_comes_later(self):
        log = self.folder / "log"
        self.serve("--log", str(log))
        self.device_sends(b"before")
        self.logged(log)
        client = self.client()
        client.sendall(b"?")
        self.assertEqual(self.device.read_exactly(1), b"?")
        self.device.write(b"after")
        self.assertEqual(self.read(client, 5), b"after")

    def test_only_the_newest_bytes_are_kept(self):
        log = self.folder / "log"
        self.serve("--backlog", "1k", "--log", str(log))
        self.device_sends(bytes(range(256)) * 16)
        self.logged(log)
        self.assertEqual(self.read(self.client(), 1024), self.sent[-1024:])

    def test_old_bytes_are_forgotten_after_a_time(self):
        log = self.folder / "log"
        self.serve("--backlog", "1ms", "--log", str(log))
        self.device_sends(b"old")
        self.logged(log)

        def is_forgotten():
            with self.client() as client:
                client.sendall(b"?")
                self.device.read_exactly(1)
                self.device_sends(b"new")
                return self.read(client, 3) == b"new"

        wait_until(is_forgotten, "the old bytes are forgotten")

    def test_until_read_the_first_client_gets_it_and_the_next_does_not(self):
        log = self.folder / "log"
        program = self.serve("--backlog", "1M", "--backlog-until-read", "--log", str(log))
        self.device_sends(b"boot ")
        self.logged(log)
        first = self.client()
        self.assertEqual(self.read(first, 5), b"boot ")
        self.device_sends(b"live ")
        self.assertEqual(self.read(first, 5), b"live ")
        program.stderr.expect(b"has the pen")
        second = self.client()
        program.stderr.expect(b"is here")
        self.device_sends(b"both")
        for client in (first, second):
            self.assertEqual(self.read(client, 4), b"both")
        first.close()
        second.close()

    def test_a_large_backlog_and_a_device_that_goes_on_arrive_whole_at_a_slow_client(self):
        log = self.folder / "log"
        self.serve("--backlog", "16M", "--log", str(log))
        block = os.urandom(1 << 16)
        for _ in range(32):
            self.device_sends(block)
        client = self.client()
        # Nothing is read meanwhile: it is more than the sockets hold.
        for _ in range(96):
            self.device_sends(block)
        self.logged(log)
        self.assertTrue(self.read(client, len(self.sent)) == self.sent, "the bytes are equal")

    def test_a_client_that_takes_nothing_for_longer_than_the_backlog_is_ended_and_reported(self):
        log = self.folder / "log"
        program = self.serve("--backlog", "1k", "--log", str(log))
        self.device_sends(b"x" * 1024)
        client = self.client()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        program.stderr.expect(b"is here")
        block = b"y" * (1 << 16)
        for _ in range(160):
            self.device_sends(block)
        program.stderr.expect(b"takes nothing")
        self.logged(log)
        self.assertEqual(log.read_bytes(), self.sent)

    def test_slow_sending_is_the_servers(self):
        self.serve("--byte-delay", "50")
        client = self.client()
        begin = time.monotonic()
        client.sendall(b"12345")
        self.assertEqual(self.device.read_exactly(5), b"12345")
        self.assertGreater(time.monotonic() - begin, 4 * 0.05 - 0.01)

    def test_wrong_values_are_refused(self):
        for words, text in (
            (["--backlog", "0"], b"a size from 1k to 64M, or a time"),
            (["--backlog", "1T"], b"a size from 1k to 64M, or a time"),
            (["--backlog-until-read"], b"--backlog-until-read needs --backlog"),
        ):
            result = serialterm("serve", self.device.path, "--listen", str(free_port()), *words)
            self.assertEqual(result.status, 2)
            self.assertIn(text, result.stderr)


if __name__ == "__main__":
    unittest.main()
