"""Pacing for devices without flow control, on every way that bytes leave."""

import tempfile
import time
import unittest

from Tests.endtoend.harness import Device, Pipes, Terminal, serialterm_binary


class PacingCase(unittest.TestCase):
    def setUp(self):
        self.device = self.enterContext(Device())

    def program(self, *words):
        self.started = time.monotonic()
        return self.enterContext(Pipes(serialterm_binary(), *words))

    def times(self, count):
        """The time at which each of a number of bytes arrived."""
        moments = []
        for _ in range(count):
            self.device.read_exactly(1)
            moments.append(time.monotonic())
        return moments

    def assert_paced(self, moments, least):
        """Each byte arrived at least this many seconds after the previous one. This test may see a byte late,
        never early. So each time is compared with the earliest possible one."""
        for index, moment in enumerate(moments):
            self.assertGreaterEqual(moment - self.started, index * least, index)


class ByteDelayTests(PacingCase):
    def test_a_pipe(self):
        program = self.program("connect", self.device.path, "--byte-delay", "20")
        program.send(b"0123456789", then_close=True)
        self.assert_paced(self.times(10), 0.02)
        self.assertEqual(program.wait(), 0)

    def test_the_delay_is_between_the_bytes(self):
        """Not all of it before the first one. A busy machine may show them late and together, so one of several
        times has to show it."""
        def apart():
            program = self.program("send", self.device.path, "0123456789", "-o", "20")
            moments = self.times(10)
            self.assertEqual(program.wait(), 0)
            self.device.read_exactly(1)  # The end of the line.
            return moments[-1] - moments[0]
        self.assertTrue(any(apart() >= 9 * 0.02 / 2 for _ in range(50)))

    def test_keys_and_a_paste(self):
        with Terminal(serialterm_binary(), self.device.path, "-o", "20") as terminal:
            terminal.expect(b"ctrl-t q")
            self.started = time.monotonic()
            terminal.send(b"0123456789")
            self.assert_paced(self.times(10), 0.02)

    def test_a_text(self):
        program = self.program("send", self.device.path, "0123456789", "-o", "20")
        self.assert_paced(self.times(10), 0.02)
        self.assertEqual(program.wait(), 0)

    def test_a_file(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"0123456789")
            file.flush()
            program = self.program(
                "send", self.device.path, "--file", file.name, "--byte-delay", "20")
            self.assert_paced(self.times(10), 0.02)
            self.assertEqual(program.wait(), 0)

    def test_a_command(self):
        program = self.program(
            "connect", self.device.path, "--exec", "printf 0123456789", "-o", "20")
        self.assert_paced(self.times(10), 0.02)
        self.assertEqual(program.wait(), 0)


class LineDelayTests(PacingCase):
    def test_lines_wait_and_their_bytes_do_not(self):
        for ending in (b"\n", b"\r", b"\r\n"):
            program = self.program("connect", self.device.path, "-O", "150")
            program.send(ending.join([b"one", b"two", b"three"]) + ending, then_close=True)
            moments = []
            for line in (b"one", b"two", b"three"):
                self.assertEqual(self.device.read_exactly(len(line)), line)
                moments.append(time.monotonic())
                self.assertEqual(self.device.read_exactly(len(ending)), ending)
            self.assert_paced(moments, 0.15)
            self.assertEqual(program.wait(), 0)


class WaitForTests(PacingCase):
    def test_the_next_line_goes_when_the_prompt_came(self):
        program = self.program("connect", self.device.path, "--wait-for", r"\d> $")
        program.send(b"one\ntwo\nthree\n", then_close=True)
        self.assertEqual(self.device.read_exactly(4), b"one\n")
        self.device.write(b"> no 1>x")
        program.stdout.expect(b"1>x")
        self.device.write(b"1> ")
        self.assertEqual(self.device.read_exactly(4), b"two\n")
        self.device.write(b"2")
        self.device.write(b"> ")
        self.assertEqual(self.device.read_exactly(6), b"three\n")
        self.assertTrue(program.running or program.wait() == 0)
        self.assertEqual(program.wait(), 0)
        self.assertEqual(self.device.rest(), b"")

    def test_a_prompt_that_came_before_does_not_count(self):
        program = self.program("connect", self.device.path, "--wait-for", "> ")
        self.device.write(b"> ")
        program.stdout.expect(b"> ")
        program.send(b"one\ntwo\n", then_close=True)
        self.assertEqual(self.device.read_exactly(4), b"one\n")
        # What comes now is no prompt. Had the second line been sent before, it would be there.
        self.device.write(b"no")
        program.stdout.expect(b"no")
        self.assertEqual(self.device.read_available(0), b"")
        self.device.write(b"> ")
        self.assertEqual(self.device.read_exactly(4), b"two\n")

    def test_send_gives_up_when_the_prompt_does_not_come(self):
        program = self.program(
            "send", self.device.path, "one\ntwo\n", "--wait-for", "> ", "--expect", "x",
            "--timeout", "0.4")
        self.assertEqual(self.device.read_exactly(4), b"one\n")
        self.assertEqual(program.wait(), 10)
        self.assertIn(b"no text matched --wait-for", program.stderr.data)
        self.assertIn(b"5 bytes were not sent", program.stderr.data)

    def job(self, text):
        file = self.enterContext(tempfile.NamedTemporaryFile(suffix=".gcode"))
        file.write(text)
        file.flush()
        return file.name

    def script(self, text):
        return self.job(text.encode())

    def test_the_text_is_searched_in_the_encoding_of_the_device(self):
        program = self.program("send", self.device.path, "--file", self.job(b"a\nb\n"), "--encoding", "CP437",
                               "--wait-for", "éok", "--expect", "end", "--timeout", "60")
        self.assertEqual(self.device.read_exactly(2), b"a\n")
        self.device.write(b"\x82ok")
        self.assertEqual(self.device.read_exactly(2), b"b\n")
        self.device.write(b"end")
        self.assertEqual(program.wait(), 0)

    def test_a_line_of_a_file_without_an_answer_ends_it_and_is_named(self):
        job = self.job(b"G28\n; a comment\nM105\n")
        step = self.script(f'send file "{job}" by raw\n')
        for words in (("send", "--file", job), ("send", "--file", job, "--protocol", "ascii", "--line-ending", "lf"),
                      ("run", step)):
            with self.subTest(words):
                program = self.program(
                    words[0], self.device.path, *words[1:], "--wait-for", "^ok", "--timeout", "0.5")
                self.assertEqual(self.device.read_exactly(4), b"G28\n")
                self.device.write(b"ok\n")
                self.assertEqual(self.device.read_exactly(12), b"; a comment\n")
                self.assertEqual(program.wait(), 10)
                said = program.stderr.expect_end()
                self.assertIn(b"no text matched --wait-for within 0.5 s after line 2, '; a comment'", said)
                self.assertIn(b"16 of 21 bytes were ", said)
                self.assertIn(b"  | ok\n", said)
                self.assertEqual(self.device.read_available(0), b"")

    def test_lines_that_get_no_answer_are_skipped(self):
        job = self.job(b"; a comment\n\nG28\n  ; another\nM105\n")
        program = self.program(
            "send", self.device.path, "--file", job, "--wait-for", "^ok", "--wait-for-skip", r"^\s*(;.*)?$",
            "--timeout", "60")
        self.assertEqual(self.device.read_exactly(17), b"; a comment\n\nG28\n")
        program.stdout.catch_up()
        self.assertEqual(self.device.read_available(0), b"")
        self.device.write(b"ok\n")
        self.assertEqual(self.device.read_exactly(17), b"  ; another\nM105\n")
        self.assertEqual(program.wait(), 0)

    def test_repeated_requests_do_not_wait_for_ever(self):
        program = self.program(
            "send", self.device.path, "?", "--every", "10ms", "--wait-for", "ok", "--timeout", "0.5")
        self.assertEqual(self.device.read_exactly(2), b"?\r")
        self.assertEqual(program.wait(), 10)
        self.assertIn(b"no text matched --wait-for within 0.5 s after line 1, '?'", program.stderr.expect_end())

    def test_try_handles_it_and_what_follows_is_not_held_back(self):
        job = self.job(b"G28\nM105\n")
        step = self.script(
            f'try {{\nsend file "{job}" by raw\n}} else {{\nsend "stop\\n"\nexpect /stopped/\n}}\n')
        program = self.program("run", self.device.path, step, "--wait-for", "^ok", "--timeout", "0.5")
        self.assertEqual(self.device.read_exactly(4), b"G28\n")
        self.assertEqual(self.device.read_exactly(5), b"stop\n")
        self.device.write(b"stopped\n")
        self.assertEqual(program.wait(), 0)
        self.assertIn(b"after line 1, 'G28'", program.stderr.expect_end())

    def test_a_text_of_a_script_is_not_named(self):
        """It may be a password."""
        step = self.script('send "secret\\r"\nsend "more\\r"\n')
        program = self.program("run", self.device.path, step, "--wait-for", "ok", "--timeout", "0.5")
        self.assertEqual(self.device.read_exactly(7), b"secret\r")
        self.assertEqual(program.wait(), 10)
        said = program.stderr.expect_end()
        self.assertIn(b":2: no text matched --wait-for within 0.5 s.", said)
        self.assertNotIn(b"secret", said)

    def test_a_program_that_cancels_sends_at_once(self):
        program = self.program("connect", self.device.path, "--json", "--wait-for", "ok")
        program.send(b'{"id":1,"command":"send","text":"a\\rb\\r"}\n')
        self.assertEqual(self.device.read_exactly(2), b"a\r")
        program.send(b'{"id":2,"command":"cancel"}\n{"id":3,"command":"send","text":"c\\r"}\n')
        self.assertEqual(self.device.read_exactly(2), b"c\r")
        program.stdout.expect(b'"id":3')
        program.close_stdin()
        self.assertEqual(program.wait(), 0)

    def test_a_session_can_be_left_while_the_prompt_is_awaited(self):
        with Terminal(serialterm_binary(), self.device.path, "--wait-for", "> ") as terminal:
            terminal.expect(b"ctrl-t q")
            terminal.send(b"one\rtwo\r")
            self.assertEqual(self.device.read_exactly(4), b"one\r")
            terminal.send(b"\x14q")
            self.assertEqual(terminal.wait(), 1, "the second line was not sent")
