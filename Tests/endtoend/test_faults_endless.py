"""Peers that never stop: what they say, what they ask, what they send before their port is open."""

import contextlib
import os
import re
import signal
import socket
import tempfile
import threading
import time
import unittest
from pathlib import Path

from Tests.endtoend.faults import processes, record, waits
from Tests.endtoend.harness import TIMEOUT, Deadline, Terminal, serialterm_binary, wait_until
from Tests.endtoend.servers.clients import (
    COM_PORT, DO, IAC, NOP, WILL, WONT, stand_still, subnegotiation)
from Tests.endtoend.test_faults_shared import SharedCase

MEBIBYTE = 1 << 20
KIBIBYTE = 1 << 10
SIGNATURE, BAUD, LINE, MODEM, SUSPEND, RESUME, SHARING = 100, 101, 106, 107, 108, 109, 191
ANSWERS = ((101, (115_200).to_bytes(4, "big")), (102, b"\x08"), (103, b"\x01"), (104, b"\x01"),
           (105, b"\x01"))
SERIALTERM = subnegotiation(SIGNATURE, b"serialterm 1.0")
# The members, the pen and the port of a session: welcome, pen, port.
JOINED = (subnegotiation(SHARING, b"\x40" + (1).to_bytes(4, "big") + b"\0\0")
          + subnegotiation(SHARING, b"\x44" + b"\xff" * 4 + b"\0")
          + subnegotiation(SHARING, b"\x48\0board"))


def member(number, name=b"eve"):
    return subnegotiation(SHARING, b"\x42" + number.to_bytes(4, "big") + b"\1" + name)


STREAMS = {
    "suspends and resumes": subnegotiation(SUSPEND) + subnegotiation(RESUME),
    "modem lines": subnegotiation(MODEM, b"\x10") + subnegotiation(MODEM, b"\0"),
    "line errors": subnegotiation(LINE, b"\x08"),
    "settings": subnegotiation(BAUD, (9_600).to_bytes(4, "big"))
    + subnegotiation(BAUD, (300).to_bytes(4, "big")),
    "options": bytes([IAC, WILL, 3, IAC, WONT, 3, IAC, DO, 99]),
    "nothing": bytes([IAC, NOP]),
    "members": member(7) + subnegotiation(SHARING, b"\x43" + (7).to_bytes(4, "big")),
    "history": subnegotiation(SHARING, b"\x41" + b"\xfe" * 8 + b"old line\r\n" * 20),
    "history of no time": subnegotiation(SHARING, b"\x41" + b"\0" * 8 + b"half \xe2\x82"),
    "gaps": subnegotiation(SHARING, b"\x47" + (9).to_bytes(4, "big")),
}


class Peer:
    """A server that greets its client, and then says one thing without end. It reads only until its port is open."""

    def __init__(self, listener, greeting, stream, reads=False):
        self.listener = listener
        self.greeting, self.reads = greeting, reads
        self.chunk = stream * max(1, (1 << 16) // len(stream))
        self.passed = 0
        self.ended = threading.Event()
        self.streaming = threading.Event()
        self.may_stream = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join()

    def run(self):
        while not self.ended.is_set():
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            with client, contextlib.suppress(OSError):
                self.serve(client)

    def serve(self, client):
        client.settimeout(TIMEOUT)
        self.greeting(client)
        self.streaming.set()
        self.may_stream.wait(TIMEOUT)
        client.settimeout(0.05)
        while not self.ended.is_set():
            with contextlib.suppress(TimeoutError):
                self.passed += client.send(self.chunk)
            if self.reads:
                with contextlib.suppress(TimeoutError):
                    client.recv(1 << 16)


def opened(client):
    """Opens the port of RFC 2217: accepts the option and answers all settings."""
    client.sendall(bytes([IAC, DO, COM_PORT]) + SERIALTERM
                   + b"".join(subnegotiation(code, value) for code, value in ANSWERS) + JOINED)


def settled(pid):
    """The memory of a process that has begun to wait."""
    stand_still(pid)
    return processes.status_of(pid)["VmRSS"]


def accepted(client):
    """Accepts the option, and answers nothing."""
    client.sendall(bytes([IAC, DO, COM_PORT]))


class Row61Case(unittest.TestCase):
    GROWTH = 8 * MEBIBYTE
    # What a program keeps of it shows, whatever is on its way.
    ENOUGH = 4 * GROWTH
    # Milliseconds.
    LIMIT = 300

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        runtime = self.folder / "run"
        runtime.mkdir(mode=0o700)
        self._waits = self.folder / "waits"
        self._waits.mkdir()
        self.variables = waits.counted(self._waits, {"XDG_RUNTIME_DIR": str(runtime)})
        (runtime / "serialterm").mkdir(mode=0o700)
        # The name of a process that runs.
        self.control = runtime / "serialterm" / f"{os.getpid()}.sock"

    def listener(self):
        listener = self.enterContext(socket.create_server(("127.0.0.1", 0)))
        return listener, f"rfc2217://127.0.0.1:{listener.getsockname()[1]}"

    def session(self, greeting=opened):
        """A listener like a session of another process, and the greeting of those who join."""
        listener = self.enterContext(socket.socket(socket.AF_UNIX))
        listener.bind(str(self.control))
        listener.listen()

        def greet(client):
            request = client.recv(1 << 10)
            if request.startswith(b"sessions"):
                client.sendall(b"session board 1 connect  \n")
                raise OSError("it has been answered")
            greeting(client)

        return listener, greet

    def start(self, *arguments):
        return self.enterContext(Terminal(
            serialterm_binary(), *arguments, variables=self.variables))

    def leave(self, terminal, how, name):
        """Ends the program with the quit key or SIGTERM. It waits no longer than is promised."""
        waited, started = waits.milliseconds(self._waits, terminal.pid), time.monotonic()
        if how == "quit key":
            terminal.send(b"\x14q")
        else:
            terminal.signal(signal.SIGTERM)
        seconds = processes.seconds_to_end(terminal, started)
        self.assertIsNotNone(seconds, f"{name}: {how}")
        record(61, f"{how} to the end", seconds * 1000, "ms", at_most=self.LIMIT)
        self.assertEqual(terminal.settings, terminal.original_settings)
        waited = waits.milliseconds(self._waits, terminal.pid) - waited
        self.assertLessEqual(waited, self.LIMIT, f"{name}: {how}")

    def grown(self, terminal, before, name, peer):
        """Lets the peer go on until it has said enough, or for a second if the program takes little. Asserts that the
        memory has never been much more than before."""
        until = time.monotonic() + 1
        peak = before

        def has_gone_on():
            nonlocal peak
            with contextlib.suppress(KeyError, OSError):
                peak = max(peak, processes.status_of(terminal.pid)["VmHWM"])
            # What is refused was said, too.
            return peer.passed > (0 if time.monotonic() > until else self.ENOUGH) or not terminal.running

        wait_until(has_gone_on, f"{name} goes on")
        record(61, "memory grown", (peak - before) / MEBIBYTE, "MiB")
        self.assertLess(peak - before, self.GROWTH, name)


class Row61StreamTests(Row61Case):
    """A server whose port is open says one thing without end."""

    def check(self, name, stream, how, *arguments, listener, greeting):
        with Peer(listener, greeting, stream) as peer:
            terminal = self.start(*arguments)
            self.assertTrue(peer.streaming.wait(TIMEOUT))
            terminal.expect(b"ctrl-t q quits")
            before = settled(terminal.pid)
            peer.may_stream.set()
            self.grown(terminal, before, name, peer)
            self.assertGreater(peer.passed, 0)
            self.leave(terminal, how, name)

    def test_a_server_that_says_one_thing_without_end_holds_up_nothing(self):
        for index, (name, stream) in enumerate(STREAMS.items()):
            for how in ("quit key", "SIGTERM"):
                with self.subTest(f"{name}, {how}"):
                    listener, target = self.listener()
                    self.check(name, stream, how, "connect", target, "--no-reconnect",
                               listener=listener, greeting=opened)

    def test_nor_does_a_session_that_is_joined(self):
        for name in ("suspends and resumes", "members", "history", "history of no time", "gaps"):
            for how in ("quit key", "SIGTERM"):
                with self.subTest(f"{name}, {how}"):
                    self.control.unlink(missing_ok=True)
                    listener, greeting = self.session()
                    self.check(name, STREAMS[name], how, "attach", "board",
                               listener=listener, greeting=greeting)


class Row61QueueTests(Row61Case):
    """What a peer can make the program keep is bounded, and the peer is cut off with the reason."""

    EARLY = b"the server sent more than 1 MiB before its port was open"
    UNREAD = b"the server does not read the answers to what it asks"

    def expect_cut_off(self, words, reason, stream, greeting, listener):
        with Peer(listener, greeting, stream) as peer:
            terminal = self.start(*words)
            self.assertTrue(peer.streaming.wait(TIMEOUT))
            before = settled(terminal.pid)
            peer.may_stream.set()
            until = threading.Event()
            peak = [before]

            def watch():
                while not until.wait(0.01):
                    with contextlib.suppress(KeyError, OSError):
                        peak[0] = max(peak[0], processes.status_of(terminal.pid)["VmRSS"])

            thread = threading.Thread(target=watch)
            thread.start()
            try:
                match = terminal.expect(re.compile(b"the connection is lost: ([^.]*)|gone \\(([^)]*)\\)"))
            finally:
                until.set()
                thread.join()
            said = re.sub(rb"\s+", b" ", match.group(1) or match.group(2))
            self.assertEqual(said, reason)
            grown = peak[0] - before
            self.assertLess(grown, self.GROWTH)
            return grown / MEBIBYTE

    def test_data_before_the_port_is_open(self):
        listener, target = self.listener()
        grown = self.expect_cut_off(
            ("connect", target, "--no-reconnect"), self.EARLY, b"boot" * 1_000, accepted, listener)
        record(61, "memory gained by data before the port is open", grown, "MiB")

    def test_data_before_the_port_of_a_session_is_open(self):
        listener, greeting = self.session(accepted)
        self.expect_cut_off(
            ("attach", "board"), self.EARLY, b"boot" * 1_000, greeting, listener)

    def test_a_server_that_asks_and_does_not_read(self):
        listener, target = self.listener()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        grown = self.expect_cut_off(
            ("connect", target, "--no-reconnect"), self.UNREAD, subnegotiation(SIGNATURE), opened,
            listener)
        record(61, "memory gained by answers that nobody reads", grown, "MiB")

    def test_a_session_that_asks_and_does_not_read(self):
        listener, greeting = self.session()
        self.expect_cut_off(
            ("attach", "board"), self.UNREAD, subnegotiation(SIGNATURE), greeting, listener)


class Row61ClientTests(SharedCase):
    """Clients that ask and do not read."""

    COUNT = 16
    # What waits for a client, a read of it, and what the client itself takes.
    LIMIT = (224 + 16 + 32) * KIBIBYTE

    def test_each_costs_little_and_is_disconnected_with_a_reason(self):
        self.serve("--writers", "none")
        watching = self.client("raw")
        self.appear(watching)
        before = processes.status_of(self.program.pid)["VmRSS"]
        peak = before
        clients = []
        # Answers of 27 bytes to questions of 7.
        questions = subnegotiation(0) * 4_000
        for _ in range(self.COUNT):
            # The kernel keeps less for a Unix socket than for a connection.
            client = self.client("rfc2217", self.paths["rfc2217"])
            client.socket.setblocking(False)
            clients.append(client)
        left = [1 << 20] * self.COUNT
        deadline = Deadline()
        while any(left) and not deadline.passed:
            for index, client in enumerate(clients):
                if not left[index]:
                    continue
                try:
                    left[index] = max(0, left[index] - client.socket.send(questions[:left[index]]))
                except BlockingIOError:
                    pass
                except OSError:
                    left[index] = 0
            peak = max(peak, processes.status_of(self.program.pid)["VmRSS"])
            if self.program.stderr.data.count(b"asks and does not read") >= self.COUNT:
                break
        for _ in range(self.COUNT):
            self.program.stderr.expect(b"asks and does not read the answers; it was disconnected.")
        record(61, "memory of a client that asks and does not read", (peak - before) / self.COUNT / 1000,
               "kB")
        self.assertLess((peak - before) / self.COUNT, self.LIMIT)
        # The others notice nothing.
        self.device.write(b"said meanwhile")
        wait_until(lambda: watching.read() and False or watching.data.endswith(b"said meanwhile"),
                   "the viewer has it")

    def test_requests_without_end_hold_up_no_one(self):
        self.serve()
        holder = self.client("rfc2217")
        holder.send(b"k")
        self.assertEqual(self.device.read_exactly(1), b"k")
        stop, asked = threading.Event(), set()
        flood = (subnegotiation(5, b"\x08") + subnegotiation(5, b"\x09") + bytes([IAC, 243])) * 1_000

        def ask():
            client = self.client("rfc2217")
            client.socket.settimeout(0.05)
            while not stop.is_set():
                with contextlib.suppress(TimeoutError, ConnectionError):
                    client.socket.send(flood)
                with contextlib.suppress(TimeoutError, ConnectionError):
                    client.socket.recv(1 << 16)
                    asked.add(client)

        threads = [threading.Thread(target=ask, daemon=True) for _ in range(4)]
        for thread in threads:
            thread.start()
        wait_until(lambda: len(asked) >= len(threads), "all ask")
        for _ in range(30):
            self.key(holder)
        waited, started = self.waited(), time.monotonic()
        self.program.signal(signal.SIGTERM)
        seconds = processes.seconds_to_end(self.program, started)
        stop.set()
        for thread in threads:
            thread.join()
        self.record_keys(61, at_most=1_000)
        record(61, "SIGTERM to the end, beside requests without end", seconds * 1000, "ms", at_most=1_000)
        self.assertLessEqual(self.waited() - waited, Row61Case.LIMIT)


if __name__ == "__main__":
    unittest.main()
