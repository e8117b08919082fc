"""Disks that are full, broken, or stall."""

import contextlib
import errno
import subprocess
import time
import unittest
from pathlib import Path

from . import preload


def tell(*command):
    """Runs a command of the system; whether it could be done."""
    try:
        result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return result.returncode == 0


@contextlib.contextmanager
def mounted(folder, *arguments):
    """Something mounted at `folder`, a Path, which is made. The test is skipped where that may not
    be."""
    folder.mkdir()
    if not tell("mount", *arguments, str(folder)):
        raise unittest.SkipTest("nothing may be mounted here")
    try:
        yield folder
    finally:
        # Whoever had a file there has just been ended, and may take a moment.
        for _ in range(100):
            if tell("umount", str(folder)):
                break
            time.sleep(0.05)


def small(folder, kilobytes):
    """A file system in memory with room for so much."""
    return mounted(folder, "-t", "tmpfs", "-o", f"size={kilobytes}k", "none")


@contextlib.contextmanager
def freezable(folder):
    """A file system of its own, which `frozen` can stop."""
    image = Path(f"{folder}.image")
    with open(image, "wb") as file:
        file.truncate(64 << 20)
    if not tell("mkfs.ext4", "-q", "-F", str(image)):
        raise unittest.SkipTest("there is no mkfs.ext4")
    with mounted(folder, "-o", "loop", str(image)):
        yield folder


@contextlib.contextmanager
def frozen(folder, at_most):
    """Stops every write to a file system, in the kernel: who writes cannot even be killed.

    It is thawed when the context is left, and after `at_most` seconds by a process that was started
    before, whatever becomes of this one."""
    thaw = ("fsfreeze", "--unfreeze", str(folder))
    watchdog = subprocess.Popen(
        ("sh", "-c", 'sleep "$1"; shift; exec "$@"', "thaw", str(at_most), *thaw),
        start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    try:
        if not tell("fsfreeze", "--freeze", str(folder)):
            raise unittest.SkipTest("no file system may be frozen here")
        yield
    finally:
        tell(*thaw)
        watchdog.kill()
        watchdog.wait()


class Disk:
    """The faults of preload/disk.c on writes to the file at `path`: errors while they are switched
    on, short writes always."""

    def __init__(self, path, **faults):
        self._switch = Path(f"{path}.fault")
        named = {f"DISK_{name.upper()}": str(value) for name, value in faults.items()}
        self.variables = {
            "LD_PRELOAD": preload.library("disk.c"), "DISK_FILE": str(path),
            "DISK_SWITCH": str(self._switch), **named}

    @classmethod
    def broken(cls, path):
        return cls(path, error=errno.EIO)

    def switch_on(self):
        self._switch.touch()

    def switch_off(self):
        self._switch.unlink(missing_ok=True)
