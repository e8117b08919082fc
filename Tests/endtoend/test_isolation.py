"""Tests do not see what else runs on the machine: open sessions, servers, somebody's configuration."""

import os
import re
import socket
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

from Tests.endtoend import isolation
from Tests.endtoend.harness import Device, Terminal, environment, serialterm, serialterm_binary, wait_until
from Tests.endtoend.harness.program import REPOSITORY
from Tests.endtoend.servers import listens

# Two that look at all sessions of the user, and one that listens at the port of the documentation.
VICTIMS = (
    "Tests.endtoend.test_attach.ChoosingTests.test_the_only_one_needs_no_name",
    "Tests.endtoend.test_attach.ListTests.test_without_sessions_the_list_is_empty_and_joining_fails",
    "Tests.endtoend.test_isolation.PortOfTheDocumentationTests.test_it_is_free",
)


class PortOfTheDocumentationTests(unittest.TestCase):
    def test_it_is_free(self):
        if reason := why_not():
            self.skipTest(reason)
        with socket.create_server(("127.0.0.1", 4000)), socket.create_server(("::1", 4000), family=socket.AF_INET6):
            pass


def why_not():
    """Why tests cannot be kept apart here; empty if they can."""
    with tempfile.TemporaryDirectory() as folder:
        reason = isolation.why_no_namespaces(Path(folder))
    return f"the system permits no namespaces: {reason}" if reason else ""


class IsolationTests(unittest.TestCase):
    def setUp(self):
        if reason := why_not():
            self.skipTest(reason)

    def run_inside(self, name):
        """The output of another run of a test, which begins with what is open here."""
        module = name.rsplit(".", 2)[0]
        ended = subprocess.run(
            [sys.executable, REPOSITORY / "Tests/endtoend/run.py", "--jobs", "1", "--module", module, name],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment(XDG_RUNTIME_DIR=None))
        return ended.stdout

    def test_a_session_and_a_server_of_somebody_else_disturb_no_test(self):
        """Tests that fail with these if they see them."""
        device = self.enterContext(Device())
        session = self.enterContext(Terminal(
            serialterm_binary(), "connect", device.path, variables={"XDG_RUNTIME_DIR": None}))
        session.expect(b"ctrl-t q")
        listed = wait_until(
            lambda: serialterm("attach", "--list", variables={"XDG_RUNTIME_DIR": None}).stdout,
            "the session is listed")
        self.assertIn(device.path.encode(), listed)
        self.enterContext(socket.create_server(("127.0.0.1", 4000)))
        for victim in VICTIMS:
            with self.subTest(victim):
                self.assertIn("\n1 passed, 0 failed, 0 skipped", self.run_inside(victim))

    def test_folders_are_empty_and_nothing_of_the_person_is_left(self):
        self.assertEqual(os.environ["HOME"], os.path.expanduser("~"))
        self.assertEqual(os.listdir(os.environ["HOME"]), [])
        self.assertEqual(os.stat(os.environ["XDG_RUNTIME_DIR"]).st_mode & 0o777, 0o700)
        for name in isolation.PERSONAL:
            self.assertNotIn(name, os.environ)

    def test_a_program_in_tmp_is_no_reason(self):
        with unittest.mock.patch.dict(os.environ, SERIALTERM="/tmp/serialterm"):
            self.assertEqual(why_not(), "")

    def test_the_network_has_only_this_machine(self):
        self.assertEqual(
            re.findall(r"(?m)^ *(\S+):", Path("/proc/net/dev").read_text()), ["lo"])
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.assertTrue(listens(server.getsockname()[1]))


if __name__ == "__main__":
    unittest.main()
