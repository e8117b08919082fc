"""A shell behind a login, at a serial port: what a board with Linux has."""

import contextlib
import os
import shlex
import shutil
import subprocess
import tty
from pathlib import Path

from Tests.endtoend.faults import HAS_COMPILER
from Tests.endtoend.faults.preload import library
from Tests.endtoend.harness import Program, wait_until

NAME, PASSWORD, PROMPT = "root", "secret", "root@board:~# "

LOGIN = """
# What was typed before a question is no answer to it, as for login(1).
forget() {{ while read -r -t 0.3; do :; done; }}
while true; do
    printf 'board login: '
    read -r name || exit
    forget
    [ -n "$name" ] || continue
    stty -echo
    printf 'Password: '
    read -r password
    stty echo
    echo
    [ "$name $password" != {known} ] || break
    forget
    echo 'Login incorrect'
done
cd {home} && exec env -i PATH={programs}:"$PATH" HOME={home} LD_PRELOAD={library} bash --rcfile {settings} --noediting -i
"""

# labgrid says with dmesg that the kernel shall be silent: this is the kernel of the test's machine.
# It sends the first characters of a transfer before the program for it has begun: their echo would count as errors,
# and after eight of them it takes another checksum than the program.
# A shell whose terminal is gone would write its history into a folder that is being removed.
SETTINGS = """
unset HISTFILE
PS1={prompt}
dmesg() {{ :; }}
stty -echo
"""


# labgrid gives the receiver an absolute path. Since a security update of Debian, lrzsz takes one only with -U.
RECEIVER = """#!/bin/sh
exec rz -U "$@"
"""


def missing():
    """Why there is no such shell, or no programs in it for files; empty if there are."""
    if not HAS_COMPILER:
        return "needs a C compiler for preload/drain.c"
    for program in ("socat", "bash", "rz"):
        if not shutil.which(program):
            return f"{program} is not installed"
    return ""


class LoginShell:
    """The shell at the pseudo-terminal `node`, with a terminal of its own behind it. The port stays open here,
    unread, so that the shell outlives its clients. For files it has lrzsz, which does not discard what it has
    sent when it ends: see preload/drain.c."""

    def __init__(self, folder):
        link = Path(folder) / "shell"
        script, settings = Path(folder) / "login.sh", Path(folder) / "settings"
        programs = Path(folder) / "programs"
        programs.mkdir()
        (programs / "lrz").write_text(RECEIVER)
        (programs / "lrz").chmod(0o755)
        script.write_text(LOGIN.format(
            programs=shlex.quote(str(programs)),
            known=shlex.quote(f"{NAME} {PASSWORD}"), home=shlex.quote(str(folder)),
            library=shlex.quote(library("drain.c")), settings=shlex.quote(str(settings))))
        settings.write_text(SETTINGS.format(prompt=shlex.quote(PROMPT)))
        with contextlib.ExitStack() as stack:
            stack.enter_context(Program(
                ["socat", f"PTY,link={link},rawer", f"EXEC:bash {script},pty,setsid,ctty,stderr,sane"],
                stdin=subprocess.DEVNULL))
            wait_until(link.exists, "socat has made the port")
            self.node = os.path.realpath(link)
            port = os.open(self.node, os.O_RDWR | os.O_NOCTTY)
            stack.callback(os.close, port)
            tty.setraw(port)
            self._stack = stack.pop_all()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._stack.close()
