"""Processes, looked at from outside. See proc(5)."""

import contextlib
import os
import re
import select
import signal
import time
from pathlib import Path

from Tests.endtoend.harness import TIMEOUT, wait_until

# The name of the process that gives the terminal back when the program was killed.
GUARD = "serialterm-grd"


def in_session(session, name=None):
    """The processes of a session that still run, with their names: {pid: name}."""
    found = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            stat = Path(f"/proc/{entry}/stat").read_text(errors="replace")
        except OSError:
            continue  # It has ended.
        before, _, after = stat.rpartition(")")
        fields = after.split()
        its_name = before.partition("(")[2]
        if int(fields[3]) == session and fields[0] != "Z" and name in (None, its_name):
            found[int(entry)] = its_name
    return found


def the_one(session, name):
    """The one process of that name in a session."""
    found = []

    def is_alone():
        # The guard has its parent's name until it has taken its own.
        found[:] = in_session(session, name)
        return len(found) == 1

    wait_until(is_alone, f"there is one {name}")
    return found[0]


def state_of(pid):
    """The state's letter: R, S, T (stopped), Z; None when there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0]
    except OSError:
        return None


def files_of(pid):
    """What a process has open, as the kernel calls it."""
    files = Path(f"/proc/{pid}/fd")
    found = []
    for file in files.iterdir():
        with contextlib.suppress(FileNotFoundError):  # Closed meanwhile.
            found.append(os.readlink(file))
    return found


def processor_seconds(pid):
    """The processor time that a process has taken, finer than the clock's ticks."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


def switches(pid):
    """How often a process has waited and was woken: its voluntary context switches."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"(?m)^voluntary_ctxt_switches:\s+(\d+)", status).group(1))


def status_of(pid):
    """The sizes in a process's status, in bytes: VmSize, VmRSS, VmHWM and others."""
    status = Path(f"/proc/{pid}/status").read_text()
    return {
        name: int(size) * 1024 for name, size in re.findall(r"(?m)^(\w+):\s+(\d+) kB$", status)}


def memory(pid):
    """The memory that a process has in use now and had at most, in MiB."""
    status = status_of(pid)
    return status["VmRSS"] / (1 << 20), status["VmHWM"] / (1 << 20)


def seconds_to_end(program, since=None, limit=None):
    """Waits for a program's end, which the kernel tells at once; the seconds from `since`
    (`time.monotonic`, default now). None when it still runs after `limit` seconds."""
    since = time.monotonic() if since is None else since
    if program.process.poll() is None:
        descriptor = os.pidfd_open(program.pid)
        try:
            if not select.select([descriptor], [], [], TIMEOUT if limit is None else limit)[0]:
                return None
        finally:
            os.close(descriptor)
    seconds = time.monotonic() - since
    program.wait()
    return seconds


@contextlib.contextmanager
def stopped(pid):
    """Keeps a process stopped."""
    os.kill(pid, signal.SIGSTOP)
    try:
        while state_of(pid) not in ("T", "Z", None):
            time.sleep(0.001)
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)
