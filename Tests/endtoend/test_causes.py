"""For each way in which `connect` fails, `doctor` finds the same cause in the same words, and its fix
helps: one table drives both."""

import contextlib
import grp
import json
import os
import pwd
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from typing import NamedTuple

from Tests.endtoend.harness import TIMEOUT, Device, Pipes, PublicCopy, run, slow
from Tests.endtoend.test_errors import USER
from Tests.endtoend.test_faults_busy import DEAD, LOCK_FOLDER, lock_file

# Opens a port, then locks it in the way that its second argument says. Exclusive mode would outlive
# the process, because the test has the pseudo-terminal open too.
HOLDER = """import fcntl, os, signal, sys, termios
port = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)
def end(*_):
    fcntl.ioctl(port, termios.TIOCNXCL)
    os._exit(0)
signal.signal(signal.SIGTERM, end)
if sys.argv[2] == "flock":
    fcntl.flock(port, fcntl.LOCK_EX)
elif sys.argv[2] == "exclusive":
    fcntl.ioctl(port, termios.TIOCEXCL)
print("ready", flush=True)
sys.stdin.read()
"""
MAY_LOCK = os.access(LOCK_FOLDER, os.W_OK)


class Cause(NamedTuple):
    """A row of the table: what makes `connect` fail, and what both commands make of it."""

    # A method of the test that prepares the cause, and returns the TARGET.
    prepare: str
    # The exit status of `connect`; 0 if the port can be used in spite of the finding.
    status: int
    # The code of the finding; None if the TARGET is wrong usage for both.
    code: str
    user: str = None
    needs: bool = True
    # Whether the fix is a command that this machine can run, and whether `connect` works then.
    fix: bool = False
    # The findings that are left then.
    left: tuple = ()


TABLE = [
    Cause("nothing", 3, "no-such-device"),
    Cause("endless_link", 3, "no-such-device"),
    Cause("dangling_link", 3, "no-such-device"),
    Cause("absent_adapter", 3, "no-such-device"),
    Cause("some_folder", 3, "not-a-serial-port"),
    Cause("file", 3, "not-a-serial-port"),
    Cause("null_device", 3, "not-a-serial-port"),
    Cause("closed_folder", 4, "permission-denied", user=USER, needs=USER),
    Cause("node_of_a_group", 4, "permission-denied", user=USER, needs=USER),
    Cause("node_of_root", 4, "permission-denied", user=USER, needs=USER),
    Cause("flock", 5, "held", fix=True),
    Cause("own_session", 5, "held", fix=True),
    Cause("exclusive_mode", 5, "held", user=USER, needs=USER, fix=True),
    Cause("lock_file", 5, "held", needs=MAY_LOCK, fix=True,
          left=("stale-lock",)),
    Cause("new_empty_lock_file", 5, "held", needs=MAY_LOCK, fix=True,
          left=("stale-lock",)),
    Cause("garbage_lock_file", 5, "unusable-lock", needs=MAY_LOCK, fix=True),
    Cause("folder_as_lock_file", 5, "unusable-lock", needs=MAY_LOCK, fix=True),
    Cause("linked_lock_file", 5, "unusable-lock", needs=MAY_LOCK, fix=True),
    Cause("stale_lock_file", 0, "stale-lock", needs=MAY_LOCK, fix=True),
    Cause("old_empty_lock_file", 0, "stale-lock", needs=MAY_LOCK, fix=True),
    Cause("opened_without_a_lock", 0, "shared", fix=True),
    Cause("network", 3, "unreachable"),
    Cause("remote_port", 3, "unreachable"),
    Cause("unix_socket", 3, "unreachable"),
    Cause("other_server", 1, "other-protocol"),
    Cause("busy_server", 5, "held-by-a-server"),
    Cause("remote_machine", 3, "unreachable"),
    Cause("malformed", 2, None),
]


def without_help(result):
    """The message of a command, without the name of its help."""
    return result.stderr.partition(b" See 'serialterm")[0]


class CauseTests(unittest.TestCase):
    def setUp(self):
        self.device = self.enterContext(Device())
        os.chmod(self.device.node, 0o666)
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.folder.chmod(0o755)
        self.binary = self.enterContext(PublicCopy())

    def serialterm(self, *arguments, user=None):
        return run(self.binary, *arguments, user=user)

    def connect(self, target, user):
        return self.serialterm("connect", target, "--linger", "1", user=user)

    @slow
    def test_doctor_finds_what_connect_fails_with(self):
        for cause in TABLE:
            with self.subTest(cause.prepare):
                if not cause.needs:
                    self.skipTest("needs other rights")
                with contextlib.ExitStack() as self.stack:
                    self.check(cause, str(getattr(self, cause.prepare)()))

    def check(self, cause, target):
        result = self.connect(target, cause.user)
        self.assertEqual(result.status, cause.status, result)
        doctor = self.serialterm("doctor", target, "--json", user=cause.user)
        if cause.code is None:
            self.assertEqual(doctor.status, 2)
            self.assertEqual(without_help(doctor), without_help(result))
            return
        self.assertEqual(doctor.status, 1, doctor)
        found = {finding["code"]: finding for finding in json.loads(doctor.stdout)}
        finding = found[cause.code]
        self.assertEqual(finding["blocking"], cause.status != 0)
        if cause.code != "stale-lock":  # No obstacle for `connect`, which does not mention it.
            self.assertIn(finding["what"].rpartition(": ")[2].encode(), result.stderr)
        if cause.fix:
            self.apply(finding["mend"], target, cause.user)
            again = self.connect(target, cause.user)
            self.assertEqual(again.status, 0, again)
            left = json.loads(self.serialterm("doctor", target, "--json").stdout)
            self.assertEqual([finding["code"] for finding in left], list(cause.left))

    def apply(self, commands, target, user):
        """Runs the commands of a fix. `serialterm release` lends a port, `attach` joins its session: they free none."""
        for command in commands:
            command = command.replace("sudo ", "").replace("serialterm ", f"{self.binary} ", 1)
            if " release " not in command and " attach " not in command:
                subprocess.run(["sh", "-c", command], check=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL)
        for holder in getattr(self, "holders", []):
            holder.wait()
        self.holders = []

    # MARK: Causes

    def nothing(self):
        return self.folder / "none"

    def endless_link(self):
        (self.folder / "loop").symlink_to("loop")
        return self.folder / "loop"

    def dangling_link(self):
        (self.folder / "dangling").symlink_to("nowhere")
        return self.folder / "dangling"

    def absent_adapter(self):
        return "usb:ffff:fffe"

    def some_folder(self):
        return self.folder

    def file(self):
        (self.folder / "file").touch()
        return self.folder / "file"

    def null_device(self):
        return "/dev/null"

    def closed_folder(self):
        closed = self.folder / "closed"
        closed.mkdir(mode=0o700)
        return closed / "port"

    def node_of_a_group(self):
        self.restore_permissions()
        os.chown(self.device.node, 0, grp.getgrnam("dialout").gr_gid)
        os.chmod(self.device.node, 0o660)
        return self.device.node

    def node_of_root(self):
        self.restore_permissions()
        os.chown(self.device.node, 0, 0)
        os.chmod(self.device.node, 0o600)
        return self.device.node

    def restore_permissions(self):
        before = os.stat(self.device.node)
        self.stack.callback(os.chmod, self.device.node, before.st_mode & 0o777)
        self.stack.callback(os.chown, self.device.node, before.st_uid, before.st_gid)

    def hold(self, how, user=None):
        holder = self.stack.enter_context(
            Pipes(sys.executable, "-c", HOLDER, self.device.node, how, user=user))
        holder.stdout.expect(b"ready")
        self.holders = [holder]
        return self.device.node

    def flock(self):
        return self.hold("flock")

    def exclusive_mode(self):
        return self.hold("exclusive", user=USER)

    def opened_without_a_lock(self):
        return self.hold("nothing")

    def own_session(self):
        session = self.stack.enter_context(Pipes(self.binary, "connect", self.device.node))
        session.send(b"x")
        self.device.read_exactly(1)
        self.holders = [session]
        return self.device.node

    def make_lock(self, contents):
        lock = lock_file(self.device.node)
        self.stack.callback(lock.unlink, missing_ok=True)
        lock.write_bytes(contents)
        return lock

    def lock_file(self):
        # The kill command of the fix ends it.
        holder = self.stack.enter_context(Pipes("sleep", "600"))
        self.holders = [holder]
        self.make_lock(b"%10d\n" % holder.pid)
        return self.device.node

    def new_empty_lock_file(self):
        self.make_lock(b"")
        return self.device.node

    def garbage_lock_file(self):
        self.make_lock(b"garbage")
        return self.device.node

    def folder_as_lock_file(self):
        lock = lock_file(self.device.node)
        lock.mkdir()
        self.stack.callback(lambda: lock.exists() and lock.rmdir())
        return self.device.node

    def linked_lock_file(self):
        lock = lock_file(self.device.node)
        lock.symlink_to(self.folder / "elsewhere")
        self.stack.callback(lock.unlink, missing_ok=True)
        return self.device.node

    def stale_lock_file(self):
        self.make_lock(b"%10d\n" % DEAD)
        return self.device.node

    def old_empty_lock_file(self):
        os.utime(self.make_lock(b""), (time.time() - 60,) * 2)
        return self.device.node

    def network(self):
        return "tcp://localhost:1"

    def remote_port(self):
        return "rfc2217://localhost:1"

    def unix_socket(self):
        return "unix:/run/port"

    def server(self, answer):
        """A server that sends a text to each client and then hangs up."""
        listener = self.stack.enter_context(socket.create_server(("127.0.0.1", 0)))

        def serve():
            with contextlib.suppress(OSError):
                while True:
                    client, _ = listener.accept()
                    with client:
                        client.sendall(answer)
                        client.shutdown(socket.SHUT_WR)
                        while client.recv(4_096):
                            pass

        threading.Thread(target=serve, daemon=True).start()
        return f"rfc2217://127.0.0.1:{listener.getsockname()[1]}"

    def other_server(self):
        return self.server(b"\xff\xfe\x2clogin: ")

    def busy_server(self):
        return self.server(b"Port already in use\r\n")

    def remote_machine(self):
        return "ssh://ana@127.0.0.1:1/ttyUSB0"

    def malformed(self):
        return "usb:xyz"


class TargetTests(unittest.TestCase):
    """Every command that takes a TARGET resolves it in the same way."""

    COMMANDS = [
        ["connect", "TARGET"], ["doctor", "TARGET"], ["log", "TARGET", "/dev/null"],
        ["send", "TARGET", "x"], ["run", "TARGET", "/dev/null"], ["release", "TARGET", "--", "true"],
        ["rules", "TARGET", "--name", "board"]]

    def results(self, target):
        """What each command makes of a target that it cannot use."""
        return {words[0]: run(self.binary, *(target if word == "TARGET" else word for word in words))
                for words in self.COMMANDS}

    def setUp(self):
        self.binary = self.enterContext(PublicCopy())

    def test_form_that_is_not_supported_is_refused_by_all_in_the_same_words(self):
        for target in ("tcp://localhost", "rfc2217://localhost:x", "unix:", "ssh://a", "usb:xyz"):
            with self.subTest(target):
                results = self.results(target)
                self.assertEqual({result.status for result in results.values()}, {2}, results)
                self.assertEqual(
                    len({without_help(result) for result in results.values()}), 1, results)

    def test_missing_device_is_named_by_all_in_the_same_words(self):
        for target, words in (("/dev/ttyNONE9", b"/dev/ttyNONE9: no such device"),
                              ("usb:ffff:fffe", b"usb:ffff:fffe: no such device")):
            results = self.results(target)
            doctor = results.pop("doctor")
            results.pop("log", None)
            self.assertIn(words, doctor.stdout)
            for command, result in results.items():
                with self.subTest(target, command=command):
                    self.assertEqual(result.status, 3, result)
                    self.assertIn(words, result.stderr)


@unittest.skipUnless(USER, "needs root, to be refused as somebody else")
class GroupTests(unittest.TestCase):
    def test_user_who_joins_the_group_as_told_may_connect_after_the_next_login(self):
        """In a mount namespace with its own /etc, so that the machine keeps its groups."""
        binary = self.enterContext(PublicCopy())
        device = self.enterContext(Device())
        os.chown(device.node, 0, grp.getgrnam("dialout").gr_gid)
        os.chmod(device.node, 0o660)
        found = json.loads(run(binary, "doctor", device.node, "--json", user=USER).stdout)
        join = found[0]["mend"][0].removeprefix("sudo ")
        self.assertEqual(join, f"usermod -aG dialout {USER}")
        group = pwd.getpwnam(USER).pw_gid
        script = f"""set -e
            mkdir /tmp/.etc && cp -a /etc/. /tmp/.etc && mount --bind /tmp/.etc /etc
            {join}
            setpriv --reuid {USER} --regid {group} --clear-groups {binary} doctor {device.node} || true
            setpriv --reuid {USER} --regid {group} --init-groups {binary} connect {device.node}
        """
        with tempfile.TemporaryDirectory() as folder:
            result = subprocess.run(
                ["unshare", "--mount", "sh", "-c", script.replace("/tmp/.etc", f"{folder}/etc")],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if b"unshare" in result.stderr or b"mount" in result.stderr:
            self.skipTest(result.stderr.decode())
        self.assertEqual(result.returncode, 0, result)
        self.assertIn(b"permission denied until you log in again", result.stdout)
