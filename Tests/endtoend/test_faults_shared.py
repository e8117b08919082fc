"""A port that many share: viewers that stall or go, a writer that dies, a server under attack."""

import contextlib
import fcntl
import hashlib
import json
import os
import random
import re
import select
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import termios
import threading
import time
import unittest
from pathlib import Path

from Tests.endtoend.faults import number, processes, record, waits
from Tests.endtoend.harness import (
    TIMEOUT, Device, Pipes, Program, Terminal, pace, serialterm_binary, slow, unread, wait_until)
from Tests.endtoend.servers import free_port
from Tests.endtoend.servers.clients import (
    COM_PORT, DO, DONT, IAC, SB, WILL, WONT, Client, Crowd, sockets_of, stand_still, subnegotiation)

MEBIBYTE = 1 << 20
KIBIBYTE = 1 << 10
SPEECHES = ("raw", "telnet", "rfc2217")
MISSED = re.compile(rb"takes nothing: it missed ([\d,]+) bytes?")


class SharedCase(unittest.TestCase):
    """Serves a device on every protocol."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        runtime = self.folder / "run"
        runtime.mkdir(mode=0o700)
        self._waits = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.variables = waits.counted(self._waits, {"XDG_RUNTIME_DIR": str(runtime)})
        self.delays, self.waits = [], []
        self.device = self.enterContext(Device())
        self.log = self.folder / "board.log"
        self.paths = {speech: self.folder / f"{speech}.sock" for speech in SPEECHES}
        self.ports = {}

    def serve(self, *options):
        free = set()
        while len(free) < len(SPEECHES):
            free.add(free_port())
        self.ports = dict(zip(SPEECHES, free))
        self.log.unlink(missing_ok=True)
        self.program = self.enterContext(Pipes(
            serialterm_binary(), "serve", self.device.path, "--log", str(self.log),
            *(f"--listen={port},{speech}" for speech, port in self.ports.items()),
            *(f"--unix={path},{speech}" for speech, path in self.paths.items()), *options,
            variables=self.variables))
        for _ in range(6):
            self.program.stderr.expect(b"serving at")

    def waited(self, program=None):
        """The milliseconds for which the program has waited for nothing but time."""
        return waits.milliseconds(self._waits, (program or self.program).pid)

    def key(self, writer):
        """A key of the one with the pen reaches the device."""
        waited, started = self.waited(), time.monotonic()
        writer.send(b"k")
        self.assertEqual(self.device.read_exactly(1), b"k")
        self.delays.append((time.monotonic() - started) * 1000)
        self.waits.append(self.waited() - waited)

    def record_keys(self, row, **promised):
        """Records how long the keys took. How long that is depends on the machine; but the program may not let them
        wait for a time to pass. One whose clients are late has such times for other reasons."""
        record(row, "a key of the writer meanwhile", self.delays, "ms", **promised)
        self.assertLessEqual(statistics.median(self.waits), 50)

    def client(self, speech="raw", address=None):
        return self.enterContext(Client(address or self.ports[speech], speech))

    def viewer(self):
        return self.enterContext(Viewer(self.variables))

    def appear(self, *clients):
        """Waits until all clients have received the bytes of the device."""
        def all_get():
            self.device.write(b"?")
            for client in clients:
                client.read()
            return all(client.data for client in clients)
        try:
            wait_until(all_get, "the clients get what the device sends")
        except AssertionError as error:
            silent = [client.errors() if client.speech == "attach" else client.speech
                      for client in clients if not client.data]
            raise AssertionError(f"{error}: {silent}, {self.program.seen()}") from None

    def logged(self, end):
        """The log, when it contains the end of the sent bytes."""
        wait_until(lambda: self.log.read_bytes().endswith(end), "the log has the end")
        return self.log.read_bytes()


class Viewer(Program):
    """`serialterm attach` between pipes, read like a client."""

    speech = "attach"

    def __init__(self, variables):
        super().__init__(
            [serialterm_binary(), "attach"], variables, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._errors = b""
        self.socket = self.process.stdout
        self.data = bytearray()
        self.ended = False

    def read(self, timeout=0):
        if self.ended or not select.select([self.socket], [], [], timeout)[0]:
            return False
        data = os.read(self.socket.fileno(), 1 << 16)
        if not data:
            self.ended = True
            return False
        self.data += data
        return True

    expect = Client.expect

    def errors(self):
        """The output on standard error."""
        while select.select([self.process.stderr], [], [], 0)[0]:
            piece = os.read(self.process.stderr.fileno(), 1 << 16)
            if not piece:
                break
            self._errors += piece
        return self._errors

    def close(self):
        super().close()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()


class Row53ViewersTests(SharedCase):
    """Viewers: 64 of every kind, some stalled, some gone in the middle."""

    EACH = 16
    SIZE = 1_500_000
    PIECE = 30_000

    def wait_for(self, end, clients):
        """Waits until all clients have received the end of the sent bytes."""
        late = list(clients)

        def all_have_it():
            late[:] = [client for client in late if not client.data.endswith(end)]
            return not late

        try:
            wait_until(all_have_it, "all have it")
        except AssertionError as error:
            raise AssertionError(f"{error}: {[(each.speech, each.ended) for each in late]}") from None

    @slow
    def test_64_viewers_one_of_each_kind_stalled_and_some_gone_in_the_middle(self):
        self.serve()
        holder = self.client()
        self.program.stderr.expect(b"has the pen")
        healthy = [self.client(speech) for speech in SPEECHES for _ in range(self.EACH)]
        healthy += [self.viewer() for _ in range(self.EACH)]
        gone = [self.client("telnet"), self.viewer()]
        # Sockets in the file system have small buffers.
        stalled = {speech: self.client(speech, self.paths[speech]) for speech in SPEECHES}
        stalled["rfc2217"].say(bytes([IAC, WILL, COM_PORT]) + subnegotiation(10, b"\xff"))
        stalled["attach"] = self.viewer()
        self.appear(holder, *healthy, *gone, *stalled.values())
        os.kill(stalled["attach"].pid, signal.SIGSTOP)
        data, end = random.Random(53).randbytes(self.SIZE), b"<end>" * 4
        readers = [holder, *healthy]
        with Crowd([*readers, *gone]):
            self.device.write(b"<begin>")
            self.wait_for(b"<begin>", readers)
            for start in range(0, len(data), self.PIECE):
                # No client that reads is behind, on a computer of any speed.
                piece = data[start:start + self.PIECE]
                self.device.write(piece)
                self.key(holder)
                self.wait_for(piece[-20:], readers)
                if start == self.SIZE // 2:
                    gone[0].reset()
                    gone[1].process.kill()
            self.device.write(end)
            text = self.logged(end)
            self.wait_for(end, readers)
        self.assertEqual(digest(text[-len(data + end):]), digest(data + end), "the log is exact")
        # Each has everything from where it came.
        differing = sum(
            digest(text[-len(each.data):]) != digest(each.data) for each in readers)
        record(53, "streams of 64 viewers and the writer that differ from the log", differing, "")
        self.assertEqual(differing, 0)
        self.record_keys(53, typical=100)
        for speech, client in stalled.items():
            with self.subTest(speech):
                text = self.check_stalled(speech, client, text)

    def check_stalled(self, speech, client, text):
        """The bytes that a stalled viewer received and those that it was told it missed are all bytes: `text`. Returns
        all bytes until now."""
        if speech == "raw":
            return self.check_disconnected(client, text)
        if speech == "attach":
            pattern, told = re.compile(rb"\[([\d,]+) bytes of the device missed"), client.errors
        elif speech == "telnet":
            pattern = re.compile(rb"\r\n\[serialterm: ([\d,]+) bytes of the device not shown\]\r\n")
            told = lambda: bytes(client.data)
        else:
            pattern, told = MISSED, lambda: self.program.stderr.data
        # Before it goes on: it may be told at once.
        known, said = len(pattern.findall(told())), self.said_count()
        if speech == "attach":
            os.kill(client.pid, signal.SIGCONT)

        def is_told():
            client.read(0.02)
            return len(pattern.findall(told())) > known

        try:
            wait_until(is_told, "the message about the bytes that it missed")
        except AssertionError as error:
            raise AssertionError(
                f"{error}: it has {len(client.data)} bytes, ended: {client.ended}, was told: {told()[-500:]}, and the "
                f"session: {self.program.seen()}") from None
        # The next one's would be taken for this one's.
        wait_until(lambda: self.said_count() > said, "the session says it")
        missed = number(pattern.findall(told())[known])
        # What comes later is behind everything that it still got.
        later = f"<after {speech} was stalled>".encode()
        self.device.write(later)
        client.expect(later)
        got = bytes(client.data).partition(later)[0]
        if speech == "telnet":
            got = pattern.split(got)[0]
        place = text.find(got)
        self.assertGreaterEqual(place, 0, "it has got a part without a gap")
        self.assertEqual(place + len(got) + missed, len(text), "what it got and missed is all")
        self.assertGreater(missed, 500_000)
        if speech == "rfc2217":
            self.assertIn(b"\x2c\x6a\x02", client.telnet.messages, "an overrun")
        self.assertFalse(client.ended)
        return text + later

    def said_count(self):
        """How often the session has said that a client missed something."""
        return len(MISSED.findall(self.program.stderr.data))

    def check_disconnected(self, client, text):
        """A stalled client of a plain byte stream was disconnected: its protocol cannot report a gap."""
        wait_until(lambda: b"and was disconnected: bytes alone" in self.program.stderr.data, "it is said")

        def is_ended():
            client.read(0.02)
            return client.ended

        wait_until(is_ended, "its stream ends")
        self.assertGreaterEqual(text.find(bytes(client.data)), 0, "it has got a part without a gap")
        self.assertLess(len(client.data), len(text) - 500_000)
        return text


class MemoryTests(SharedCase):
    """The memory of a viewer, one that reads and one that does not."""

    LIMIT = 256 * KIBIBYTE
    COUNT = 64

    def rss(self):
        return processes.status_of(self.program.pid)["VmRSS"]

    @slow
    def test_a_viewer_costs_at_most_256_kib_also_when_it_stalls(self):
        block = random.Random(1).randbytes(30_000)
        for speech in SPEECHES:
            with self.subTest(speech):
                self.device = self.enterContext(Device())
                self.serve()
                holder = self.client()
                self.appear(holder)
                with Crowd([holder]):
                    self.send(block, holder)
                    alone = self.rss()
                    clients = [
                        self.client(speech, self.paths[speech]) for _ in range(self.COUNT)]
                    self.appear(*clients)
                    quiet = self.rss()
                    self.send(block, holder)
                    stalled = self.rss()
                costs = [(size - alone) / self.COUNT for size in (quiet, stalled)]
                record(53, f"memory of a {speech} viewer, of {self.COUNT}", costs[0] / KIBIBYTE, "KiB")
                record(53, f"memory of a {speech} viewer that stalls, of {self.COUNT}",
                       costs[1] / KIBIBYTE, "KiB")
                self.assertLess(max(costs), self.LIMIT)
                for client in clients:
                    client.close()
                self.program.close()

    def send(self, block, holder):
        """Sends more than the buffers of a viewer hold, until the writer has it."""
        for _ in range(30):
            self.device.write(block)
        self.device.write(b"<settled>")
        wait_until(lambda: holder.data.endswith(b"<settled>"), "it has everything")


class Row55DeadWriterTests(SharedCase):
    """The one with the pen is killed in the middle of a line."""

    # Milliseconds.
    LIMIT = 100
    HOLDER = """import socket, sys
client = socket.socket(socket.AF_UNIX if "/" in sys.argv[1] else socket.AF_INET)
client.connect(sys.argv[1] if "/" in sys.argv[1] else ("127.0.0.1", int(sys.argv[1])))
print("sends", flush=True)
client.sendall(b"x" * int(sys.argv[2]))
print("sent", flush=True)
sys.stdin.read()
"""

    def kill(self, program, free):
        """Kills a program; `free` waits until the pen is free. Returns the milliseconds until then, and how many of
        them the program that shares the port has waited for nothing but time."""
        waited, killed = self.waited(), time.monotonic()
        program.process.kill()
        free()
        return (time.monotonic() - killed) * 1000, self.waited() - waited

    def kill_holder(self, address, count):
        holder = self.enterContext(Pipes(sys.executable, "-c", self.HOLDER, str(address), str(count)))
        holder.stdout.expect(b"sent")
        self.program.stderr.expect(b"has the pen")
        return self.kill(holder, lambda: self.program.stderr.expect(b"Nobody has the pen now."))

    def check(self, count, *addresses):
        delays, waited = [], []
        for address in addresses:
            delay, wait = self.kill_holder(address, count)
            delays.append(delay)
            waited.append(wait)
            self.assertEqual(self.device.read_exactly(count), b"x" * count, "what it queued is sent")
            # The next one begins at once.
            with Client(address) as client:
                client.send(b"next")
                self.assertEqual(self.device.read_exactly(4), b"next")
                self.program.stderr.expect(b"has the pen")
            self.program.stderr.expect(b"Nobody has the pen now.")
        record(55, f"writer killed to pen free, {count:,} bytes queued", delays, "ms", at_most=self.LIMIT)
        # A time that has nothing to do with it, such as that of bytes that the device does not take, may be over
        # meanwhile, but not each time.
        self.assertLessEqual(min(waited), self.LIMIT)

    def test_the_pen_is_free_and_what_it_queued_is_sent(self):
        self.serve()
        self.check(9, *[self.ports["raw"], self.paths["raw"]] * 2)
        # More than the device takes at once.
        self.check(100_000, self.ports["raw"], self.paths["raw"])

    def test_what_a_device_that_takes_nothing_did_not_get_is_counted(self):
        self.serve()
        count = 3_000_000
        holder = self.enterContext(Pipes(
            sys.executable, "-c", self.HOLDER, str(self.paths["raw"]), str(count)))
        self.program.stderr.expect(b"has the pen")
        holder.stdout.expect(b"sends")
        # Both queues are full, and both programs wait: one that tried again and again would never stand still.
        stand_still(holder.pid, self.program.pid)
        matches = []

        def free():
            matches.append(self.program.stderr.expect(re.compile(rb"has left; ([\d,]+) bytes were not sent")))
            self.program.stderr.expect(b"Nobody has the pen now.")

        delay, waited = self.kill(holder, free)
        record(55, "writer killed to pen free, queue full", delay, "ms", at_most=self.LIMIT)
        # The look whether the device takes anything, after half a second, may be due meanwhile.
        self.assertLessEqual(waited, self.LIMIT + 500)
        unsent = number(matches[0].group(1))
        # What the next one sends comes behind it.
        self.client().send(b"<end>")
        got = len(self.device.read_through(b"<end>")) - 5
        # Bytes that the killed program had not passed on cannot be counted. The queue of this program is complete.
        self.assertGreater(unsent, 0)
        self.assertGreaterEqual(got, MEBIBYTE)
        self.assertLessEqual(got + unsent, count)

    def test_a_person_who_is_killed_leaves_the_pen_to_the_one_at_the_session(self):
        session = self.enterContext(Terminal(
            serialterm_binary(), "connect", self.device.path, variables=self.variables))
        session.expect(b"ctrl-t q quits")
        self.program, delays, waited_each = session, [], []
        for _ in range(3):
            viewer = self.enterContext(Terminal(
                serialterm_binary(), "attach", "--force", variables=self.variables))
            viewer.expect(b"you have taken the pen")
            viewer.send(b"half a li")
            self.assertEqual(self.device.read_exactly(9), b"half a li")
            delay, waited = self.kill(viewer, lambda: session.expect(b"you have the pen."))
            delays.append(delay)
            waited_each.append(waited)
            session.send(b"h")
            self.assertEqual(self.device.read_exactly(1), b"h")
        record(55, "viewer with the pen killed to the session has it", delays, "ms", at_most=self.LIMIT)
        self.assertLessEqual(min(waited_each), self.LIMIT)


class Row43NegotiationTests(SharedCase):
    """What clients negotiate, and what only looks like it."""

    def test_an_option_that_is_switched_on_and_on_gets_few_replies(self):
        self.serve()
        for speech in ("telnet", "rfc2217"):
            for option in (0, 1, 3, 24, 44, 200):
                for words in ((WILL, WONT), (DO, DONT), (WILL, DO), (WILL, WILL)):
                    with self.subTest(f"{speech} {option} {words}"):
                        client = self.client(speech)
                        client.socket.sendall(b"".join(
                            bytes([IAC, words[turn % 2], option]) for turn in range(1_000)))
                        answer = self.answers(client)
                        for direction in ((WILL, WONT), (DO, DONT)):
                            replies = sum(
                                answer.count(bytes([IAC, word, option])) for word in direction)
                            # In addition to its own question.
                            self.assertLessEqual(replies, 20 + 1)
                        client.close()

    def answers(self, client):
        """The answers until that to a question that always gets one: DO of an unknown option."""
        client.socket.sendall(bytes([IAC, DO, 99]))
        data = b""
        while bytes([IAC, WONT, 99]) not in data:
            piece = client.socket.recv(1 << 16)
            self.assertTrue(piece, data)
            data += piece
        return data

    def test_commands_that_are_divided_anywhere_are_the_same(self):
        self.serve()
        message = (bytes([IAC, WILL, COM_PORT]) + subnegotiation(1, (19_200).to_bytes(4, "big"))
                   + b"d\xff\xffta")
        for size in range(1, len(message)):
            # The kernel says when the other end has read everything from such a socket.
            client = self.client("rfc2217", self.paths["rfc2217"])
            rate = 9_600 if size % 2 else 19_200
            data = message.replace((19_200).to_bytes(4, "big"), rate.to_bytes(4, "big"))
            for start in range(0, len(data), size):
                client.socket.sendall(data[start:start + size])
                wait_until(lambda: unsent(client.socket) == 0, "the piece is read")
            self.assertEqual(self.device.read_exactly(4), b"d\xffta")
            self.assertEqual(self.device.settings.output_baud, rate)
            client.close()
            self.program.stderr.expect(b"Nobody has the pen now")

    def test_garbage_ends_nothing(self):
        self.serve()
        generator = random.Random(43)
        holder = self.client()
        self.appear(holder)
        sockets = sockets_of(self.program.pid)
        for index in range(200):
            client = self.client(SPEECHES[1 + index % 2])
            with contextlib.suppress(OSError):
                for _ in range(5):
                    words = generator.randbytes(generator.randrange(200))
                    client.socket.sendall(words.replace(b"\0", bytes([IAC])).replace(b"\1", bytes([IAC, SB])))
            client.reset()
            if index % 20 == 0:
                holder.send(b"k")
                self.assertEqual(self.device.read_exactly(1), b"k")
        wait_until(lambda: sockets_of(self.program.pid) <= sockets, "all are gone")
        holder.send(b"k")
        self.assertEqual(self.device.read_exactly(1), b"k")
        self.assertEqual(unread(self.device.descriptor), 0)


class Row57AttackTests(SharedCase):
    """A thousand connections that mean harm."""

    COUNT = 1_000
    LIMIT = 8 * MEBIBYTE

    def attack(self, index):
        """A connection: silent, garbage, a byte now and then, or gone at once."""
        attacker = socket.socket()
        attacker.settimeout(TIMEOUT)
        try:
            attacker.connect(("127.0.0.1", self.ports[SPEECHES[index % 3]]))
            kind = index % 4
            if kind == 0:
                attacker.sendall(random.Random(index).randbytes(2_000))
            elif kind == 1:
                attacker.sendall(bytes([IAC]))
            elif kind == 2:
                attacker.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                attacker.close()
                return None
            return attacker
        except OSError:
            attacker.close()
            return None

    @slow
    def test_a_thousand_connections_leave_the_session_as_it_was(self):
        self.serve()
        holder = self.client()
        self.appear(holder)
        before = processes.status_of(self.program.pid)["VmRSS"]
        sockets = sockets_of(self.program.pid)
        attackers, most = [], 0
        done = threading.Event()

        def run():
            for index in range(self.COUNT):
                attackers.append(self.attack(index))
            done.set()

        thread = threading.Thread(target=run)
        thread.start()
        sent = bytearray()
        peak = before
        while not done.is_set() or len(self.delays) < 100:
            self.key(holder)
            block = random.Random(len(self.delays)).randbytes(200)
            self.device.write(block)
            sent += block
            holder.read(0.01)
            most = max(most, sockets_of(self.program.pid) - sockets)
            peak = max(peak, processes.status_of(self.program.pid)["VmRSS"])
        thread.join()
        # Clients that wait in the kernel's queue are accepted slowly.
        wait_until(lambda: holder.data.endswith(sent[-200:]) or holder.read(0.05) and False,
                   "the writer has everything")
        for attacker in attackers:
            if attacker:
                attacker.close()
        wait_until(lambda: sockets_of(self.program.pid) <= sockets, "all are gone")
        record(57, f"most clients at once, of {self.COUNT}", most // 2, "")
        record(57, "memory grown", (peak - before) / MEBIBYTE, "MiB")
        self.assertTrue(holder.data.endswith(sent), "the writer's stream is exact")
        self.assertTrue(self.logged(bytes(sent[-200:])).endswith(sent), "the log is exact")
        # Each has two descriptors.
        self.assertLessEqual(most, 2 * 256)
        self.assertLessEqual(peak - before, self.LIMIT)
        self.record_keys(57, typical=100)
        self.assertIn(b"was not let in: there are 256 clients", self.program.stderr.data)
        # No client is refused afterwards.
        late = self.client("telnet")
        self.appear(late)


def digest(data):
    return hashlib.sha256(data).digest()


PURGE = subnegotiation(12, b"\x02")
SUSPEND, RESUME = subnegotiation(8), subnegotiation(9)
# Asks for the state of DTR, which is answered.
QUERY = subnegotiation(5, b"\x07")


def unsent(sock):
    """The number of bytes that the other end of a socket in the file system has not read: SIOCOUTQ."""
    return int.from_bytes(fcntl.ioctl(sock, termios.TIOCOUTQ, bytes(4)), sys.byteorder)


class Row63SuspendedTests(SharedCase):
    """The one with the pen suspends the flow, resumes it for a moment, and suspends it again."""

    SECONDS = 9
    LIMIT = 2.0
    HELD = 0.7

    @slow
    def test_short_waits_add_up_to_two_seconds(self):
        self.serve()
        holder = self.client("rfc2217")
        self.appear(holder)
        holder.send(b"k")
        self.assertEqual(self.device.read_exactly(1), b"k")

        def say(message):
            """Says something, and waits until it was heard: what comes next was answered."""
            known = len(holder.telnet.messages)
            holder.say(message + QUERY)
            wait_until(lambda: holder.read(0.1) and False or len(holder.telnet.messages) > known, "the answer")

        held = 0.0
        while held < self.LIMIT:
            say(SUSPEND)
            begun = time.monotonic()
            # The time that is counted.
            time.sleep(self.HELD)
            # At least so long, on a machine of any load.
            held += time.monotonic() - begun
            say(RESUME)
        self.program.stderr.expect(b"takes nothing: the device waits no longer for it")
        # No time is left: the log goes on at once, although the flow stays suspended.
        say(SUSPEND)
        waited = self.waited()
        self.device.write(b"<end>")
        self.logged(b"<end>")
        self.assertLessEqual(self.waited() - waited, 100)

    @slow
    def test_the_log_waits_two_seconds_in_a_minute(self):
        self.serve()
        holder = self.client("rfc2217")
        self.appear(holder)
        holder.send(b"k")
        self.assertEqual(self.device.read_exactly(1), b"k")
        done = threading.Event()

        def suspend():
            while not done.wait(0.02):
                holder.say(SUSPEND)
                if done.wait(1.8):
                    break
                holder.say(RESUME)

        thread = threading.Thread(target=suspend)
        thread.start()
        started = grown = time.monotonic()
        waited, size = 0.0, 0
        for count in range(50 * self.SECONDS):
            # The terminal has room for a few seconds: nothing is lost on the way to the program.
            self.device.write(b"x" * 20)
            pace(started, count + 1, 50)
            now, new = time.monotonic(), self.log.stat().st_size
            if new > size:
                # A log is written after a short quiet time, or when much has come.
                waited += max(0, now - grown - 0.2)
                grown, size = now, new
        done.set()
        thread.join()
        record(63, "time that the log did not grow, of 9 s", waited, "s", at_most=self.LIMIT)
        self.program.stderr.expect(b"takes nothing: the device waits no longer for it")
        self.device.write(b"<end>")
        self.logged(b"<end>")


class Row64PurgeTests(SharedCase):
    """One of several writers discards what it has sent."""

    SIZE = 120_000

    def test_a_purge_discards_the_bytes_of_its_author_alone(self):
        events = self.folder / "events.jsonl"
        self.serve("--writers", "all", "--log", str(events))
        # Each line says whose it is.
        lines = {name: name * 59 + b"\n" for name in (b"a", b"b")}
        clients = {name: self.client("rfc2217") for name in lines}
        self.appear(*clients.values())
        for name, client in clients.items():
            for _ in range(self.SIZE // 60 // 20):
                client.send(lines[name] * 20)
        clients[b"a"].say(PURGE)
        said = self.program.stderr.expect(
            re.compile(rb"has discarded ([\d,]+) bytes? of its own: not sent"))
        discarded = number(said.group(1))
        # The last line comes behind everything that is left.
        clients[b"b"].send(b"end\n")
        got = self.device.read_exactly(2 * self.SIZE - discarded + 4)
        self.assertTrue(got.endswith(b"end\n"), got[-100:])
        got = got[:-4]
        wait_until(lambda: b"discarded" in events.read_bytes(), "it is logged")
        logged = [json.loads(line) for line in events.read_text().splitlines() if "discarded" in line]
        self.assertEqual([event["count"] for event in logged], [discarded])
        lost = self.SIZE - got.count(b"b") - self.SIZE // 60
        record(64, "bytes of another author that were discarded", lost, "bytes")
        self.assertEqual(lost, 0)
        self.assertGreater(discarded, 0)


class Row67ReadOnlyTests(SharedCase):
    """Nobody writes to a session that is read-only."""

    def hostile(self, client, generator):
        """Sends data and, where there are any, messages that change the line."""
        data = generator.randbytes(200)
        if client.speech == "raw":
            return client.socket.sendall(data)
        client.send(data)
        if client.speech == "rfc2217":
            client.say(subnegotiation(1, b"\0\0\x25\x80") + subnegotiation(5, b"\x05")
                       + subnegotiation(5, bytes([generator.choice((8, 9, 11, 12, 2))])) + PURGE)
        client.say(bytes([IAC, 243]))

    def test_nothing_reaches_the_device(self):
        free = [free_port() for _ in SPEECHES]
        places = dict(zip(SPEECHES, free))
        session = self.enterContext(Terminal(
            serialterm_binary(), "connect", self.device.path, "--read-only",
            *(f"--listen={port},{speech}" for speech, port in places.items()),
            *(f"--unix={path},{speech}" for speech, path in self.paths.items()),
            variables=self.variables))
        session.expect(b"ctrl-t q quits")
        rate = self.device.settings.output_baud
        generator = random.Random(67)
        clients = [
            self.client(speech, address) for addresses in (places, self.paths)
            for speech, address in addresses.items()]
        self.appear(*clients)
        viewer = self.enterContext(Terminal(
            serialterm_binary(), "attach", "--force", variables=self.variables))
        viewer.expect(b"Nobody may write here: you watch.")
        person = self.enterContext(Terminal(
            serialterm_binary(), f"rfc2217://{self.paths['rfc2217']}", "-b", "9600",
            variables=self.variables))
        person.expect(b"Nobody may write here")
        for _ in range(30):
            for client in clients:
                with contextlib.suppress(OSError):
                    self.hostile(client, generator)
            for terminal in (session, viewer, person):
                terminal.send(b"x")
        for terminal in (session, viewer, person):
            terminal.expect(b"not sent")
        # What a client asks last is answered: everything before was handled.
        clients[2].say(subnegotiation(12, b"\x03"))
        wait_until(
            lambda: clients[2].read(0.1) or bytes([COM_PORT, 112, 3]) in clients[2].telnet.messages,
            "the purge is answered")
        # So was what the others said: everything that the kernel has for the session was read.
        stand_still(session.pid)
        reached = unread(self.device.descriptor)
        record(67, "bytes that reached the device", reached, "bytes")
        self.assertEqual(reached, 0)
        self.assertEqual(self.device.settings.output_baud, rate)
        # The session may write again, and then those who share it.
        session.send(b"\x14:")
        session.send(b"read-only\r")
        viewer.expect(b"has the pen")
        session.send(b"k")
        self.assertEqual(self.device.read_exactly(1), b"k")


if __name__ == "__main__":
    unittest.main()
