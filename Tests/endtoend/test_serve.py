"""`serialterm serve`: a port for programs elsewhere."""

import signal
import socket
import tempfile
import unittest
from pathlib import Path

from Tests.endtoend.harness import Device, Pipes, Terminal, serialterm, serialterm_binary
from Tests.endtoend.harness.deadline import TIMEOUT
from Tests.endtoend.servers import free_port
from Tests.endtoend.servers.clients import fill

IAC = b"\xff"


class ServeTest(unittest.TestCase):
    def setUp(self):
        self.device = self.enterContext(Device())
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.port = free_port()
        self.variables = {}

    def serve(self, *options, target=None):
        words = options or ("--listen", str(self.port))
        program = self.enterContext(
            Pipes(serialterm_binary(), "serve", target or self.device.path, *words, variables=self.variables))
        program.stderr.expect(b"serving at")
        return program

    def client(self):
        client = self.enterContext(socket.create_connection(("127.0.0.1", self.port), TIMEOUT))
        return client

    def read(self, client, count):
        data = b""
        while len(data) < count:
            piece = client.recv(count - len(data))
            self.assertTrue(piece, f"the connection has ended after {data!r}")
            data += piece
        return data


class ListeningTests(ServeTest):
    def test_bytes_pass_as_they_are_when_raw_is_asked_for(self):
        self.serve("--listen", str(self.port), "--protocol", "raw")
        client = self.client()
        every_byte = bytes(range(256)) * 8
        client.sendall(every_byte)
        self.assertEqual(self.device.read_exactly(len(every_byte)), every_byte)
        self.device.write(every_byte)
        self.assertEqual(self.read(client, len(every_byte)), every_byte)

    def test_a_socket_in_the_file_system_is_the_users_alone_and_is_removed(self):
        path = self.folder / "board.sock"
        program = self.serve("--unix", str(path), "--protocol", "raw")
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(path))
            client.sendall(b"key")
            self.assertEqual(self.device.read_exactly(3), b"key")
        program.signal(signal.SIGTERM)
        self.assertEqual(program.wait(), 128 + signal.SIGTERM)
        self.assertFalse(path.exists())

    def test_a_socket_that_was_left_behind_is_replaced_and_one_in_use_is_not(self):
        path = self.folder / "board.sock"
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(str(path))
        self.serve("--unix", str(path))
        with Device() as other:
            second = serialterm("serve", other.path, "--unix", str(path))
        self.assertEqual(second.status, 1)
        self.assertRegex(second.stderr, b"cannot listen at .*board.sock: another program listens at this socket")

    def test_an_address_in_use_is_said_before_the_port_is_opened(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", self.port))
            taken.listen()
            result = serialterm("serve", "/dev/ttyNONE9", "--listen", str(self.port))
        self.assertEqual(result.status, 1)
        self.assertRegex(result.stderr, rb"cannot listen at 127.0.0.1:\d+: another program uses this port\.")

    def test_only_this_computer_reaches_it_unless_an_address_is_named(self):
        self.serve()
        with open("/proc/net/tcp", encoding="ascii") as table:
            listeners = [line.split()[1] for line in table if line.split()[3] == "0A"]
        self.assertIn(f"0100007F:{self.port:04X}", listeners)

    def test_the_port_stays_open_between_clients_and_a_second_one_watches(self):
        program = self.serve("--listen", str(self.port), "--protocol", "raw")
        first = self.client()
        program.stderr.expect(b"has the pen")
        second = self.client()
        program.stderr.expect(b"is here")
        second.sendall(b"dropped" * 1000)
        program.stderr.expect(b"sends something, but may not: it is dropped.")
        self.device.write(b"both")
        for client in (first, second):
            self.assertEqual(self.read(client, 4), b"both")
        for _ in range(40):
            self.client()
            program.stderr.expect(b"is here")
        first.sendall(b"1")
        self.assertEqual(self.device.read_exactly(1), b"1")
        first.close()
        program.stderr.expect(b"Nobody has the pen now.")
        # The client that writes first has the pen.
        second.sendall(b"2")
        self.assertEqual(self.device.read_exactly(1), b"2")
        second.close()
        program.stderr.expect(b"Nobody has the pen now.")
        third = self.client()
        third.sendall(b"3")
        self.assertEqual(self.device.read_exactly(1), b"3")
        self.assertEqual(program.stderr.data.count(b"it is dropped"), 1)

    def test_a_script_without_the_pen_sends_nothing_and_says_who_has_it(self):
        program = self.serve("--listen", str(self.port), "--listen", f"{free_port()},raw")
        holder = self.client()
        program.stderr.expect(b" has the pen.")
        script = self.folder / "script"
        script.write_text('send "key"\n')
        for words in (("send", "key"), ("run", str(script)), ("connect", "--exec", "cat")):
            with self.subTest(words[0]):
                command, *rest = words
                place = 0 if command in ("send", "run") else len(rest)
                rest.insert(place, f"rfc2217://127.0.0.1:{self.port}")
                result = serialterm(command, *rest)
                self.assertEqual(result.status, 5, result)
                self.assertRegex(result.stderr, rb"rfc2217://127\.0\.0\.1:\d+: 127\.0\.0\.1:\d+ has the pen\.")
        # Nothing of theirs is before what the one with the pen sends.
        holder.sendall(b"end")
        self.assertEqual(self.device.read_exactly(3), b"end")

    def test_a_client_that_is_no_telnet_client_gets_the_bytes(self):
        self.serve()
        client = self.client()
        client.sendall(b"AT\r")
        self.assertEqual(self.device.read_exactly(3), b"AT\r")
        self.device.write(b"OK")
        data = b""
        while not data.endswith(b"OK"):
            data += self.read(client, 1)
        self.assertTrue(data.startswith(IAC), "it was asked for telnet")

    def test_a_client_that_does_not_read_holds_the_device_and_not_the_memory(self):
        program = self.serve("--listen", str(self.port), "--protocol", "raw")
        client = self.client()
        program.stderr.expect(b"has the pen")
        # Until nothing is taken: the sockets' and the program's buffers are full.
        written = fill(self.device.descriptor, bytes(64 << 20), program.pid, self.device._port)
        self.assertLess(written, 64 << 20)
        self.assertEqual(self.read(client, written), bytes(written))


    def test_a_client_stays_while_the_device_is_gone(self):
        link = self.folder / "ttyBOARD"
        device = self.enterContext(Device(link))
        program = self.serve("--listen", str(self.port), "--protocol", "raw", target=str(link))
        client = self.client()
        client.sendall(b"1")
        self.assertEqual(device.read_exactly(1), b"1")
        program.stderr.expect(b"is here")
        device.hang_up()
        program.stderr.expect(b"is gone")
        # One that leaves meanwhile makes room, also with bytes that were not read.
        client.sendall(b"lost")
        client.close()
        program.stderr.expect(b"4 bytes were not sent")
        client = self.client()
        program.stderr.expect(b"is here")
        device.plug()
        program.stderr.expect(b"is back")
        client.sendall(b"2")
        self.assertEqual(device.read_exactly(1), b"2")
        device.write(b"3")
        self.assertEqual(self.read(client, 1), b"3")


class StandardStreamTests(ServeTest):
    def begin(self, *options, target=None):
        return self.enterContext(
            Pipes(serialterm_binary(), "serve", target or self.device.path, "--stdio", *options))

    def test_the_streams_are_the_client_and_its_end_is_the_programs(self):
        program = self.begin("--protocol", "raw")
        program.send(b"key")
        self.assertEqual(self.device.read_exactly(3), b"key")
        self.device.write(b"answer")
        self.assertEqual(program.stdout.read_exactly(6), b"answer")
        program.close_stdin()
        self.assertEqual(program.wait(), 0)
        self.assertEqual(program.stderr.data, b"")

    def test_what_was_sent_reaches_the_device_before_the_end(self):
        program = self.begin("--protocol", "raw")
        data = bytes(range(256)) * 100
        program.send(data)
        program.close_stdin()
        self.assertEqual(self.device.read_exactly(len(data)), data)
        self.assertEqual(program.wait(), 0)

    def test_the_loss_of_the_device_ends_it(self):
        program = self.begin("--protocol", "raw")
        program.send(b"x")
        self.device.read_exactly(1)
        self.device.close()
        self.assertEqual(program.wait(), 6)
        program.stderr.expect(b"the device is gone")

    def test_at_a_terminal_it_says_whom_it_is_for(self):
        with Terminal(serialterm_binary(), "serve", self.device.path, "--stdio") as terminal:
            terminal.expect(b"--stdio is for ssh and other programs")
            self.assertEqual(terminal.wait(), 2)

    def test_a_missing_device_is_said_at_once(self):
        result = serialterm("serve", "--stdio", "/dev/ttyNONE9")
        self.assertEqual(result.status, 3)
        self.assertIn(b"/dev/ttyNONE9: no such device", result.stderr)


class UsageTests(unittest.TestCase):
    def assert_usage(self, message, *words):
        result = serialterm("serve", "/dev/ttyNONE9", *words)
        self.assertEqual(result.status, 2)
        self.assertRegex(result.stderr, message)

    def test_where_clients_connect_must_be_said(self):
        self.assert_usage(b"--listen PORT, --unix PATH, --web PORT or --stdio")

    def test_addresses_that_are_none_get_the_right_form(self):
        for text in ("0", "65536", "x", "lab", "::1:4000", ""):
            with self.subTest(text):
                self.assert_usage(rb"PORT from 1 to 65535, HOST:PORT, or \[ADDRESS\]:PORT", "--listen", text)
        self.assert_usage(b"raw, telnet or rfc2217|expected", "--listen", "4000", "--protocol", "ftp")


if __name__ == "__main__":
    unittest.main()
