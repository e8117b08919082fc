"""The output of a descriptor so far."""

import errno
import os
import re
import select
import threading
import time

from .deadline import Deadline, wait_until
from .wires import unread


class Transcript:
    """Reads `descriptor` on a thread until the end or `stop()`, so that the writer never blocks.
    The caller must close the descriptor, after `stop()`."""

    def __init__(self, descriptor):
        self._descriptor = descriptor
        self._data = bytearray()
        self._arrivals = []
        self._ended = False
        self._is_kept = True
        self._position = 0
        self._changed = threading.Condition()
        self._wake_reader, self._wake_writer = os.pipe()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    @property
    def data(self):
        """All bytes so far, including those already matched."""
        with self._changed:
            return bytes(self._data)

    @property
    def rest(self):
        """The bytes after the last match."""
        with self._changed:
            return bytes(self._data[self._position:])

    def since(self, offset):
        """The bytes from `offset` on."""
        with self._changed:
            return bytes(self._data[offset:])

    def wait_beyond(self, offset, timeout):
        """Waits until there are more than `offset` bytes; returns whether there are."""
        with self._changed:
            return self._changed.wait_for(
                lambda: self._ended or len(self._data) > offset, timeout) and (
                    len(self._data) > offset)

    def arrival(self, offset):
        """The time at which the byte at `offset` was read (`time.monotonic`)."""
        with self._changed:
            return next(moment for moment, end in self._arrivals if end > offset)

    def expect(self, pattern, timeout=None):
        """Waits for `pattern` (bytes, or a compiled regular expression) after the last match, and
        returns the match."""
        expression = re.compile(re.escape(pattern)) if isinstance(pattern, bytes) else pattern

        def found():
            return expression.search(self._data, self._position)

        match = self._wait(found, f"expected {expression.pattern!r}", timeout)
        self._position = match.end()
        return match

    def read_exactly(self, count, timeout=None):
        """Waits for `count` bytes after the last match, and returns them."""
        end = self._position + count
        self._wait(lambda: len(self._data) >= end, f"expected {count} bytes", timeout)
        self._position = end
        return bytes(self._data[end - count:end])

    def expect_end(self, timeout=None):
        """Waits for the end of the output, and returns the bytes after the last match."""
        self._wait(lambda: self._ended, "expected the end", timeout)
        return self.rest

    def catch_up(self):
        """Waits until everything that was written was read. After the end of a program, that is all of its output."""
        def has_caught_up():
            with self._changed:
                return self._ended or not self._thread or not unread(self._descriptor)

        wait_until(has_caught_up, "everything was read")

    def discard(self):
        """Discards further output, for tests with a lot of output."""
        with self._changed:
            self._is_kept = False

    def stop(self):
        """Stops reading, so that the descriptor can be closed."""
        if not self._thread:
            return
        os.write(self._wake_writer, b"x")
        self._thread.join()
        self._thread = None
        os.close(self._wake_reader)
        os.close(self._wake_writer)

    def _wait(self, condition, what, timeout):
        deadline = Deadline(timeout)
        with self._changed:
            while not (value := condition()):
                # After the end, do not wait for the deadline.
                if self._ended or not self._changed.wait(deadline.left):
                    when = "before the end" if self._ended else f"within {deadline.seconds} s"
                    seen = bytes(self._data[self._position:])
                    raise AssertionError(
                        f"{what} {when}; {len(seen)} bytes came since the last match, "
                        f"ending with {seen[-500:]!r}")
            return value

    def _read(self):
        poll = select.poll()
        poll.register(self._descriptor, select.POLLIN)
        poll.register(self._wake_reader, select.POLLIN)
        while True:
            ready = dict(poll.poll())
            if self._wake_reader in ready:
                return
            # What was read and is not in `_data` yet would be seen nowhere.
            with self._changed:
                try:
                    chunk = os.read(self._descriptor, 65536)
                except BlockingIOError:
                    continue
                except OSError as error:
                    if error.errno != errno.EIO:  # The other end of a pty is closed.
                        raise
                    chunk = b""
                if not chunk:
                    self._ended = True
                elif self._is_kept:
                    self._data += chunk
                    self._arrivals.append((time.monotonic(), len(self._data)))
                self._changed.notify_all()
            if not chunk:
                return
