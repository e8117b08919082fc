"""Servers of RFC 2217: ours, and those that others have written, each with one port on the loopback address."""

import contextlib
import itertools
import os
import re
import shutil
import signal
import socket
import subprocess
from pathlib import Path

from Tests.endtoend.harness import Device, serialterm_binary, wait_until
from Tests.endtoend.harness.deadline import TIMEOUT
from Tests.endtoend.harness.program import environment

PYTHON = "/usr/bin/python3"
PORT_MANAGER = Path(__file__).with_name("port_manager.py")


# Below those that the kernel chooses for clients (ip_local_port_range), so that no connection takes one in the
# meantime. Each process begins elsewhere.
_ports = itertools.islice(itertools.cycle(range(10_000, 30_000)), os.getpid() % 200 * 100, None)


def free_port():
    """The number of a free TCP port, another one for each call."""
    while True:
        port = next(_ports)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
            return port


def first_number(*arguments):
    """The version that a program prints; empty if it does not run."""
    try:
        result = subprocess.run(arguments, capture_output=True, text=True, timeout=TIMEOUT)
    except OSError:
        return ""
    found = re.search(r"\d+(\.\d+)+", result.stdout + result.stderr)
    return found.group() if found and result.returncode == 0 else ""


class Server:
    """A program that serves a node. `name` is how the documentation calls it."""

    name = program = ""

    @classmethod
    def missing(cls):
        """Why the server cannot be tested; empty if it can."""
        return "" if shutil.which(cls.program) else f"{cls.program} is not installed"

    @classmethod
    def version(cls):
        return ""

    @classmethod
    def arguments(cls, node, port, folder):
        """The command line."""
        raise NotImplementedError

    @classmethod
    @contextlib.contextmanager
    def running(cls, node, port, folder, variables=None):
        """The server's process, when it listens. Its output is in the folder."""
        with open(os.path.join(folder, "server.log"), "ab") as log:
            process = subprocess.Popen(
                cls.arguments(node, port, folder), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True, env=environment(**(variables or {})))
        try:
            wait_until(lambda: listens(port) or process.poll() is not None, f"{cls.name} listens")
            if process.poll() is not None:
                with open(os.path.join(folder, "server.log"), encoding="utf-8") as log:
                    raise AssertionError(f"{cls.name} has ended: {log.read()}")
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(TIMEOUT)
            Device.end_exclusive_mode_of_the_killed()


def states(port):
    """The states of the sockets at a local port, in the kernel's numbers."""
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with open(table, encoding="ascii") as lines:
            found |= {
                fields[3] for fields in map(str.split, lines) if fields[1].endswith(f":{port:04X}")}
    return found


def listens(port):
    """Whether a process listens on a port. It does not connect, because some servers serve only one client."""
    return "0A" in states(port)


def serves(port):
    """Whether the server at a port has a client, or has not closed the connection of one that has left."""
    return bool({"01", "08"} & states(port))


class Serve(Server):
    """The server of the program under test."""

    name = "serialterm serve"

    @classmethod
    def missing(cls):
        return ""

    @classmethod
    def version(cls):
        return first_number(serialterm_binary(), "--version")

    @classmethod
    def arguments(cls, node, port, folder):
        return [serialterm_binary(), "serve", node, "--listen", str(port)]


class ServeWithBacklog(Serve):
    """For a client that may connect after the board has begun to boot."""

    @classmethod
    def arguments(cls, node, port, folder):
        return [*super().arguments(node, port, folder), "--backlog", "64k"]


class Ser2net(Server):
    name, program = "ser2net", "ser2net"

    @classmethod
    def version(cls):
        return first_number(cls.program, "-v")

    @classmethod
    def arguments(cls, node, port, folder):
        return [
            cls.program, "-d", "-n",
            "-Y", f"connection: &port#  accepter: telnet(rfc2217,mode=server),tcp,127.0.0.1,{port}",
            "-Y", f"  connector: serialdev(nouucplock=true),{node},115200n81,local"]


class Gensiot(Server):
    name, program = "gensiot", "gensiot"

    @classmethod
    def version(cls):
        return first_number(cls.program, "--version")

    @classmethod
    def arguments(cls, node, port, folder):
        return [
            cls.program, "--server", "-a", "-i", f"serialdev(nouucplock=true),{node},115200n81,local",
            f"telnet(rfc2217,mode=server),tcp,127.0.0.1,{port}"]


class PortManager(Server):
    """A server of a few lines with pyserial's class."""

    name, program = "pyserial PortManager", PYTHON

    @classmethod
    def missing(cls):
        return "" if cls.version() else "python3-serial is not installed"

    @classmethod
    def version(cls):
        return first_number(PYTHON, "-c", "import serial; print(serial.__version__)")

    @classmethod
    def arguments(cls, node, port, folder):
        return [PYTHON, str(PORT_MANAGER), node, str(port)]


class EspServer(Server):
    """It is in PyPI's esptool, not in Debian."""

    name, program = "esp_rfc2217_server", "esp_rfc2217_server"

    @classmethod
    def version(cls):
        launcher = shutil.which(cls.program)
        python = Path(launcher).resolve().with_name("python3") if launcher else "python3"
        return first_number(
            str(python), "-c", "import importlib.metadata as m; print(m.version('esptool'))")

    @classmethod
    def arguments(cls, node, port, folder):
        return [cls.program, "-p", str(port), node]


class Sredird(Server):
    """It serves its standard streams, which socat connects, as inetd does."""

    name, program = "sredird", "sredird"

    @classmethod
    def missing(cls):
        return super().missing() or ("" if shutil.which("socat") else "socat is not installed")

    @classmethod
    def version(cls):
        return first_number("dpkg-query", "-W", "-f=${Version}", "sredird")

    @staticmethod
    def lock(folder):
        """The lock file. A process that finds it there when it starts ends its connection."""
        return os.path.join(folder, "LCK..port")

    @classmethod
    def arguments(cls, node, port, folder):
        return [
            "socat", f"TCP-LISTEN:{port},bind=127.0.0.1,reuseaddr,fork",
            f"EXEC:{cls.program} 0 {node} {cls.lock(folder)} 20,nofork"]


SERVERS = [Serve, Ser2net, Gensiot, PortManager, EspServer, Sredird]
