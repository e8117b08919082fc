"""conserver on the loopback address, with one console named `board`."""

import contextlib
import os
import shutil
import tempfile
import termios
from pathlib import Path

from Tests.endtoend.harness import Pipes, Terminal, wait_until

from . import free_port, listens

SERVER = "/usr/sbin/conserver"

# Without encryption and passwords, for programs of this computer. See conserver.cf(5).
CONFIGURATION = """
config * {{
  primaryport {port}; secondaryport {second}; sslrequired no; defaultaccess rejected; redirect no;
  passwdfile {folder}/passwd;
}}
access * {{ trusted 127.0.0.1; }}
console board {{ master localhost; rw *; logfile {folder}/board.log; {console} }}
"""


def missing():
    """Why conserver cannot be tested; empty if it can."""
    if not os.access(SERVER, os.X_OK):
        return "conserver is not installed: it is in Debian's conserver-server"
    return "" if shutil.which("console") else "console is not installed: it is in conserver-client"


class Conserver(contextlib.ExitStack):
    """`console` is how conserver reaches the console: `type host; host …;`."""

    def __init__(self, console):
        super().__init__()
        self._console = console

    def __enter__(self):
        super().__enter__()
        folder = Path(self.enter_context(tempfile.TemporaryDirectory()))
        self._port = free_port()
        (folder / "conserver.cf").write_text(CONFIGURATION.format(
            port=self._port, second=free_port(), folder=folder, console=self._console))
        (folder / "passwd").write_text("*any*:\n")
        self._server = self.enter_context(
            Pipes(SERVER, "-v", "-C", str(folder / "conserver.cf"), "-M", "127.0.0.1"))
        wait_until(lambda: listens(self._port), "conserver listens")
        self.log = folder / "board.log"
        return self

    def console(self, *options):
        """A user who is attached to the console."""
        terminal = self.enter_context(Terminal(
            "console", "-E", "-M", "127.0.0.1", "-p", str(self._port), *options, "board"))
        self._server.stdout.expect(b" attach ")
        wait_until(
            lambda: not terminal.settings.local_modes & termios.ICANON, "the terminal is in raw mode")
        return terminal
