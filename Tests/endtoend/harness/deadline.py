"""The end of every wait."""

import os
import time

# Seconds until an expected event counts as missing. Generous: it is only ever used up by a failure.
# Slow machines (an emulated one) raise it.
TIMEOUT = float(os.environ.get("SERIALTERM_TEST_TIMEOUT", "10"))


class Deadline:
    """A moment to wait until, shared by the several waits that one expectation may take."""

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
    """Returns the first true value of `condition()`. For what nothing announces, such as a file
    that appears; what can be read is better expected."""
    deadline = Deadline(timeout)
    while True:
        value = condition()
        if value:
            return value
        if deadline.passed:
            raise AssertionError(f"not within {deadline.seconds} s: {what}")
        time.sleep(0.005)


def contents(path):
    """What a file holds that may be replaced at any moment; nothing while there is none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""
