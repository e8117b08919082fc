"""`serialterm doctor` with problems of pseudo-terminals and ordinary processes."""

import fcntl
import grp
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import termios
import unittest
from pathlib import Path

from Tests.endtoend.harness import (
    Device, Pipes, PublicCopy, Terminal, run, serialterm, serialterm_binary, slow, wait_until)
from Tests.endtoend.harness.program import REPOSITORY
from Tests.endtoend.harness.uart import TalkingDevice
from Tests.endtoend.test_errors import USER

KEYS = {"code", "port", "blocking", "what", "why", "mend", "documentation"}


def findings(*arguments, user=None, binary=None):
    """The findings of the doctor by their codes. The exit status must show whether there are any."""
    result = run(binary or serialterm_binary(), "doctor", "--json", *arguments, user=user)
    found = json.loads(result.stdout)
    assert result.status == (1 if found else 0), result
    for finding in found:
        assert set(finding) == KEYS, finding
    return {finding["code"]: finding for finding in found}


class Impostor:
    """A process with another name, while the context lasts; on a separate terminal, if one
    is given."""

    def __init__(self, name, *arguments, terminal=None):
        self._name, self._arguments, self._terminal = name, arguments, terminal

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory()
        program = Path(self._folder.name) / self._name
        shutil.copy(shutil.which("sleep"), program)
        # sleep takes no names of terminals: a shell keeps them in its command line.
        if self._arguments:
            shutil.copy(os.path.realpath("/bin/sh"), program)
            command = [program, "-c", "sleep 600; :", *self._arguments]
        else:
            command = [program, "600"]
        if self._terminal is None:
            self._process = subprocess.Popen(command, start_new_session=True)
        else:
            terminal = os.open(self._terminal, os.O_RDWR | os.O_NOCTTY)
            self._process = subprocess.Popen(
                command, start_new_session=True, stdin=terminal,
                preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
            os.close(terminal)
        return self

    def __exit__(self, *_):
        os.killpg(self._process.pid, 9)
        self._process.wait()
        self._folder.cleanup()


class DoctorTests(unittest.TestCase):
    def setUp(self):
        self.device = self.enterContext(Device())

    def test_nothing_is_wrong_with_a_port_that_can_be_used(self):
        self.assertEqual(findings(self.device.node), {})
        result = serialterm("doctor", self.device.node)
        self.assertEqual((result.status, result.stderr), (0, b""))
        self.assertIn(f"nothing is wrong with {self.device.node}".encode(), result.stdout)

    def test_simulation_needs_nothing(self):
        self.assertEqual(findings("loopback:board"), {})

    def test_missing_port(self):
        found = findings("/dev/ttyNONE9")
        self.assertIn("no-such-device", found)
        self.assertTrue(found["no-such-device"]["blocking"])

    def test_absent_adapter(self):
        self.assertIn("no-such-device", findings("usb:ffff:fffe"))

    def test_what_is_no_port(self):
        with tempfile.NamedTemporaryFile() as file:
            for path in ("/dev/null", "/tmp", file.name):
                with self.subTest(path):
                    self.assertEqual(list(findings(path)), ["not-a-serial-port"])

    def test_malformed_target_is_wrong_usage(self):
        self.assertEqual(serialterm("doctor", "usb:xyz").status, 2)

    def test_session_that_has_the_port_is_named(self):
        with Pipes(serialterm_binary(), "connect", self.device.node) as session:
            session.send(b"x")
            self.device.read_exactly(1)
            held = findings(self.device.node)["held"]
            self.assertIn(f"pid {session.pid} ({session.name})", held["what"])
            self.assertTrue(held["mend"][0].startswith(f"serialterm attach {session.pid} "))
            self.assertTrue(held["mend"][1].startswith(f"kill {session.pid} "))

    def test_session_that_shares_the_port_can_be_joined(self):
        with Pipes(serialterm_binary(), "connect", "--shared", self.device.node) as session:
            session.send(b"x")
            self.device.read_exactly(1)
            shared = findings(self.device.node)["shared"]
            self.assertTrue(shared["mend"][0].startswith(f"serialterm attach {session.pid} "))

    @unittest.skipUnless(os.geteuid() == 0, "needs root, to run a session as another user")
    def test_session_of_another_user_cannot_be_joined(self):
        os.chmod(self.device.node, 0o666)
        with PublicCopy() as binary, Pipes(
                binary, "connect", self.device.node, user="nobody",
                variables={"XDG_RUNTIME_DIR": None}) as session:
            session.send(b"x")
            self.device.read_exactly(1)
            held = findings(self.device.node)["held"]
            self.assertIn(f"pid {session.pid} ", held["what"])
            self.assertTrue(held["mend"][0].startswith(f"kill {session.pid} "))
            self.assertNotIn("attach", str(held))

    def test_login_prompt_on_the_port(self):
        with Impostor("agetty", "115200", self.device.node.removeprefix("/dev/")):
            found = findings(self.device.node)
        self.assertEqual(list(found), ["getty"])
        self.assertFalse(found["getty"]["blocking"])

    def test_login_prompt_that_was_given_the_port_as_its_terminal(self):
        """As systemd starts it: no argument names the terminal."""
        with Impostor("agetty", "--keep-baud", "9600", "-", "vt220", terminal=self.device.node):
            found = findings(self.device.node)
        self.assertEqual(list(found), ["getty"])

    def test_what_stands_in_the_place_of_a_lock_file(self):
        """A session takes the port for busy then. A pipe is not waited for."""
        lock = Path(f"/var/lock/LCK..pts_{os.path.basename(self.device.node)}")
        for make in (os.mkfifo, lambda lock: lock.write_text("garbage\n")):
            try:
                make(lock)
            except OSError as error:
                self.skipTest(f"/var/lock: {error.strerror}")
            self.addCleanup(lock.unlink, missing_ok=True)
            found = findings(self.device.node)
            lock.unlink()
            self.assertEqual(list(found), ["unusable-lock"])
            self.assertTrue(found["unusable-lock"]["blocking"])

    def test_lock_file_of_a_process_that_is_no_more(self):
        ended = subprocess.Popen(["true"])
        ended.wait()
        lock = Path(f"/var/lock/LCK..pts_{os.path.basename(self.device.node)}")
        try:
            lock.write_text(f"{ended.pid:10}\n")
        except OSError as error:
            self.skipTest(f"/var/lock: {error.strerror}")
        self.addCleanup(lock.unlink)
        self.assertIn(f"sudo rm {lock}", findings(self.device.node)["stale-lock"]["mend"])

    def test_relative_path_and_profile_are_what_connect_opens(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "port").symlink_to(self.device.node)
        config = folder / "config.toml"
        config.write_text(f"[profile.kitchen]\ntarget = '{self.device.node}'\n")
        for target in (os.path.relpath(folder / "port"), "kitchen"):
            options = ("--config", str(config))
            self.assertEqual(serialterm("connect", target, *options).status, 0)
            self.assertEqual(findings(target, *options), {})
        rules = serialterm("rules", "kitchen", "--name", "b", "--config", str(config))
        self.assertEqual(rules.status, 3, rules)

    def test_broken_configuration_is_a_finding_in_the_words_of_connect(self):
        config = Path(self.enterContext(tempfile.TemporaryDirectory())) / "config.toml"
        config.write_text("[profile.a]\ntarget = 'usb:xyz'\n")
        failed = serialterm("connect", self.device.node, "--config", str(config))
        self.assertEqual(failed.status, 2)
        found = findings(self.device.node, "--config", str(config))["configuration"]
        self.assertIn(found["what"].encode(), failed.stderr)

    def test_each_finding_is_produced_for_real(self):
        """Here, or where devices can be plugged in and out."""
        page = (REPOSITORY / "docs/troubleshooting.md").read_text()
        codes = [line[3:].lower().replace(" ", "-") for line in page.splitlines()
                 if line.startswith("## ")]
        self.assertGreater(len(codes), 10)
        tests = "".join(
            (REPOSITORY / "Tests" / path).read_text() for path in (
                "endtoend/test_causes.py", "endtoend/test_doctor.py", "stage/guest_doctor.py",
                "stage/mock_devices.py"))
        self.assertEqual([code for code in codes if f'"{code}"' not in tests], [])

    def test_terminal_shows_colours_and_a_pipe_does_not(self):
        target = "/dev/ttyNONE9"
        for variables, coloured in (({}, True), ({"NO_COLOR": "1"}, False)):
            with Terminal(serialterm_binary(), "doctor", target, variables=variables) as terminal:
                self.assertEqual(terminal.wait(), 1)
                self.assertEqual(b"\x1b[" in terminal.transcript.expect_end(), coloured)
        self.assertNotIn(b"\x1b", serialterm("doctor", target).stdout)

    def test_nothing_is_opened_or_changed(self):
        before = self.device.settings
        fcntl.flock(self.device.descriptor, fcntl.LOCK_EX)
        findings(self.device.node)
        findings()
        self.assertEqual(self.device.settings, before)


@unittest.skipUnless(USER, "needs root, to be refused as somebody else")
class PermissionTests(unittest.TestCase):
    def setUp(self):
        self.binary = self.enterContext(PublicCopy())
        self.device = self.enterContext(Device())

    def findings(self):
        return findings(self.device.node, user=USER, binary=self.binary)

    def test_group_of_the_node_is_named_with_the_command(self):
        os.chown(self.device.node, 0, grp.getgrnam("dialout").gr_gid)
        os.chmod(self.device.node, 0o660)
        denied = self.findings()["permission-denied"]
        self.assertIn("group dialout", denied["why"])
        self.assertEqual(denied["mend"][0], f"sudo usermod -aG dialout {USER}")

    def test_node_that_is_for_root_alone(self):
        os.chown(self.device.node, 0, 0)
        os.chmod(self.device.node, 0o600)
        self.assertIn("belongs to root", self.findings()["permission-denied"]["why"])

    def test_mended_port_has_no_findings(self):
        os.chmod(self.device.node, 0o666)
        self.assertEqual(self.findings(), {})


class RulesTests(unittest.TestCase):
    def test_names_are_checked(self):
        for name in ("a b", "../x", "ttyUSB0", 'x", RUN+="y'):
            with self.subTest(name):
                result = serialterm("rules", "ttyUSB0", "--name", name)
                self.assertEqual((result.status, result.stdout), (2, b""))

    def test_absent_device_is_not_found(self):
        self.assertEqual(serialterm("rules", "usb:ffff:fffe", "--name", "board").status, 3)

    def test_simulation_has_no_node_to_name(self):
        for name in ("loopback:", "loopback:board"):
            result = serialterm("rules", name, "--name", "board")
            self.assertEqual(result.status, 2)
            self.assertIn(f"'{name}' exists only inside a session".encode(), result.stderr)


class UdevRulesTests(unittest.TestCase):
    """The installed rules, checked strictly: udev itself ignores lines that it cannot parse."""

    KEY = re.compile(
        r'(?P<key>[A-Z]+)(?:\{(?P<name>[A-Za-z_]+)\})?(?P<op>==|!=|\+=|=)"(?P<value>[^"\\]*)"')
    MATCHES = {"ACTION", "SUBSYSTEM", "KERNEL", "ENV", "ATTR", "ATTRS"}
    ASSIGNMENTS = {"TAG": {"+="}, "ENV": {"="}, "GOTO": {"="}, "LABEL": {"="}}

    def rules(self):
        text = (REPOSITORY / "udev-rules/60-serialterm.rules").read_text()
        for number, line in enumerate(text.splitlines(), 1):
            if line and not line.startswith("#"):
                yield number, [self.KEY.fullmatch(part) or self.fail(f"{number}: {part}")
                               for part in re.split(r",\s*(?=[A-Z])", line)]

    def test_every_key_is_one_of_udevs_with_an_operator_that_it_takes(self):
        for number, keys in self.rules():
            for key in keys:
                with self.subTest(line=number, key=key.group()):
                    if key["op"] in ("==", "!="):
                        self.assertIn(key["key"], self.MATCHES)
                    else:
                        self.assertIn(key["op"], self.ASSIGNMENTS.get(key["key"], ()))
                    needs_name = key["key"] in ("ENV", "ATTR", "ATTRS")
                    self.assertEqual(key["name"] is not None, needs_name)

    def test_every_jump_goes_forward_to_a_label(self):
        labels = {key["value"]: number for number, keys in self.rules()
                  for key in keys if key["key"] == "LABEL"}
        jumps = [(number, key["value"]) for number, keys in self.rules()
                 for key in keys if key["key"] == "GOTO"]
        self.assertEqual(set(labels), {label for _, label in jumps})
        for number, label in jumps:
            self.assertGreater(labels[label], number)

    def test_usb_numbers_are_written_as_the_kernel_writes_them(self):
        for number, keys in self.rules():
            for key in keys:
                if key["name"] in ("idVendor", "idProduct"):
                    for pattern in key["value"].split("|"):
                        self.assertRegex(pattern, r"^([0-9a-f]|\[a-f\]){4}$", number)


class ProbeTests(unittest.TestCase):
    """The search for the baud rate. The far end is a simulated UART."""

    LINES = [b"[%d.%06d] usb 1-1: new full-speed USB device number %d\r\n" % (n, n * 7919, n)
             for n in range(30)]

    def test_the_rate_is_named_with_its_evidence_and_the_port_is_as_before(self):
        with TalkingDevice(57600, self.LINES) as device:
            before = device.settings
            result = serialterm("doctor", "--probe", device.node)
            self.assertEqual(device.settings, before)
            self.assertFalse(device.exclusive)
        self.assertEqual((result.status, result.stderr), (0, b""))
        first, *others = result.stdout.decode().splitlines()
        self.assertRegex(
            first, rf"^{device.node}: 57600 8N1 is likely: (\d+) of \1 bytes are text\.$")
        # The port's own rate comes first.
        self.assertEqual(
            [line.split(":")[0].strip() for line in others][:2], ["38400", "115200"])

    def test_for_programs_it_is_an_object(self):
        with TalkingDevice(9600, self.LINES) as device:
            result = serialterm("doctor", "--probe", "--json", device.node)
        found = json.loads(result.stdout)
        self.assertEqual((result.status, found["baud"], found["framing"]), (0, 9600, "8N1"))
        self.assertEqual(found["port"], device.node)
        last = found["trials"][-1]
        self.assertEqual((last["baud"], last["bytes"]), (9600, last["text"]))
        self.assertIsNone(last["framingErrors"])

    @slow
    def test_a_silent_device_is_told_and_nothing_is_sent(self):
        with Device() as device:
            result = serialterm("doctor", "--probe", device.node)
            self.assertEqual(device.rest(), b"")
        self.assertEqual(result.status, 1)
        self.assertIn(b"nothing came in", result.stdout)

    def test_a_port_that_cannot_be_opened_is_diagnosed(self):
        result = serialterm("doctor", "--probe", "/dev/ttyNONE9")
        self.assertEqual(result.status, 1)
        self.assertIn(b"ttyNONE9", result.stdout)
        self.assertEqual(serialterm("doctor", "--probe").status, 2)

    def test_a_signal_ends_it_and_the_port_is_as_before(self):
        with TalkingDevice(74880, self.LINES) as device:
            before = device.settings
            with Pipes(serialterm_binary(), "doctor", "--probe", device.node) as program:
                wait_until(lambda: device.settings.output_baud == 115200, "the second rate")
                os.kill(program.pid, signal.SIGINT)
                self.assertEqual(program.wait(), 128 + signal.SIGINT)
            self.assertEqual(device.settings, before)
