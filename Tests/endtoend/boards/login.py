"""A shell behind a login, as on a board with Linux, at a serial port or right at a terminal."""

import contextlib
import shlex
from pathlib import Path

from Tests.endtoend.harness import Device, Program

NAME, PASSWORD, PROMPT = "root", "secret", "board:~#"

# Not getty(8): as root it writes to the machine's utmp(5).
LOGIN = """
stty sane
while true; do
    read -r -p 'board login: ' name || exit
    read -r -s -p 'Password: ' password; echo
    [ "$name $password" != {known} ] || break
    echo 'Login incorrect'
done
cd {files} && exec env -i PATH="$PATH" HOME={home} TMUX_TMPDIR={home} SHELL=/bin/bash USER=root LC_ALL=C.UTF-8 TZ=UTC \\
    PS1={prompt} bash --noprofile --norc -i
"""


def login(home, files):
    """The command for a login whose shell has a home, and begins in a folder of files."""
    home.mkdir()
    script = LOGIN.format(
        known=shlex.quote(f"{NAME} {PASSWORD}"), home=shlex.quote(str(home)), files=shlex.quote(str(files)),
        prompt=shlex.quote(f"{PROMPT} "))
    path = Path(f"{home}.sh")
    path.write_text(script)
    return "bash", str(path)


class Board:
    """A login at a serial port, the pseudo-terminal `node`. It has a terminal of its own."""

    def __init__(self, home, files):
        with contextlib.ExitStack() as stack:
            device = stack.enter_context(Device())
            self.node = device.node
            stack.enter_context(Program(
                ["socat", "-", f"EXEC:{' '.join(login(home, files))},pty,setsid,ctty,stderr"],
                stdin=device.descriptor, stdout=device.descriptor))
            self._stack = stack.pop_all()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._stack.close()
