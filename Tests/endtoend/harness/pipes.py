"""A program with pipes instead of a terminal."""

import subprocess
import threading

from .program import Program
from .transcript import Transcript


class Pipes(Program):
    """Runs a program with pipes for stdin, stdout and stderr, without a controlling terminal."""

    def __init__(self, *arguments, variables=None, user=None):
        super().__init__(
            arguments, variables, user, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        self.stdout = Transcript(self.process.stdout.fileno())
        self.stderr = Transcript(self.process.stderr.fileno())
        self._feeder = None

    def send(self, data, then_close=False):
        """Writes to the program's stdin, without waiting for it to read everything."""
        if self._feeder:
            self._feeder.join()
        self._feeder = threading.Thread(target=self._feed, args=(data, then_close), daemon=True)
        self._feeder.start()

    def close_stdin(self):
        """Closes the program's stdin after all data sent before."""
        self.send(b"", then_close=True)

    def close_stdout(self):
        """Closes the reading end of the program's stdout, like `head` when it ends."""
        self.stdout.stop()
        self.process.stdout.close()

    def seen(self):
        return f"it wrote {self.stdout.data[-500:]!r} and {self.stderr.data[-2000:]!r}"

    def catch_up(self):
        self.stdout.catch_up()
        self.stderr.catch_up()

    def close(self):
        super().close()
        if self._feeder:
            self._feeder.join()
        self.stdout.stop()
        self.stderr.stop()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()

    def _feed(self, data, then_close):
        view = memoryview(data)
        try:
            while view:
                view = view[self.process.stdin.write(view):]
        except BrokenPipeError:
            pass  # The program has ended or closed stdin; its exit status shows which.
        if then_close:
            self.process.stdin.close()
