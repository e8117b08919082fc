"""A program on a terminal of its own."""

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
    """Runs a program on a new pty, which is the session's controlling terminal as for a program
    started from a shell. `stdin`, `stdout` and `stderr` can be redirected elsewhere; `raw` starts
    with a terminal that already passes every byte, for programs that leave part of that to others.
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
            # A call into C and nothing else, since other threads may run at the fork.
            take_terminal = functools.partial(fcntl.ioctl, slave, termios.TIOCSCTTY, 0)
            streams = {"stdin": slave, "stdout": slave, "stderr": slave, **streams}
            super().__init__(
                arguments, variables, user, preexec_fn=take_terminal, **streams)
        except BaseException:
            os.close(self._master)
            raise
        finally:
            # Kept open here, the slave would never end: the program's end would not be seen.
            os.close(slave)
        self.transcript = Transcript(self._master)
        self.expect = self.transcript.expect

    @property
    def output(self):
        """All that the program has written to its terminal."""
        return self.transcript.data

    @property
    def settings(self):
        """The terminal's present settings, also after the program's end."""
        return settings_of(self._master)

    @property
    def modes(self):
        """The settings as `termios` has them; setting them, somebody else uses the terminal."""
        return termios.tcgetattr(self._master)

    @modes.setter
    def modes(self, modes):
        termios.tcsetattr(self._master, termios.TCSANOW, modes)

    def stall(self):
        """Takes no more of what the program writes, as a terminal whose connection hangs."""
        self.transcript.stop()

    def resume(self):
        """Takes what the program writes again, as a new transcript."""
        self.transcript = Transcript(self._master)
        self.expect = self.transcript.expect

    def resize(self, rows, columns):
        """Sets the window's size, of which the kernel tells the program by SIGWINCH."""
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("4H", rows, columns, 0, 0))

    def send(self, data, timeout=None):
        """Types `data`."""
        write_all(self._master, data, Deadline(timeout))

    def leave(self, keys=b"\x14q"):
        """Types the keys that quit; returns the exit status and the seconds that it took."""
        started = time.monotonic()
        self.send(keys)
        return self.wait(), time.monotonic() - started

    def hang_up(self):
        """Closes the terminal, as its window is closed."""
        self.transcript.stop()
        os.close(self._master)
        self._master = None

    def seen(self):
        return repr(self.output[-500:])

    def close(self):
        super().close()
        if self._master is not None:
            self.hang_up()
