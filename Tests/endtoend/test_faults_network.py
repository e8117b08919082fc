"""Rows 44 and 56: a peer that is gone without a word, a server that restarts."""

import contextlib
import ctypes
import os
import re
import socket
import struct
import subprocess
import tempfile
import threading
import time
import unittest

from Tests.endtoend.faults import HAS_COMPILER, PREFIX, number, record, text, waits
from Tests.endtoend.faults.line import Driver
from Tests.endtoend.faults.words import NOT_SENT
from Tests.endtoend.harness import Device, Pipes, Terminal, serialterm_binary, slow, unread, wait_until
from Tests.endtoend.harness.deadline import TIMEOUT
from Tests.endtoend.servers import Ser2net, free_port
from Tests.endtoend.servers.clients import stand_still

BACK = re.compile(rb"is back after ([\d.]+) s")


class FarMachine:
    """A network namespace that replaces another computer, at the other end of a cable (veth)."""

    ADDRESS = "198.18.44.2"

    def __init__(self):
        self.name = f"serialterm-{os.getpid()}"
        self.near, self.far = f"st{os.getpid()}n", f"st{os.getpid()}f"

    def __enter__(self):
        try:
            self.ip("netns", "add", self.name)
            self.ip("link", "add", self.near, "type", "veth", "peer", "name", self.far, "netns",
                    self.name)
            self.ip("addr", "add", "198.18.44.1/30", "dev", self.near)
            self.ip("-n", self.name, "addr", "add", f"{self.ADDRESS}/30", "dev", self.far)
            self.ip("link", "set", self.near, "up")
            self.plug("up")
        except (OSError, subprocess.CalledProcessError) as error:
            self.__exit__()
            words = getattr(error, "stderr", "") or str(error)
            raise unittest.SkipTest(f"no network namespace: {words.strip()}") from error
        return self

    def __exit__(self, *_):
        # A connection that is being closed may keep the namespace for a while, but not the cable.
        for words in (("link", "delete", self.near), ("netns", "delete", self.name)):
            with contextlib.suppress(OSError, subprocess.CalledProcessError):
                self.ip(*words)

    @staticmethod
    def ip(*words):
        return subprocess.run(["ip", *words], check=True, capture_output=True, text=True).stdout

    def plug(self, state):
        """Plugs the cable in (`up`), or pulls it out (`down`): no packet passes then."""
        self.ip("-n", self.name, "link", "set", self.far, state)
        # Not in /sys, which shows the network of the process that mounted it.
        wait_until(
            lambda: (" state UP " in self.ip("-o", "link", "show", self.near)) == (state == "up"),
            f"the cable is {state}")

    def listener(self):
        """A socket of that machine that listens."""
        made = []

        def make():
            # A thread's own namespace: it ends with the thread.
            with open(f"/var/run/netns/{self.name}", "rb") as namespace:
                if ctypes.CDLL(None, use_errno=True).setns(namespace.fileno(), 0) != 0:
                    return
            made.append(socket.create_server((self.ADDRESS, 0)))

        thread = threading.Thread(target=make)
        thread.start()
        thread.join()
        if not made:
            raise unittest.SkipTest("no thread in another network namespace")
        made[0].settimeout(TIMEOUT)
        return made[0]


@slow
class Row44HalfOpenTests(unittest.TestCase):
    # Seconds.
    LIMIT = 15

    def setUp(self):
        self.waits = self.enterContext(tempfile.TemporaryDirectory())
        self.machine = self.enterContext(FarMachine())

    def session(self):
        listener = self.enterContext(self.machine.listener())
        port = listener.getsockname()[1]
        terminal = self.enterContext(
            Terminal(serialterm_binary(), "connect", f"tcp://{self.machine.ADDRESS}:{port}",
                     variables=waits.counted(self.waits)))
        terminal.expect(b"connected")
        client = self.enterContext(listener.accept()[0])
        client.settimeout(TIMEOUT)
        client.sendall(b"here")
        terminal.expect(b"here")
        return listener, client, terminal

    def test_a_peer_that_is_gone_without_a_word_is_noticed_whether_something_is_sent_or_not(self):
        idle_listener, _, idle = self.session()
        listener, _, typing = self.session()
        self.machine.plug("down")
        cut = time.monotonic()
        waited = {terminal.pid: waits.milliseconds(self.waits, terminal.pid) for terminal in (idle, typing)}
        typing.send(b"typed in vain")
        for terminal, name in ((idle, "idle"), (typing, "typing")):
            terminal.expect(b"is gone, waiting for it to come back")
            record(44, f"cable pulled out to reported, {name}", time.monotonic() - cut, "s", at_most=self.LIMIT)
            # The kernel notices it. The attempts to come back, which begin then, have times too.
            self.assertLess(waits.milliseconds(self.waits, terminal.pid) - waited[terminal.pid], self.LIMIT * 1000)
        typing.expect(b"13 bytes were not sent.")
        self.machine.plug("up")
        plugged = time.monotonic()
        for terminal, server in ((idle, idle_listener), (typing, listener)):
            client = self.enterContext(server.accept()[0])
            terminal.expect(BACK)
            terminal.send(b"!")
            client.settimeout(TIMEOUT)
            self.assertEqual(client.recv(100), b"!", "what was counted is not sent again")
        record(44, "cable plugged in to both back", time.monotonic() - plugged, "s")


class Row56LinkTests(unittest.TestCase):
    """A link that breaks in the middle of a write: the bytes that the test's server received, and the messages."""

    SIZE = 6_000_000

    def listener(self, port=0):
        listener = self.enterContext(socket.create_server(("127.0.0.1", port)))
        listener.settimeout(TIMEOUT)
        # Its connections have this size for good. The kernel may let others grow until all of the bytes fit.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
        return listener

    @staticmethod
    def reset(client):
        """Ends a connection without a good-bye: RST."""
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()

    @staticmethod
    def held(client, program):
        """Waits until the sender is stopped; how much waits to be read."""
        ends = [each[1] for each in (client.getpeername(), client.getsockname())]

        def is_full():
            with open("/proc/self/net/tcp", encoding="ascii") as table:
                rows = [line.split() for line in table.readlines()[1:]]
            # The kernel of the sender waits until there is room (4: the probe of a window without room): nothing is
            # under way.
            return any([int(end.split(":")[1], 16) for end in row[1:3]] == ends and row[5].startswith("04:")
                       for row in rows)

        wait_until(is_full, "the kernel sends no more")
        stand_still(program.pid)
        return unread(client.fileno())

    @staticmethod
    def everything(client):
        """The bytes of the connection until its end."""
        data = b""
        while piece := client.recv(1 << 20):
            data += piece
        return data

    def test_a_pipe_goes_on_behind_what_was_in_flight_and_nothing_comes_twice(self):
        data = text(self.SIZE, seed=56)
        listener = self.listener()
        program = self.enterContext(Pipes(
            serialterm_binary(), "connect",
            f"tcp://127.0.0.1:{listener.getsockname()[1]}", "--linger", "0"))
        client, _ = listener.accept()
        client.settimeout(TIMEOUT)
        program.send(data, then_close=True)
        first = b""
        while len(first) < 1_000_000:
            first += client.recv(65_536)
        acknowledged = self.held(client, program)
        self.reset(client)
        client, _ = listener.accept()
        client.settimeout(TIMEOUT)
        rest = self.everything(client)
        client.close()
        status = program.wait()
        self.assertTrue(data.startswith(first), "the first connection has the beginning")
        self.assertTrue(data.endswith(rest), "the second one has the end")
        missing = len(data) - len(first) - len(rest)
        self.assertGreaterEqual(missing, 0, "no byte is sent twice")
        said = sum(number(count) for count in NOT_SENT.findall(program.stderr.data))
        self.assertGreater(said, 0)
        # Bytes that the other end's kernel has taken count as sent, even if its program has not read them.
        self.assertEqual(said, missing - acknowledged)
        self.assertEqual(status, 1)
        record(56, "difference between said and true, of bytes in flight when a link broke",
               abs(said - missing + acknowledged), "bytes")


@unittest.skipIf(Ser2net.missing(), Ser2net.missing())
@unittest.skipUnless(HAS_COMPILER, "the simulated driver needs a compiler")
class Row56ServerTests(unittest.TestCase):
    # Milliseconds.
    LIMIT = 1_000

    def test_a_server_that_restarts_is_back_within_a_second_with_settings_and_lines(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        counts = self.enterContext(tempfile.TemporaryDirectory())
        device = self.enterContext(Device())
        driver = Driver(device.path, folder, framing=1)
        port = free_port()
        terminal, times = None, []

        def server():
            return Ser2net.running(device.path, port, folder, driver.variables)

        with server():
            terminal = self.enterContext(Terminal(
                serialterm_binary(), "connect", f"rfc2217://127.0.0.1:{port}", "-b", "9600", "-p",
                "odd", "--dtr", "off", variables=waits.counted(counts)))
            terminal.expect(b"at 9600 8O1")
        for number_ in range(5):
            terminal.expect(b"is gone, waiting")
            # The phase of the attempts differs from restart to restart.
            terminal.send(PREFIX + b"L")
            terminal.expect(b"serialterm: ")
            seen = len(driver.trace)
            with server():
                waited, started = waits.milliseconds(counts, terminal.pid), time.monotonic()
                terminal.expect(BACK)
                times.append((time.monotonic() - started) * 1000)
                self.assertLessEqual(waits.milliseconds(counts, terminal.pid) - waited, self.LIMIT)
                new = driver.trace[seen:]
                self.assertIn("set 8O1", new)
                wait_until(lambda seen=seen: any(
                    call.startswith("TIOCMBIC") and "DTR" in call
                    or call.startswith("TIOCMSET") and "DTR" not in call
                    for call in driver.trace[seen:]), "DTR is off again")
                self.assertEqual(device.settings.output_baud, 9600)
                terminal.send(b"%d" % number_)
                self.assertEqual(device.read_exactly(1), b"%d" % number_)
        record(56, "ser2net listens to the session is back", times, "ms", at_most=self.LIMIT)


if __name__ == "__main__":
    unittest.main()
