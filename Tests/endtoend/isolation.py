"""Keeps the tests of a process apart from the rest of the machine, and from tests in other processes: sessions that
somebody left open, servers at the ports of the examples, a configuration at home."""

import ctypes
import fcntl
import os
import socket
import struct
import sys
from pathlib import Path

# From <linux/sched.h>, <linux/mount.h>, <linux/sockios.h> and <linux/if.h>.
CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWNET = 0x0002_0000, 0x1000_0000, 0x4000_0000
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x4_0000
SIOCSIFFLAGS, SIOCSIFADDR, IFF_UP, IFF_RUNNING = 0x8914, 0x8916, 1, 0x40

# Of a range for tests of networks (RFC 2544).
ADDRESS = "198.18.0.1"

# A module whose tests download something sets this to True: it keeps the machine's network.
MARK = "NEEDS_MACHINE_NETWORK"

# What belongs to the terminal or the desktop of the user who starts the tests.
PERSONAL = ("TMUX", "TMUX_PANE", "STY", "SSH_AUTH_SOCK", "SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY", "DISPLAY")


def separate(base, network=True):
    """Gives this process, which must have only one thread, and the programs that it starts a home and a folder for
    the sockets of sessions, both in the empty folder `base`, which the caller removes. Where the system permits it,
    they also get a /tmp and a network of their own, which has nothing but a loopback interface.

    Without a /tmp of their own, they see sessions that have no runtime folder, in /tmp/serialterm-UID. `network`:
    false for tests that download something."""
    base.chmod(0o1777)
    old_home = Path.home()
    # Only caches are shared: compiled modules of the toolchain, the Debian of the package's tests.
    os.environ.setdefault("XDG_CACHE_HOME", str(old_home / ".cache"))
    # Git refuses a repository of another owner unless the user's configuration allows it.
    if os.access(old_home / ".gitconfig", os.R_OK):
        os.environ.setdefault("GIT_CONFIG_GLOBAL", str(old_home / ".gitconfig"))
    for name in PERSONAL:
        os.environ.pop(name, None)
    for name in ("home", "run"):
        (base / name).mkdir(mode=0o700)
    if why_no_namespaces(base, network) is None:
        base = _unshare(base, network)
    home = base / "home"
    os.environ.update(
        HOME=str(home), XDG_CONFIG_HOME=str(home / ".config"), XDG_STATE_HOME=str(home / ".local/state"),
        XDG_DATA_HOME=str(home / ".local/share"), XDG_RUNTIME_DIR=str(base / "run"))


def why_no_namespaces(base, network=True):
    """Why the system permits no /tmp and no network of their own; None if it does: to root outside of containers, and
    to others where users may have namespaces. A child tries all of it, because some systems permit a namespace, but
    nothing in it."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            _unshare(base, network)
        except BaseException as error:  # Whatever it is, only the parent may go on.
            os.write(writer, str(error).encode()[:500] or b"failed")
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        reason = stream.read().decode()
    os.waitpid(child, 0)
    return reason or None


def _call(name, *arguments):
    """Calls a function of the C library. Python's own `os.unshare` is newer than Debian's Python."""
    if ctypes.CDLL(None, use_errno=True)[name](*arguments) != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")


def _is_needed(folder):
    """Whether something that the tests need is in a folder."""
    paths = [__file__, sys.executable, *(
        value for name, value in os.environ.items() if name.startswith("SERIALTERM"))]
    return any(os.path.realpath(path).startswith(f"{folder}/") for path in paths)


def _unshare(base, network):
    """Makes the namespaces, and returns the path of `base` in them."""
    user, group = os.geteuid(), os.getegid()
    # With a namespace of users, only one user exists. Root's tests need others.
    _call("unshare", CLONE_NEWNS | (CLONE_NEWNET if network else 0) | (CLONE_NEWUSER if user else 0))
    if user:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    _call("mount", b"none", b"/", None, ctypes.c_ulong(MS_REC | MS_PRIVATE), None)
    if network:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as interface:
            fcntl.ioctl(interface, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", IFF_UP | IFF_RUNNING))
            # ser2net asks for addresses of kinds that the machine has, and the loopback address does not count
            # (getaddrinfo(3), AI_ADDRCONFIG).
            fcntl.ioctl(interface, SIOCSIFADDR, struct.pack(
                "16sHxx4s8x", b"lo:1", socket.AF_INET, socket.inet_aton(ADDRESS)))
    # A session that a test has killed leaves its lock, and another test may get a terminal of that name.
    locks, run = base / "lock", base / "run"
    locks.mkdir(exist_ok=True)
    run.mkdir(mode=0o700, exist_ok=True)
    locks.chmod(0o1777)
    _mount(locks, Path("/var/lock"))
    # Whole, because names in /tmp are short: paths in messages and of sockets must be.
    if not _is_needed("/tmp"):
        _mount(base, Path("/tmp"))
        os.environ.pop("TMPDIR", None)
        return Path("/tmp")
    sessions = Path(f"/tmp/serialterm-{user}")
    sessions.mkdir(mode=0o700, exist_ok=True)
    _mount(run, sessions)
    return base


def _mount(folder, place):
    """Shows a folder in the place of another one."""
    _call("mount", bytes(folder), bytes(place), None, ctypes.c_ulong(MS_BIND), None)


def mount_memory(place, kilobytes):
    """Mounts a file system in memory. That takes no root: a process that has made its namespaces may do so, but no
    program that it starts."""
    _call("mount", b"none", bytes(place), b"tmpfs", ctypes.c_ulong(0), b"size=%dk" % kilobytes)


def unmount(place):
    """Unmounts a file system. Raises OSError while it is used."""
    _call("umount2", bytes(place), 0)


def command_in_own_mounts():
    """The beginning of a command line that runs the rest where it can mount what it likes: as root, who somebody else
    becomes there in name."""
    return ["unshare", "--mount", "--propagation", "private", *(["--map-root-user"] if os.geteuid() else [])]
