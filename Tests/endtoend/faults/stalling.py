"""A terminal that stops showing what is written to it."""

import os
import select
import threading

from Tests.endtoend.harness import Terminal


class StallingTerminal(Terminal):
    """A terminal whose other side can stop reading, as a terminal emulator does on ctrl-s, when its
    network is slow, or while a selection is being made. Keys are heard all the same."""

    def discard(self):
        """Reads on, and keeps nothing: for more output than is good to have in memory."""
        self.transcript.stop()
        self.transcript = _Discarding(self._master)


class _Discarding:
    """Stands for a transcript."""

    data = b""

    def __init__(self, descriptor):
        self._descriptor = descriptor
        self._wake_reader, self._wake_writer = os.pipe()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def stop(self):
        if not self._thread:
            return
        os.write(self._wake_writer, b"x")
        self._thread.join()
        self._thread = None
        os.close(self._wake_reader)
        os.close(self._wake_writer)

    def _read(self):
        while True:
            ready = select.select([self._descriptor, self._wake_reader], [], [])[0]
            if self._wake_reader in ready:
                return
            try:
                os.read(self._descriptor, 65536)
            except BlockingIOError:
                continue
            except OSError:  # EIO: nobody has the other end open any more.
                select.select([self._wake_reader], [], [])
                return
