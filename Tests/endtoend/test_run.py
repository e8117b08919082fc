"""`serialterm run`: a dialogue from a script."""

import fcntl
import os
import tempfile
import termios
import unittest
from pathlib import Path

from Tests.endtoend.faults import processes
from Tests.endtoend.harness import Device, Pipes, serialterm, serialterm_binary, slow, wait_until
from Tests.endtoend.harness.program import Program


class RunCase(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def script(self, text):
        path = self.folder / "script"
        path.write_text(text)
        return str(path)

    def run_board(self, text, *options, **how):
        return serialterm("run", "loopback:board", self.script(text), *options, **how)


class BoardTests(RunCase):
    def test_prints_what_the_device_sends_and_the_script_prints(self):
        result = self.run_board('expect /ready/\nexpect /board> /\nprint "hello"\n')
        self.assertEqual(result.status, 0, result)
        self.assertTrue(result.stdout.endswith(b"board> hello\n"), result)

    def test_quiet_leaves_only_what_the_script_prints(self):
        result = self.run_board(
            'expect /board> /\nsend "version\\r"\nexpect /firmware (\\S+)\\r/\nprint "$1 \\$1"\n',
            "--quiet")
        self.assertEqual((result.status, result.stdout), (0, b"1.0.0 $1\n"), result)

    def test_the_first_of_several_that_comes_decides(self):
        text = '''
            expect /board> /
            repeat 3 {
              send "led on\\r"
              expect-one-of within 2s {
                /nothing/
                /led is (on|off)/ {
                  print "it is $1"
                  expect /board> /
                }
              }
            }
        '''
        result = self.run_board(text, "--quiet")
        self.assertEqual((result.status, result.stdout), (0, b"it is on\n" * 3), result)

    def test_fail_ends_with_its_line(self):
        result = self.run_board('expect /b(oar)d> /\n\nfail "no $1"\n')
        self.assertEqual(result.status, 1)
        self.assertTrue(result.stderr.endswith(b"script:3: no oar\n"), result)

    def test_what_does_not_come_ends_with_its_line(self):
        result = self.run_board('wait 10ms\nexpect /zzz/ within 300ms\n')
        self.assertEqual(result.status, 10)
        self.assertIn(b"script:2: /zzz/ did not come within 0.3 s", result.stderr)

    def test_the_option_says_how_long_to_wait_where_the_script_does_not(self):
        result = self.run_board("expect /zzz/\n", "--timeout", "0.2")
        self.assertEqual(result.status, 10)
        self.assertIn(b"within 0.2 s", result.stderr)

    def test_lines_that_the_port_has_not_are_an_error(self):
        result = self.run_board("set dtr on\n")
        self.assertEqual(result.status, 1)
        self.assertIn(b"script:1: ", result.stderr)

    def test_the_script_may_come_from_standard_input(self):
        result = serialterm(
            "run", "-q", "loopback:board", "-", stdin=b'expect /board> /\nprint "x"\n')
        self.assertEqual((result.status, result.stdout), (0, b"x\n"), result)

    @slow
    def test_a_thousand_rounds(self):
        text = '''
            expect /board> /
            repeat 1000 {
              send "echo 12345\\r"
              expect /\\n(\\d+)\\r\\nboard> /
              print "$1"
            }
        '''
        result = self.run_board(text, "--quiet", timeout=60)
        self.assertEqual((result.status, result.stdout), (0, b"12345\n" * 1000), result.stderr)


class ReaderTests(RunCase):
    def test_a_reader_that_is_slow_gets_everything(self):
        script = self.script('repeat 10000 {\nprint "' + "x" * 199 + '"\n}\n')
        reader, writer = os.pipe()
        with open(reader, "rb") as output:
            program = self.enterContext(
                Program([serialterm_binary(), "run", "loopback:", script], stdout=writer))
            os.close(writer)
            wait_until(
                lambda: fcntl.ioctl(reader, termios.FIONREAD, bytes(4)) > bytes(4)
                and processes.state_of(program.pid) == "S", "the program waits")
            self.assertEqual(len(output.read()), 2_000_000)
            self.assertEqual(program.wait(), 0)


class MistakeTests(RunCase):
    def test_nothing_is_sent_if_a_line_is_wrong(self):
        with Device() as device:
            result = serialterm("run", device.path, self.script('send "x"\n\nexpect (\n'))
            self.assertEqual(result.status, 2, result)
            self.assertIn(b"script:3: ", result.stderr)
            self.assertEqual(device.rest(), b"")

    def test_scripts_that_cannot_be_read(self):
        for path in ("/nonexistent", str(self.folder)):
            self.assertEqual(serialterm("run", "loopback:", path).status, 2)

    def test_a_script_that_only_prints_can_be_ended(self):
        program = self.enterContext(
            Pipes(serialterm_binary(), "run", "loopback:",
                  self.script('repeat 1000000 {\nprint "x"\n}\n')))
        program.stdout.read_exactly(100)
        program.signal(15)
        self.assertEqual(program.wait(), 143)

    def test_a_device_that_goes_away_ends_it(self):
        with Device() as device:
            program = self.enterContext(
                Pipes(serialterm_binary(), "run", device.path,
                      self.script('send "?"\nexpect /never/\n')))
            self.assertEqual(device.read_exactly(1), b"?")
            device.hang_up()
            self.assertEqual(program.wait(), 6)
