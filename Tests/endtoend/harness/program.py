"""Starts and ends programs."""

import atexit
import functools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from .deadline import TIMEOUT
from .wires import Device

REPOSITORY = Path(__file__).resolve().parents[3]


def serialterm_binary():
    """The program under test: $SERIALTERM, else the release build."""
    binary = Path(os.environ.get("SERIALTERM", REPOSITORY / ".build/release/serialterm"))
    if not os.access(binary, os.X_OK):
        raise FileNotFoundError(f"no program at {binary}: scripts/build makes it")
    return str(binary)


@functools.cache
def runtime_folder():
    """The folder for the sockets of sessions. Sessions of other tests are not in it: one of them may have had
    a pseudo-terminal whose number the kernel has reused for this test."""
    folder = tempfile.mkdtemp(prefix="serialterm-run-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def environment(**changes):
    """The environment of started programs: the caller's, without variables that would change their
    output, with unusable folders for configuration and history, and with a folder for the sockets of
    this run. `changes` sets variables, or removes them if None.

    Not even root can create a file below /dev/null."""
    variables = dict(
        os.environ, TERM="xterm-256color", LC_ALL="C.UTF-8", XDG_CONFIG_HOME="/dev/null/config",
        XDG_STATE_HOME="/dev/null/state", XDG_RUNTIME_DIR=runtime_folder())
    for name in ("NO_COLOR", "LG_COORDINATOR", "LG_CROSSBAR", "LG_ENV"):
        variables.pop(name, None)
    variables.update(changes)
    return {name: value for name, value in variables.items() if value is not None}


def shell_status(status):
    """An exit status as a shell shows it: 128 + N if signal N ended the program."""
    return 128 - status if status < 0 else status


def as_user(name):
    """The arguments of `subprocess.Popen` to run a program as user `name`, only in its primary
    group."""
    if name is None:
        return {}
    return {"user": name, "group": pwd.getpwnam(name).pw_gid, "extra_groups": []}


class Program:
    """A running program in a new session. Leaving the context kills it."""

    def __init__(self, arguments, variables=None, user=None, **streams):
        self.name = Path(arguments[0]).name
        self.process = subprocess.Popen(
            arguments, env=environment(**(variables or {})), start_new_session=True, bufsize=0,
            **as_user(user), **streams)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def pid(self):
        return self.process.pid

    @property
    def running(self):
        return self.process.poll() is None

    def signal(self, number):
        """Sends a signal to the program only, not to its children."""
        self.process.send_signal(number)

    def wait(self, timeout=None):
        """Waits for the program to end; returns the exit status, or -N if signal N ended it."""
        try:
            status = self.process.wait(TIMEOUT if timeout is None else timeout)
        except subprocess.TimeoutExpired as error:
            raise AssertionError(
                f"{self.name} is still running after {error.timeout} s: {self.seen()}") from None
        self._free_ports()
        self.catch_up()
        return status

    def catch_up(self):
        """Waits until the output so far was read."""

    def seen(self):
        """The program's output so far, for the message of a failure."""
        return ""

    def close(self):
        """Kills the program and its process group if they are still running."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self._free_ports()

    def _free_ports(self):
        """When the program has ended: a signal left it no time to do so."""
        if self.process.returncode < 0:
            Device.end_exclusive_mode_of_the_killed()


class Result(NamedTuple):
    """The exit status and output of a program; `duration` in seconds."""

    status: int
    stdout: bytes
    stderr: bytes
    duration: float


def run(*arguments, stdin=b"", timeout=None, variables=None, user=None):
    """Runs a program without a controlling terminal until it ends."""
    started = time.monotonic()
    streams = {name: subprocess.PIPE for name in ("stdin", "stdout", "stderr")}
    with Program(arguments, variables, user, **streams) as program:
        try:
            output, errors = program.process.communicate(
                stdin, TIMEOUT if timeout is None else timeout)
        except subprocess.TimeoutExpired as error:
            raise AssertionError(
                f"{program.name} is still running after {error.timeout} s; it wrote "
                f"{error.output!r} and {error.stderr!r}") from None
        finally:
            for stream in (program.process.stdin, program.process.stdout, program.process.stderr):
                stream.close()
        return Result(
            program.process.returncode, output, errors, time.monotonic() - started)


def serialterm(*arguments, **options):
    """Runs `serialterm` with these arguments until it ends: see `run`."""
    return run(serialterm_binary(), *arguments, **options)


class PublicCopy:
    """A copy of the program that every user can run; a home folder may be closed to others."""

    def __enter__(self):
        self._folder = tempfile.mkdtemp(prefix="serialterm-test-")
        os.chmod(self._folder, 0o755)
        return shutil.copy(serialterm_binary(), self._folder)

    def __exit__(self, *_):
        shutil.rmtree(self._folder)
