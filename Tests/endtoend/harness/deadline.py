"""Deadlines for waits."""

import os
import time

# Seconds to wait for an expected event: only a program that hangs reaches it, however busy the machine is.
TIMEOUT = float(os.environ.get("SERIALTERM_TEST_TIMEOUT", "60"))


class Deadline:
    """The end of one or more waits, which share it."""

    def __init__(self, seconds=None):
        self.seconds = TIMEOUT if seconds is None else seconds
        self._end = time.monotonic() + self.seconds

    @property
    def left(self):
        """Seconds left, never negative."""
        return max(0.0, self._end - time.monotonic())

    @property
    def passed(self):
        return self.left == 0


def wait_until(condition, what, timeout=None):
    """Waits until `condition()` returns a true value, and returns that value. It polls: for output,
    use `expect` instead."""
    deadline = Deadline(timeout)
    while True:
        value = condition()
        if value:
            return value
        if deadline.passed:
            raise AssertionError(f"not within {deadline.seconds} s: {what}")
        time.sleep(0.005)


def contents(path):
    """The contents of a file; empty if it does not exist, for example while it is replaced."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""
