"""The line: what is asked of the driver and in which order, what is refused, and who has the port.
What pseudo-terminals have not is added by preload/line.c."""

import atexit
import functools
import os
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from Tests.endtoend.faults import preload
from Tests.endtoend.harness import Device, Pipes, serialterm, serialterm_binary, wait_until

LOCK_FOLDER = Path("/var/lock")
EVERY_BYTE = bytes(range(256))
# Larger than the kernel's largest process ID.
DEAD = 4_194_305

OPENING = ["open", "flock", "TCGETS2", "TIOCEXCL", "TCGETS2", "TCSETS2", "TCGETS2"]
CLOSING = ["TCSETS2", "TIOCNXCL", "close"]
# What only asks.
QUESTIONS = ("TIOCMGET", "TIOCGICOUNT")


@functools.cache
def library():
    """The driver of preload/line.c, built once a run."""
    folder = tempfile.mkdtemp(prefix="serialterm-line-")
    atexit.register(shutil.rmtree, folder)
    path = Path(folder) / "line.so"
    source = preload.SOURCE.with_name("line.c")
    subprocess.run(
        [preload.COMPILER, "-Wall", "-O2", "-shared", "-fPIC", "-o", path, source, "-ldl"],
        check=True)
    return str(path)


class LineCase(unittest.TestCase):
    """Has a `device` on a pty."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.device = self.enterContext(Device())
        self.found = self.device.settings

    def connect(self, *options, **how):
        """Opens the port and closes it again."""
        result = serialterm(
            "connect", self.device.path, "--linger", "0", *options, **how)
        self.assertEqual(self.device.settings, self.found, "the port is as it was found")
        self.assertFalse(self.device.exclusive)
        return result

    def assert_fails(self, status, message, result):
        self.assertEqual(result.status, status, result)
        self.assertRegex(result.stderr, b"^serialterm: .*" + message.encode())


@unittest.skipUnless(preload.HAS_COMPILER, "needs a C compiler")
class DriverCase(LineCase):
    """The device's driver has modem lines, RS-485 and so on."""

    def driver(self, **faults):
        """The variables that give the device its driver."""
        named = {f"LINE_{name.upper()}": str(value) for name, value in faults.items()}
        return {"LD_PRELOAD": library(), "LINE_NODE": self.device.path,
                "LINE_TRACE": str(self.folder / "trace"), **named}

    def trace(self, *options, **faults):
        """What was asked of the driver, from the opening to the closing."""
        result = self.connect(*options, variables=self.driver(**faults))
        self.assertEqual((result.status, result.stderr), (0, b""))
        return (self.folder / "trace").read_text().splitlines()


class Row39OpeningTests(DriverCase):
    def test_only_what_was_asked_for_is_set(self):
        calls = [call for call in self.trace() if call not in QUESTIONS]
        self.assertEqual(calls, OPENING + CLOSING)

    def test_lines_are_set_by_the_first_request(self):
        calls = self.trace("--dtr", "off", "--rts", "off")
        self.assertEqual(calls[:4], ["open", "flock", "TIOCMBIC DTR RTS", "TCGETS2"])
        self.assertEqual(len([call for call in calls if call.startswith("TIOCMB")]), 1)

    def test_lines_are_deasserted_before_others_are_asserted(self):
        calls = self.trace("--dtr", "on", "--rts", "off")
        self.assertEqual(calls[2:4], ["TIOCMBIC RTS", "TIOCMBIS DTR"])

    def test_line_that_is_kept_is_left_alone(self):
        calls = self.trace("--dtr", "keep", "--rts", "off")
        self.assertEqual(
            [call for call in calls if call.startswith("TIOCMB")], ["TIOCMBIC RTS"])

    def test_hang_up_is_set_and_stays_as_asked(self):
        for option, expected in (("--hangup", "TCSETS2 HUPCL"), ("--no-hangup", "TCSETS2")):
            with self.subTest(option):
                # The option is about the closing: that it stays is what was asked for.
                result = serialterm(
                    "connect", self.device.path, "--linger", "0", option,
                    variables=self.driver())
                self.assertEqual(result.status, 0, result)
                calls = (self.folder / "trace").read_text().splitlines()
                settings = [call for call in calls if call.startswith("TCSETS2")]
                self.assertEqual(settings[-2:], [expected, expected])

    def test_features_are_undone_in_reverse(self):
        calls = self.trace("--rs485", "delay-before=2,rx-during-tx=on", "--low-latency")
        features = [call for call in calls if call.startswith(("TIOCSRS485", "TIOCSSERIAL"))]
        self.assertEqual(features, [
            "TIOCSRS485 flags=19 before=2 after=0", "TIOCSSERIAL low latency",
            "TIOCSSERIAL", "TIOCSRS485 flags=0 before=0 after=0"])
        self.assertEqual(calls[-3:], CLOSING)

    def test_sequence_is_played_before_anything_is_sent(self):
        started = time.monotonic()
        result = self.connect(
            "--on-open", "dtr=off,wait=120,rts=off,dtr=on", stdin=b"word",
            variables=self.driver())
        self.assertGreaterEqual(time.monotonic() - started, 0.12)
        self.assertEqual(result.status, 0, result)
        calls = (self.folder / "trace").read_text().splitlines()
        self.assertEqual(
            [call for call in calls if call.startswith(("TIOCMB", "write"))],
            ["TIOCMBIC DTR", "TIOCMBIC RTS", "TIOCMBIS DTR", "write 4"])

    def test_lines_and_sequence_are_set_again_when_the_device_is_back(self):
        device = self.enterContext(Device(link=self.folder / "port"))
        variables = {**self.driver(), "LINE_NODE": device.path}
        options = ("--rts", "off", "--on-open", "dtr=off,dtr=on")
        expected = ["TIOCMBIC RTS", "TIOCMBIC DTR", "TIOCMBIS DTR"]
        with Pipes(
                serialterm_binary(), "connect", device.path, *options, variables=variables
        ) as session:
            for count in (1, 2):
                wait_until(lambda: self.settings_of_lines() == expected * count, f"opened {count}")
                device.hang_up()
                session.stderr.expect(b"waiting")
                device.plug()

    def settings_of_lines(self):
        """What was set of DTR and RTS so far."""
        trace = self.folder / "trace"
        calls = trace.read_text().splitlines() if trace.exists() else []
        return [call for call in calls if call.startswith("TIOCMB")]

    def test_sequence_that_fails_is_told_and_holds_nothing_back(self):
        result = self.connect("--on-open", "dtr=off,wait=10000", stdin=b"word")
        self.assertEqual(result.status, 0, result)
        self.assertRegex(result.stderr, b"this port has no modem lines")
        self.assertEqual(self.device.read_exactly(4), b"word")


class Row23RefusalTests(DriverCase):
    def test_refused_setting_is_named_and_nothing_of_it_stays(self):
        for refused, name, options in (
                ("parity", "parity even", ("--parity", "even", "--baud", "9600")),
                ("bits", "data bits 7", ("--data-bits", "7", "--stop-bits", "2")),
                ("stop", "stop bits 2", ("--stop-bits", "2", "--flow", "soft")),
                ("rate", "baud rate 250000", ("--baud", "250000", "--stop-bits", "2"))):
            with self.subTest(refused):
                result = self.connect(*options, variables=self.driver(refuse=refused))
                self.assert_fails(1, f"the driver refuses {name} ", result)

    def test_rs485_that_the_driver_corrects_is_refused(self):
        result = self.connect(
            "--rs485", "delay-after=3", variables=self.driver(clamp=1))
        self.assert_fails(1, "the driver refuses RS-485 delay-after", result)

    def test_low_latency_that_the_driver_does_not_keep_is_refused(self):
        result = self.connect("--low-latency", variables=self.driver(clamp=1))
        self.assert_fails(1, "the driver refuses low latency mode", result)

    def test_port_without_a_feature_says_so(self):
        for option, feature in (
                (("--dtr", "off"), "modem lines"), (("--rts", "on"), "modem lines"),
                (("--rs485", "on"), "RS-485 mode"), (("--low-latency",), "low latency mode")):
            with self.subTest(feature):
                self.assert_fails(1, f"this port has no {feature}", self.connect(*option))


class UsageTests(LineCase):
    BAD = [
        ("--dtr", "high"), ("--rts", ""), ("--on-open", "dtr"), ("--on-open", "wait=10001"),
        ("--on-open", "rts=on,cts=on"), ("--rs485", "off"), ("--rs485", "delay-before=101"),
        ("--uucp-lock", "--shared")]

    def test_bad_values_are_usage_errors(self):
        for options in self.BAD:
            with self.subTest(options):
                self.assert_fails(2, options[0], self.connect(*options))

    def test_wrong_item_is_named(self):
        result = self.connect("--on-open", "dtr=off,rts=maybe")
        self.assert_fails(2, "item 2, 'rts=maybe': expected rts=on or rts=off", result)

    def test_help_lists_the_options(self):
        text = serialterm("connect", "--help").stdout.decode()
        for option in ("--dtr", "--rts", "--hangup/--no-hangup", "--on-open", "--mark-errors",
                       "--rs485", "--low-latency", "--uucp-lock"):
            self.assertIn(option, text)


class MarkTests(LineCase):
    def test_every_byte_passes_when_errors_are_marked(self):
        data = EVERY_BYTE + b"\xff" * 1000 + b"\xff\x00" * 500
        with Pipes(serialterm_binary(), "connect", self.device.path, "--mark-errors") as session:
            wait_until(lambda: self.device.settings != self.found, "the port is set up")
            session.send(data)
            self.assertEqual(self.device.read_exactly(len(data)), data)
            self.device.write(data)
            self.assertEqual(session.stdout.read_exactly(len(data)), data)


@unittest.skipUnless(os.access(LOCK_FOLDER, os.W_OK), f"{LOCK_FOLDER} is not ours to write to")
class Row20LockFileTests(LineCase):
    def setUp(self):
        super().setUp()
        name = self.device.path.removeprefix("/dev/").replace("/", "_")
        self.lock = LOCK_FOLDER / f"LCK..{name}"
        self.addCleanup(self.lock.unlink, missing_ok=True)

    def test_lock_of_a_live_process_is_respected_and_its_holder_named(self):
        for contents in (b"%10d\n" % os.getpid(), os.getpid().to_bytes(4, "little")):
            for option in ((), ("--uucp-lock",)):
                with self.subTest(contents, option=option):
                    self.lock.write_bytes(contents)
                    result = self.connect(*option)
                    self.assert_fails(5, rf"busy, held by pid {os.getpid()} \(", result)
                    self.assertLess(result.duration, 5)
                    self.assertEqual(self.lock.read_bytes(), contents)

    def test_lock_is_passed_over_when_the_port_is_shared(self):
        self.lock.write_bytes(b"%10d\n" % os.getpid())
        self.assertEqual(self.connect("--shared").status, 0)
        self.assertTrue(self.lock.exists())

    def test_stale_lock_is_no_obstacle_and_stays(self):
        for contents in (b"%10d\n" % DEAD, DEAD.to_bytes(4, "little")):
            with self.subTest(contents):
                self.lock.write_bytes(contents)
                self.assertEqual(self.connect().status, 0)
                self.assertEqual(self.lock.read_bytes(), contents)

    def test_own_lock_is_made_and_removed(self):
        for stale in (None, b"%10d\n" % DEAD):
            with self.subTest(stale):
                if stale:
                    self.lock.write_bytes(stale)
                with Pipes(
                        serialterm_binary(), "connect", self.device.path, "--uucp-lock") as session:
                    expected = b"%10d\n" % session.pid
                    wait_until(
                        lambda: self.lock.exists() and self.lock.read_bytes() == expected,
                        "the lock file names the session")
                    session.close_stdin()
                    self.assertEqual(session.wait(), 0)
                self.assertFalse(self.lock.exists())
        self.assertEqual(list(LOCK_FOLDER.glob("LTMP.*")), [])

    def test_what_says_nothing_is_reported_and_left_alone(self):
        target = self.folder / "precious"
        target.write_bytes(b"precious")
        for option in ((), ("--uucp-lock",)):
            with self.subTest("garbage", option=option):
                self.lock.write_bytes(b"garbage")
                self.assert_fails(5, f"{self.lock} does not say", self.connect(*option))
                self.assertEqual(self.lock.read_bytes(), b"garbage")
            self.lock.unlink()
            with self.subTest("symbolic link", option=option):
                self.lock.symlink_to(target)
                self.assert_fails(5, f"{self.lock} cannot be used", self.connect(*option))
                self.assertEqual(os.readlink(self.lock), str(target))
            self.lock.unlink()
        self.assertEqual(target.read_bytes(), b"precious")

    def test_lock_that_is_being_made_is_respected(self):
        self.lock.write_bytes(b"")
        self.assert_fails(5, "busy", self.connect("--uucp-lock"))
        os.utime(self.lock, (time.time() - 60,) * 2)
        self.assertEqual(self.connect("--uucp-lock").status, 0)
