"""Scripts inside a session: `connect --script FILE`, and run-script."""

import signal

from Tests.endtoend.harness import Pipes, serialterm, serialterm_binary, slow
from Tests.endtoend.test_commands import CommandTest


class SessionScriptTests(CommandTest):
    def script(self, text):
        path = self.folder / "login.txt"
        path.write_text(text)
        return str(path)

    def test_the_dialogue_comes_first_and_then_the_user_types(self):
        self.begin("--script", self.script('expect /login: /\nsend "root\\r"\n'), size=(24, 120))
        self.screen.wait_for_text("login.txt:1: expect /login: /")
        self.device.write(b"board login: ")
        self.assertEqual(self.device.read_exactly(5), b"root\r")
        self.screen.wait_for_text("login.txt has ended")
        self.assertIsNotNone(self.screen.row_of("board login:"))
        self.terminal.send(b"typed")
        self.assertEqual(self.device.read_exactly(5), b"typed")

    def test_a_failure_leaves_the_user_in_the_session(self):
        self.begin("--script", self.script("expect /never/ within 50ms\n"), size=(24, 120))
        self.screen.wait_for_text("login.txt:1: timed out after 0.05 s waiting for /never/.")
        self.expect_nothing_sent()
        self.press(b"q")
        self.assertEqual(self.terminal.wait(), 0)

    def test_rounds_and_a_timeout_in_try_are_shown(self):
        script = self.script(
            'try {\n  repeat 2 every 10ms until /never/ {\n    send "a"\n  }\n} else {\n  expect /b/\n}\n')
        self.begin("--script", script, size=(24, 120))
        self.screen.wait_for_text("login.txt:2: repeat until /never/: round 2 of 2")
        self.screen.wait_for_text("login.txt:2: timed out: /never/ did not come in 2 rounds of 0.01 s.")
        self.screen.wait_for_text("login.txt:6: expect /b/")
        self.assertEqual(self.device.read_exactly(2), b"aa")
        self.device.write(b"b")
        self.screen.wait_for_text("login.txt has ended")

    @slow
    def test_bytes_discarded_in_try_are_shown_once(self):
        script = self.script('try {\n  send "' + "x" * 30_000 + '"\n}\nexpect /never/\n')
        self.begin("--script", script, size=(24, 120))
        self.screen.wait_for_text("login.txt:2: the device accepted no bytes within 5 s.")
        self.screen.wait_for_text("login.txt:4: expect /never/")
        self.terminal.send(b"\x03")
        self.screen.wait_for_text("login.txt was stopped at line 4: expect /never/.")
        self.press(b"q")
        # The script has handled it, so that the session ends well.
        self.assertEqual(self.terminal.wait(), 0)
        self.assertEqual(self.terminal.output.count(b" bytes were not sent."), 1)

    def test_ctrl_c_stops_it_and_the_status_line_names_it(self):
        self.begin("--status", "--script", self.script("expect /never/\n"), size=(24, 120))
        self.screen.wait_for_text("running login.txt, line 1")
        self.terminal.send(b"x")
        self.screen.wait_for_text("not sent: login.txt is running.")
        self.terminal.send(b"\x03")
        self.screen.wait_for_text("login.txt was stopped at line 1: expect /never/.")
        self.screen.wait_until_gone("running login.txt, line 1")
        self.expect_nothing_sent()

    def test_unplugged_in_the_middle_it_is_not_run_again(self):
        self.begin("--script", self.script('send "a"\nexpect /never/\n'), size=(24, 120))
        self.assertEqual(self.device.read_exactly(1), b"a")
        self.screen.wait_for_text("login.txt:2: expect")
        self.device.hang_up()
        self.screen.wait_for_text("login.txt was cut off at line 2: expect /never/.")
        self.device.plug()
        self.screen.wait_for_text("is back")
        self.expect_nothing_sent()

    def test_a_signal_ends_it_in_good_order(self):
        self.begin("--script", self.script("expect /never/\n"), size=(24, 120))
        self.screen.wait_for_text("login.txt:1: expect")
        self.terminal.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.terminal.wait(), 128 + signal.SIGTERM)
        self.assertIn(b"login.txt was cut off at line 1", self.terminal.output)

    def test_the_palette_runs_one(self):
        path = self.script('send "a"\nexpect /OK/\n')
        self.begin(size=(24, 120))
        self.open_palette(self.terminal, self.screen, b"run-script")
        self.terminal.send(b"\r")
        self.answer("script to run", path.encode())
        self.assertEqual(self.device.read_exactly(1), b"a")
        self.press(b"r")
        self.screen.wait_for_text("Not available: login.txt is running.")
        self.device.write(b"OK")
        self.screen.wait_for_text("login.txt has ended")
        self.expect_nothing_sent()

    def test_a_mistake_is_said_before_the_port_is_opened(self):
        ended = serialterm(
            "connect", self.device.path, "--script", self.script("expect /x/\nsend\n"))
        self.assertEqual(ended.status, 2)
        self.assertIn("login.txt:2: ", ended.stderr.decode())
        self.assertNotIn("at 115200", ended.stderr.decode())
        missing = serialterm("connect", self.device.path, "--script", str(self.folder / "none"))
        self.assertEqual(missing.status, 2)

    def test_what_a_script_cannot_be_combined_with(self):
        for option in (["--read-only"], ["--json"], ["--exec", "true"]):
            ended = serialterm(
                "connect", self.device.path, "--script", self.script("print \"x\""), *option)
            self.assertEqual(ended.status, 2, option)

    def pipe(self, script):
        return self.enterContext(
            Pipes(serialterm_binary(), "connect", self.device.path, "--script", self.script(script)))

    def test_a_pipe_is_sent_after_it(self):
        program = self.pipe('send "a"\nexpect /OK/\n')
        program.send(b"piped", then_close=True)
        self.assertEqual(self.device.read_exactly(1), b"a")
        self.device.write(b"OK")
        self.assertEqual(self.device.read_exactly(5), b"piped")
        self.assertEqual(program.wait(), 0)
        self.assertEqual(program.stdout.expect_end(), b"OK")

    def test_a_failure_ends_a_pipe_as_run_does(self):
        program = self.pipe("expect /never/ within 50ms\n")
        program.send(b"piped", then_close=True)
        self.assertEqual(program.wait(), 10)
        self.assertIn(b"login.txt:1: timed out", program.stderr.expect_end())
        self.assertEqual(self.device.rest(), b"")
