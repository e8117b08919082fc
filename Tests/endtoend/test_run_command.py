"""A shell command on the port of a session: ctrl-t R."""

import os
import re
import stat

from Tests.endtoend.harness import wait_until
from Tests.endtoend.test_commands import CommandTest


class RunCommandTests(CommandTest):
    def setUp(self):
        super().setUp()
        self.state = self.folder / "state"

    def begin(self, *options, **how):
        variables = {"XDG_STATE_HOME": str(self.state)}
        super().begin(*options, size=(24, 120), variables=variables, **how)

    def run_command(self, text):
        self.press(b"R")
        self.answer("command to run", text.encode())

    def test_its_input_and_output_are_the_port_and_the_log_has_both(self):
        log = self.folder / "log"
        self.begin("--log", str(log))
        self.run_command('read a; echo "<$a>"; echo shown >&2')
        self.screen.wait_for_text("ctrl-c interrupts it.")
        self.device.write(b"hello\n")
        self.assertEqual(self.device.read_exactly(8), b"<hello>\n")
        self.screen.wait_for_text("read: shown")
        self.screen.wait_for_text("read ended with status 0: 6 bytes received, 8 sent.")
        self.expect_nothing_sent()
        self.press(b"q")
        self.terminal.wait()
        self.assertEqual(log.read_bytes(), b"hello\n")

    def test_a_megabyte_passes_in_both_directions(self):
        content = os.urandom(1_000_000)
        (self.folder / "image.bin").write_bytes(content)
        self.begin()
        self.run_command(
            f"cat {self.folder}/image.bin; head -c 1000000 > {self.folder}/copy.bin")
        self.assertEqual(self.device.read_exactly(len(content)), content)
        self.device.write(content)
        self.screen.wait_for_text("cat ended with status 0: 1,000,000 bytes received, 1,000,000 sent")
        self.assertEqual((self.folder / "copy.bin").read_bytes(), content)

    def test_ctrl_c_interrupts_it_and_the_status_line_names_it(self):
        self.begin("--status")
        # The shell itself waits: one that is about to start a program can lose SIGINT (dash).
        self.run_command("read line")
        self.screen.wait_for_text(" read is running ")
        self.terminal.send(b"\x03")
        self.screen.wait_for_text("read was stopped with ctrl-c: 0 bytes received, 0 sent.")
        self.expect_nothing_sent()

    def test_one_that_ignores_signals_is_killed_and_leaves_nothing(self):
        self.begin()
        self.run_command("trap '' INT TERM HUP; echo pid $$. >&2; sleep 1000; sleep 1000")
        self.screen.wait_for_text("trap: pid ")
        pid = re.search(r"trap: pid (\d+)\.", self.screen.text).group(1)
        self.terminal.send(b"\x03")
        self.screen.wait_for_text("trap still runs; ctrl-c again kills it.")
        self.terminal.send(b"\x03")
        self.screen.wait_for_text("trap was killed")
        self.expect_nothing_sent()
        wait_until(lambda: not os.path.exists(f"/proc/{pid}"), "it is killed")

    def test_unplugged_it_is_cut_off(self):
        self.begin()
        self.run_command("cat > /dev/null")
        self.screen.wait_for_text("ctrl-c interrupts it.")
        self.device.hang_up()
        self.screen.wait_for_text("cat was cut off: 0 bytes received, 0 sent.")
        self.device.plug()
        self.screen.wait_for_text("is back")
        self.expect_nothing_sent()

    def test_it_cannot_use_the_terminal(self):
        self.begin()
        self.run_command("echo drawn > /dev/tty; echo tried >&2")
        self.screen.wait_for_text("tried")
        self.screen.wait_for_text("echo ended with status 0")
        self.assertNotIn(b"\ndrawn", self.terminal.output)

    def test_recent_commands_are_offered_and_only_the_user_can_read_them(self):
        self.begin()
        for command in ("echo one", " echo secret", "echo two"):
            self.run_command(command)
            self.screen.wait_for_text("echo ended with status 0")
            self.device.read_exactly(4)
            self.press(b"l")
            self.screen.wait_until_gone("echo ended")
        self.press(b"q")
        self.terminal.wait()
        self.device.rest()
        path = self.state / "serialterm" / "history" / "run-command.txt"
        self.assertEqual(path.read_text(), "echo one\necho two\n")
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        self.begin()
        self.press(b"R")
        self.screen.wait_for_text("echo two")
        self.terminal.send(b"one\x1b[B\r")
        self.assertEqual(self.device.read_exactly(4), b"one\n")

    def test_enter_alone_runs_nothing(self):
        self.begin()
        self.run_command("")
        self.expect_nothing_sent()

    def test_a_command_that_prints_without_end_can_be_stopped(self):
        self.begin()
        self.run_command("yes >&2")
        # Not on the emulated screen, which is slower than the program and would never catch up.
        self.terminal.expect(b"yes: y")
        self.terminal.send(b"\x03")
        self.terminal.expect(b"yes was stopped with ctrl-c")
        self.expect_nothing_sent()
