"""The warning when the kernel also writes its messages to a port."""

import fcntl
import os
import subprocess
import tempfile
import unittest

from Tests.endtoend.harness import Device, run, serialterm_binary
from Tests.endtoend.isolation import command_in_own_mounts


def as_the_kernels_console(node):
    """The beginning of a command line that runs the rest where the kernel's console is at `node`."""
    line = f"{node.removeprefix('/dev/'):20} -W- (EC  p a)  136:{os.path.basename(node)}"
    script = 'echo "$0" > "$1" && mount --bind "$1" /proc/consoles && shift && exec "$@"'
    return [*command_in_own_mounts(), "sh", "-c", script, line]


class KernelConsoleTests(unittest.TestCase):
    """The kernel's console can be opened by its name, and the warning comes before it is opened."""

    def setUp(self):
        self.file = self.enterContext(tempfile.NamedTemporaryFile()).name
        self.device = self.enterContext(Device())

    def run_on_console(self, *words):
        command = [*as_the_kernels_console(self.device.node), self.file, serialterm_binary()]
        if subprocess.run([*command[:-1], "true"], stderr=subprocess.DEVNULL).returncode:
            self.skipTest("/proc/consoles cannot be replaced here")
        return run(*command, *words)

    def test_named_console_is_warned_of_and_opened(self):
        for words in (["connect", self.device.path], ["send", self.device.path, "x"]):
            with self.subTest(words):
                result = self.run_on_console(*words)
                self.assertEqual(result.status, 0, result)
                self.assertRegex(
                    result.stderr,
                    rb"\Aserialterm: warning: %s is a console of the kernel"
                    % self.device.path.encode())

    def test_quiet_prints_no_warning(self):
        result = self.run_on_console("connect", self.device.path, "--quiet")
        self.assertEqual((result.status, result.stderr), (0, b""))

    def test_warning_comes_before_the_port_is_opened(self):
        fcntl.flock(self.device._port, fcntl.LOCK_EX)
        result = self.run_on_console("connect", self.device.path)
        self.assertEqual(result.status, 5, result)
        self.assertLess(result.stderr.index(b"console of the kernel"), result.stderr.index(b"busy"))

    def test_other_ports_are_not_warned_of(self):
        with Device() as other:
            self.assertEqual(self.run_on_console("connect", other.path).stderr, b"")
