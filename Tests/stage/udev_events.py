"""Receives the events of udevd, and can send them again."""

import os
import select
import socket
import threading
import time
from pathlib import Path

from Tests.endtoend.harness import wait_until

# See netlink(7), and libudev's udev-monitor: group 1 is the kernel's, group 2 udevd's.
NETLINK_KOBJECT_UEVENT, UDEV = 15, 2


class UdevEvents:
    """Receives the events of udevd until the context is left. `added` has the time
    (`time.monotonic`) at which each node was last added, by its path."""

    def __init__(self):
        self._socket = socket.socket(
            socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self._socket.setblocking(False)
        self._socket.bind((0, UDEV))
        self._end, self._ender = os.pipe()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self.added = {}
        self.last_of_a_terminal = None

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        os.close(self._ender)
        self._thread.join()
        os.close(self._end)
        self._socket.close()

    def _listen(self):
        while self._end not in select.select([self._socket, self._end], [], [])[0]:
            try:
                message = self._socket.recv(65536)
            except OSError:
                continue  # No event after all; or ENOBUFS, because a storm reaches every listener.
            fields = dict(
                field.split(b"=", 1) for field in message.split(b"\0") if b"=" in field)
            if fields.get(b"SUBSYSTEM") != b"tty":
                continue
            if fields.get(b"ACTION") == b"add":
                self.added[fields[b"DEVNAME"].decode()] = time.monotonic()
            self.last_of_a_terminal = message

    def storm(self, count):
        """Sends `count` change events of a virtual console, faster than udevd could."""
        self.last_of_a_terminal = None
        Path("/sys/class/tty/tty10/uevent").write_text("change", encoding="ascii")
        wait_until(lambda: self.last_of_a_terminal is not None, "the change event arrives")
        message = self.last_of_a_terminal
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_KOBJECT_UEVENT) as sender:
            for _ in range(count):
                sender.sendto(message, (0, UDEV))
