"""Row 42: clients of the control socket that stall, or mean harm."""

import os
import select
import socket
import tempfile
import threading
import time
from pathlib import Path

from Tests.endtoend.faults import LEAVING, PREFIX, record, waits
from Tests.endtoend.harness import TIMEOUT, Deadline, files_of, wait_until
from Tests.endtoend.release import ReleaseTestCase

# Milliseconds within which a client that asks for nothing is dropped.
DROPPED = 1_000
CLIENTS = 64


class HostileClient:
    """A connection to a session's socket. It remembers how long the session kept it."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        self.started = time.monotonic()
        self.seconds = None
        self.last_byte = 0

    def say(self, data):
        """Sends as many bytes as the session takes, without reading."""
        self.socket.setblocking(False)
        try:
            self.socket.send(data)
        except BlockingIOError:
            pass  # The session reads no more, and may still close.
        except (BrokenPipeError, ConnectionResetError):
            self.note_end()

    def note_end(self):
        if self.seconds is None:
            self.seconds = time.monotonic() - self.started

    def look(self):
        """Notices that the session has closed the connection, without reading anything."""
        poll = select.poll()
        poll.register(self.socket, select.POLLRDHUP)
        for _, events in poll.poll(0):
            if events & (select.POLLRDHUP | select.POLLHUP | select.POLLERR):
                self.note_end()

    def reset(self):
        """Closes the connection when a reply is there, unread: the other end has ECONNRESET."""
        select.select([self.socket], [], [], TIMEOUT)
        self.socket.close()

    def close(self):
        self.socket.close()


def silent(client):
    """Sends nothing."""


def garbage(client):
    """Sends invalid requests repeatedly, and reads no reply."""
    client.say(os.urandom(4_096))


def newlines(client):
    """Sends empty requests, on and on, and reads no reply."""
    client.say(b"\n" * 4_096)


def endless(client):
    """Sends a line without an end."""
    client.say(b"release 4:64 " + b"x" * 4_096)


def strangers_port(client):
    """Asks for a port that the session does not have, on and on, and reads no reply."""
    client.say(b"release 4:64 nobody\n" * 100)


def drop_by_drop(client):
    """Sends a request one byte at a time, so that it always seems to continue."""
    now = time.monotonic()
    if now - client.last_byte > 0.05:
        client.last_byte = now
        client.say(b"r")


class Row42HostileClientTests(ReleaseTestCase):
    KINDS = (silent, garbage, newlines, endless, strangers_port, drop_by_drop)

    def setUp(self):
        super().setUp()
        self._waits = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.variables = waits.counted(self._waits, self.variables)
        self.terminal = self.session()
        self.socket_path = self.socket_of(self.terminal)
        self.descriptors = len(files_of(self.terminal.pid))
        self.delays = []

    def waited(self):
        """The milliseconds for which the session has waited for nothing but time."""
        return waits.milliseconds(self._waits, self.terminal.pid)

    def leave(self):
        """Quits the session; returns its exit status."""
        waited = self.waited()
        status, _ = self.terminal.leave()
        self.assertLessEqual(self.waited() - waited, LEAVING)
        return status

    def type_a_key(self):
        """A key reaches the device, and an answer the screen."""
        started = time.monotonic()
        self.terminal.send(b"k")
        self.assertEqual(self.device.read_exactly(1), b"k")
        answer = b"<%d>" % len(self.delays)
        self.device.write(answer)
        self.terminal.expect(answer)
        self.delays.append((time.monotonic() - started) * 1000)

    def attack(self, kinds):
        """Connects a client for each of `kinds` and lets it do harm until the session has dropped it,
        while the user types. Returns the clients."""
        clients = []
        try:
            for kind in kinds:
                client = HostileClient(self.socket_path)
                client.kind = kind
                clients.append(client)
            waited = self.waited()
            deadline = Deadline()
            while any(client.seconds is None for client in clients):
                for client in clients:
                    if client.seconds is None:
                        client.kind(client)
                        client.look()
                self.type_a_key()
                self.assertFalse(
                    deadline.passed, [c.kind.__name__ for c in clients if c.seconds is None])
        finally:
            for client in clients:
                client.close()
        # Also for the keys that were typed meanwhile.
        self.assertLessEqual(self.waited() - waited, DROPPED, "milliseconds that the session waited")
        return clients

    def assert_unharmed(self):
        """The session has its port, its keys, and no descriptor more."""
        self.type_a_key()
        self.terminal.send(PREFIX + b"?")
        self.terminal.expect(b"quit")
        self.assertTrue(self.device.exclusive)
        self.assertNotIn(b"is lent", self.terminal.output)
        # The search for other programs at the port may have had open descriptors.
        wait_until(lambda: len(files_of(self.terminal.pid)) <= self.descriptors,
                   "every connection is closed")
        self.assertEqual(self.run_release("true").stderr, b"")
        self.assertEqual(self.leave(), 0)

    def assert_dropped(self, clients, name):
        durations = [client.seconds * 1000 for client in clients]
        record(42, f"{name}: dropped", durations, "ms", at_most=DROPPED)

    def record_keys(self, name):
        record(42, f"a key and its answer{name}", self.delays, "ms", at_most=1_000, typical=100)

    def test_each_kind_of_client_is_dropped_within_a_second(self):
        clients = []
        for kind in self.KINDS:
            with self.subTest(kind.__name__):
                clients += self.attack([kind])
        self.assert_dropped(clients, f"{len(clients)} kinds of hostile clients, one at a time")
        self.record_keys(" meanwhile")
        self.assert_unharmed()

    def test_clients_that_reset_the_connection(self):
        for said in (b"\n", b"release 4:64 nobody\n", os.urandom(300)):
            for _ in range(3):
                client = HostileClient(self.socket_path)
                client.say(said)
                client.reset()
                self.type_a_key()
        self.assert_unharmed()

    def test_64_clients_at_once(self):
        clients = self.attack([self.KINDS[index % len(self.KINDS)] for index in range(CLIENTS)])
        self.assert_dropped(clients, f"{CLIENTS} clients at once")
        self.record_keys(f", {CLIENTS} clients at once")
        self.assert_unharmed()

    def test_session_can_be_left_while_64_clients_are_connected(self):
        clients = []
        for _ in range(CLIENTS):
            clients.append(HostileClient(self.socket_path))
        status = self.leave()
        for client in clients:
            client.close()
        self.assertEqual(status, 0)
        self.assertEqual(self.terminal.settings, self.terminal.original_settings)

    def test_clients_that_come_on_and_on_do_not_keep_the_session_busy(self):
        """As fast as they can, from four threads."""
        end, waited, dropped = threading.Event(), self.waited(), []

        def connect():
            while not end.is_set():
                try:
                    client = HostileClient(self.socket_path)
                except OSError:
                    continue
                client.say(b"\n")
                client.close()
                dropped.append(client)

        threads = [threading.Thread(target=connect, daemon=True) for _ in range(4)]
        for thread in threads:
            thread.start()
        try:
            while min(len(self.delays), len(dropped)) < 100:
                self.type_a_key()
        finally:
            end.set()
            for thread in threads:
                thread.join()
        self.assertLessEqual(self.waited() - waited, 1_000, "milliseconds that the session waited")
        self.record_keys(", clients that come on and on")
        self.assert_unharmed()
