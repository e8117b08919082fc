"""The programs in Examples build, and do what the documentation of the libraries says."""

import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from Tests.endtoend.harness import (
    Device, Loopback, Pipes, environment, run, serialterm, slow, soak, wait_until)
from Tests.endtoend.harness.program import REPOSITORY

# The package manager gets SwiftNIO for a test of `--soak`, unless it has it already.
NEEDS_MACHINE_NETWORK = True


@slow
@unittest.skipUnless(shutil.which("swift"), "needs Swift")
class ExampleTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = REPOSITORY / "Examples"
        subprocess.run(
            ["swift", "build", "--disable-index-store", "-debug-info-format", "none", "--package-path", folder],
            check=True, stdout=subprocess.DEVNULL, env=environment())
        cls.programs = folder / ".build/debug"

    def test_devices_are_listed(self):
        expected = serialterm("list", "--names").stdout.decode().split()
        result = run(self.programs / "WatchDevices", "0")
        self.assertEqual(result.status, 0)
        self.assertEqual(re.findall(r"(?m)^(\S+): ", result.stdout.decode()), expected)

    def test_device_is_asked(self):
        with Loopback("--board") as board:
            result = run(self.programs / "AskDevice", board.node, "echo from the library")
        self.assertEqual(result.status, 0)
        self.assertIn(b"\nfrom the library", result.stdout.replace(b"\r", b""))

    def test_logger_survives_unplugging(self):
        with tempfile.TemporaryDirectory() as folder, Device(link=Path(folder) / "port") as device:
            log = Path(folder) / "log"

            def logged(text, count):
                wait_until(lambda: log.exists() and log.read_text().count(text) == count, text)

            with Pipes(self.programs / "PortLogger", device.path, str(log)):
                logged(f"-- {device.path} is open", 1)
                device.write(b"one\r\n")
                logged("Z one\n", 1)
                device.hang_up()
                logged("-- waiting for the device", 1)
                device.plug(says=b"two\n")
                logged("Z two\n", 1)
                logged(f"-- {device.path} is open", 2)

    def test_missing_port_and_missing_device_are_told(self):
        result = run(self.programs / "AskDevice", "/dev/ttyNONE9", "x")
        self.assertEqual((result.status, result.stdout), (1, b"/dev/ttyNONE9: notFound in stat\n"))
        self.assertEqual(run(self.programs / "FollowDevice", "usb:ffff:fffe").status, 3)
        result = run(self.programs / "AskPort", "/dev/ttyNONE9", "x", ">")
        self.assertEqual((result.status, result.stdout), (1, b"/dev/ttyNONE9: notFound in stat\n"))

    def test_port_is_asked_by_an_actor(self):
        with Loopback("--board") as board:
            result = run(self.programs / "AskPort", board.node, "version", "ready")
            self.assertEqual(result.status, 0)
            self.assertIn(b"reset reason", result.stdout)
            result = run(self.programs / "AskPort", board.node, "version", "no such prompt")
            self.assertEqual((result.status, result.stdout), (1, b"no answer within 2 seconds\n"))

    def test_lines_are_counted_on_the_port_s_executor(self):
        with Loopback("--board") as board:
            result = run(self.programs / "ReadWithActor", board.node, "help", "8")
        self.assertEqual(result.status, 0)
        states = re.findall(rb"(?m)^\[(\w+)\(", result.stdout)
        self.assertIn(b"8 lines\n", result.stdout)
        self.assertEqual(states[-1], b"closed")

    def test_session_runs_on_a_queue_of_dispatch(self):
        with Loopback("--board") as board:
            result = run(self.programs / "ReadWithDispatch", board.node, "echo from the queue")
        self.assertEqual(result.status, 0)
        self.assertIn(b"\nfrom the queue", result.stdout.replace(b"\r", b""))

    @soak
    def test_port_is_a_channel_of_swiftnio(self):
        folder = REPOSITORY / "Examples/NIO"
        subprocess.run(
            ["swift", "build", "--disable-index-store", "--package-path", folder], check=True, stdout=subprocess.DEVNULL,
            env=environment())
        with Loopback("--board") as board:
            result = run(
                folder / ".build/debug/ReadWithNIO", board.node, "echo from the channel")
        self.assertEqual(result.status, 0)
        self.assertIn(b"\nfrom the channel", result.stdout.replace(b"\r", b""))
