"""Standard input and output that are not a terminal."""

import os
import random
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from Tests.endtoend.faults import HAS_COMPILER, processes, waits
from Tests.endtoend.harness import (
    TIMEOUT, Device, Pipes, Terminal, serialterm, serialterm_binary, unread, wait_until)
from Tests.endtoend.harness.transcript import Transcript

# The prefix key of sessions and every other byte are ordinary in a pipe.
EVERY_BYTE = bytes(range(256))


class PipeTests(unittest.TestCase):
    def setUp(self):
        self.device = self.enterContext(Device())

    def program(self, *options, **how):
        return self.enterContext(
            Pipes(serialterm_binary(), "connect", self.device.path, *options, **how))

    def test_piped_input_reaches_a_slow_device_whole(self):
        data = random.Random(1).randbytes(200_000)
        program = self.program()
        program.send(data, then_close=True)
        self.assertEqual(self.device.read_exactly(len(data), rate=100_000), data)
        self.assertEqual(program.wait(), 0)
        self.assertEqual(self.device.rest(), b"")

    def test_exit_awaits_that_the_driver_has_taken_all(self):
        """Exit status 0 means that every byte was accepted, so not before."""
        data = EVERY_BYTE * 64
        program = self.program("--linger", "0")
        program.send(data, then_close=True)
        # The port holds less than this: the end of the data can only wait in the program.
        self.device.read_exactly(1)
        self.assertTrue(program.running)
        self.device.read_exactly(len(data) - 1)
        self.assertEqual(program.wait(), 0)

    def test_output_is_exactly_what_was_received(self):
        data = EVERY_BYTE * 400
        program = self.program()
        program.send(b"?")
        self.assertEqual(self.device.read_exactly(1), b"?")
        self.device.write(data)
        self.assertEqual(program.stdout.read_exactly(len(data)), data)
        program.close_stdin()
        self.assertEqual(program.wait(), 0)
        self.assertEqual(program.stdout.expect_end(), b"")

    def test_nothing_is_drawn_into_it(self):
        program = self.program("--status", "--input-mode", "line")
        program.send(b"?\r")
        self.assertEqual(self.device.read_exactly(2), b"?\r")
        self.device.write(b"answer")
        program.stdout.expect(b"answer")
        program.close_stdin()
        self.assertEqual(program.wait(), 0)
        program.stdout.expect_end()
        self.assertEqual(program.stdout.data, b"answer")

    def test_what_is_typed_at_a_question_is_not_in_it(self):
        with tempfile.TemporaryFile() as file:
            terminal = self.enterContext(
                Terminal(serialterm_binary(), "connect", self.device.path, stdout=file))
            terminal.expect(b"ctrl-t q")
            terminal.send(b"\x14B")
            terminal.expect(b"type a number or a name, then Enter.")
            terminal.send(b"74880\r")
            terminal.expect(b"74880\r\nserialterm: Now 74880 8N1.")
            self.device.write(b"answer")
            wait_until(lambda: os.fstat(file.fileno()).st_size == 6, "the answer is in the file")
            self.assertEqual(terminal.leave()[0], 0)
            file.seek(0)
            self.assertEqual(file.read(), b"answer")

    def test_local_echo_keeps_out_of_a_pipe(self):
        program = self.program("--local-echo")
        program.send(b"typed", then_close=True)
        self.assertEqual(self.device.read_exactly(5), b"typed")
        self.assertEqual(program.wait(), 0)
        self.assertEqual(program.stdout.expect_end(), b"")

    def test_setting_that_the_driver_refuses_is_warned_of(self):
        program = self.program("--parity", "even")
        program.stderr.expect(b"warning: the driver set parity none instead of even")

    def test_read_only_refuses_piped_input_audibly(self):
        program = self.program("--read-only")
        program.send(b"never ")
        program.send(b"sent", then_close=True)
        self.assertEqual(program.wait(), 1)
        self.assertEqual(
            program.stderr.expect_end(), b"serialterm: 10 bytes were not sent: read-only.\n")
        self.assertEqual(self.device.rest(), b"")

    def test_read_only_counts_what_was_piped_when_a_signal_ends_it(self):
        program = self.program("--read-only")
        program.process.stdin.write(b"never sent")
        wait_until(lambda: unread(program.process.stdin) == 0, "it is read")
        program.signal(signal.SIGTERM)
        self.assertEqual(program.wait(), 128 + signal.SIGTERM)
        self.assertEqual(
            program.stderr.expect_end(), b"serialterm: 10 bytes were not sent: read-only.\n")

    def test_input_that_cannot_be_read_is_a_failure(self):
        folder = os.open("/", os.O_RDONLY)
        self.addCleanup(os.close, folder)
        program = subprocess.run(
            [serialterm_binary(), "connect", self.device.path], stdin=folder, capture_output=True,
            timeout=TIMEOUT)
        self.assertEqual(program.returncode, 1)
        self.assertIn(b"standard input", program.stderr)

    def test_reader_that_leaves_while_nothing_moves_is_noticed(self):
        program = self.program()
        program.send(b"x")
        self.assertEqual(self.device.read_exactly(1), b"x")
        program.close_stdout()
        self.assertEqual(program.wait(), 9)

    def test_what_the_device_said_before_is_not_flushed(self):
        self.device.write(b"boot messages\r\n")
        program = self.program()
        program.stdout.expect(b"boot messages\r\n")

    def test_answer_within_the_linger_is_printed(self):
        program = self.program("--linger", "3600")
        program.send(b"question", then_close=True)
        self.device.read_exactly(8)
        self.device.write(b"answer")
        self.assertEqual(program.stdout.read_exactly(6), b"answer")

    @unittest.skipUnless(HAS_COMPILER, "needs a C compiler")
    def test_linger_is_as_long_as_asked(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        for option, linger in (((), 200), (("--linger", "1"), 1000)):
            with self.subTest(option):
                program = self.program(*option, variables=waits.counted(folder))
                started = time.monotonic()
                program.send(b"x", then_close=True)
                self.device.read_exactly(1)
                self.assertEqual(program.wait(), 0)
                self.assertGreaterEqual((time.monotonic() - started) * 1000, linger)
                # It waits for nothing else but the driver, in a few steps of some milliseconds.
                self.assertLess(waits.milliseconds(folder, program.pid), linger + 100)

    def test_no_input_at_all_ends_with_success(self):
        result = serialterm("connect", self.device.path)
        self.assertEqual((result.status, result.stdout), (0, b""))

    def test_settings_of_the_port_are_put_back(self):
        before = self.device.settings
        program = self.program("-b", "9600")
        program.send(b"x", then_close=True)
        self.assertEqual(self.device.read_exactly(1), b"x")
        self.assertEqual(self.device.settings.output_baud, 9600)
        self.assertEqual(program.wait(), 0)
        self.assertEqual(self.device.settings, before)

    def test_unplugged_device_without_reconnect_is_lost(self):
        program = self.program("--no-reconnect")
        program.send(b"x")
        self.device.read_exactly(1)
        self.device.hang_up()
        self.assertEqual(program.wait(), 6)
        self.assertRegex(program.stderr.expect_end(), rb"^serialterm: ")

    def test_reader_that_goes_away_is_output_gone(self):
        program = self.program()
        program.send(b"x")
        self.device.read_exactly(1)
        program.close_stdout()
        self.device.write(b"nobody reads this")
        self.assertEqual(program.wait(), 9)

    def test_simulated_board_answers_a_script(self):
        result = serialterm("connect", "loopback:board", "--linger", "1", stdin=b"echo hi there\r")
        self.assertEqual(result.status, 0)
        self.assertIn(b"\nhi there\r\n", result.stdout)


class SharedPipeTests(unittest.TestCase):
    def test_an_answer_is_whole_where_somebody_made_the_pipe_non_blocking(self):
        """The flag belongs to the open file: the program that started serialterm may have set it."""
        whole = serialterm("session-commands").stdout
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        filling = 0
        try:
            while True:
                filling += os.write(writing, b"x" * 4096)
        except BlockingIOError:
            pass
        with subprocess.Popen([serialterm_binary(), "session-commands"], stdout=writing) as program:
            os.close(writing)
            wait_until(
                lambda: program.poll() is not None or processes.state_of(program.pid) == "S",
                "the program has met the full pipe")
            with open(reading, "rb") as stream:
                self.assertEqual(stream.read()[filling:], whole)
            self.assertEqual(program.wait(TIMEOUT), 0)


class HalfTerminalTests(unittest.TestCase):
    """A terminal on one side and a pipe on the other."""

    def setUp(self):
        self.device = self.enterContext(Device())

    def test_keyboard_in_and_pipe_out(self):
        arguments = (serialterm_binary(), "connect", self.device.path)
        with Terminal(*arguments, stdout=subprocess.PIPE) as terminal:
            stdout = Transcript(terminal.process.stdout.fileno())
            self.addCleanup(terminal.process.stdout.close)
            self.addCleanup(stdout.stop)
            terminal.expect(b"ctrl-t q")
            terminal.send(b"typed")
            self.assertEqual(self.device.read_exactly(5), b"typed")
            self.device.write(b"\x1b[31mraw\r\n")
            self.assertEqual(stdout.read_exactly(10), b"\x1b[31mraw\r\n")
            self.assertEqual(terminal.leave()[0], 0)
            self.assertEqual(stdout.expect_end(), b"")
            self.assertEqual(terminal.settings, terminal.original_settings)

    def test_pipe_in_and_screen_out(self):
        arguments = (serialterm_binary(), "connect", self.device.path)
        with Terminal(*arguments, stdin=subprocess.PIPE) as terminal:
            terminal.process.stdin.write(EVERY_BYTE)
            self.assertEqual(self.device.read_exactly(256), EVERY_BYTE)
            self.device.write(b"shown")
            terminal.expect(b"shown")
            self.assertEqual(terminal.settings, terminal.original_settings)
            terminal.process.stdin.close()
            self.assertEqual(terminal.wait(), 0)
            self.assertEqual(terminal.settings, terminal.original_settings)
            self.assertTrue(
                terminal.output.endswith(b"shown\r\n"), "one line end, not two")
