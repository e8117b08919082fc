"""labgrid on the loopback address: a coordinator, an exporter, and one place."""

import contextlib
import os
import re
import shutil
import signal
import stat
import subprocess
import tempfile
from pathlib import Path

from Tests.endtoend.harness import run, serialterm_binary, wait_until
from Tests.endtoend.harness.deadline import TIMEOUT
from Tests.endtoend.harness.program import REPOSITORY, environment

from . import free_port, listens

# The exporter has ser2net listen on every address of the machine.
ON_LOOPBACK = """#!/bin/bash
exec {ser2net} "${{@/,tcp,/,tcp,127.0.0.1,}}"
"""


def missing():
    """Why labgrid cannot be tested; empty if it can."""
    for program in ("labgrid-client", "labgrid-coordinator", "labgrid-exporter"):
        if not shutil.which(program):
            return f"{program} is not installed: it is in PyPI's labgrid"
    return "" if shutil.which("ser2net") else "ser2net is not installed"


def local_port(node):
    """The exports of one serial node, which the exporter's ser2net serves."""
    return f"g1:\n  RawSerialPort:\n    port: {node}\n    speed: 115200\n"


class Labgrid:
    """A place with the name `board`, acquired, with one serial port.

    `exports` is the exporter's configuration.
    """

    def __init__(self, exports):
        with contextlib.ExitStack() as stack:
            self.folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            programs = self.folder / "bin"
            programs.mkdir()
            ser2net = programs / "ser2net"
            ser2net.write_text(ON_LOOPBACK.format(ser2net=shutil.which("ser2net")))
            ser2net.chmod(ser2net.stat().st_mode | stat.S_IXUSR)
            port = free_port()
            self.variables = {
                "PATH": f"{programs}:{REPOSITORY}/labgrid:{os.environ['PATH']}",
                "LG_COORDINATOR": f"127.0.0.1:{port}", "LG_PLACE": "board",
                "SERIALTERM": serialterm_binary()}
            self.exports = self.folder / "exports.yaml"
            self.exports.write_text(exports)
            self._processes = stack.enter_context(contextlib.ExitStack())
            # It keeps the places in its working folder.
            self._start("labgrid-coordinator", "-l", f"127.0.0.1:{port}")
            wait_until(lambda: listens(port), "the coordinator listens")
            self.client("create")
            self.client("add-match", "e1/g1/*")
            self._start_exporter()
            wait_until(
                lambda: b"NetworkSerialPort" in self.client("resources"), "the exporter has a port")
            self.client("acquire")
            self._stack = stack.pop_all()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._stack.close()

    def _start(self, *command):
        with open(self.folder / f"{Path(command[0]).name}.log", "ab") as log:
            process = subprocess.Popen(
                command, cwd=self.folder, env=environment(**self.variables), stdout=log, stderr=log,
                stdin=subprocess.DEVNULL, start_new_session=True)
        self._processes.callback(self._end, process)
        return process

    @staticmethod
    def _end(process):
        """Ends it together with the processes that it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(TIMEOUT)

    def client(self, *arguments):
        """What labgrid-client prints, when it has succeeded."""
        ended = run("labgrid-client", *arguments, variables=self.variables)
        if ended.status:
            raise AssertionError(f"labgrid-client {arguments}: {ended.stdout!r} {ended.stderr!r}")
        return ended.stdout

    def _start_exporter(self):
        self.exporter = self._start(
            "labgrid-exporter", "-c", self.variables["LG_COORDINATOR"], "-n", "e1",
            "--hostname", "127.0.0.1", str(self.exports))

    def kill_exporter(self):
        """Kills it and its ser2net, as the end of its machine would."""
        self._end(self.exporter)

    def start_exporter(self):
        """Starts it again; returns when the place, which is still acquired, has the port."""
        self._start_exporter()
        wait_until(
            lambda: re.search(rb"'port': \d", self.client("show")), "the place has a port")

    def restart_ser2net(self):
        """Kills the exporter's ser2net and starts it again with the same port."""
        children = Path(f"/proc/{self.exporter.pid}/task/{self.exporter.pid}/children")
        for child in map(int, children.read_text().split()):
            command = Path(f"/proc/{child}/cmdline").read_bytes().decode().split("\0")[:-1]
            if "ser2net" in command[0]:
                os.kill(child, signal.SIGKILL)
                port = int(command[4].rpartition(",")[2])
                wait_until(lambda port=port: not listens(port), "ser2net has ended")
                self._start(shutil.which("ser2net"), *command[1:])
                wait_until(lambda port=port: listens(port), "ser2net listens again")
                return
        raise AssertionError("the exporter has started no ser2net")
