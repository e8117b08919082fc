"""`serialterm log`: a log without a user, as a service manager starts it."""

import fcntl
import grp
import os
import re
import signal
import stat
import subprocess
import unittest

from Tests.endtoend.faults import SessionTest, number, preload, processes, text, waits
from Tests.endtoend.faults.disks import Disk
from Tests.endtoend.harness import (
    Pipes, Port, Terminal, contents, serialterm, serialterm_binary, slow, unread, wait_until)
from Tests.endtoend.harness.program import REPOSITORY, Program
from Tests.endtoend.harness.unit import Unit


class LogCommandTest(SessionTest):
    def start(self, *options, target=None, file=None, variables=None, **how):
        return self.enterContext(Pipes(
            serialterm_binary(), "log", target or self.device.path, str(file or self.log),
            *options, variables=waits.counted(self._waits, variables), **how))

    def logging(self, *options, **how):
        """A session that logs, once its port is open."""
        program = self.start(*options, **how)
        program.stderr.expect(b"logging ")
        return program

    def say(self, said):
        """The device sends bytes, which are then in the log."""
        before = len(contents(self.log))
        self.device.write(said)
        self.wait_for_log(before + len(said))

    def end(self, program, number=signal.SIGTERM):
        status, _ = self.signal(program, number)
        return status


class LoggingTests(LogCommandTest):
    def test_what_comes_is_logged_until_a_signal_and_nothing_is_sent(self):
        program = self.start()
        program.stderr.expect(
            f"serialterm: logging {self.device.path} at 115200 8N1 to {self.log}.\n".encode())
        said = text(200_000)
        self.say(said)
        program.send(b"not sent", then_close=True)
        self.say(b"end")
        self.assertEqual(self.end(program), 128 + signal.SIGTERM)
        self.assertTrue(self.log.read_bytes() == said + b"end", "the log differs")
        self.assertEqual(program.stdout.data, b"")
        self.assertEqual(self.device.rest(), b"")

    def test_every_signal_ends_it_with_the_log_complete(self):
        for number_ in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
            with self.subTest(number_):
                program = self.logging("--log-append")
                before = contents(self.log)
                self.say(b"last words")
                self.assertEqual(self.end(program, number_), 128 + number_)
                self.assertEqual(self.log.read_bytes(), before + b"last words")
                self.assert_port_is_free()

    def test_it_needs_no_standard_streams(self):
        for redirection in ("</dev/null >/dev/null 2>&1", "<&- >&- 2>&-", "<&- >/dev/full 2>&-"):
            with self.subTest(redirection):
                self.log.unlink(missing_ok=True)
                program = self.enterContext(Pipes(
                    "sh", "-c", f'exec "$0" "$@" {redirection}', serialterm_binary(), "log",
                    self.device.path, str(self.log)))
                wait_until(self.log.exists, "the log is begun")
                self.say(b"still logged")
                self.assertEqual(self.end(program), 128 + signal.SIGTERM)
                self.assertEqual(self.log.read_bytes(), b"still logged")

    def test_it_goes_on_when_nobody_reads_its_streams_any_more(self):
        program = self.logging()
        program.close_stdout()
        program.stderr.stop()
        program.process.stderr.close()
        self.say(b"still logged")
        self.device.hang_up()
        self.device.plug(says=b" and back")
        self.wait_for_log(21)
        self.assertEqual(self.end(program), 128 + signal.SIGTERM)

    def test_several_files_and_formats_are_written_at_once(self):
        other = self.folder / "log.jsonl"
        program = self.enterContext(Pipes(
            serialterm_binary(), "log", self.device.path, str(self.log), str(other), "--quiet"))
        wait_until(other.exists, "the logs are begun")
        self.say(b"hello")
        self.assertEqual(self.end(program), 128 + signal.SIGTERM)
        self.assertIn(b'"text":"hello"', other.read_bytes())
        self.assertEqual(program.stderr.data, b"")

    def test_options_about_logs_hold(self):
        program = self.logging(
            "--log-format", "text", "--log-rotate", "1k", "--log-keep", "1", "-b", "9600")
        for line in range(40):
            self.device.write(b"line %03d\r\n" % line)
        wait_until(lambda: b"line 039" in contents(self.log), "all is logged")
        self.assertEqual(self.end(program), 128 + signal.SIGTERM)
        self.assertIn(b"] line 039\n", self.log.read_bytes())
        self.assertEqual(
            sorted(path.name for path in self.folder.glob("log*")), ["log", "log.1"])

    def test_other_programs_can_borrow_the_port(self):
        program = self.logging()
        result = serialterm("release", self.device.path, "--", "sh", "-c", f"echo hi >> {self.log}")
        self.assertEqual((result.status, result.stderr), (0, b""))
        program.stderr.expect(b"is lent to sh (pid")
        program.stderr.expect(b"is back")
        self.say(b"after")
        self.assertEqual(self.end(program), 128 + signal.SIGTERM)
        self.assertEqual(self.log.read_bytes(), b"hi\nafter")

    def test_a_profile_holds_and_what_is_about_sending_means_nothing(self):
        configuration = self.folder / "config.toml"
        configuration.write_text(
            f'[default]\nwait = true\nlog = "{self.folder}/other"\nlog-sent = true\n'
            f'byte-delay = 5\n[profile.board]\ntarget = "{self.device.path}"\nbaud = 57600\n'
            'mode = "644"\n')
        program = self.start("--config", str(configuration), target="board")
        program.stderr.expect(b"at 57600 8N1")
        self.say(b"hello")
        self.assertEqual(self.end(program), 128 + signal.SIGTERM)
        self.assertEqual(stat.S_IMODE(self.log.stat().st_mode), 0o644)
        self.assertFalse((self.folder / "other").exists())


class WaitingTests(LogCommandTest):
    def test_a_person_at_a_terminal_learns_how_it_ends(self):
        with Terminal(serialterm_binary(), "log", self.device.path, str(self.log)) as terminal:
            terminal.expect(re.compile(rb"logging .*ctrl-c\s+ends\s+it\.", re.S))
        with Terminal(serialterm_binary(), "log", "ttyNONE9", f"{self.log}2") as terminal:
            terminal.expect(b"waiting for /dev/ttyNONE9. ctrl-c ends it.")

    def test_it_waits_for_its_device_from_the_start(self):
        self.device.hang_up()
        program = self.start()
        program.stderr.expect(f"serialterm: waiting for {self.device.path}.\n".encode())
        self.device.plug(says=b"first ")
        program.stderr.expect(b"logging ")
        self.wait_for_log(6)
        self.say(b"second")
        self.assertEqual(self.end(program), 128 + signal.SIGTERM)
        self.assertEqual(self.log.read_bytes(), b"first second")
        self.assertEqual(program.stderr.data.count(b"waiting"), 1)

    def test_it_survives_unplugging(self):
        program = self.logging()
        said = b""
        for index in range(3):
            self.say(b"%d " % index)
            said += b"%d " % index
            self.device.hang_up()
            program.stderr.expect(b"is gone")
            self.device.plug(says=b"back ")
            said += b"back "
            program.stderr.expect(b"is back")
            self.wait_for_log(len(said))
        self.assertEqual(self.end(program), 128 + signal.SIGTERM)
        self.assertEqual(self.log.read_bytes(), said)

    def test_a_signal_ends_the_wait_for_a_device(self):
        self.device.hang_up()
        program = self.start()
        program.stderr.expect(b"waiting for")
        self.assertEqual(self.end(program), 128 + signal.SIGTERM)
        self.assertEqual(self.log.read_bytes(), b"")

    def test_it_waits_for_a_port_that_is_busy_and_says_so_once(self):
        with Port(self.device.path) as port:
            fcntl.flock(port.descriptor, fcntl.LOCK_EX)
            program = self.start()
            program.stderr.expect(
                f"serialterm: waiting for {self.device.path}: busy, held by pid {os.getpid()} "
                .encode())
            # Longer than the messages about a device that is probed when it appears.
            with self.assertRaises(AssertionError):
                program.stderr.expect(b"\nserialterm: ", 1.5)
        self.device.write(b"hello")
        program.stderr.expect(b"logging ")
        self.wait_for_log(5)
        self.assertEqual(self.end(program), 128 + signal.SIGTERM)
        self.assertEqual(program.stderr.data.count(b"waiting"), 1)

    def test_what_is_wrong_with_the_log_is_noticed_before_the_device_comes(self):
        self.log.write_bytes(b"mine")
        self.device.hang_up()
        program = self.start()
        self.assertEqual(program.wait(), 7)
        program.stderr.expect(b"exists already; --log-append")
        self.assertEqual(self.log.read_bytes(), b"mine")


class StatusTests(LogCommandTest):
    @slow
    def test_what_the_driver_has_received_is_logged_before_the_end(self):
        program = self.logging()
        # More than one read takes.
        said = text(12_000)
        with processes.stopped(program.pid):
            self.device.write(said)
            wait_until(lambda: unread(self.device._port) > 0, "the driver has it")
            program.signal(signal.SIGTERM)
        self.assertEqual(program.wait(), 128 + signal.SIGTERM)
        self.assertTrue(self.log.read_bytes() == said, "the log differs")

    @unittest.skipUnless(preload.HAS_COMPILER, "there is no C compiler")
    def test_bytes_that_are_missing_are_7_although_a_signal_ends_it(self):
        disk = Disk.broken(self.log)
        other = self.folder / "other"
        program = self.enterContext(Pipes(
            serialterm_binary(), "log", self.device.path, str(self.log), str(other),
            variables=waits.counted(self._waits, disk.variables)))
        program.stderr.expect(b"logging ")
        disk.switch_on()
        self.device.write(text(10_000))
        program.stderr.expect(b"cannot be written (Input/output error)")
        wait_until(lambda: len(contents(other)) == 10_000, "the other log is written")
        self.assertEqual(self.end(program), 7)
        missing = number(program.stderr.expect(re.compile(rb"([\d,]+) bytes not logged")).group(1))
        self.assertEqual(missing, 10_000)

    def test_wrong_options_are_2(self):
        for options, words in (
                ((), b"FILE"), (("-",), b"./-"), (("x", "--mode", "777"), b"600 to 666"),
                (("x", "--mode", "440"), b"600 to 666"), (("x", "--mode", "rw"), b"600 to 666"),
                (("x", "--group", "no-such-group"), b"there is no group no-such-group"),
                (("x", "--log-keep", "1"), b"--log-rotate"), (("x", "-b", "-1"), b"baud")):
            with self.subTest(options):
                result = serialterm("log", self.device.path, *options)
                self.assertEqual(result.status, 2, result)
                self.assertIn(words, result.stderr)

    def test_connect_whose_input_is_empty_points_to_it(self):
        result = serialterm("connect", self.device.path, "--read-only", "--log", str(self.log))
        self.assertEqual(result.status, 0)
        self.assertIn(b"'serialterm log'", result.stderr)
        self.log.unlink()
        result = serialterm("connect", self.device.path, "--log", str(self.log))
        self.assertEqual((result.status, result.stderr), (0, b""))


class PermissionTests(LogCommandTest):
    def test_new_files_have_the_mode_and_the_group(self):
        group = grp.getgrgid(os.getgid())
        for name in (group.gr_name, str(group.gr_gid)):
            with self.subTest(name):
                self.log.unlink(missing_ok=True)
                program = self.logging("--mode", "640", "--group", name, "--log-rotate", "4")
                self.device.write(b"12345678")
                wait_until(lambda: contents(self.log) == b"5678", "it is rotated")
                self.assertEqual(self.end(program), 128 + signal.SIGTERM)
                for path in (self.log, self.folder / "log.1"):
                    self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o640)
                    self.assertEqual(path.stat().st_gid, group.gr_gid)
                    path.unlink()


class UnitTests(LogCommandTest):
    """The template unit for systemd."""

    unit = Unit("serialterm-log@.service")

    def test_systemd_finds_nothing_wrong_with_it(self):
        self.assertEqual(self.unit.faults(), "")
        self.assertNotEqual(self.unit.faults(lambda text: text.replace("Type=", "Tpye=")), "")

    def test_its_command_line_logs_and_its_stop_is_a_success(self):
        (self.folder / "serialterm").mkdir()
        (self.folder / "serialterm/config.toml").write_text(
            f'[profile.board-1]\ntarget = "{self.device.path}"\n')
        command = self.unit.command("board-1", L=self.folder)
        variables = {"XDG_CONFIG_HOME": str(self.folder)}
        log = self.folder / "serialterm/board-1.txt"
        # It is started again and again, and adds to its log.
        for round_ in (b"first", b"second"):
            with Program(
                    command, variables, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as program:
                self.device.write(round_ + b"\r\n")
                wait_until(lambda: round_ in contents(log), "it is logged")
                program.signal(signal.SIGTERM)
                self.assertEqual(program.wait(), int(self.unit.settings["SuccessExitStatus"]))
        self.assertEqual(stat.S_IMODE(log.stat().st_mode), 0o640)
        self.assertIn(b"] first\n", log.read_bytes())

    def test_a_name_that_systemd_escape_has_made_is_explained(self):
        for name, original in (("dev-ttyNONE9", "/dev/ttyNONE9"), ("board\\x2d1", "board-1")):
            program = self.start("--log-append", target=name)
            program.stderr.expect(
                b"waiting for /dev/%s. systemd-escape makes this name of %s:" % (name.encode(), original.encode()))

    def test_the_documentation_shows_it_as_it_is(self):
        self.assertIn(
            self.unit.settings["ExecStart"], (REPOSITORY / "docs/logs.md").read_text())
