"""Errors before a session: the exit status and the message name the error, and the user's terminal is not
changed."""

import fcntl
import grp
import os
import re
import subprocess
import sys
import tempfile
import termios
import unittest
from pathlib import Path

from Tests.endtoend.faults.figures import record
from Tests.endtoend.harness import (
    TIMEOUT, Device, Pipes, PublicCopy, Terminal, run, serialterm, serialterm_binary)

IMPOSSIBLE_RATES = ("0", "-1", "7x", "115200x", "100000000000")

# Root may open anything. If root runs the tests, these run as another user without permission.
USER = "nobody" if os.geteuid() == 0 else None


class ErrorCase(unittest.TestCase):
    def assert_fails(self, status, message, *arguments, binary=None, user=None):
        """Asserts that `serialterm ARGUMENTS` ends with `status` and one message that matches, on
        a terminal whose settings stay unchanged, and on which the message is one line."""
        with Terminal(binary or serialterm_binary(), *arguments, user=user, size=(24, 1000)) as terminal:
            ended = terminal.wait()
            said = terminal.transcript.expect_end()
            self.assertRegex(said, re.compile(rb"^serialterm: .*" + message.encode(), re.S))
            self.assertEqual(ended, status, said)
            self.assertEqual(terminal.settings, terminal.original_settings)


class NotFoundTests(ErrorCase):
    def test_missing_port_is_not_found(self):
        self.assert_fails(3, "/dev/ttyNONE9: no such device", "connect", "/dev/ttyNONE9")

    def test_missing_port_by_its_short_name_is_not_found(self):
        self.assert_fails(3, "/dev/ttyNONE9: no such device", "ttyNONE9")

    def test_a_host_and_a_port_may_be_a_port_over_the_network(self):
        forms = (r"'rfc2217://lab:4021' \(a server's serial port\), 'telnet://lab:4021' \(a telnet server\) "
                 r"or 'tcp://lab:4021'")
        self.assert_fails(3, f"lab:4021: no such device. Did you mean {forms}", "lab:4021")
        self.assert_fails(3, forms, "rules", "lab:4021", "--name", "board")
        self.assertIn(b"rfc2217://lab:4021", serialterm("doctor", "lab:4021").stdout)

    def test_names_of_other_programs_are_explained(self):
        for words, advice in ((["ttyNONE9,9600"], "'ttyNONE9 -b 9600'"), (["COM3"], "'serialterm list' shows"),
                              (["import-tio"], "serialterm profile import-tio")):
            self.assert_fails(3, advice, *words)
        self.assert_fails(2, "To name the device, write it without an option", "-p", "ttyUSB0")

    def test_a_folder_for_received_files_is_checked_at_the_start(self):
        with tempfile.NamedTemporaryFile() as file:
            for folder, reason in (("/nodir", "there is no such folder"), (file.name, "not a folder")):
                self.assert_fails(
                    2, f"--auto-receive {folder}: {reason}", "loopback:", "--auto-receive", folder)

    def test_absent_adapter_is_not_found(self):
        self.assert_fails(3, "usb:ffff:fffe", "connect", "usb:ffff:fffe")

    def test_what_is_no_serial_port_is_told_so(self):
        with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile() as file:
            for path in (folder, file.name, "/dev/null"):
                with self.subTest(path):
                    self.assert_fails(3, f"{path}: not a serial port", "connect", path)

    def test_link_to_nothing_is_not_found(self):
        with tempfile.TemporaryDirectory() as folder:
            link = os.path.join(folder, "port")
            os.symlink("nowhere", link)
            self.assert_fails(3, "port: no such device", "connect", link)

    def test_path_that_can_lead_nowhere_is_not_found(self):
        with tempfile.TemporaryDirectory() as folder:
            loop = os.path.join(folder, "loop")
            os.symlink(loop, loop)
            for path in (loop, os.path.join(folder, "x" * 300), os.path.join(folder, "x/" * 3000)):
                with self.subTest(path[-20:]):
                    result = serialterm("connect", path)
                    self.assertEqual(result.status, 3, result)
                    self.assertIn(b"no such device", result.stderr)


class UsageTests(ErrorCase):
    def test_impossible_baud_rates(self):
        for rate in (*IMPOSSIBLE_RATES, ""):
            with self.subTest(rate):
                self.assert_fails(2, "baud", "connect", "loopback:", f"--baud={rate}")
        for option in ("-b", "--baud"):
            result = serialterm("connect", "loopback:", option, "-1")
            self.assertEqual(result.status, 2)
            self.assertIn(b"'-1' is not a baud rate", result.stderr)
        self.assert_rates_are_refused_without_opening()

    def assert_rates_are_refused_without_opening(self):
        """By option and by profile, by every command; row 22."""
        opened = 0
        with Device() as device, tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "config.toml")
            original = device.settings
            for rate in IMPOSSIBLE_RATES:
                with open(file, "w", encoding="utf-8") as configuration:
                    configuration.write(f"[default]\nbaud = {rate}\n")
                for command in (["connect", device.path], ["send", device.path, "x"],
                                ["run", device.path, "-"]):
                    for options in ([f"--baud={rate}"], ["--config", file]):
                        result = serialterm(*command, *options)
                        self.assertEqual(result.status, 2, (rate, result))
                        opened += device.settings != original
            self.assertEqual(device.rest(), b"")
        self.assertEqual(opened, 0)
        record(22, f"ports opened for {len(IMPOSSIBLE_RATES)} impossible rates", opened, "")

    def test_unknown_values(self):
        for option in ("--parity=sometimes", "--data-bits=9", "--stop-bits=3", "--flow=fast",
                       "--prefix=f12", "--escape=~~", "--escape=.", "--linger=-1"):
            with self.subTest(option):
                value = option.partition("=")[2]
                self.assert_fails(2, re.escape(value), "connect", "loopback:", option)

    def test_unknown_options_and_commands(self):
        for arguments in (["connect", "--bogus"], ["list", "--bogus"], ["monitor", "--count", "0"],
                          ["loopback", "--drop", "2"], ["loopback", "--pair", "--board"],
                          ["send", "loopback:", "text", "another"]):
            with self.subTest(arguments):
                self.assert_fails(2, "", *arguments)

    def test_word_that_is_no_further_device_gets_a_suggestion(self):
        for arguments, advice in (
                (["loopback:", "9600"], b"there is no device '9600': did you mean -b 9600?"),
                (["connect", "loopback:", "9600"], b"there is no device '9600': did you mean -b 9600?"),
                (["lsit", "ttyNONE"], b"'lsit' is not a command: did you mean 'serialterm list'?"),
                (["-t", "isoo", "loopback:"], b"Time formats are time, iso")):
            with self.subTest(arguments):
                result = serialterm(*arguments)
                self.assertEqual(result.status, 2, result)
                self.assertIn(advice, result.stderr)

    def test_absent_device_behind_another_is_waited_for_or_not_found(self):
        text = b"there is no device 'gps0'. To send a text: 'serialterm send loopback: gps0'."
        result = serialterm("connect", "loopback:", "gps0")
        self.assertEqual(result.status, 3, result)
        self.assertIn(text, result.stderr)
        with tempfile.TemporaryDirectory() as folder:
            configuration = f"{folder}/c.toml"
            Path(configuration).write_text("[default]\nwait = true\n")
            for words in (["serve", "loopback:", "gps0", "--unix", f"{folder}/a", "--unix", f"{folder}/b"],
                          ["connect", "loopback:", "gps0", "--read-only", "--wait"],
                          ["connect", "loopback:", "gps0", "--read-only", "--config", configuration]):
                with self.subTest(words), Pipes(serialterm_binary(), *words) as waiting:
                    waiting.stderr.expect(re.compile(rb"waiting for .*gps0"))

    def test_text_like_a_target_is_no_swapped_device(self):
        for text in ("serial:5", "port:80"):
            self.assert_fails(3, "gps0: no such device", "send", "gps0", text)

    def test_help_of_a_word_of_other_programs_is_that_of_connect(self):
        for word in ("open", "frobnicate"):
            result = serialterm(word, "--help")
            self.assertEqual((result.status, result.stdout), (0, serialterm("connect", "--help").stdout))

    def test_a_lone_misspelt_command_is_no_device_and_gets_a_suggestion(self):
        result = serialterm("lsit")
        self.assertEqual(result.status, 3, result)
        self.assertIn(b"lsit: no such device. Did you mean the command 'serialterm list'?", result.stderr)

    def test_malformed_targets(self):
        for target in ("usb:xyz", "usb:0403", "loopback:nothing", "usb:04030:6001"):
            with self.subTest(target):
                self.assert_fails(2, re.escape(target), "connect", target)

    def test_network_targets_are_not_taken_for_paths(self):
        for target in ("tcp://localhost:1", "rfc2217://localhost:1"):
            with self.subTest(target):
                self.assert_fails(3, f"{target}: not reachable .Connection refused", "connect", target)

    def test_network_targets_that_are_almost_right_get_the_right_form(self):
        for target, form in (
                ("tcp://lab", "tcp://HOST:PORT"), ("tcp://lab:0", "tcp://HOST:PORT"),
                ("tcp:lab:4001", "tcp://HOST:PORT"), ("socket://lab:4001", "tcp://HOST:PORT"),
                ("telnet:lab:23", "telnet://HOST:PORT"), ("rfc2217:lab:23", "rfc2217://HOST:PORT"),
                ("tcp://::1:23", r"tcp://\[ADDRESS\]:PORT"), ("unix://run/x", "unix:PATH")):
            with self.subTest(target):
                self.assert_fails(2, f"{re.escape(target)}'.*{form}", "connect", target)

    def test_misspelt_option_gets_a_suggestion(self):
        result = serialterm("connect", "loopback:", "--buad", "9600")
        self.assertEqual(result.status, 2)
        self.assertIn(b"did you mean --baud? See", result.stderr)

    def test_value_may_stand_right_behind_the_letter(self):
        with Device() as device, tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log")
            arguments = ("-xb9600", "-s2", f"-L{log}", "-tiso", device.path)
            with Terminal(serialterm_binary(), *arguments) as terminal:
                terminal.expect(b" at 9600 8N2. ")
                self.assertTrue(os.path.exists(log))
                self.assertEqual(terminal.leave()[0], 0)

    def test_no_target_and_no_terminal(self):
        result = serialterm("connect")
        self.assertEqual((result.status, result.stdout), (2, b""))
        self.assertRegex(result.stderr, rb"^serialterm: .*terminal")


class PermissionTests(ErrorCase):
    def setUp(self):
        self.binary = self.enterContext(PublicCopy())
        self.device = self.enterContext(Device())

    def test_permission_denied_names_the_group(self):
        if USER:
            os.chown(self.device.node, 0, grp.getgrnam("dialout").gr_gid)
            os.chmod(self.device.node, 0o660)
        else:
            os.chmod(self.device.node, 0)
        group = grp.getgrgid(os.stat(self.device.node).st_gid).gr_name
        self.assert_fails(
            4, rf"{self.device.path}: permission denied.*\b{group}\b", "connect", self.device.path,
            binary=self.binary, user=USER)

    @unittest.skipUnless(USER, "only root can make a node that belongs to root")
    def test_permission_denied_without_a_group_names_the_owner(self):
        os.chown(self.device.node, 0, 0)
        os.chmod(self.device.node, 0o600)
        self.assert_fails(
            4, "permission denied.*root", "connect", self.device.path,
            binary=self.binary, user=USER)


class BusyTests(ErrorCase):
    HOLDER = """import fcntl, os, sys
port = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)
fcntl.flock(port, fcntl.LOCK_EX)
print("locked", flush=True)
sys.stdin.read()
"""

    def setUp(self):
        self.binary = self.enterContext(PublicCopy())
        self.device = self.enterContext(Device())
        os.chmod(self.device.node, 0o666)
        self.settings_before = self.device.settings

    def assert_busy(self, message, user):
        self.assert_fails(
            5, rf"{self.device.path}: .*{message}", "connect", self.device.path,
            binary=self.binary, user=user)
        self.assertEqual(self.device.settings, self.settings_before)

    def test_locked_port_is_busy_and_its_holder_is_named(self):
        with Pipes(sys.executable, "-c", self.HOLDER, self.device.path) as holder:
            holder.stdout.expect(b"locked")
            with open(f"/proc/{holder.pid}/comm", encoding="utf-8") as file:
                command = file.read().strip()
            for user in {USER, None}:
                with self.subTest(user=user):
                    self.assert_busy(rf"pid {holder.pid} \({re.escape(command)}\)", user)

    def test_port_of_another_session_is_busy(self):
        with Pipes(serialterm_binary(), "connect", self.device.path) as session:
            session.send(b"x")
            self.device.read_exactly(1)
            self.settings_before = self.device.settings
            self.assert_busy(rf"pid {session.pid} \({session.name}\)", None)

    def test_a_device_that_is_named_twice_is_not_busy_but_named_twice(self):
        with tempfile.TemporaryDirectory() as folder:
            link = f"{folder}/link"
            os.symlink(self.device.path, link)
            for command in ("connect", "tap", "serve"):
                self.assert_fails(
                    2, f"{self.device.path} and {link} are the same device: name it once",
                    command, self.device.path, link)
            self.assert_fails(2, f"{link} is named twice", link, link)

    def test_profiles_of_one_device_are_served_and_a_shared_device_twice(self):
        with tempfile.TemporaryDirectory() as folder:
            configuration = f"{folder}/c.toml"
            Path(configuration).write_text("".join(
                f"[profile.{name}]\ntarget = '{self.device.path}'\nunix = '{folder}/{name}.sock'\nshared = true\n"
                for name in ("a", "b")))
            for words in (["serve", "--profiles", "--config", configuration],
                          ["serve", "--shared", self.device.path, self.device.path,
                           "--unix", f"{folder}/a.sock", "--unix", f"{folder}/b.sock"]):
                with self.subTest(words), Pipes(serialterm_binary(), *words) as served:
                    served.stderr.expect(b"b.sock")

    def test_a_device_behind_another_argument_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            script = f"{folder}/t.serial"
            Path(script).write_text("send 'x'\n")
            for command in ("run", "log", "send"):
                self.assert_fails(
                    2, f"'{script}' is no device, and '{self.device.path}' is one. The device comes first: "
                    f"'serialterm {command} {self.device.path} {script}'", command, script, self.device.path)
            # A text that is like an address is a text.
            self.assert_fails(3, "ttyNONE9: no such device", "send", "ttyNONE9", "loopback:")

    def test_session_that_has_the_port_can_be_joined(self):
        with Pipes(serialterm_binary(), "connect", self.device.path) as session:
            session.send(b"x")
            self.device.read_exactly(1)
            way_in = f"'serialterm attach {session.pid}' joins that session.".encode()
            refused = serialterm("connect", self.device.path)
            self.assertEqual(refused.status, 5)
            self.assertIn(way_in, refused.stderr)
            self.assertTrue(refused.stderr.endswith(b" --wait waits until it is free.\n"), refused)
            with Pipes(serialterm_binary(), "connect", "--wait", self.device.path) as waiting:
                waiting.stderr.expect(way_in)

    @unittest.skipUnless(USER, "needs root, to run a session as somebody else")
    def test_session_of_another_user_cannot_be_joined(self):
        with Pipes(self.binary, "connect", self.device.path, user=USER,
                   variables={"XDG_RUNTIME_DIR": None}) as session:
            session.send(b"x")
            self.device.read_exactly(1)
            refused = serialterm("connect", self.device.path)
            self.assertEqual(refused.status, 5)
            self.assertIn(f"pid {session.pid} (".encode(), refused.stderr)
            self.assertNotIn(b"attach", refused.stderr)

    @unittest.skipUnless(USER, "needs root, to be refused as somebody else")
    def test_port_in_exclusive_mode_is_busy(self):
        with open(self.device.node, "rb", buffering=0) as port:
            fcntl.ioctl(port, termios.TIOCEXCL)
            self.assert_busy("busy", USER)

    def test_shared_session_takes_a_locked_port(self):
        with Pipes(sys.executable, "-c", self.HOLDER, self.device.path) as holder:
            holder.stdout.expect(b"locked")
            with Pipes(serialterm_binary(), "connect", "--shared", self.device.path) as session:
                session.send(b"shared")
                self.assertEqual(self.device.read_exactly(6), b"shared")


class StreamTests(unittest.TestCase):
    def test_errors_leave_standard_output_empty(self):
        for arguments in (["connect", "/dev/ttyNONE9"], ["connect", "--baud", "0", "loopback:"]):
            with self.subTest(arguments):
                result = serialterm(*arguments)
                self.assertEqual(result.stdout, b"")
                self.assertRegex(result.stderr, rb"\Aserialterm: [^\n]*\n")

    def test_control_characters_of_an_argument_do_not_reach_the_terminal(self):
        bad = "\x1b]0;owned\x07\x9b31m"
        for arguments, status in ((["connect", f"/dev/{bad}"], 3), (["connect", f"usb:{bad}"], 2),
                                  (["connect", f"serial:{bad}"], 3), ([f"--{bad}"], 2),
                                  (["send", f"/dev/{bad}", "x"], 3),
                                  (["connect", "loopback:", "-L", f"/nowhere/{bad}"], 7),
                                  (["connect", "loopback:", "--config", f"/nowhere/{bad}"], 2)):
            with self.subTest(arguments):
                result = serialterm(*arguments)
                self.assertEqual((result.status, result.stdout), (status, b""), result)
                self.assertRegex(result.stderr.decode(), r"\A[^\x00-\x09\x0b-\x1f\x7f-\x9f]+\Z")

    def test_what_is_100_kB_long_is_not_repeated_whole(self):
        long = "x" * 100_000
        with tempfile.NamedTemporaryFile("w+") as file:
            for text in (f"[default]\nbaud = {long}", f"[default]\n{long} = 1", f"[{long}]",
                         f"[profile.{long}.b]", f"[default]\nparity = '{long}'",
                         f"[default]\ntarget = 'usb:{long}'", f"[profile.a]\nmatch = '{long}'"):
                with self.subTest(text[:20]):
                    file.seek(0)
                    file.truncate()
                    file.write(text)
                    file.flush()
                    result = serialterm("connect", "loopback:", "--config", file.name)
                    self.assertEqual(result.status, 2, result.stderr[:500])
                    self.assertRegex(result.stderr, rf"{file.name}:[12]: ".encode())
                    self.assertLess(len(result.stderr), 1000)
        for arguments in (["connect", f"usb:{long}"], ["connect", "loopback:", f"--baud={long}"],
                          ["doctor", f"usb:{long}"]):
            result = serialterm(*arguments)
            self.assertEqual(result.status, 2, result.stderr[:500])
            self.assertLess(len(result.stderr), 1000)

    def test_line_end_in_a_path_does_not_begin_a_message(self):
        result = serialterm("connect", "/dev/x\nserialterm: all is well")
        self.assertEqual((result.status, result.stderr.count(b"\n")), (3, 1), result)

    def test_session_shows_its_port_without_control_characters(self):
        with Device() as device, tempfile.TemporaryDirectory() as folder:
            link = os.path.join(folder, "\x1b[31m\n")
            os.symlink(device.path, link)
            with Terminal(serialterm_binary(), link) as terminal:
                terminal.expect(b"ctrl-t q")
                terminal.send(b"\x14c")
                terminal.expect(b"read-only: off")
                self.assertNotIn(b"\x1b[31m", terminal.output)
                self.assertEqual(terminal.leave()[0], 0)

    def test_output_that_is_full_is_told(self):
        for arguments in (["--help"], ["list", "--json"], ["connect", "loopback:board"],
                          ["send", "loopback:", "x", "--expect", "x"]):
            with self.subTest(arguments), open("/dev/full", "wb") as full, Terminal(
                    serialterm_binary(), *arguments, stdout=full) as terminal:
                self.assertEqual(terminal.wait(), 9)
                self.assertIn(
                    b"serialterm: standard output: No space left on device.",
                    terminal.transcript.expect_end())

    def test_port_does_not_take_the_place_of_a_closed_stream(self):
        for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
            with self.subTest(closed), Device() as device:
                # Messages on stderr and printed text would go to the device.
                result = run(
                    "sh", "-c", f'"$0" send "$1" sent --expect answer --timeout 0.2 {closed}',
                    serialterm_binary(), device.path)
                self.assertEqual(result.status, 10, result)
                self.assertEqual(device.rest(), b"sent\r")

    def test_answer_to_a_closed_output_is_output_gone(self):
        for arguments in ("--version", "list --json", "doctor loopback:"):
            with self.subTest(arguments):
                result = run("sh", "-c", f'"$0" {arguments} >&-', serialterm_binary())
                self.assertEqual(result.status, 9, result)
                self.assertIn(b"serialterm: standard output is not open for writing.", result.stderr)

    def test_help_and_version_are_answers(self):
        for arguments in (["--help"], ["--version"], ["connect", "--help"], ["list", "--help"],
                          ["monitor", "--help"], ["loopback", "--help"]):
            with self.subTest(arguments):
                result = serialterm(*arguments)
                self.assertEqual((result.status, result.stderr), (0, b""))
                self.assertIn(b"serialterm", result.stdout)
                if arguments != ["--version"]:
                    self.assertIn(b"EXAMPLE", result.stdout)

    def test_output_that_cannot_be_written_is_told(self):
        with open("/dev/full", "wb") as full:
            ended = subprocess.run(
                [serialterm_binary(), "--version"], stdout=full, stderr=subprocess.PIPE,
                check=False, timeout=TIMEOUT)
        self.assertNotEqual(ended.returncode, 0)
