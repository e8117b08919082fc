"""A serial line between serialterm and another program, both on a pseudo-terminal."""

import contextlib
import os
import pty
import select
import subprocess
import threading
import time
import tty

from Tests.endtoend.faults.preload import library
from Tests.endtoend.harness.program import Program
from Tests.endtoend.harness.transcript import Transcript

# Seconds that a byte takes through a `Line`. Programs made for real lines discard what arrives right after
# they have sent an acknowledgement (tcflush): on a line without a delay, this would be the next block.
DELAY = 0.001
# How much of each direction is on its way at most. A terminal holds as much again.
CAPACITY = 1 << 16


class Flow:
    """One direction of a line."""

    def __init__(self, source, sink):
        self.source, self.sink = source, sink
        # Pieces with the times at which they arrive.
        self.pieces, self.size = [], 0
        self.count = 0

    def receive(self, now):
        data = os.read(self.source, CAPACITY)
        self.pieces.append((now + DELAY, data))
        self.size += len(data)

    def deliver(self):
        arrival, data = self.pieces.pop(0)
        with contextlib.suppress(BlockingIOError):
            count = os.write(self.sink, data)
            data = data[count:]
            self.size -= count
            self.count += count
        if data:
            self.pieces.insert(0, (arrival, data))


class Line:
    """Two raw terminals, `nodes`, whose bytes take `DELAY` seconds to the other one."""

    def __init__(self):
        pairs = [pty.openpty(), pty.openpty()]
        # The nodes stay open: otherwise, the end of one program would end the line.
        self._masters, self._slaves = zip(*pairs)
        for master, slave in pairs:
            tty.setraw(slave)
            os.set_blocking(master, False)
        self.nodes = [os.ttyname(slave) for slave in self._slaves]
        self._flows = [Flow(*self._masters), Flow(*reversed(self._masters))]
        self._stop_reader, self._stop_writer = os.pipe()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.write(self._stop_writer, b"x")
        self._thread.join()
        for descriptor in (*self._masters, *self._slaves, self._stop_reader, self._stop_writer):
            os.close(descriptor)

    @property
    def counts(self):
        """The number of bytes that have arrived at the second node, and at the first."""
        return tuple(flow.count for flow in self._flows)

    def _run(self):
        while True:
            now = time.monotonic()
            reading, writing, wake = [self._stop_reader], [], None
            for flow in self._flows:
                if flow.size < CAPACITY:
                    reading.append(flow.source)
                if flow.pieces and flow.pieces[0][0] <= now:
                    writing.append(flow.sink)
                elif flow.pieces:
                    wake = min(wake or flow.pieces[0][0], flow.pieces[0][0])
            readable, writable, _ = select.select(
                reading, writing, [], None if wake is None else max(0, wake - now))
            if self._stop_reader in readable:
                return
            for flow in self._flows:
                if flow.source in readable:
                    flow.receive(time.monotonic())
                if flow.sink in writable:
                    flow.deliver()


class FarProgram(Program):
    """A program whose standard input and output are the terminal at `node`, at the far end of a line. As it
    ends, what it has sent is not discarded: see preload/drain.c."""

    def __init__(self, node, *arguments, cwd=None):
        self._node = os.open(node, os.O_RDWR | os.O_NOCTTY)
        super().__init__(
            arguments, {"LD_PRELOAD": library("drain.c")}, stdin=self._node, stdout=self._node,
            stderr=subprocess.PIPE, cwd=cwd)
        self.errors = Transcript(self.process.stderr.fileno())

    def seen(self):
        return f"it wrote {self.errors.data[-500:]!r}"

    def close(self):
        super().close()
        self.errors.stop()
        self.process.stderr.close()
        os.close(self._node)
