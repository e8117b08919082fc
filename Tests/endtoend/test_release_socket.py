"""The socket at which a session can be asked for its port: its clients, and its robustness."""

import os
import select
import signal
import socket
import stat
import sys
import tempfile
import threading
import time
import unittest

from Tests.endtoend.faults import record, waits
from Tests.endtoend.harness import Deadline, Terminal, run, serialterm_binary, slow, wait_until
from Tests.endtoend.release import ReleaseTestCase

# Asks for the port, and prints the replies.
STRANGER = """
import socket, sys
client = socket.socket(socket.AF_UNIX)
client.connect(sys.argv[1])
print("connected", flush=True)
try:
    client.sendall(sys.argv[2].encode() + b" stranger\\n")
    print(client.recv(100))
except (BrokenPipeError, ConnectionResetError):
    print(b"")
"""


class Client:
    """Speaks to a session's socket, line by line or otherwise."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        self.socket.settimeout(Deadline().seconds)
        self.lines = self.socket.makefile("rb")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lines.close()
        self.socket.close()

    def ask(self, line):
        self.socket.sendall(line)
        return self.lines.readline()

    def is_closed(self):
        """Waits until the session has closed the connection."""
        try:
            return self.lines.read() == b""
        except ConnectionResetError:
            return True


class ProtocolTests(ReleaseTestCase):
    def setUp(self):
        super().setUp()
        self._waits = self.enterContext(tempfile.TemporaryDirectory())
        self.variables = waits.counted(self._waits, self.variables)
        self.terminal = self.session()
        self.socket_path = self.socket_of(self.terminal)
        number = os.stat(self.device.node).st_rdev
        self.request = b"release %d:%d" % (os.major(number), os.minor(number))

    def client(self):
        return self.enterContext(Client(self.socket_path))

    def waited(self, program):
        """The milliseconds for which a program has waited for nothing but time."""
        return waits.milliseconds(self._waits, program.pid)

    def assert_alive(self):
        """The session passes bytes both ways, and serves the next client."""
        self.terminal.send(b"still")
        self.assertEqual(self.device.read_exactly(5), b"still")
        self.device.write(b"alive")
        self.terminal.expect(b"alive")
        self.assertEqual(self.run_release("true").stderr, b"")

    def test_lines_are_as_documented(self):
        client = self.client()
        path = str(self.path).encode()
        self.assertEqual(client.ask(self.request + b" tool\n"), b"released " + path + b"\n")
        client.socket.shutdown(socket.SHUT_WR)
        self.assertEqual(client.lines.readline(), b"back " + path + b"\n")
        self.assertTrue(client.is_closed())

    def test_request_may_come_in_pieces(self):
        client = self.client()
        for byte in self.request:
            client.socket.sendall(bytes([byte]))
        self.assertTrue(client.ask(b"\n").startswith(b"released "))

    def test_another_device_is_other(self):
        self.assertEqual(self.client().ask(b"release 4:64 tool\n"), b"other\n")

    def test_what_is_no_request_is_refused(self):
        for line in (b"\n", b"release\n", b"release x:y\n", b"release 1\n", b"RELEASE 4:64\n",
                     b"release 99999999999:0\n", b"\xff\x00\x1b[2J\n", b"x" * 1024,
                     os.urandom(200).replace(b"\n", b"") + b"\n"):
            with self.subTest(line), Client(self.socket_path) as client:
                self.assertRegex(client.ask(line), rb"\Ano .*\n\Z")
                self.assertTrue(client.is_closed())
        self.assert_alive()

    def test_borrowers_name_cannot_command_the_terminal(self):
        self.client().ask(self.request + " \x1b]0;owned\x07\u202egnp.exe\n".encode())
        bad = "\N{REPLACEMENT CHARACTER}"
        self.terminal.expect(f"{bad}]0;owned{bad}{bad}gnp.exe".encode())

    def test_client_that_does_not_say_what_it_wants_is_dropped_within_a_second(self):
        for name, say in (("nothing", b""), ("half a request", self.request),
                          ("a byte now and then", None)):
            with self.subTest(name), Client(self.socket_path) as client:
                waited, started = self.waited(self.terminal), time.monotonic()
                if say is None:
                    self.trickle(client.socket)
                else:
                    client.socket.sendall(say)
                    self.assertTrue(client.is_closed())
                seconds = time.monotonic() - started
                record(42, f"client that says {name}: dropped", [seconds * 1000], "ms", at_most=1_000)
                self.assertLessEqual(self.waited(self.terminal) - waited, 1_000)
        self.assert_alive()

    @staticmethod
    def trickle(client):
        """Sends a byte every 50 ms until the session closes the connection."""
        client.settimeout(0.05)
        while True:
            try:
                client.sendall(b"r")
                if client.recv(1) == b"":
                    return
            except TimeoutError:
                pass
            except (BrokenPipeError, ConnectionResetError):
                return

    def test_client_that_closes_with_the_reply_unread_gives_the_port_back(self):
        client = self.client()
        client.socket.sendall(self.request + b" hasty\n")
        self.terminal.expect(b"is lent to hasty")
        wait_until(lambda: select.select([client.socket], [], [], 0)[0], "the reply is there")
        client.__exit__()
        self.terminal.expect(b"is back")
        self.assert_alive()

    @unittest.skipUnless(os.geteuid() == 0, "needs root, to be asked by somebody else")
    def test_client_of_another_user_is_refused_even_where_the_folder_lets_it_in(self):
        for folder in (self.folder, self.runtime, self.socket_path.parent):
            folder.chmod(0o755)
        self.socket_path.chmod(0o666)
        result = run(sys.executable, "-c", STRANGER, str(self.socket_path),
                     self.request.decode(), user="nobody")
        self.assertEqual((result.stdout, result.stderr), (b"connected\nb''\n", b""))
        self.assertNotIn(b"is lent", self.terminal.output)
        self.assertTrue(self.device.exclusive)

    def test_client_that_floods_and_never_reads_harms_nobody(self):
        client = self.client()
        client.ask(self.request + b"\n")
        flood = threading.Thread(target=self.flood, args=(client.socket,), daemon=True)
        flood.start()
        self.terminal.send(b"\x14c")
        self.terminal.expect(b"serialterm: ")
        client.socket.shutdown(socket.SHUT_RDWR)
        flood.join()
        self.terminal.expect(b"is back")
        self.assert_alive()

    @staticmethod
    def flood(client):
        try:
            while True:
                client.sendall(b"release 1:1\n" * 1000)
        except OSError:
            pass  # It is shut down under us.

    def test_hundred_connections_are_not_too_many(self):
        descriptors = f"/proc/{self.terminal.pid}/fd"
        before = len(os.listdir(descriptors))
        clients = [self.client() for _ in range(100)]
        self.terminal.send(b"still")
        self.assertEqual(self.device.read_exactly(5), b"still")
        # The search for other programs at the port has open descriptors for a moment.
        wait_until(lambda: len(os.listdir(descriptors)) <= before + 8, "few are accepted")
        for client in clients:
            client.__exit__()
        # The search for other programs at the port may have had open descriptors at first.
        wait_until(lambda: len(os.listdir(descriptors)) <= before, "all are closed")
        self.assert_alive()

    @slow
    def test_session_that_does_not_answer_is_not_waited_for(self):
        self.terminal.signal(signal.SIGSTOP)
        with self.release("echo", "run") as client:
            self.assertEqual(client.wait(), 0)
            self.terminal.signal(signal.SIGCONT)
            self.assertEqual(client.stdout.data, b"run\n")
            self.assertIn(b"does not answer", client.stderr.data)
            self.assertLess(self.waited(client), 8_000)

    def test_refused_release_runs_no_command(self):
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(self.socket_path.with_name("0.sock")))
            listener.listen()
            answer = threading.Thread(target=self.refuse, args=(listener,))
            answer.start()
            result = self.run_release("echo", "run")
            answer.join()
        self.assertEqual((result.status, result.stdout), (5, b""))
        self.assertIn(b"in the middle of a transfer", result.stderr)

    @staticmethod
    def refuse(listener):
        connection, _ = listener.accept()
        with connection:
            connection.recv(256)
            connection.sendall(b"no in the middle of a transfer\n")


class FolderTests(ReleaseTestCase):
    """Without a safe folder a session continues, but cannot be asked."""

    def assert_goes_without(self, folder):
        """A session has no socket in a folder, neither while it runs nor afterwards."""
        session = self.enterContext(Terminal(
            serialterm_binary(), "connect", str(self.path), variables=self.variables))
        # When it prints this, it already listens, if at all.
        session.expect(b"ctrl-t q")
        self.assertEqual(list(folder.iterdir()), [])
        session.send(b"works")
        self.assertEqual(self.device.read_exactly(5), b"works")
        self.assertNotIn(b"socket", session.output)
        self.assertEqual(session.leave()[0], 0)
        self.assertEqual(list(folder.iterdir()), [])

    def test_socket_is_the_users_own_and_goes_with_the_session(self):
        session = self.session()
        path = self.socket_of(session)
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(path.parent.stat().st_mode), 0o700)
        self.assertEqual(session.leave()[0], 0)
        self.assertEqual(list(path.parent.iterdir()), [])

    def test_folder_open_to_others_is_not_used(self):
        folder = self.runtime / "serialterm"
        folder.mkdir()
        folder.chmod(0o755)
        self.assert_goes_without(folder)

    def test_link_in_the_folders_place_is_not_followed(self):
        # It would do, if it were not for the link that leads to it.
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir(mode=0o700)
        (self.runtime / "serialterm").symlink_to(elsewhere)
        self.assert_goes_without(elsewhere)

    @unittest.skipUnless(os.geteuid() == 0, "needs root, to give a folder away")
    def test_folder_of_somebody_else_is_not_used(self):
        folder = self.runtime / "serialterm"
        folder.mkdir(mode=0o700)
        os.chown(folder, 65534, 65534)
        self.assert_goes_without(folder)

    def test_sockets_of_sessions_that_were_killed_are_cleared_away(self):
        first = self.session()
        path = self.socket_of(first)
        first.signal(signal.SIGKILL)
        first.wait()
        self.assertTrue(path.exists())
        # The socket of a process that is running, whether it already listens or not.
        starting = path.with_name(f"{os.getpid()}.sock")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(starting))
            second = self.session()
            self.assertEqual(
                {path.name for path in path.parent.iterdir()},
                {starting.name, self.socket_of(second).name})

    def test_socket_left_behind_is_replaced_and_a_living_one_is_not(self):
        folder = self.runtime / "serialterm"
        folder.mkdir(mode=0o700)
        # The shell's process becomes the session's: the name is known before the session has it.
        script = 'read -r go; exec "$@"'
        for is_living in (False, True):
            with self.subTest(is_living=is_living), socket.socket(socket.AF_UNIX) as listener:
                session = self.enterContext(Terminal(
                    "/bin/sh", "-c", script, "sh", serialterm_binary(), "connect", str(self.path),
                    variables=self.variables))
                path = self.socket_of(session)
                listener.bind(str(path))
                left_behind = path.stat().st_ctime_ns
                if is_living:
                    listener.listen()
                else:
                    listener.close()
                session.send(b"go\n")
                session.expect(b"ctrl-t q")
                name = f"{session.pid}-1.sock" if is_living else path.name
                wait_until(lambda: self.answers(folder / name), "the session listens")
                self.assertEqual(path.stat().st_ctime_ns == left_behind, is_living)
                self.assertEqual(session.leave()[0], 0)
                self.assertEqual(path.exists(), is_living)

    @staticmethod
    def answers(path):
        try:
            Client(path).__exit__()
        except OSError:
            return False
        return True
