"""Standard output that is read late or slowly, while the device keeps sending."""

import contextlib
import json
import os
import select
import subprocess
import threading
import time
import unittest

from Tests.endtoend.faults import text
from Tests.endtoend.harness import Deadline, Device, serialterm_binary
from Tests.endtoend.harness.program import Program

# Seconds without progress after which a full pipe counts as full.
PAUSE = 0.3


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

    def start(self, *words):
        """Starts a program whose standard output is read by `read` only."""
        self.output, writer = os.pipe()
        self.addCleanup(os.close, self.output)
        try:
            return self.enterContext(
                Program([serialterm_binary(), *words], stdin=subprocess.PIPE, stdout=writer))
        finally:
            os.close(writer)

    def fill(self, data):
        """Sends data until nothing is taken any more; returns how many bytes were."""
        os.set_blocking(self.device.descriptor, False)
        count = 0
        while count < len(data) and select.select([], [self.device.descriptor], [], PAUSE)[1]:
            with contextlib.suppress(BlockingIOError):
                count += os.write(self.device.descriptor, data[count:count + 4096])
        return count

    def read_slowly(self, pause=0.001, limit=30):
        """Reads the program's output to its end, 4 KiB at a time, slower than a device can send:
        with a pause after each piece, in seconds."""
        deadline, data = Deadline(limit), bytearray()
        while not deadline.passed and select.select([self.output], [], [], deadline.left)[0]:
            chunk = os.read(self.output, 4096)
            if not chunk:
                return bytes(data)
            data += chunk
            time.sleep(pause)
        raise AssertionError(f"no end within {limit} s, after {len(data)} bytes")


class EndTests(SlowReaderCase):
    """A device that keeps sending must not keep a program from ending."""

    def test_send_prints_nothing_past_its_match(self):
        program = self.start("send", self.device.path, "?", "--expect", "MATCH", "--timeout", "60")
        self.assertEqual(self.device.read_exactly(1), b"?")
        data = text(1_000_000).replace(b"MATCH", b"match")
        count = self.fill(data)
        self.assertLess(count, len(data), "the program does not wait for its reader")
        with Chatter(self.device, b"MATCH" + b"chatter\n" * 64):
            printed = self.read_slowly()
            self.assertEqual(program.wait(), 0)
        self.assertEqual(len(printed), count + len(b"MATCH"))
        self.assertTrue(printed == data[:count] + b"MATCH", "what was printed differs")

    def test_json_ends_when_its_input_does(self):
        program = self.start("connect", self.device.path, "--json")
        with Chatter(self.device):
            self.assertTrue(select.select([self.output], [], [], 10)[0])
            time.sleep(PAUSE)
            program.process.stdin.write(b'{"command": "send", "text": "?"}\n')
            program.process.stdin.close()
            lines = self.read_slowly(0.01).splitlines()
            self.assertEqual(program.wait(), 0)
        events = [json.loads(line)["event"] for line in lines]
        self.assertIn("done", events)
        self.assertEqual(events[-1], "state", "the end is told")


class PipeTests(SlowReaderCase):
    """A pipe that is full makes the device wait: nothing is lost."""

    SIZE = 4_000_000

    def read_late(self, program, data):
        count = self.fill(data)
        self.assertLess(count, 1_000_000, "the program does not wait for its reader")
        rest = threading.Thread(target=self.device.write, args=(data[count:], 60))
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
        program = self.start("send", self.device.path, "?", "--expect", "END", "--timeout", "60")
        self.assertEqual(self.device.read_exactly(1), b"?")
        self.read_late(program, text(self.SIZE).replace(b"END", b"end") + b"END")

    def test_run_holds_the_device_back(self):
        program = self.start("run", self.device.path, "-")
        program.process.stdin.write(b'send "?"\nexpect /END/ within 60s\n')
        program.process.stdin.close()
        self.assertEqual(self.device.read_exactly(1), b"?")
        self.read_late(program, text(self.SIZE).replace(b"END", b"end") + b"END")
