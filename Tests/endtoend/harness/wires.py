"""The two ends of a serial line: the device's and the port's."""

import contextlib
import fcntl
import functools
import os
import pty
import select
import sys
import termios
import time
import tty
import weakref

from .deadline import Deadline, wait_until
from .open_files import files_of
from .pace import pace
from .settings import settings_of

TIOCGEXCL = 0x80045440
# The size of the kernel's queue of a pseudo-terminal.
QUEUE = 4095


def unread(descriptor):
    """The number of unread bytes in a pipe or a terminal."""
    return int.from_bytes(fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4)), sys.byteorder)


@functools.cache
def opens_exclusive_ports():
    """Whether this process may open a port that another program has in exclusive mode (TIOCEXCL): root may, unless it
    lacks CAP_SYS_ADMIN, as in a container."""
    with Device() as device:
        fcntl.ioctl(device._port, termios.TIOCEXCL)
        try:
            os.close(os.open(device.node, os.O_RDONLY | os.O_NOCTTY))
            return True
        except OSError:
            return False


def write_all(descriptor, data, deadline):
    """Writes all of `data`, and waits for room when needed."""
    os.set_blocking(descriptor, False)
    view = memoryview(data)
    while view:
        if not select.select([], [descriptor], [], deadline.left)[1]:
            raise AssertionError(
                f"{len(view)} of {len(data)} bytes not accepted within {deadline.seconds} s")
        try:
            view = view[os.write(descriptor, view):]
        except BlockingIOError:
            pass


class Wire:
    """Reads and writes one end of a line on demand: unread bytes block the other end."""

    descriptor = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.descriptor is not None:
            os.close(self.descriptor)
            self.descriptor = None

    def write(self, data, timeout=None):
        """Writes all of `data`."""
        write_all(self.descriptor, data, Deadline(timeout))

    def read_exactly(self, count, timeout=None, rate=None):
        """Reads `count` bytes; `rate` limits the bytes per second, like a slow device."""
        deadline = Deadline(timeout)
        started = time.monotonic()
        data = b""
        while len(data) < count:
            wanted = count - len(data) if rate is None else min(count - len(data), 256)
            chunk = self._read(wanted, deadline)
            if chunk == b"":
                raise AssertionError(
                    f"expected {count} bytes; {len(data)} came before the end, {data[-200:]!r}")
            if chunk is None:
                raise AssertionError(
                    f"expected {count} bytes; {len(data)} came within {deadline.seconds} s, "
                    f"{data[-200:]!r}")
            data += chunk
            if rate is not None:
                pace(started, len(data), rate)
        return data

    def read_through(self, end, timeout=None):
        """Reads until the bytes end with `end`."""
        deadline = Deadline(timeout)
        data = bytearray()
        while not data.endswith(end):
            chunk = self._read(65536, deadline)
            if not chunk:
                raise AssertionError(f"{end!r} did not come; {len(data)} bytes did: ...{bytes(data[-200:])!r}")
            data += chunk
        return bytes(data)

    def read_available(self, pause=0.1):
        """Reads until no bytes have arrived for `pause` seconds."""
        data = b""
        while chunk := self._read(65536, Deadline(pause)):
            data += chunk
        return data

    def read_to_end(self, timeout=None):
        """Reads until the line hangs up."""
        deadline = Deadline(timeout)
        data = b""
        while chunk := self._read(65536, deadline):
            data += chunk
        if chunk is None:
            raise AssertionError(f"no hang-up within {deadline.seconds} s; read {data[-200:]!r}")
        return data

    def _read(self, count, deadline):
        """Some bytes; empty at the end, None at the deadline."""
        if not select.select([self.descriptor], [], [], deadline.left)[0]:
            return None
        try:
            return os.read(self.descriptor, count)
        except OSError:
            return b""  # EIO: the other end is closed.


class Port(Wire):
    """A tty node, opened and set to raw mode like a terminal program does."""

    def __init__(self, path):
        self.descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        tty.setraw(self.descriptor)


class Device(Wire):
    """A device on a pty; `descriptor` is the device's end. `path` is the pty's node or the symbolic
    link `link`, which keeps its name when the device is unplugged and plugged in again.

    The port starts in raw mode, so that bytes sent before a program opens it are not changed.
    """

    # All of them.
    _devices = weakref.WeakSet()

    def __init__(self, link=None, settings=None):
        self._link = link
        self._port = None
        self.plug(settings=settings)
        self._devices.add(self)

    @classmethod
    def end_exclusive_mode_of_the_killed(cls):
        """Ends TIOCEXCL of each port that no program has open.

        A program that was killed leaves it. A serial port loses it with the last close, but here this process keeps the
        port open, and the next program would be refused, unless it is root's."""
        for device in cls._devices:
            if device._port is not None and device.exclusive and not device._is_in_use:
                fcntl.ioctl(device._port, termios.TIOCNXCL)

    @property
    def _is_in_use(self):
        """Whether another process has the port open."""
        for process in os.listdir("/proc"):
            if process.isdigit() and int(process) != os.getpid():
                with contextlib.suppress(OSError):  # It has ended, or is another user's.
                    if self.node in files_of(process):
                        return True
        return False

    @property
    def path(self):
        return str(self._link) if self._link else self.node

    @property
    def settings(self):
        """The current settings of the port."""
        return settings_of(self.descriptor)

    @property
    def exclusive(self):
        """Whether the port is exclusive (TIOCEXCL): it cannot be opened again."""
        return fcntl.ioctl(self._port, TIOCGEXCL, bytes(4)) != bytes(4)

    @property
    def is_full(self):
        """Whether the queue of what the device has not read is full. The driver takes some more, which is no event:
        poll(2) can say that there is room where there is none."""
        return unread(self.descriptor) >= QUEUE

    @property
    def has_unread(self):
        """Whether the program has not read everything that was written.

        The kernel hands written bytes over to the port's queue a moment later, but poll(2) of the port completes that
        first (n_tty_poll)."""
        return bool(select.select([self._port], [], [], 0)[0])

    def plug(self, says=b"", settings=None):
        """Plugs in a new port; `says` is sent before a program can open it. `settings` is called
        with the port's descriptor, to change its settings."""
        self.descriptor, self._port = pty.openpty()
        self.node = os.ttyname(self._port)
        tty.setraw(self._port)
        if settings:
            settings(self._port)
        self.write(says)
        if self._link:
            os.symlink(self.node, self._link)

    def write_until_read(self, data, timeout=None):
        """Writes all of `data`, and waits until the program has read all of it: no hang-up loses any of it then.

        Each piece fits into the port's queue, which the program has emptied before, so nothing waits in front of it."""
        for start in range(0, len(data), 2048):
            self.write(data[start:start + 2048], timeout)
            wait_until(lambda: not self.has_unread, "the program has read what was written", timeout)

    def rest(self):
        """The unread bytes sent to the device. No program may have the port open."""
        if self._port is not None:
            os.close(self._port)
            self._port = None
        return self.read_to_end()

    def hang_up(self):
        """Unplugs the device: its node disappears, and programs that have it open read the end."""
        if self._link:
            os.unlink(self._link)
        self.close()

    def close(self):
        if self._port is not None:
            os.close(self._port)
            self._port = None
        super().close()
