"""serialterm and another program transfer files over a line."""

import re
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from Tests.endtoend.faults import HAS_COMPILER
from Tests.endtoend.harness import Pipes, serialterm_binary
from Tests.endtoend.harness.program import REPOSITORY

from .line import FarProgram, Line

PYTHON = REPOSITORY / ".build/python/bin/python"
PYTHON_PEER = Path(__file__).with_name("python_peer.py")


def missing(program):
    """Why a program cannot be tested at the far end; empty if it can."""
    if not HAS_COMPILER:
        return "needs a C compiler for preload/drain.c"
    return "" if shutil.which(program) else f"{program} is not installed"


def missing_package(name):
    """Why a package of PyPI cannot be tested; empty if it can."""
    found = PYTHON.exists() and subprocess.run(
        [PYTHON, "-c", f"import {name}"], capture_output=True, check=False).returncode == 0
    return "" if found else f"the package {name} is not in .build/python: scripts/test installs it"


class Bench:
    """A line with serialterm at its first node, and folders for files that are sent and received."""

    def __init__(self, line=None):
        self.line = line or Line()
        self._programs = []

    def __enter__(self):
        self.line.__enter__()
        self._folder = tempfile.TemporaryDirectory()
        self.folder = Path(self._folder.name)
        self.sent, self.received = self.folder / "sent", self.folder / "received"
        self.sent.mkdir()
        self.received.mkdir()
        return self

    def __exit__(self, *error):
        for program in reversed(self._programs):
            program.close()
        self._folder.cleanup()
        self.line.__exit__(*error)

    def ours(self, *arguments, **how):
        """Starts serialterm with these arguments: {} is its node."""
        arguments = [self.line.nodes[0] if each == "{}" else str(each) for each in arguments]
        self._programs.append(Pipes(serialterm_binary(), *arguments, **how))
        return self._programs[-1]

    def send(self, protocol, *paths, options=()):
        files = [word for path in paths for word in ("--file", path)]
        return self.ours("send", "{}", *files, "--protocol", protocol, *options)

    def receive(self, protocol, *options):
        return self.ours("receive", "{}", "--protocol", protocol, "--into", self.received, *options)

    def far(self, *arguments, cwd=None):
        """Starts the program at the far end of the line."""
        program = FarProgram(self.line.nodes[1], *map(str, arguments), cwd=cwd)
        self._programs.append(program)
        return program

    def far_python(self, package, *arguments, cwd=None):
        return self.far(PYTHON, PYTHON_PEER, package, *arguments, cwd=cwd)

    def write(self, contents):
        """Writes files to send; returns their paths."""
        return [content.write(self.sent) for content in contents]


def ended(program, status=0, patience=None):
    """Waits until a program has ended with this status; returns its stderr."""
    found = program.wait(patience)
    errors = program.stderr if isinstance(program, Pipes) else program.errors
    said = errors.expect_end()
    if found != status:
        raise AssertionError(f"{program.name} ended with {found}, not {status}: {said!r}")
    return errors.data


def differences(folder, contents):
    """The differences between the files in a folder and the expected ones; empty if there are none."""
    found = {path.name: path.read_bytes() for path in Path(folder).iterdir()}
    wrong = [f"{name!r} is one too many" for name in sorted(found.keys() - {c.name for c in contents})]
    for name, data in contents:
        if name not in found:
            wrong.append(f"{name!r} is missing")
        elif found[name] != data:
            wrong.append(f"{name!r} has {len(found[name]):,} other bytes instead of {len(data):,}")
    return "; ".join(wrong)


def at_once(test, cases, run, count=8):
    """Runs `run(*case)` for each case as a subtest, several at once: most of their time is waiting."""
    with ThreadPoolExecutor(count) as pool:
        running = [(case, pool.submit(run, *case)) for case in cases]
        for case, result in running:
            with test.subTest(named(case)):
                result.result()


def named(case):
    """The name of a case: of files, their names."""
    if isinstance(case, (tuple, list)) and not hasattr(case, "name"):
        return " ".join(map(named, case))
    return str(getattr(case, "name", case))


def written(program):
    """The number of bytes that a program has written."""
    return int(re.search(r"wchar: (\d+)", Path(f"/proc/{program.pid}/io").read_text()).group(1))
