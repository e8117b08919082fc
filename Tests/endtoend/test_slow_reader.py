"""Standard output that is read late or slowly, while the device keeps sending."""

import contextlib
import json
import os
import select
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

from Tests.endtoend.faults import HAS_COMPILER, processes, text, waits
from Tests.endtoend.harness import Deadline, Device, pace, serialterm_binary, wait_until
from Tests.endtoend.harness.program import Program


class Chatter:
    """A device that sends without end, in the background."""

    def __init__(self, device, words=b"chatter\n" * 1024):
        self._device, self._words = device, words
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._send, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()

    def _send(self):
        while not self._stop.is_set():
            if select.select([], [self._device.descriptor], [], 0.01)[1]:
                with contextlib.suppress(BlockingIOError):
                    os.write(self._device.descriptor, self._words)


class SlowReaderCase(unittest.TestCase):
    def setUp(self):
        self.device = self.enterContext(Device())

    def start(self, *words, **how):
        """Starts a program whose standard output is read by `read` only."""
        self.output, writer = os.pipe()
        self.addCleanup(os.close, self.output)
        try:
            return self.enterContext(
                Program([serialterm_binary(), *words], stdin=subprocess.PIPE, stdout=writer, **how))
        finally:
            os.close(writer)

    def lets_wait(self, program):
        """Whether the program lets the device wait: it sleeps, although there are bytes of the device."""
        return self.device.has_unread and processes.state_of(program.pid) == "S"

    def fill(self, program, data):
        """Sends data until the program lets the device wait; returns how many bytes were taken."""
        os.set_blocking(self.device.descriptor, False)
        count = 0

        def is_full():
            nonlocal count
            try:
                while count < len(data):
                    count += os.write(self.device.descriptor, data[count:count + 4096])
            except BlockingIOError:
                return self.lets_wait(program)
            return True

        wait_until(is_full, "the program lets the device wait, or has taken everything")
        return count

    def read_slowly(self, rate=1000):
        """Reads the program's output to its end, slower than a device can send: `rate` pieces of 4 KiB a second."""
        deadline, data, count, started = Deadline(), bytearray(), 0, time.monotonic()
        while not deadline.passed and select.select([self.output], [], [], deadline.left)[0]:
            chunk = os.read(self.output, 4096)
            if not chunk:
                return bytes(data)
            data += chunk
            count += 1
            pace(started, count, rate)
        raise AssertionError(f"no end within {deadline.seconds} s, after {len(data)} bytes")


class EndTests(SlowReaderCase):
    """A device that keeps sending must not keep a program from ending."""

    def test_send_prints_nothing_past_its_match(self):
        program = self.start("send", self.device.path, "?", "--expect", "MATCH", "--timeout", "3600")
        self.assertEqual(self.device.read_exactly(1), b"?")
        data = text(1_000_000).replace(b"MATCH", b"match")
        count = self.fill(program, data)
        self.assertLess(count, len(data), "the program does not wait for its reader")
        with Chatter(self.device, b"MATCH" + b"chatter\n" * 64):
            printed = self.read_slowly()
            self.assertEqual(program.wait(), 0)
        self.assertEqual(len(printed), count + len(b"MATCH"))
        self.assertTrue(printed == data[:count] + b"MATCH", "what was printed differs")

    def test_json_ends_when_its_input_does(self):
        program = self.start("connect", self.device.path, "--json")
        with Chatter(self.device):
            wait_until(lambda: self.lets_wait(program), "the program lets the device wait")
            program.process.stdin.write(b'{"command": "send", "text": "?"}\n')
            program.process.stdin.close()
            lines = self.read_slowly(100).splitlines()
            self.assertEqual(program.wait(), 0)
        events = [json.loads(line)["event"] for line in lines]
        self.assertIn("done", events)
        self.assertEqual(events[-1], "state", "the end is told")


class PipeTests(SlowReaderCase):
    """A pipe that is full makes the device wait: nothing is lost."""

    SIZE = 4_000_000

    def read_late(self, program, data):
        count = self.fill(program, data)
        self.assertLess(count, 1_000_000, "the program does not wait for its reader")
        rest = threading.Thread(target=self.device.write, args=(data[count:],))
        rest.start()
        try:
            printed = bytearray()
            while chunk := os.read(self.output, 65536):
                printed += chunk
        finally:
            rest.join()
        self.assertEqual(program.wait(), 0)
        self.assertEqual(len(printed), len(data))
        self.assertTrue(printed == data, "what was printed differs")

    def test_send_holds_the_device_back(self):
        program = self.start("send", self.device.path, "?", "--expect", "END", "--timeout", "3600")
        self.assertEqual(self.device.read_exactly(1), b"?")
        self.read_late(program, text(self.SIZE).replace(b"END", b"end") + b"END")

    @unittest.skipUnless(HAS_COMPILER, "needs a C compiler")
    def test_time_in_which_the_output_is_not_read_is_no_linger_time(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        program = self.start("connect", self.device.path, "--linger", "2", variables=waits.counted(folder))
        program.process.stdin.write(b"?")
        self.assertEqual(self.device.read_exactly(1), b"?")
        data = text(1_000_000)
        count = self.fill(program, data)
        self.assertLess(count, len(data), "the program does not wait for its reader")
        waited = waits.milliseconds(folder, program.pid)
        program.process.stdin.close()
        wait_until(
            lambda: waits.milliseconds(folder, program.pid) >= waited + 1000 or not program.running,
            "the linger time is over")
        printed = self.read_slowly()
        self.assertEqual(program.wait(), 0)
        self.assertEqual(len(printed), count)
        self.assertTrue(printed == data[:count], "what was printed differs")

    def test_run_holds_the_device_back(self):
        program = self.start("run", self.device.path, "-")
        program.process.stdin.write(b'send "?"\nexpect /END/ within 3600s\n')
        program.process.stdin.close()
        self.assertEqual(self.device.read_exactly(1), b"?")
        self.read_late(program, text(self.SIZE).replace(b"END", b"end") + b"END")
