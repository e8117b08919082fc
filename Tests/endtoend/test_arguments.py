"""The arguments of the program, wherever it runs: without /proc, as in a chroot or early in the boot, and with
preloaded libraries."""

import subprocess
import tempfile
import unittest
from pathlib import Path

from Tests.endtoend.faults import preload
from Tests.endtoend.harness import Device, Pipes, run, serialterm, serialterm_binary, wait_until

WITHOUT_PROC = ("unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /proc && exec "$0" "$@"')


def missing():
    """What keeps the test from hiding /proc, if anything."""
    tried = subprocess.run([*WITHOUT_PROC, "test", "!", "-e", "/proc/self"], capture_output=True, check=False)
    return None if tried.returncode == 0 else f"/proc cannot be hidden here: {tried.stderr!r}"


@unittest.skipIf(missing(), missing())
class WithoutProcTests(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def call(self, *words, **how):
        return run(*WITHOUT_PROC, serialterm_binary(), *words, **how)

    def test_arguments_are_those_of_main(self):
        self.assertEqual(self.call("--version").stdout, serialterm("--version").stdout)
        refused = self.call("list", "--nosuch", "ü \udcff")
        self.assertEqual((refused.status, b"--nosuch" in refused.stderr), (2, True))

    def test_the_port_that_is_named_is_opened(self):
        with Device() as device:
            log = self.folder / "log"
            program = self.enterContext(Pipes(*WITHOUT_PROC, serialterm_binary(), "log", device.path, str(log)))
            program.stderr.expect(b"logging " + device.path.encode())
            device.write(b"hello")
            wait_until(lambda: log.read_bytes() == b"hello", "it is logged")

    def test_what_needs_proc_says_so(self):
        refused = self.call("serve", "loopback:", "--unix", str(self.folder / "socket"))
        self.assertEqual(refused.status, 1)
        self.assertIn(b"a socket needs /proc, which is not mounted here.", refused.stderr)
        for words in (["--list"], ["--list", "--json"], [], ["ttyUSB0"]):
            refused = self.call("attach", *words)
            self.assertEqual(
                (refused.status, refused.stderr),
                (1, b"serialterm: sessions cannot be found: /proc is not mounted here.\n"), words)


class PreloadedTests(unittest.TestCase):
    @unittest.skipUnless(preload.HAS_COMPILER, "there is no C compiler")
    def test_arguments_are_the_same_after_the_environment_has_grown(self):
        variables = {"LD_PRELOAD": preload.library("setenv.c")}
        expected = serialterm("--version").stdout
        self.assertEqual(serialterm("--version", variables=variables).stdout, expected)
        if not missing():
            hidden = run(*WITHOUT_PROC, serialterm_binary(), "--version", variables=variables)
            self.assertEqual(hidden.stdout, expected)
