"""Several programs have one port open: each user is warned that the others take some of the bytes."""

import os
import re
import signal
import subprocess
import sys
import unittest

from Tests.endtoend.harness import (
    Device, Pipes, PublicCopy, Terminal, opens_exclusive_ports, serialterm_binary, wait_until, wrapped)
from Tests.endtoend.test_errors import USER

# Opens the port as a careless program does, and closes it when its input ends.
OPENER = """import os, sys
port = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
print("opened", flush=True)
sys.stdin.read()
os.close(port)
print("closed", flush=True)
import signal; signal.pause()
"""


class SharingTests(unittest.TestCase):
    def setUp(self):
        self.device = self.enterContext(Device())

    def session(self, *options, **how):
        terminal = self.enterContext(
            Terminal(serialterm_binary(), "connect", *options, self.device.path, **how))
        terminal.expect(b"ctrl-t q quits")
        return terminal

    def opener(self):
        program = self.enterContext(Pipes(sys.executable, "-c", OPENER, self.device.path))
        program.stdout.expect(b"opened")
        return program

    def expect_warning(self, stream, other):
        """Waits until a session warns of another program."""
        with open(f"/proc/{other.pid}/comm", encoding="utf-8") as file:
            command = file.read().strip()
        stream.expect(b"warning: %s is also open in %s (pid %d)." % (
            self.device.path.encode(), command.encode(), other.pid))

    def test_two_shared_sessions_are_both_told(self):
        first = self.session("--shared")
        second = self.session("--shared")
        self.expect_warning(second, first)
        self.expect_warning(first, second)

    def test_exclusive_session_beside_a_shared_one_is_told(self):
        first = self.session("--shared")
        second = self.session()
        self.expect_warning(second, first)
        self.expect_warning(first, second)

    @unittest.skipUnless(opens_exclusive_ports(), "needs root, to open a port in exclusive mode")
    def test_exclusive_session_is_told_of_a_shared_one_that_comes_later(self):
        first = self.session()
        second = self.session("--shared")
        self.expect_warning(first, second)
        self.expect_warning(second, first)

    def test_program_that_locks_nothing_is_told_of_as_it_comes_and_goes(self):
        terminal = self.session("--shared")
        opener = self.opener()
        self.expect_warning(terminal, opener)
        opener.close_stdin()
        opener.stdout.expect(b"closed")
        terminal.expect(b"no other program uses %s any longer" % self.device.path.encode())

    def test_short_lived_program_is_not_told_of(self):
        """`stty -F PORT` opens the port, and takes no data. A program that keeps it open is reported."""
        terminal = self.session("--shared")
        for _ in range(5):
            subprocess.run(["stty", "-F", self.device.path, "-a"], check=True, stdout=subprocess.DEVNULL)
        self.expect_warning(terminal, self.opener())
        self.assertEqual(terminal.output.count(b"also open"), 1)
        self.assertNotIn(b"stty", terminal.output)
        self.assertNotIn(b"another program has opened", terminal.output)

    def test_program_that_was_there_before_is_told_of(self):
        opener = self.opener()
        self.expect_warning(self.session(), opener)

    def test_sessions_without_a_user_warn_on_standard_error(self):
        opener = self.opener()
        for words in (["connect", self.device.path, "--json"],
                      ["connect", self.device.path, "--exec", "sleep 60"],
                      ["send", self.device.path, "x", "--expect", "never", "--timeout", "60"]):
            with self.subTest(words), Pipes(serialterm_binary(), *words) as session:
                self.expect_warning(session.stderr, opener)
                # Killed, it would leave the port in exclusive mode, as the other program has it open.
                session.signal(signal.SIGTERM)
                session.wait()

    @unittest.skipUnless(opens_exclusive_ports(), "needs root, to open a port in exclusive mode")
    def test_session_that_is_alone_says_nothing(self):
        """The far end of the pseudo-terminal, which is this process, is no other program."""
        terminal = self.session()
        with Device(), Terminal(serialterm_binary(), "connect", "loopback:") as other:
            other.expect(b"ctrl-t q quits")
        # The messages after the search was made.
        self.expect_warning(terminal, self.opener())
        self.assertEqual(terminal.output.count(b"is also open in"), 1)

    @unittest.skipUnless(USER, "needs root, to be a program that another user cannot see")
    def test_program_of_another_user_is_told_of_without_a_name(self):
        os.chmod(self.device.node, 0o666)
        with PublicCopy() as binary, Terminal(
                binary, "connect", "--shared", self.device.path, user=USER) as terminal:
            terminal.expect(b"ctrl-t q quits")
            wait_until(lambda: self.watches_openings(terminal), "the node is watched")
            opener = self.opener()
            terminal.expect(b"warning: another program has opened %s too"
                            % self.device.path.encode())
            terminal.expect(wrapped(re.compile(rb"'sudo serialterm doctor [^']+' names it")))
            opener.close_stdin()
            terminal.expect(b"no other program uses")

    @staticmethod
    def watches_openings(program):
        """Whether a process has an inotify(7) watch for openings: IN_OPEN is 0x20."""
        for name in os.listdir(f"/proc/{program.pid}/fdinfo"):
            with open(f"/proc/{program.pid}/fdinfo/{name}", encoding="utf-8") as file:
                if re.search(r"^inotify .* mask:[0-9a-f]*[2367abef][0-9a-f] ", file.read(), re.M):
                    return True
        return False
