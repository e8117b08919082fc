"""Shared code of the tests of releasing a port."""

import tempfile
import unittest
from pathlib import Path

from Tests.endtoend.harness import Device, Pipes, Terminal, run, serialterm_binary, wait_until

# Opens the port like a careful tool, and prints the received bytes until its own input ends.
EXCLUSIVE_USER = """
import fcntl, os, select, sys, termios
port = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)
fcntl.flock(port, fcntl.LOCK_EX | fcntl.LOCK_NB)
fcntl.ioctl(port, termios.TIOCEXCL)
print("locked", flush=True)
while True:
    ready = select.select([port, 0], [], [])[0]
    if port in ready:
        print("read", os.read(port, 100).decode(), flush=True)
    elif not os.read(0, 1):
        break
fcntl.ioctl(port, termios.TIOCNXCL)
"""


class ReleaseTestCase(unittest.TestCase):
    """A device behind a link, and a place for sockets that no other test's sessions have."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.path = self.folder / "port"
        self.device = self.enterContext(Device(link=self.path))
        self.runtime = self.folder / "runtime"
        self.runtime.mkdir()
        self.variables = {"XDG_RUNTIME_DIR": str(self.runtime)}

    def session(self, *options):
        """A session that has its port and listens."""
        session = self.enterContext(Terminal(
            serialterm_binary(), "connect", str(self.path), *options, variables=self.variables))
        session.expect(b"ctrl-t q")
        wait_until(self.socket_of(session).exists, "the session listens")
        return session

    def socket_of(self, session):
        """The path of a session's socket."""
        return self.runtime / "serialterm" / f"{session.pid}.sock"

    def release(self, *command):
        """Starts `serialterm release` with pipes."""
        return Pipes(serialterm_binary(), "release", str(self.path), "--", *command,
                     variables=self.variables)

    def run_release(self, *command, target=None, options=(), stdin=b""):
        """Runs `serialterm release` to its end."""
        return run(serialterm_binary(), "release", *options, target or str(self.path), "--",
                   *command, variables=self.variables, stdin=stdin)

    @staticmethod
    def has_started(client):
        """Whether the client's command is running."""
        return Path(f"/proc/{client.pid}/task/{client.pid}/children").read_text().strip() != ""
