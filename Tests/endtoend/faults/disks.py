"""Disks that are full, fail, or stall."""

import contextlib
import errno
import subprocess
import unittest
from pathlib import Path

from Tests.endtoend import isolation
from Tests.endtoend.harness import TIMEOUT, wait_until

from . import preload


def succeeds(*command):
    """Runs a command; returns whether it succeeds."""
    try:
        result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return result.returncode == 0


@contextlib.contextmanager
def mounted(folder, mount):
    """Creates `folder`, a Path, where `mount` mounts a file system. Skips the test if that is not permitted."""
    folder.mkdir()
    try:
        mount()
    except (OSError, subprocess.CalledProcessError) as error:
        raise unittest.SkipTest(f"no file system can be mounted: {error}") from None

    def is_unmounted():
        with contextlib.suppress(OSError):
            isolation.unmount(folder)
            return True

    try:
        yield folder
    finally:
        # A process that was just killed may keep a file open for a moment.
        wait_until(is_unmounted, "the file system is not used any more")


def small(folder, kilobytes):
    """A file system in memory with a limited size."""
    return mounted(folder, lambda: isolation.mount_memory(folder, kilobytes))


@contextlib.contextmanager
def freezable(folder):
    """A separate file system, which `frozen` can stop."""
    image = Path(f"{folder}.image")
    with open(image, "wb") as file:
        file.truncate(64 << 20)
    if not succeeds("mkfs.ext4", "-q", "-F", str(image)):
        raise unittest.SkipTest("mkfs.ext4 is missing or fails")
    mount = ("mount", "-o", "loop", str(image), str(folder))
    with mounted(folder, lambda: subprocess.run(mount, check=True, capture_output=True)):
        yield folder


@contextlib.contextmanager
def frozen(folder, at_most):
    """Freezes a file system: writes block in the kernel, and their processes cannot be killed.

    It is thawed when the context is left, and in any case after `at_most` seconds by a separate
    process."""
    thaw = ("fsfreeze", "--unfreeze", str(folder))
    watchdog = subprocess.Popen(
        ("sh", "-c", 'sleep "$1"; shift; exec "$@"', "thaw", str(at_most), *thaw),
        start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    try:
        if not succeeds("fsfreeze", "--freeze", str(folder)):
            raise unittest.SkipTest("fsfreeze is not permitted")
        yield
    finally:
        succeeds(*thaw)
        watchdog.kill()
        watchdog.wait()


class Disk:
    """The faults of preload/disk.c on writes to the file at `path`: errors only while they are
    switched on, short writes always."""

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
