"""A real sshd on the loopback address with its own keys, and an ssh that trusts it."""

import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile

from Tests.endtoend.harness import Device, serialterm_binary, wait_until
from Tests.endtoend.servers import free_port

SSHD = shutil.which("sshd")


def accepts(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def descendants(pid):
    """The processes below a process."""
    children = {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(stat.parent.name))
    found = [pid]
    for each in found:
        found += children.get(each, [])
    return found[1:]


class SSHServer:
    """`path` is a PATH on which `ssh` reaches the server as `board.test`.

    The server runs what it is asked for with a PATH on which `serialterm` is the tested program; the folder
    `there` stands first in it.
    """

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.port = free_port()
        for name in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / name],
                           check=True)
        (self.folder / "authorized").write_text((self.folder / "user.pub").read_text())
        self.there = self.folder / "there"
        self.there.mkdir()
        (self.there / "serialterm").symlink_to(serialterm_binary())
        (self.folder / "sshd_config").write_text(
            f"ListenAddress 127.0.0.1\nPort {self.port}\nHostKey {self.folder}/host\n"
            f"AuthorizedKeysFile {self.folder}/authorized\nStrictModes no\nUsePAM no\n"
            f"PasswordAuthentication no\nPidFile {self.folder}/pid\n"
            f"SetEnv PATH={self.there}:/usr/bin:/bin HOME={self.folder}\nPermitRootLogin yes\n")
        host_key = (self.folder / "host.pub").read_text()
        (self.folder / "known").write_text(f"[127.0.0.1]:{self.port} {host_key}")
        (self.folder / "ssh_config").write_text(
            f"Host board.test\n  HostName 127.0.0.1\n  Port {self.port}\n"
            f"  IdentityFile {self.folder}/user\n  IdentitiesOnly yes\n"
            f"  UserKnownHostsFile {self.folder}/known\n")
        here = self.folder / "here"
        here.mkdir()
        # ssh finds its configuration by the user's entry in passwd, not by $HOME.
        wrapper = here / "ssh"
        wrapper.write_text(f"#!/bin/sh\nexec {shutil.which('ssh')} -F {self.folder}/ssh_config \"$@\"\n")
        wrapper.chmod(0o755)
        self.path = f"{here}:{os.environ['PATH']}"
        self.start()
        return self

    def start(self):
        # The folder that sshd of Debian wants to be there.
        if os.geteuid() == 0:
            os.makedirs("/run/sshd", exist_ok=True)
        self.process = subprocess.Popen(
            [SSHD, "-D", "-e", "-f", str(self.folder / "sshd_config")], stdin=subprocess.DEVNULL,
            stderr=open(self.folder / "sshd.log", "ab"), start_new_session=True)
        wait_until(lambda: accepts(self.port), "sshd listens")

    def stop(self):
        """Ends the server and its connections."""
        for pid in descendants(self.process.pid) + [self.process.pid]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()
        Device.end_exclusive_mode_of_the_killed()

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
