"""Shells that complete the words of serialterm."""

import contextlib
import os
import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from .program import serialterm, serialterm_binary
from .terminal import Terminal

# ctrl-u, which the line editors of all these shells take.
DELETE_LINE = "\x15"

# A replacement of the program: it answers the shell's questions, and otherwise prints its arguments.
STUB = """#!/bin/sh
if [ "$1" = complete-line ]; then {variables} exec {binary} "$@"; fi
printf 'words:'; printf '<%s>' "$@"; echo .
"""


@dataclass(frozen=True)
class Shell:
    """A shell and how it shows completions."""

    name: str
    # Starts it.
    command: tuple
    # Makes it read the script.
    setup: str
    # The text between a word and its description in a list.
    separator: bytes
    # The keys that show a list.
    tabs: bytes = b"\t"
    # A file that it needs.
    needs: str = "/bin/sh"

    @property
    def is_installed(self):
        return bool(shutil.which(self.name)) and Path(self.needs).exists()

    def described(self, word, description):
        """The form of a word in a list of descriptions. The number of blanks depends on the other words."""
        return re.compile(re.escape(word) + b" +" + self.separator + re.escape(description))


PACKAGE = "/usr/share/bash-completion/bash_completion"
BASH = Shell(
    "bash", ("bash", "--norc", "-i"), "source {script}", rb"\(", tabs=b"\t\t")
BASH_WITH_PACKAGE = Shell(
    "bash", ("bash", "--rcfile", PACKAGE, "-i"), "source {script}", rb"\(", b"\t\t", PACKAGE)
ZSH = Shell(
    "zsh", ("zsh", "-f", "-i"), "autoload -U compinit; compinit -u -D; source {script}", b"-- ")
FISH = Shell("fish", ("fish", "--no-config", "-i"), "source {script}", rb"\S*\(")


class CompletionFolder:
    """A home folder in which the name serialterm is that of a program that prints its arguments, a folder to
    work in, and the script of a shell."""

    def __init__(self, shell):
        self.shell = shell

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory()
        folder = Path(self._folder.name).resolve()
        self.home, self.place, self.script = folder / "home", folder / "place", folder / "script"
        self.configuration = self.home / ".config/serialterm/config.toml"
        for path in (self.home / "bin", self.place, self.configuration.parent):
            path.mkdir(parents=True)
        self.script.write_bytes(
            serialterm("--generate-completion-script", self.shell.name).stdout)
        self.install(serialterm_binary())
        return self

    def __exit__(self, *_):
        self._folder.cleanup()

    def install(self, binary, variables=""):
        """Makes another program answer the shell's questions."""
        for name in ("serialterm", "flash-the-board"):
            path = self.home / "bin" / name
            path.write_text(STUB.format(binary=binary, variables=variables))
            path.chmod(0o755)

    @contextlib.contextmanager
    def started(self, size=(60, 80), **variables):
        """The shell, ready for a command line."""
        variables = {
            "PATH": f"{self.home}/bin:{os.environ['PATH']}", "HOME": str(self.home),
            "XDG_CONFIG_HOME": None, "PS1": "> ", **variables}
        with Terminal(*self.shell.command, variables=variables, size=size) as terminal:
            setup = self.shell.setup.format(script=self.script)
            # Typed in parts and printed as one word, so that the echo of the line is not the answer.
            terminal.send(f"cd {self.place}; {setup}; echo rea''dy\r".encode())
            terminal.expect(b"ready\r\n")
            yield terminal
