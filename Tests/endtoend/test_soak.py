"""Row 48: many ports for a long time. `scripts/test --soak` runs it for minutes, every run of the
tests for seconds."""

import hashlib
import os
import random
import selectors
import tempfile
import time
import unittest
from pathlib import Path

from Tests.endtoend.faults import processes, record
from Tests.endtoend.harness import (
    Deadline, Device, Program, files_of, serialterm_binary, slow, soak)

PORTS = 64
# Bytes a second of each port, in each direction.
FROM_DEVICE, TO_DEVICE = 24_000, 8_000
# Seconds of the long run.
LONG = 60 * float(os.environ.get("SERIALTERM_SOAK_MINUTES", "12"))
# How much memory may grow.
GROWTH = 0.05


class Stream:
    """Bytes from one descriptor to another. The written bytes are compared with the read ones."""

    def __init__(self, seed, source, sink, rate):
        self._block = random.Random(seed).randbytes(8_192)
        self.source, self.sink, self._rate = source, sink, rate
        self.written, self.read = 0, 0
        self.expected, self.actual = hashlib.sha256(), hashlib.sha256()
        for descriptor in (source, sink):
            os.set_blocking(descriptor, False)

    def write(self, elapsed, seconds):
        """Writes the bytes that are due: at most those of a number of seconds."""
        due = int(min(elapsed, seconds) * self._rate) - self.written
        while due > 0:
            place = self.written % len(self._block)
            try:
                count = os.write(self.source, self._block[place:place + due])
            except BlockingIOError:
                return
            self.expected.update(self._block[place:place + count])
            self.written += count
            due -= count

    def receive(self):
        """Reads the available bytes."""
        try:
            data = os.read(self.sink, 65_536)
        except (BlockingIOError, OSError):
            return
        self.actual.update(data)
        self.read += len(data)

    def has_passed(self, seconds):
        """Whether the bytes of a number of seconds were read."""
        return self.read >= int(seconds * self._rate)

    @property
    def is_whole(self):
        return self.read == self.written

    @property
    def is_same(self):
        return self.is_whole and self.actual.digest() == self.expected.digest()


class Port(Program):
    """A session on a device, with a log."""

    def __init__(self, number, folder):
        self.device = Device()
        self.log = Path(folder) / f"log{number}"
        self._errors = (Path(folder) / f"errors{number}").open("w+b")
        super().__init__(
            [serialterm_binary(), "connect", self.device.path, "--log", str(self.log)],
            stdin=-1, stdout=-1, stderr=self._errors)
        self.received = Stream(
            number, self.device.descriptor, self.process.stdout.fileno(), FROM_DEVICE)
        self.sent = Stream(
            -1 - number, self.process.stdin.fileno(), self.device.descriptor, TO_DEVICE)

    @property
    def streams(self):
        return self.received, self.sent

    def logged(self):
        """The hash of the log."""
        with self.log.open("rb") as file:
            return hashlib.file_digest(file, "sha256").digest()

    def errors(self):
        self._errors.seek(0)
        return self._errors.read()

    def close(self):
        super().close()
        for stream in (self.process.stdin, self.process.stdout, self._errors, self.device):
            stream.close()


class Row48PortsTests(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.ports = [self.enterContext(Port(number, folder)) for number in range(PORTS)]

    def resources(self):
        """The descriptors and the memory of all sessions."""
        return (sum(len(files_of(port.pid)) for port in self.ports),
                sum(processes.status_of(port.pid)["VmRSS"] for port in self.ports))

    def pass_bytes(self, seconds):
        """Passes bytes both ways through all ports, and looks at the resources on the way."""
        streams = [stream for port in self.ports for stream in port.streams]
        before = None
        started = time.monotonic()
        deadline = Deadline()
        with selectors.DefaultSelector() as selector:
            for stream in streams:
                selector.register(stream.sink, selectors.EVENT_READ, stream)
            # All bytes pass, however long a busy machine needs for them; it is over if none has come for long.
            while not all(stream.has_passed(seconds) for stream in streams) and not deadline.passed:
                for stream in streams:
                    stream.write(time.monotonic() - started, seconds)
                # By then, everything that is allocated once has been allocated.
                if before is None and all(stream.has_passed(seconds / 5) for stream in streams):
                    before = self.resources()
                for key, _ in selector.select(0.05):
                    key.data.receive()
                    deadline = Deadline()
        return before, self.resources()

    def check(self, seconds):
        before, after = self.pass_bytes(seconds)
        name = f"{PORTS} ports"
        streams = [stream for port in self.ports for stream in port.streams]
        missing = sum(stream.written - stream.read for stream in streams)
        differing = sum(not stream.is_same for stream in streams)
        for port in self.ports:
            port.process.stdin.close()
            self.assertEqual(port.wait(), 0, port.errors())
            differing += port.logged() != port.received.expected.digest()
        passed = sum(stream.read for stream in streams)
        growth = 100 * (after[1] / before[1] - 1)
        record(48, f"{name} for {seconds / 60:.1f} min: bytes passed", passed / 1e6, "MB")
        record(48, f"{name}: streams and logs that differ", differing, "")
        record(48, f"{name}: descriptors more at the end", after[0] - before[0], "")
        record(48, f"{name}: memory grown", growth, "%")
        self.assertEqual((missing, differing), (0, 0))
        # Fewer at the end are no leak: a session closes some when it has been open for a while.
        self.assertLessEqual(after[0], before[0])
        self.assertLessEqual(after[1], before[1] * (1 + GROWTH))

    @slow
    def test_streams_of_64_ports_are_exact(self):
        self.check(5)

    @soak
    def test_streams_of_64_ports_are_exact_for_long(self):
        self.check(LONG)
