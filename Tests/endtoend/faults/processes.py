"""Information about processes. See proc(5)."""

import contextlib
import os
import re
import select
import signal
import time
from pathlib import Path

from Tests.endtoend.harness import TIMEOUT, wait_until

# The name of the guard: the process that restores the terminal if the program is killed.
GUARD = "serialterm-grd"


def in_session(session, name=None):
    """The running processes of a session with their names: {pid: name}."""
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
    """The only process with that name in a session."""
    found = []

    def is_alone():
        # The guard has its parent's name until it sets its own.
        found[:] = in_session(session, name)
        return len(found) == 1

    wait_until(is_alone, f"there is one {name}")
    return found[0]


def state_of(pid):
    """The letter of the state: R, S, T (stopped), Z; None if there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0]
    except OSError:
        return None


def parent_of(pid):
    """The process that started a process; None if there is no such process."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[1])
    except OSError:
        return None


def wait_until_keys_are_read(pid, timeout=None):
    """Waits until a program has read everything that was typed at its terminal, and waits for more.

    poll(2) of a terminal completes first what is on its way to it (n_tty_poll)."""
    keyboard = os.open(f"/proc/{pid}/fd/0", os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        wait_until(
            # In this order: what it has read is handled when it waits again.
            lambda: not select.select([keyboard], [], [], 0)[0] and state_of(pid) == "S",
            "the program has read what was typed", timeout)
    finally:
        os.close(keyboard)


def watched_files(pid):
    """The files that a process waits for with epoll(7), as the kernel calls them."""
    found = []
    with contextlib.suppress(FileNotFoundError):
        for info in Path(f"/proc/{pid}/fdinfo").iterdir():
            for number in re.findall(r"(?m)^tfd:\s+(\d+)", info.read_text()):
                found.append(os.readlink(f"/proc/{pid}/fd/{number}"))
    return found


def processor_seconds(pid):
    """The processor time of a process's main thread, with a higher resolution than clock ticks."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


def processor_seconds_of_all_threads(pid):
    """The processor time of a process, also of threads that have ended, in clock ticks: utime and stime in proc(5)."""
    fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def of_threads(pid, file):
    """What /proc/PID/task/TID/FILE holds for each thread, without those that end meanwhile."""
    texts = []
    for thread in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            texts.append((thread / file).read_text(errors="replace"))
    return texts


def switches(pid):
    """The number of wakeups of a process: its voluntary context switches."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"(?m)^voluntary_ctxt_switches:\s+(\d+)", status).group(1))


def status_of(pid):
    """The sizes in the status of a process, in bytes: VmSize, VmRSS, VmHWM and others."""
    status = Path(f"/proc/{pid}/status").read_text()
    return {
        name: int(size) * 1024 for name, size in re.findall(r"(?m)^(\w+):\s+(\d+) kB$", status)}


def memory(pid):
    """The current and the maximum memory of a process (RSS), in MiB."""
    status = status_of(pid)
    return status["VmRSS"] / (1 << 20), status["VmHWM"] / (1 << 20)


def seconds_to_end(program, since=None, limit=None):
    """Waits for the end of a program, and returns the seconds from `since` (`time.monotonic`, by
    default now); None if it is still running after `limit` seconds."""
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
        wait_until(lambda: state_of(pid) in ("T", "Z", None), "the process stops")
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)
