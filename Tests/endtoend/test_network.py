"""Ports behind a network: bytes over TCP and Unix sockets, ports of a server (RFC 2217)."""

import contextlib
import os
import random
import shutil
import socket
import subprocess
import tempfile
import unittest

from Tests.endtoend.faults import PREFIX, processes, record
from Tests.endtoend.harness import Device, Pipes, Terminal, run, serialterm_binary, wait_until
from Tests.endtoend.harness.deadline import TIMEOUT
from Tests.endtoend.harness.loopback import Loopback
from Tests.endtoend.harness.program import environment
from Tests.endtoend.servers.clients import fill

HAS_SER2NET = shutil.which("ser2net") is not None


class Listener:
    """A server for one client at a time, which the test plays."""

    def __init__(self, family=socket.AF_INET, address=("127.0.0.1", 0)):
        self.socket = socket.socket(family)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(address)
        self.socket.listen()
        self.socket.settimeout(TIMEOUT)
        self.client = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.hang_up()
        self.socket.close()

    @property
    def port(self):
        return self.socket.getsockname()[1]

    def accept(self):
        self.client, _ = self.socket.accept()
        self.client.settimeout(TIMEOUT)

    def read(self, count):
        data = b""
        while len(data) < count:
            piece = self.client.recv(count - len(data))
            if not piece:
                raise AssertionError(f"the connection has ended after {data!r}")
            data += piece
        return data

    def hang_up(self):
        if self.client:
            self.client.close()
            self.client = None


def free_port():
    with Listener() as listener:
        return listener.port


@contextlib.contextmanager
def ser2net(node, port, accepter="telnet(rfc2217,mode=server),tcp"):
    """ser2net with a port for a node; yields when it listens."""
    process = subprocess.Popen(
        ["ser2net", "-d", "-n",
         "-Y", f"connection: &port#  accepter: {accepter},127.0.0.1,{port}",
         "-Y", f"  connector: serialdev(nouucplock=true),{node},115200n81,local"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True, env=environment())
    try:
        def listens():
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", port)) == 0
        wait_until(listens, "ser2net listens")
        yield process
    finally:
        process.terminate()
        process.wait(TIMEOUT)


def window(columns, rows):
    """The subnegotiation of RFC 1073."""
    return b"\xff\xfa\x1f" + columns.to_bytes(2, "big") + rows.to_bytes(2, "big") + b"\xff\xf0"


class NetworkTest(unittest.TestCase):
    def terminal(self, target, *options):
        return self.enterContext(Terminal(serialterm_binary(), "connect", target, *options))

    def pipes(self, target, *options):
        return self.enterContext(Pipes(serialterm_binary(), "connect", target, *options))


class StreamTests(NetworkTest):
    EVERY_BYTE = bytes(range(256)) * 40

    def pass_bytes(self, target, listener):
        program = self.pipes(target, "--linger", "5")
        listener.accept()
        program.send(self.EVERY_BYTE)
        self.assertEqual(listener.read(len(self.EVERY_BYTE)), self.EVERY_BYTE)
        listener.client.sendall(self.EVERY_BYTE)
        self.assertEqual(program.stdout.read_exactly(len(self.EVERY_BYTE)), self.EVERY_BYTE)

    def test_bytes_pass_over_tcp(self):
        with Listener() as listener:
            self.pass_bytes(f"tcp://localhost:{listener.port}", listener)

    def test_bytes_pass_over_ipv6(self):
        with Listener(socket.AF_INET6, ("::1", 0)) as listener:
            self.pass_bytes(f"tcp://[::1]:{listener.port}", listener)

    def test_bytes_pass_over_a_socket_in_the_file_system(self):
        path = os.path.join(self.enterContext(tempfile.TemporaryDirectory()), "socket")
        with Listener(socket.AF_UNIX, path) as listener:
            self.pass_bytes(f"unix:{path}", listener)

    def test_a_server_that_negotiates_telnet_is_recognised(self):
        path = os.path.join(self.enterContext(tempfile.TemporaryDirectory()), "socket")
        for family, address, target in ((socket.AF_INET, ("127.0.0.1", 0), None),
                                        (socket.AF_UNIX, path, f"unix:{path}")):
            with Listener(family, address) as listener:
                server = f"127.0.0.1:{listener.port}" if target is None else path
                program = self.pipes(target or f"tcp://{server}", "--linger", "5s")
                listener.accept()
                # What ser2net sends first: WILL SUPPRESS-GO-AHEAD, WILL ECHO, DONT ECHO, DO BINARY.
                greeting = b"\xff\xfb\x03\xff\xfb\x01\xff\xfe\x01\xff\xfd\x00"
                for byte in greeting:
                    listener.client.sendall(bytes([byte]))
                program.stderr.expect(
                    f"this server speaks telnet: its commands are among the bytes. Try telnet://{server}.".encode())
                # The bytes pass all the same.
                self.assertEqual(program.stdout.read_exactly(len(greeting)), greeting)

    def test_bytes_that_look_like_telnet_later_are_bytes(self):
        with Listener() as listener:
            program = self.pipes(f"tcp://127.0.0.1:{listener.port}")
            listener.accept()
            data = b"login: \xff\xfb\x03\xff\xfb\x01"
            listener.client.sendall(data)
            self.assertEqual(program.stdout.read_exactly(len(data)), data)
            self.assertNotIn(b"telnet", program.stderr.data)

    def test_a_connection_that_ends_comes_back(self):
        with Listener() as listener:
            terminal = self.terminal(f"tcp://127.0.0.1:{listener.port}")
            listener.accept()
            terminal.expect(b"connecting to tcp://")
            terminal.expect(b"ctrl-t q quits")
            terminal.expect(b"connected")
            listener.client.sendall(b"one")
            terminal.expect(b"one")
            listener.hang_up()
            terminal.expect(b"is gone, waiting for it to come back")
            listener.accept()
            terminal.expect(b"is back after")
            listener.client.sendall(b"two")
            terminal.expect(b"two")
            terminal.send(b"key")
            self.assertEqual(listener.read(3), b"key")

    def test_what_a_stream_has_not_is_off_and_says_why(self):
        with Listener() as listener:
            terminal = self.terminal(f"tcp://127.0.0.1:{listener.port}")
            listener.accept()
            terminal.expect(b"connected")
            terminal.send(PREFIX + b"B")
            terminal.expect(b"this port has no line settings")
            terminal.send(PREFIX + b"g")
            terminal.expect(b"this port has no modem lines")

    def test_a_slow_reader_holds_the_sender_back(self):
        with Listener() as listener:
            program = subprocess.Popen(
                [serialterm_binary(), "connect", f"tcp://127.0.0.1:{listener.port}"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment())
            self.addCleanup(program.kill)
            listener.accept()
            # The output is not read, so only the kernel's buffers on both sides take bytes.
            sent = fill(listener.client.fileno(), bytes(64 << 20), program.pid)
            self.assertLess(sent, 64 << 20)
            self.assertLess(processes.memory(program.pid)[0], 40)
            received = 0
            while received < sent:
                received += len(program.stdout.read1(65_536))
            program.stdin.close()
            self.assertEqual(program.wait(TIMEOUT), 0)
            program.stdout.close()


class SeveralPortsTests(NetworkTest):
    COUNT = 64

    def test_many_ports_in_one_process_come_back_each_by_itself(self):
        listeners = [self.enterContext(Listener()) for _ in range(self.COUNT)]
        targets = [f"tcp://127.0.0.1:{listener.port}" for listener in listeners]
        program = self.pipes(*targets, "--read-only")
        for word in (b"first", b"second"):
            for number, listener in enumerate(listeners):
                listener.accept()
                listener.client.sendall(b"%s %d\n" % (word, number))
            for number in range(self.COUNT):
                wait_until(lambda line=b"%s %d\n" % (word, number): line in program.stdout.data,
                           f"{word} of {number}")
            memory = processes.memory(program.pid)[0]
            record(48, "64 ports over TCP in one process: memory", memory, "MiB")
            self.assertLess(memory, 64)
            for listener in listeners:
                listener.hang_up()


class SettingsTests(NetworkTest):
    def test_a_stream_has_no_settings_to_show(self):
        with Listener() as listener, tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log.jsonl")
            terminal = self.terminal(f"tcp://127.0.0.1:{listener.port}", "--status", "-L", log)
            listener.accept()
            terminal.expect(b"connected")
            terminal.send(PREFIX + b"c")
            terminal.expect(b"without line settings")
            terminal.send(PREFIX + b"q")
            terminal.wait()
            self.assertNotIn(b"115200", terminal.transcript.data)
            with open(log, encoding="utf-8") as lines:
                self.assertNotIn("115200", lines.read())


class OptionTests(NetworkTest):
    def run_with(self, *words, **how):
        return run(serialterm_binary(), *words, stdin=b"", **how)

    def test_what_only_a_port_of_this_computer_has_is_refused_by_name(self):
        for command in (["connect"], ["send"], ["log"], ["connect", "--json"]):
            arguments = {"send": ["hi"], "log": ["x.log"]}.get(command[0], [])
            with self.subTest(command=command):
                result = self.run_with(
                    *command, "rfc2217://127.0.0.1:1", *arguments, "--low-latency")
                self.assertEqual(result.status, 2)
                self.assertIn(b"--low-latency is for a port of this computer", result.stderr)

    def test_a_profile_that_asks_for_it_is_named_with_its_line(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        file = os.path.join(folder, "config.toml")
        with open(file, "w", encoding="utf-8") as config:
            config.write('[profile.lab]\ntarget = "tcp://127.0.0.1:1"\nrs485 = "on"\n')
        result = self.run_with("connect", "lab", "--config", file)
        self.assertEqual(result.status, 2)
        self.assertIn(f"{file}:3: --rs485 is for".encode(), result.stderr)

    def test_a_rate_for_bytes_alone_is_taken_and_said_to_have_no_effect(self):
        note = b"--baud has no effect: tcp://"
        for options, said in (([], 1), (["-q"], 0)):
            with self.subTest(options=options), Listener() as listener:
                program = self.pipes(f"tcp://127.0.0.1:{listener.port}", "-b", "9600", *options)
                listener.accept()
                listener.client.sendall(b"x")
                self.assertEqual(program.stdout.read_exactly(1), b"x")
                program.close_stdin()
                self.assertEqual(program.wait(), 0)
                self.assertEqual(program.stderr.data.count(note), said)

    def test_a_log_is_called_like_the_far_end(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        path = os.path.join(folder, "board.sock")
        with Listener() as listener, Listener(socket.AF_UNIX, path) as other:
            port = listener.port
            for target, server, name in (
                    (f"tcp://localhost:{port}", listener, f"localhost-{port}.log"),
                    (f"unix:{path}", other, "board.sock.log")):
                program = self.pipes(target, "-L", os.path.join(folder, "%t.log"))
                server.accept()
                server.client.sendall(b"x")
                self.assertEqual(program.stdout.read_exactly(1), b"x")
                program.close_stdin()
                self.assertEqual(program.wait(), 0)
                with open(os.path.join(folder, name), "rb") as log:
                    self.assertEqual(log.read(), b"x")


class ReleaseTests(NetworkTest):
    """`serialterm release` of a port that is elsewhere."""

    def setUp(self):
        runtime = self.enterContext(tempfile.TemporaryDirectory())
        self.variables = {"XDG_RUNTIME_DIR": runtime}

    def session(self, target):
        session = self.enterContext(Terminal(
            serialterm_binary(), "connect", target, variables=self.variables))
        session.expect(b"connect")
        socket_path = os.path.join(
            self.variables["XDG_RUNTIME_DIR"], "serialterm", f"{session.pid}.sock")
        wait_until(lambda: os.path.exists(socket_path), "the session listens")
        return session

    def release(self, target, *command):
        return self.enterContext(Pipes(
            serialterm_binary(), "release", target, "--", *command, variables=self.variables))

    def lend(self, target, listener, name=None):
        """The session's connection ends while a tool runs, and is made again afterwards."""
        session = self.session(target)
        listener.accept()
        session.expect(b"connected")
        named = name or target
        tool = self.release(named, "sh", "-c", "echo tool has {}; read go")
        tool.stdout.expect(f"tool has {named}\n".encode())
        session.expect(f"{target} is lent to sh".encode())
        self.assertEqual(listener.client.recv(1), b"", "the connection has ended")
        # Another client may be using the only connection of the server.
        with socket.socket(listener.socket.family) as client:
            client.connect(listener.socket.getsockname())
            listener.accept()
            client.sendall(b"flash")
            self.assertEqual(listener.read(5), b"flash")
        tool.send(b"\n")
        listener.accept()
        session.expect(b"is back after")
        self.assertEqual(tool.wait(), 0)
        self.assertEqual(tool.stderr.data, b"")
        session.send(b"key")
        self.assertEqual(listener.read(3), b"key")

    def test_a_connection_over_tcp_ends_and_is_made_again(self):
        with Listener() as listener:
            self.lend(f"tcp://127.0.0.1:{listener.port}", listener)

    def test_a_name_in_another_spelling_is_the_same_port(self):
        with Listener() as listener:
            self.lend(f"tcp://LocalHost:{listener.port}/", listener,
                      f"tcp://localhost:{listener.port}")

    def test_a_socket_in_the_file_system_is_known_by_any_path(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        path = os.path.join(folder, "my board")
        os.symlink(folder, os.path.join(folder, "link"))
        with Listener(socket.AF_UNIX, path) as listener:
            self.lend(f"unix:{path}", listener, f"unix:{folder}/link/my board")

    @unittest.skipUnless(HAS_SER2NET, "ser2net is not installed")
    def test_a_port_of_a_server_for_one_client_is_free_for_the_tool(self):
        board = self.enterContext(Loopback("--board"))
        port = free_port()
        target = f"rfc2217://127.0.0.1:{port}"
        self.enterContext(ser2net(board.node, port))
        session = self.session(target)
        session.expect(b"at 115200 8N1")
        tool = self.release(
            target, serialterm_binary(), "send", "{}", "echo tool", "--expect", "tool\r\n")
        self.assertEqual(tool.wait(), 0)
        self.assertEqual(tool.stderr.data, b"")
        session.expect(b"is lent to serialterm")
        session.expect(b"is back after")
        session.send(b"echo session\r")
        session.expect(b"\r\nsession")

    def test_a_session_that_does_not_know_such_requests_is_passed_over(self):
        folder = os.path.join(self.variables["XDG_RUNTIME_DIR"], "serialterm")
        os.mkdir(folder, 0o700)
        with Listener(socket.AF_UNIX, os.path.join(folder, f"{os.getpid()}.sock")) as earlier:
            tool = self.release("tcp://127.0.0.1:1", "echo", "runs")
            earlier.accept()
            self.assertEqual(earlier.read(31), b"release tcp://127.0.0.1:1 echo\n")
            earlier.client.sendall(b"no invalid request\n")
            earlier.hang_up()
            tool.stdout.expect(b"runs")
            self.assertEqual(tool.wait(), 0)

    def test_another_far_end_is_not_lent_and_the_tool_runs(self):
        with Listener() as listener:
            session = self.session(f"tcp://127.0.0.1:{listener.port}")
            listener.accept()
            session.expect(b"connected")
            tool = self.release("tcp://127.0.0.1:1", "true")
            self.assertEqual(tool.wait(), 0)
            self.assertIn(b"no session has tcp://127.0.0.1:1 open.", tool.stderr.data)


class FailureTests(NetworkTest):
    def test_a_web_server_is_no_telnet_server(self):
        with Listener() as listener:
            program = self.pipes(f"rfc2217://127.0.0.1:{listener.port}")
            listener.accept()
            listener.client.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            self.assertEqual(program.wait(), 1)
            program.stderr.expect(
                b"this is not a telnet server. tcp://127.0.0.1:%d passes bytes" % listener.port)

    def test_a_server_that_is_silent_is_said(self):
        with Listener() as listener:
            program = self.pipes(f"rfc2217://127.0.0.1:{listener.port}")
            listener.accept()
            self.assertEqual(program.wait(), 5)
            program.stderr.expect(
                b"the server does not answer. It may be serving another client, or speak no telnet: "
                b"tcp://127.0.0.1:%d passes bytes as they are." % listener.port)

    def test_a_telnet_server_without_ports_is_said(self):
        with Listener() as listener:
            program = self.pipes(f"rfc2217://127.0.0.1:{listener.port}")
            listener.accept()
            listener.client.sendall(b"\xff\xfe\x2clogin: ")
            self.assertEqual(program.wait(), 1)
            program.stderr.expect(
                b"the server has no RFC 2217. telnet://127.0.0.1:%d passes bytes" % listener.port)

    def test_telnet_alone_negotiates_and_passes_text_and_every_byte(self):
        with Listener() as listener:
            program = self.pipes(f"telnet://127.0.0.1:{listener.port}", "--linger", "5")
            listener.accept()
            # WILL BINARY, DO BINARY, DO and WILL SUPPRESS-GO-AHEAD.
            self.assertEqual(listener.read(12), b"\xff\xfb\x00\xff\xfd\x00\xff\xfd\x03\xff\xfb\x03")
            # It refuses BINARY, echoes, and has RFC 2217.
            listener.client.sendall(b"\xff\xfe\x00\xff\xfc\x00\xff\xfb\x01\xff\xfd\x2ca\r\nb\r\x00c\xff\xff")
            self.assertEqual(program.stdout.read_exactly(7), b"a\r\nb\rc\xff")
            program.stderr.expect(b"this server also has RFC 2217: rfc2217://127.0.0.1:%d" % listener.port)
            self.assertEqual(listener.read(6), b"\xff\xfd\x01\xff\xfc\x2c")
            program.send(b"x\r\ny\rz\xff")
            self.assertEqual(listener.read(9), b"x\r\ny\r\x00z\xff\xff")
            # An Enter is whole without the next key.
            program.send(b"\r")
            self.assertEqual(listener.read(2), b"\r\x00")

    def test_telnet_alone_at_a_server_without_telnet_passes_bytes_and_says_so(self):
        with Listener() as listener:
            program = self.pipes(f"telnet://127.0.0.1:{listener.port}", "--linger", "5")
            listener.accept()
            listener.client.sendall(b"raw")
            self.assertEqual(program.stdout.read_exactly(3), b"raw")
            program.stderr.expect(
                b"has answered nothing in telnet. If it speaks none, use tcp://127.0.0.1:%d:" % listener.port)

    def test_a_telnet_server_that_asks_for_the_size_of_the_window_gets_each(self):
        with Listener() as listener:
            terminal = self.terminal(f"telnet://127.0.0.1:{listener.port}")
            listener.accept()
            listener.read(12)
            terminal.resize(30, 100)
            # DO NAWS: WILL NAWS, and SB NAWS with columns and rows.
            listener.client.sendall(b"\xff\xfd\x1f")
            self.assertEqual(listener.read(3), b"\xff\xfb\x1f")
            # The resize may be seen before the server asks, or after.
            sizes = [listener.read(9)]
            if sizes != [window(100, 30)]:
                sizes.append(listener.read(9))
            self.assertEqual(sizes[-1], window(100, 30))
            # 255 is doubled.
            terminal.resize(31, 255)
            self.assertEqual(listener.read(10), b"\xff\xfa\x1f\x00\xff\xff\x00\x1f\xff\xf0")
            terminal.send(b"key")
            self.assertEqual(listener.read(3), b"key")

    def test_without_a_window_there_is_no_size(self):
        with Listener() as listener:
            self.pipes(f"telnet://127.0.0.1:{listener.port}", "--linger", "5")
            listener.accept()
            listener.read(12)
            listener.client.sendall(b"\xff\xfd\x1f")
            self.assertEqual(listener.read(3), b"\xff\xfc\x1f")

    def test_a_server_that_is_busy_says_so(self):
        with Listener() as listener:
            program = self.pipes(f"rfc2217://127.0.0.1:{listener.port}")
            listener.accept()
            listener.read(3)
            listener.client.sendall(b"Port already in use\r\n")
            listener.client.shutdown(socket.SHUT_WR)
            self.assertEqual(program.wait(), 5)
            program.stderr.expect(b"in use: Port already in use")

    def test_wait_goes_on_until_somebody_listens(self):
        port = free_port()
        terminal = self.terminal(f"tcp://127.0.0.1:{port}", "--wait")
        terminal.expect(b"waiting for tcp://")
        with Listener(address=("127.0.0.1", port)) as listener:
            listener.accept()
            terminal.expect(b"connected")


@unittest.skipUnless(HAS_SER2NET, "ser2net is not installed")
class Ser2netTests(NetworkTest):
    def setUp(self):
        self.port = free_port()
        self.target = f"rfc2217://127.0.0.1:{self.port}"

    def test_a_board_behind_it_answers_and_settings_are_read_back(self):
        board = self.enterContext(Loopback("--board"))
        self.enterContext(ser2net(board.node, self.port))
        terminal = self.terminal(self.target, "-b", "9600")
        terminal.expect(b"at 9600 8N1")
        terminal.send(b"version\r")
        terminal.expect(b"firmware 1.0.0")
        terminal.send(PREFIX + b"B57600\r")
        terminal.expect(b"57600")
        terminal.send(PREFIX + b"L")
        terminal.expect(b"DTR ")
        terminal.send(PREFIX + b"b")
        terminal.expect(b"Break sent.")

    def test_each_of_its_accepters_is_one_form_of_target_and_the_others_are_said(self):
        """CR LF, CR alone, NUL and 255 pass as they are; ends of pieces are between CR and LF."""
        place = f"127.0.0.1:{self.port}"
        pieces = [b"a\r", b"\nb\r", b"c\r\0\xff", b"\xff\xf3\r", b"\xff", b"\xff\r\n\n\r"]
        for accepter, form, others in (
            ("tcp", "tcp", (("rfc2217", f"or speak no telnet: tcp://{place}"),)),
            ("telnet,tcp", "telnet", (
                ("rfc2217", f"the server has no RFC 2217. telnet://{place} passes bytes"),
                ("tcp", f"are among the bytes. Try telnet://{place}.\n"))),
            ("telnet(rfc2217,mode=server),tcp", "rfc2217", (
                ("telnet", f"this server also has RFC 2217: rfc2217://{place}"),
                ("tcp", f"Try telnet://{place}, or rfc2217://{place}, which"))),
        ):
            device = self.enterContext(Device())
            with self.subTest(accepter), ser2net(device.path, self.port, accepter):
                with Pipes(serialterm_binary(), "connect", f"{form}://{place}", "--linger", "30") as program:
                    for piece in pieces:
                        program.send(piece)
                        self.assertEqual(device.read_exactly(len(piece)), piece)
                        device.write(piece)
                        self.assertEqual(program.stdout.read_exactly(len(piece)), piece)
                    self.assertEqual(program.stderr.data, b"")
                for other, message in others:
                    with Pipes(serialterm_binary(), "connect", f"{other}://{place}", "--linger", "30") as program:
                        program.stderr.expect(message.encode())

    def test_the_timing_of_a_sequence_is_said_once_to_be_the_networks(self):
        board = self.enterContext(Loopback("--board"))
        words = b"the timing of --on-open is the network's"
        terminal = None
        for number in range(2):
            with ser2net(board.node, self.port):
                if terminal is None:
                    terminal = self.terminal(self.target, "--on-open", "dtr=off,wait=10,dtr=on")
                    terminal.expect(words)
                else:
                    terminal.expect(b"is back after")
                terminal.send(b"echo round-%d\r" % number)
                terminal.expect(b"\r\nround-%d" % number)
            terminal.expect(b"is gone, waiting")
        self.assertEqual(terminal.transcript.data.count(words), 1)

    def test_it_comes_back_after_a_restart(self):
        board = self.enterContext(Loopback("--board"))
        terminal = None
        for number in range(3):
            with ser2net(board.node, self.port):
                if terminal is None:
                    terminal = self.terminal(self.target)
                terminal.expect(b"is back after" if number else b"at 115200 8N1")
                terminal.send(b"echo round-%d\r" % number)
                terminal.expect(b"\r\nround-%d" % number)
            terminal.expect(b"is gone, waiting")

    def test_a_mebibyte_passes_exactly_both_ways(self):
        data = random.Random(2217).randbytes(1 << 20)
        echo = self.enterContext(Loopback())
        self.enterContext(ser2net(echo.node, self.port))
        program = self.pipes(self.target, "--linger", "30")
        program.send(data)
        self.assertEqual(program.stdout.read_exactly(len(data)), data)


if __name__ == "__main__":
    unittest.main()
