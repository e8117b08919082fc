"""Alerts: `--on-match REGEX COMMAND` and `--on-disconnect COMMAND`."""

import os
import re
import signal
import time

from Tests.endtoend.harness import Pipes, serialterm, serialterm_binary, wait_until
from Tests.endtoend.harness.program import REPOSITORY
from Tests.endtoend.test_commands import CommandTest


class AlertTests(CommandTest):
    def setUp(self):
        super().setUp()
        self.results = self.folder / "results"

    @property
    def writing(self):
        """A command that writes a line with its variables."""
        names = ("EVENT", "DEVICE", "MATCH", "LINE", "COUNT")
        text = "|".join(f"$SERIALTERM_{name}" for name in names)
        return f'echo "{text}" >> {self.results}'

    def written(self):
        return self.results.read_text() if self.results.exists() else ""

    def begin(self, *options, **how):
        super().begin(*options, size=(24, 120), **how)

    def test_a_line_runs_the_command_with_the_line_in_its_environment(self):
        self.begin("--on-match", "ERROR \\d+", self.writing)
        self.device.write(b"fine\r\n\x1b[31mdisk ERROR 12\x1b[0m $(id) `id`\r\n")
        wait_until(lambda: self.written().endswith("\n"), "the command has run")
        self.assertEqual(
            self.written(),
            f"match|{self.device.path}|ERROR 12|disk ERROR 12 $(id) `id`|1\n")
        self.expect_nothing_sent()

    def test_a_tab_of_the_line_stays_a_tab(self):
        self.begin("--on-match", "ERROR", self.writing)
        self.device.write(b"disk\tERROR\t12\r\n")
        wait_until(lambda: self.written().endswith("\n"), "the command has run")
        self.assertEqual(
            self.written(), f"match|{self.device.path}|ERROR|disk\tERROR\t12|1\n")

    def test_a_prompt_rings_the_bell(self):
        self.begin("--on-match", "login: $", "bell")
        self.device.write(b"board login: ")
        wait_until(lambda: b"\x07" in self.terminal.output, "the bell")
        self.expect_nothing_sent()
        self.assertEqual(self.terminal.output.count(b"\x07"), 1)

    def test_a_device_that_goes_away_runs_the_other_command(self):
        self.begin("--on-disconnect", self.writing, "--on-disconnect", "bell")
        self.device.hang_up()
        wait_until(lambda: self.written().endswith("\n"), "the command has run")
        self.assertEqual(self.written(), f"disconnect|{self.device.path}|||1\n")
        self.terminal.expect(b"\x07")

    def test_a_session_that_ends_with_its_device_runs_it_too(self):
        self.begin("--no-reconnect", "--on-disconnect", "sleep 0.2; " + self.writing)
        self.device.hang_up()
        self.assertEqual(self.terminal.wait(), 6)
        wait_until(lambda: self.written().endswith("\n"), "the command has run")

    def test_a_flood_starts_few_processes_and_loses_nothing(self):
        log = self.folder / "log"
        self.begin("--on-match", "E", self.writing, "--log", str(log))
        line = b"E" * 70 + b"\r\n"
        started = time.monotonic()
        for _ in range(20):
            self.device.write(line * 1000)
        self.device.write(b"done\r\n")
        # Not on the screen: an emulator of a terminal takes longer for a megabyte than the session.
        wait_until(lambda: log.stat().st_size == 20_000 * len(line) + 6, "everything is logged")
        self.press(b"q")
        self.terminal.wait()
        wait_until(
            lambda: sum(int(row.split("|")[-1]) for row in self.written().splitlines()) == 20_000,
            "all matches are passed on")
        # One a second, and one at the end.
        self.assertLessEqual(len(self.written().splitlines()), time.monotonic() - started + 2)

    def test_a_command_that_hangs_is_left_and_a_zombie_never(self):
        self.begin("--on-match", "E", f"echo $$ > {self.results}; exec sleep 1000")
        self.device.write(b"E\r\n")
        wait_until(lambda: self.written().endswith("\n"), "the command runs")
        pid = int(self.written())
        try:
            self.device.write(b"E\r\nE\r\n")
            self.expect_nothing_sent()
            self.press(b"q")
            self.assertEqual(self.terminal.wait(), 0)
            self.assertIn(b"not run for 2 more", self.terminal.output)
        finally:
            os.kill(pid, signal.SIGKILL)

    def test_ended_commands_are_collected(self):
        self.begin("--on-match", "E", f"echo $$ > {self.results}")
        self.device.write(b"E\r\n")
        wait_until(lambda: self.written().endswith("\n"), "the command has run")
        pid = int(self.written())
        wait_until(lambda: not os.path.exists(f"/proc/{pid}"), "it is collected")

    def test_it_has_no_descriptors_of_the_session(self):
        log = self.folder / "log"
        self.begin("--log", str(log), "--on-match", "E", f"ls /proc/self/fd > {self.results}")
        self.device.write(b"E\r\n")
        wait_until(lambda: self.written().endswith("\n"), "the command has run")
        # The last one is that of the folder itself.
        self.assertEqual(self.written().split(), ["0", "1", "2", "3"])

    def test_what_it_prints_disturbs_nothing_and_a_failure_is_said(self):
        self.begin("--on-match", "E", "echo drawn; echo drawn > /dev/tty; nosuchprogram")
        self.device.write(b"E\r\n")
        self.screen.wait_for_text("--on-match E: the command ended with status 127: ")
        self.assertNotIn(b"drawn\r", self.terminal.output)
        self.assertNotIn(b"drawn\n", self.terminal.output)

    def test_log_has_alerts_too(self):
        log = self.folder / "log"
        program = self.enterContext(Pipes(
            serialterm_binary(), "log", self.device.path, str(log),
            "--on-match", "E", self.writing, "--on-disconnect", self.writing))
        program.stderr.expect(b"logging ")
        self.device.write(b"E\r\n")
        wait_until(lambda: self.written().count("\n") == 1, "a match")
        self.device.hang_up()
        wait_until(lambda: self.written().count("\n") == 2, "a loss")

    def test_mistakes_and_profiles_are_refused(self):
        for words in (
                ["--on-match", "E"], ["--on-match", "(", "bell"], ["--on-match", "", "bell"],
                ["--on-match", "E", ""], ["--on-disconnect", ""], ["--on-disconnect"]):
            ended = serialterm("connect", self.device.path, *words)
            self.assertEqual(ended.status, 2, words)
        configuration = self.folder / "config.toml"
        for line in ('on-disconnect = "true"', 'on-match = ["E", "true"]'):
            configuration.write_text(f"[default]\n{line}\n")
            ended = serialterm("connect", self.device.path, "--config", str(configuration))
            self.assertEqual(ended.status, 2, line)

    def test_the_notification_of_the_cookbook_is_quoted_well(self):
        page = (REPOSITORY / "docs/cookbook.md").read_text()
        example = re.search(r"^serialterm .*--on-match (\S+|'[^']*') '(notify-send .*)'$", page, re.M)
        tools = self.folder / "tools"
        tools.mkdir()
        notify = tools / "notify-send"
        notify.write_text(f"#!/bin/sh\nprintf '[%s]' \"$@\" > {self.results}\necho >> {self.results}\n")
        notify.chmod(0o755)
        self.begin(
            "--on-match", example.group(1).strip("'"), example.group(2),
            variables={"PATH": f"{tools}:{os.environ['PATH']}"})
        self.device.write(b"-x kernel panic: \"$(id)\" 'a' `b` --icon=x\r\n")
        wait_until(lambda: self.written().endswith("\n"), "the notification")
        self.assertEqual(
            self.written(),
            f"[--app-name=serialterm][--][{self.device.path}]"
            "[-x kernel panic: \"$(id)\" 'a' `b` --icon=x]\n")
