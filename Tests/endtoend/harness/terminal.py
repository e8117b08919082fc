"""A program on a new terminal."""

import fcntl
import functools
import os
import pty
import struct
import termios
import time
import tty

from .deadline import Deadline
from .program import Program
from .settings import settings_of
from .transcript import Transcript
from .wires import write_all


class Terminal(Program):
    """Runs a program on a new pty, which is its controlling terminal, like a program started from a
    shell. `stdin`, `stdout` and `stderr` can be redirected; `raw` sets the terminal to raw mode
    first, for programs that do not do so completely.
    """

    def __init__(
        self, *arguments, size=(24, 80), raw=False, variables=None, user=None, **streams
    ):
        self._master, slave = pty.openpty()
        try:
            if raw:
                tty.setraw(slave)
            self.resize(*size)
            self.original_settings = settings_of(slave)
            # Only a C function runs after the fork, because other threads may exist.
            take_terminal = functools.partial(fcntl.ioctl, slave, termios.TIOCSCTTY, 0)
            streams = {"stdin": slave, "stdout": slave, "stderr": slave, **streams}
            super().__init__(
                arguments, variables, user, preexec_fn=take_terminal, **streams)
        except BaseException:
            os.close(self._master)
            raise
        finally:
            # Otherwise the end of the program would not cause a hang-up of the master.
            os.close(slave)
        self.transcript = Transcript(self._master)
        self.expect = self.transcript.expect

    @property
    def output(self):
        """Everything that the program has written to its terminal."""
        return self.transcript.data

    @property
    def settings(self):
        """The current settings of the terminal, also after the program has ended."""
        return settings_of(self._master)

    @property
    def modes(self):
        """The settings in the format of `termios`. Setting them acts like another program."""
        return termios.tcgetattr(self._master)

    @modes.setter
    def modes(self, modes):
        termios.tcsetattr(self._master, termios.TCSANOW, modes)

    def stall(self):
        """Stops reading the program's output, like a terminal whose connection hangs."""
        self.transcript.stop()

    def resume(self):
        """Reads the program's output again, into a new transcript."""
        self.transcript = Transcript(self._master)
        self.expect = self.transcript.expect

    def resize(self, rows, columns):
        """Sets the window size. The kernel sends SIGWINCH to the program."""
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("4H", rows, columns, 0, 0))

    def send(self, data, timeout=None):
        """Types `data`."""
        write_all(self._master, data, Deadline(timeout))

    def leave(self, keys=b"\x14q"):
        """Types the keys that quit; returns the exit status and the seconds until the end."""
        started = time.monotonic()
        self.send(keys)
        return self.wait(), time.monotonic() - started

    def hang_up(self):
        """Closes the terminal, like closing its window."""
        self.transcript.stop()
        os.close(self._master)
        self._master = None

    def catch_up(self):
        self.transcript.catch_up()

    def seen(self):
        return repr(self.output[-500:])

    def close(self):
        super().close()
        if self._master is not None:
            self.hang_up()
