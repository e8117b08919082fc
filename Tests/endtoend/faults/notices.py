"""What happens in folders, as the kernel reports it. See inotify(7)."""

import ctypes
import os
import struct
from pathlib import Path

# IN_ATTRIB, IN_MOVED_FROM, IN_MOVED_TO, IN_CREATE, IN_DELETE, IN_DELETE_SELF, IN_MOVE_SELF.
CHANGES = 0x004 | 0x040 | 0x080 | 0x100 | 0x200 | 0x400 | 0x800
HEADER = struct.Struct("iIII")  # The watch, what happened, a cookie, the length of the name.

libc = ctypes.CDLL(None, use_errno=True)


class Notices:
    """Counts the changes in folders from now on."""

    def __init__(self, folders):
        self._descriptor = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._descriptor < 0:
            raise OSError(ctypes.get_errno(), "inotify_init1")
        for folder in folders:
            if libc.inotify_add_watch(self._descriptor, os.fsencode(folder), CHANGES) < 0:
                raise OSError(ctypes.get_errno(), "inotify_add_watch", str(folder))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self._descriptor)

    def count(self):
        """How many changes there were since the last call."""
        count = 0
        while True:
            try:
                events = os.read(self._descriptor, 65_536)
            except BlockingIOError:
                return count
            while events:
                count += 1
                events = events[HEADER.size + HEADER.unpack_from(events)[3]:]


def folders_on_the_way(path):
    """The folders in which the names of a path are looked up."""
    return list(Path(path).absolute().parents)
