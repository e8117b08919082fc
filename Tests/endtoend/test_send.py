"""`serialterm send`: one command, one answer, and an exit status that means something."""

import fcntl
import json
import os
import select
import signal
import tempfile
import time
import unittest
from pathlib import Path

from Tests.endtoend.faults import processes
from Tests.endtoend.harness import (
    Device, Loopback, Pipes, Port, PublicCopy, run, serialterm, serialterm_binary, slow, soak,
    wait_until)
from Tests.endtoend.harness.pace import pace

EVERY_BYTE = bytes(range(256))


class SendCase(unittest.TestCase):
    def setUp(self):
        self.device = self.enterContext(Device())

    def program(self, *words, **how):
        return self.enterContext(
            Pipes(serialterm_binary(), "send", self.device.path, *words, **how))


class SendingTests(SendCase):
    def sent(self, *words, warning=b""):
        """What reaches the device."""
        result = serialterm("send", self.device.path, *words)
        self.assertEqual(result.status, 0, result)
        self.assertIn(warning, result.stderr)
        if not warning:
            self.assertNotIn(b"TEXT", result.stderr)
        return self.device.rest()

    def test_text_is_sent_with_a_carriage_return_after_it(self):
        self.assertEqual(self.sent("héllo $1\t"), "héllo $1\t\r".encode())
        self.assertEqual(self.sent(""), b"\r")

    def test_a_long_text_is_sent_whole(self):
        text = "0123456789" * 13_000
        program = self.program(text, "--line-ending", "none")
        self.assertEqual(self.device.read_exactly(len(text)), text.encode())
        self.assertEqual(program.wait(), 0)

    def test_line_ending_comes_after_the_text(self):
        for name, ending in [("cr", b"\r"), ("lf", b"\n"), ("crlf", b"\r\n"), ("none", b"")]:
            self.assertEqual(self.sent("x", "--line-ending", name), b"x" + ending)

    def test_hexadecimal_bytes_are_sent_exactly(self):
        self.assertEqual(self.sent("01 03 ff00 0D", "--hex"), b"\x01\x03\xff\x00\x0d")

    def test_an_escape_in_the_text_is_sent_literally_and_warned_about(self):
        for text in (r"AT\r", r"one\ntwo"):
            result = serialterm("send", self.device.path, text)
            self.assertEqual(result.status, 0, result)
            self.assertEqual(self.device.rest(), text.encode() + b"\r")
            for option in (b"--line-ending", b"--escapes"):
                self.assertIn(option, result.stderr)
        self.assertEqual(self.sent(r"\x41\t"), rb"\x41\t" + b"\r")
        quiet = serialterm("send", self.device.path, r"AT\r", "--quiet")
        self.assertEqual((quiet.status, quiet.stderr), (0, b""))

    def test_escapes_are_replaced_and_end_the_text_where_they_end_a_line(self):
        for text, bytes_ in ((r"a\tb\x00\xfF\\\e", b"a\tb\x00\xff\\\x1b\r"), (r"AT\r", b"AT\r"),
                             (r"a\r\n", b"a\r\n"), (r"a\nb", b"a\nb\r"), ("", b"\r")):
            self.assertEqual(self.sent(text, "--escapes"), bytes_, text)
        self.assertEqual(self.sent(r"a\x00", "--escapes", "--line-ending", "none"), b"a\0")
        for words in ((r"\q", "--escapes"), ("\\", "--escapes"), (r"\x4", "--escapes"),
                      ("41", "--escapes", "--hex"), ("--escapes",)):
            result = serialterm("send", self.device.path, *words)
            self.assertEqual(result.status, 2, words)
        self.assertEqual(self.device.rest(), b"")

    def test_standard_input_is_sent_whole(self):
        data = EVERY_BYTE * 800
        program = self.program()
        program.send(data, then_close=True)
        self.assertEqual(self.device.read_exactly(len(data)), data)
        self.assertEqual(program.wait(), 0)

    def test_a_file_is_sent_whole(self):
        data = EVERY_BYTE * 800
        with tempfile.NamedTemporaryFile() as file:
            file.write(data)
            file.flush()
            program = self.program("--file", file.name)
            self.assertEqual(self.device.read_exactly(len(data)), data)
            self.assertEqual(program.wait(), 0)


class ExpectingTests(SendCase):
    def test_prints_what_comes_back_until_it_matches(self):
        program = self.program("?", "--expect", "ok|error")
        self.assertEqual(self.device.read_exactly(1), b"?")
        self.device.write(b"one\r\n\xff\x00tw")
        self.device.write(b"o ok three")
        self.assertEqual(program.wait(), 0)
        self.assertEqual(program.stdout.expect_end(), b"one\r\n\xff\x00two ok")

    def test_what_came_before_is_no_answer(self):
        self.device.write(b"ok ")
        program = self.program("?", "--expect", "ok", "--timeout", "0.5")
        self.assertEqual(self.device.read_exactly(1), b"?")
        self.assertEqual(program.wait(), 10)
        self.assertEqual(program.stdout.expect_end(), b"")

    def test_prints_a_group(self):
        program = self.program("?", "--expect", r"temp=(\d+)\.(\d+) ", "--print", "2")
        self.assertEqual(self.device.read_exactly(1), b"?")
        self.device.write(b"temp=25.1 C\r\n")
        self.assertEqual(program.wait(), 0)
        self.assertEqual(program.stdout.expect_end(), b"1\n")

    def test_the_prompt_comes_first(self):
        program = self.program("?", "--prompt", "login: $", "--expect", "ok")
        self.device.write(b"ok boot\r\nlogin: ")
        self.assertEqual(self.device.read_exactly(1), b"?")
        self.device.write(b" ok")
        self.assertEqual(program.wait(), 0)
        self.assertEqual(program.stdout.expect_end(), b" ok")

    def test_a_match_is_found_in_a_long_answer(self):
        data = b"0123456789abcdef" * 40_000
        program = self.program("?", "--expect", "end", "--timeout", "60")
        self.assertEqual(self.device.read_exactly(1), b"?")
        self.device.write(data + b"e")
        self.device.write(b"nd")
        self.assertEqual(program.wait(), 0)
        self.assertEqual(program.stdout.expect_end(), data + b"end")


class EarlyMatchTests(unittest.TestCase):
    """A board that is reset when its port is opened sends its prompt before it reads the command."""

    def send(self, *options):
        result = serialterm("send", "loopback:board", "echo 42", *options)
        self.assertEqual(result.status, 0, result)
        return result

    def test_a_match_of_the_prompt_before_the_command_is_warned_about(self):
        said = b" ".join(self.send("--expect", "board> ").stderr.split())
        self.assertIn(b"warning: the match of --expect came before the device echoed TEXT", said)
        self.assertIn(b"--prompt REGEX waits for the device's prompt", said)

    def test_behind_the_prompt_there_is_no_warning(self):
        result = self.send("--prompt", "board> $", "--expect", r"42\r\n")
        self.assertEqual(result.stderr, b"")


class RepeatingTests(SendCase):
    """`--every`: TEXT at intervals, and the summary."""

    SUMMARY = rb"min/avg/max \d+\.\d{3}/\d+\.\d{3}/\d+\.\d{3} ms\n$"

    def test_the_board_answers_each_time(self):
        result = serialterm(
            "send", "loopback:board", "echo 42", "--prompt", "board> $", "--every", "50ms",
            "--count", "3", "--expect", r"(\d+)\r\n", "--print", "1")
        self.assertEqual((result.status, result.stdout), (0, b"42\n" * 3), result)
        self.assertRegex(
            result.stderr, rb"^serialterm: 3 sent, 3 answered, 0 lost \(0 %\), \d+ late, " + self.SUMMARY)

    @slow
    def test_lost_answers_are_counted_and_the_status_is_10(self):
        program = self.program("?", "--every", "11", "--count", "2", "--expect", "ok", "--timeout", "10")
        self.assertEqual(self.device.read_exactly(2), b"?\r")
        self.device.write(b"no")
        self.assertEqual(self.device.read_exactly(2), b"?\r")
        self.device.write(b"is ok, really")
        self.assertEqual(program.wait(), 10)
        self.assertEqual(program.stdout.expect_end(), b"nois ok")
        self.assertRegex(
            program.stderr.data,
            rb"^serialterm: 2 sent, 1 answered, 1 lost \(50 %\), \d+ late, " + self.SUMMARY)

    def test_ctrl_c_ends_it_with_the_summary(self):
        for words, status, counts in (
                ((), 0, b"1 sent, 0 late"),
                (("--expect", "ok"), 0, b"1 sent, 1 answered, 0 lost (0 %), 0 late, min/avg/max "),
                (("--expect", "no"), 10, b"1 sent, 0 answered, 0 lost (0 %), 1 awaited, 0 late\n")):
            with self.subTest(words):
                program = self.program("?", "--every", "1h", *words)
                self.assertEqual(self.device.read_exactly(2), b"?\r")
                self.device.write(b"ok")
                if words:
                    program.stdout.expect(b"ok")
                program.signal(signal.SIGINT)
                self.assertEqual(program.wait(), status)
                self.assertIn(b"serialterm: " + counts, program.stderr.data)

    def test_other_signals_and_a_lost_device_keep_their_status(self):
        program = self.program("?", "--every", "1h")
        self.assertEqual(self.device.read_exactly(2), b"?\r")
        program.signal(signal.SIGTERM)
        self.assertEqual(program.wait(), 128 + signal.SIGTERM)
        self.assertIn(b"serialterm: 1 sent, 0 late\n", program.stderr.data)
        program = self.program("?", "--every", "1h", "--expect", "ok")
        self.assertEqual(self.device.read_exactly(2), b"?\r")
        self.device.hang_up()
        self.assertEqual(program.wait(), 6)
        self.assertIn(b"serialterm: 1 sent, 0 answered, 0 lost", program.stderr.data)


class LingeringTests(SendCase):
    """TEXT without `--expect`: what the device sends is printed until it is silent."""

    def test_the_answer_is_printed_with_its_echo(self):
        for words in ((), ("--linger", "300ms"), ("--linger", "2s")):
            with self.subTest(words):
                program = self.program("version", *words)
                self.assertEqual(self.device.read_exactly(8), b"version\r")
                self.device.write(b"version\r\nboard 1.0\xff\r\n")
                self.assertEqual(program.wait(), 0)
                self.assertEqual(program.stdout.expect_end(), b"version\r\nboard 1.0\xff\r\n")
                self.assertEqual(program.stderr.data, b"")

    def test_each_part_of_an_answer_extends_the_wait(self):
        """The silence is long, so that a busy machine does not end it. Without the extension, the program would end
        before the last part, which comes after more than that time."""
        program = self.program("log", "--linger", "1s")
        self.assertEqual(self.device.read_exactly(4), b"log\r")
        started = time.monotonic()
        for number in range(8):
            pace(started, number, 4)
            self.device.write(b"%d\n" % number)
        self.assertEqual(program.wait(), 0)
        self.assertEqual(program.stdout.expect_end(), b"".join(b"%d\n" % number for number in range(8)))

    def test_a_device_that_never_is_silent_is_left(self):
        program = self.program("log")
        self.assertEqual(self.device.read_exactly(4), b"log\r")
        while program.running:
            self.device.write(b"x\n")
        self.assertEqual(program.wait(), 0)
        self.assertIn(b"x\n", program.stdout.expect_end())

    def test_nothing_is_waited_for_with_zero_and_nothing_of_a_file_is_printed(self):
        program = self.program("x", "--linger", "0")
        self.assertEqual(self.device.read_exactly(2), b"x\r")
        self.assertEqual(program.wait(), 0)
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"abc")
            file.flush()
            program = self.program("--file", file.name)
            self.assertEqual(self.device.read_exactly(3), b"abc")
            self.assertEqual(program.wait(), 0)
            self.assertEqual(program.stdout.expect_end(), b"")

    def test_a_device_that_disappears_after_the_text_has_taken_it(self):
        program = self.program("reboot", "--linger", "60s")
        self.assertEqual(self.device.read_exactly(7), b"reboot\r")
        self.device.write(b"bye\r\n")
        program.stdout.expect(b"bye")
        self.device.hang_up()
        self.assertEqual(program.wait(), 0)
        self.assertEqual(program.stderr.data, b"")

    def test_repeated_requests_print_everything(self):
        program = self.program("?", "--every", "50ms", "--count", "2", "--linger", "60s")
        self.assertEqual(self.device.read_exactly(4), b"?\r?\r")
        self.device.write(b"late")
        program.stdout.expect(b"late")
        self.device.hang_up()
        self.assertEqual(program.wait(), 0)
        self.assertIn(b"2 sent", program.stderr.data)

    def test_options_without_effect_are_refused(self):
        for words in (("x", "--linger", "1", "--expect", "y"), ("--file", "/dev/null", "--linger", "1"),
                      ("x", "--progress", "plain"), ("x", "--wait-for-skip", "y"),
                      ("x", "--linger", "-1"), ("x", "--fail-on", "(")):
            self.assertEqual(serialterm("send", self.device.path, *words).status, 2, words)
        self.assertEqual(self.device.rest(), b"")


class FailingTests(SendCase):
    """`--fail-on`: text that means a failure."""

    def test_it_ends_with_status_1_and_the_last_lines(self):
        program = self.program("go", "--expect", "ok", "--fail-on", r"Error:\d", "--timeout", "60")
        self.assertEqual(self.device.read_exactly(3), b"go\r")
        self.device.write(b"busy\r\nError:7 halted\r\nok\r\n")
        self.assertEqual(program.wait(), 1)
        self.assertEqual(program.stdout.expect_end(), b"busy\r\nError:7")
        self.assertRegex(
            program.stderr.data,
            rb"the device sent 'Error:7', which matches --fail-on /Error:\\d/. The last lines received:\n(  \| .*\n)+$")

    def test_an_answer_that_comes_first_counts(self):
        program = self.program("go", "--expect", "ok", "--fail-on", "Error")
        self.assertEqual(self.device.read_exactly(3), b"go\r")
        self.device.write(b"ok Error")
        self.assertEqual(program.wait(), 0)

    def test_it_is_found_in_what_repeated_requests_get(self):
        for words in ((), ("--expect", "ok")):
            with self.subTest(words):
                program = self.program("?", "--every", "20ms", "--fail-on", "Error", *words)
                self.assertEqual(self.device.read_exactly(2), b"?\r")
                self.device.write(b"Error\r\n")
                self.assertEqual(program.wait(), 1)
                self.assertIn(b"the device sent 'Error', which matches", program.stderr.expect_end())
                self.device.read_available(0)

    def test_a_script_finds_it_in_frames_and_in_what_came_before(self):
        with tempfile.NamedTemporaryFile(suffix=".serial") as script:
            script.write(b"expect /never/ within 60s\n")
            script.flush()
            for words, answer in (
                    ((), b"Error\r\n"), (("--frames", "modbus-rtu"), bytes.fromhex("018302c0f1"))):
                with self.subTest(words):
                    # It is in the driver when the program opens the port.
                    self.device.write(answer)
                    program = self.enterContext(Pipes(
                        serialterm_binary(), "run", self.device.path, script.name, "--fail-on", "Error|exception",
                        *words))
                    if words:
                        program.stdout.catch_up()
                    self.assertEqual(program.wait(), 1)
                    self.assertRegex(program.stderr.expect_end(), rb"the device sent '.*', which matches")

    def test_the_answer_to_the_last_line_of_a_file_counts(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"G1\n")
            file.flush()
            program = self.program("--file", file.name, "--fail-on", "Error", "--linger", "60s")
            self.assertEqual(self.device.read_exactly(3), b"G1\n")
            self.device.write(b"Error\n")
            self.assertEqual(program.wait(), 1)

    def test_a_file_is_not_sent_to_its_end(self):
        """With every way of sending files, and in a script."""
        with tempfile.TemporaryDirectory() as folder:
            job, script = Path(folder) / "job.txt", Path(folder) / "job.serial"
            job.write_bytes(b"G1\nG2\nG3\n")
            script.write_text(f'send file "{job}" by raw\n')
            for command, words in (
                    ("send", ("--file", str(job))),
                    ("send", ("--file", str(job), "--protocol", "ascii", "--line-ending", "lf")),
                    ("run", (str(script),))):
                with self.subTest(command=command, words=words):
                    program = self.enterContext(Pipes(
                        serialterm_binary(), command, self.device.path, *words, "--wait-for", "ok",
                        "--fail-on", "Error", "--timeout", "60"))
                    self.assertEqual(self.device.read_exactly(3), b"G1\n")
                    self.device.write(b"ok\n")
                    self.assertEqual(self.device.read_exactly(3), b"G2\n")
                    self.device.write(b"Error: no\n")
                    self.assertEqual(program.wait(), 1)
                    said = program.stderr.expect_end()
                    self.assertIn(b"which matches --fail-on /Error/", said)
                    self.assertIn(b"  | ok\n", said)
                    self.assertRegex(said, rb"job.txt was (cut off|not sent completely)")
                    self.assertEqual(self.device.read_available(0), b"")


class FrameTests(SendCase):
    def test_without_an_expected_answer_every_frame_is_printed(self):
        """Those with a wrong check, and the rest of one, too."""
        program = self.program("?", "--frames", "lines")
        self.assertEqual(self.device.read_exactly(2), b"?\r")
        self.device.write(b"line1\npart")
        self.assertEqual(program.wait(), 0)
        self.assertRegex(program.stdout.expect_end(), rb"line1\n.*part.*\n$")
        program = self.program("--hex", "0103006b00037417", "--frames", "modbus-rtu")
        self.device.read_exactly(8)
        self.device.write(bytes.fromhex("018302c0f0"))
        self.assertEqual(program.wait(), 0)
        self.assertIn(b"01 83 02 c0 f0", program.stdout.expect_end())


class TailTests(SendCase):
    """What a message shows of the bytes that came in place of the answer."""

    def said(self, words, sent, answer):
        program = self.program(*words, "--timeout", "0.5")
        self.assertEqual(self.device.read_exactly(len(sent)), sent)
        self.device.write(answer)
        self.assertEqual(program.wait(), 10)
        return program.stderr.expect_end().decode()

    def test_bytes_that_are_no_text_are_counted_and_shown(self):
        self.assertIn(
            "1 byte was received:\n  | \\x15\n",
            self.said(("--hex", "05", "--expect", r"\x06"), b"\x05", b"\x15"))

    def test_frames_are_shown_as_frames(self):
        request = bytes.fromhex("0103006b00037417")
        self.assertRegex(
            self.said(("--hex", "0103006b00037417", "--frames", "modbus-rtu", "--expect", "→ 022b"),
                      request, bytes.fromhex("018302c0f1")),
            r"The last frames received:\n  \| .*01 83 02 c0 f1 .*good.*exception")


class WaitingTests(SendCase):
    """`--wait`, for a port that is in use."""

    def test_a_busy_port_is_waited_for_and_its_holder_named_once(self):
        for command, words in (("send", ("?",)), ("run", ("-",)), ("connect", ())):
            with self.subTest(command):
                with Port(self.device.path) as port:
                    fcntl.flock(port.descriptor, fcntl.LOCK_EX)
                    program = self.enterContext(Pipes(
                        serialterm_binary(), command, self.device.path, *words, "--wait"))
                    program.send(
                        {"run": b'send "?"\n', "connect": b"?"}.get(command, b""), then_close=True)
                    program.stderr.expect(
                        f"serialterm: waiting for {self.device.path}: busy, held by pid {os.getpid()} "
                        .encode())
                    # Attempts continue without a message.
                    attempts = processes.switches(program.pid)
                    wait_until(lambda: processes.switches(program.pid) >= attempts + 5, "it has tried again")
                    self.assertEqual(program.stderr.data.count(b"serialterm: "), 1)
                self.assertEqual(self.device.read_exactly(1), b"?")
                self.assertEqual(program.wait(), 0)
                self.assertEqual(program.stderr.data.count(b"waiting"), 1)
                self.drain()

    def drain(self):
        """Reads what else was sent: the end of a line."""
        while select.select([self.device.descriptor], [], [], 0)[0]:
            os.read(self.device.descriptor, 100)

    def test_a_signal_ends_the_wait(self):
        with Port(self.device.path) as port:
            fcntl.flock(port.descriptor, fcntl.LOCK_EX)
            program = self.program("?", "--wait")
            program.stderr.expect(b"waiting for")
            program.signal(signal.SIGTERM)
            self.assertEqual(program.wait(), 128 + signal.SIGTERM)

    def test_a_missing_device_is_waited_for_and_said_once(self):
        with tempfile.TemporaryDirectory() as folder:
            link = Path(folder) / "port"
            program = self.enterContext(
                Pipes(serialterm_binary(), "send", str(link), "?", "--wait"))
            program.stderr.expect(f"serialterm: waiting for {link}.\n".encode())
            link.symlink_to(self.device.path)
            self.assertEqual(self.device.read_exactly(1), b"?")
            self.assertEqual(program.wait(), 0)
            self.assertEqual(program.stderr.data.count(b"serialterm"), 1)


class StatusTests(SendCase):
    def test_1_file_that_is_not_there(self):
        self.assertEqual(serialterm("send", self.device.path, "--file", "/nonexistent").status, 1)

    def test_2_usage(self):
        for words in (["x", "--expect", "("], ["x", "--expect", ""], ["x", "--print", "1"],
                      ["x", "--expect", "x", "--print", "1"], ["0", "--hex"], ["0g", "--hex"],
                      ["x", "--timeout", "0"], ["x", "--every", "0"], ["x", "--count", "1"],
                      ["--every", "1s"], ["x", "--file", "y"], ["--baud", "7x", "x"]):
            result = serialterm("send", self.device.path, *words)
            self.assertEqual(result.status, 2, words)
            self.assertRegex(result.stderr, b"^serialterm: ", words)
        self.assertEqual(self.device.rest(), b"", "nothing is sent")

    def test_3_no_such_device(self):
        self.assertEqual(serialterm("send", "/dev/nonexistent", "x").status, 3)

    @unittest.skipUnless(os.geteuid() == 0, "needs root, to be somebody else")
    def test_4_permission_denied(self):
        os.chmod(self.device.path, 0o600)
        with PublicCopy() as program:
            result = run(program, "send", self.device.path, "x", user="nobody")
        self.assertEqual(result.status, 4, result)

    def test_5_busy(self):
        with Port(self.device.path) as port:
            fcntl.flock(port.descriptor, fcntl.LOCK_EX)
            self.assertEqual(serialterm("send", self.device.path, "x").status, 5)

    def test_6_device_lost(self):
        program = self.program("?", "--expect", "ok")
        self.assertEqual(self.device.read_exactly(1), b"?")
        self.device.write(b"last words")
        program.stdout.expect(b"last words")
        self.device.hang_up()
        self.assertEqual(program.wait(), 6)

    def test_8_file_that_cannot_be_read_to_its_end(self):
        # Nothing is mapped at the beginning of a process: EIO.
        self.assertEqual(serialterm("send", self.device.path, "--file", "/proc/self/mem").status, 8)

    def test_9_nobody_reads(self):
        program = self.program("?", "--expect", "ok")
        self.assertEqual(self.device.read_exactly(1), b"?")
        program.close_stdout()
        self.device.write(b"some")
        self.assertEqual(program.wait(), 9)

    def test_9_file_that_may_not_grow(self):
        with tempfile.TemporaryDirectory() as folder:
            program = self.enterContext(Pipes(
                "sh", "-c", f'ulimit -f 8 && exec "$0" "$@" > {folder}/output',
                serialterm_binary(), "send", self.device.path, "?", "--expect", "end"))
            self.assertEqual(self.device.read_exactly(1), b"?")
            # More than the file may have, and less than the line holds when nobody reads any more.
            self.device.write(b"x" * 12_000)
            self.assertEqual(program.wait(), 9)
            program.stderr.expect(b"File too large")

    @slow
    def test_10_the_answer_does_not_come(self):
        program = self.program("?", "--expect", "ok", "--timeout", "15.5")
        self.assertEqual(self.device.read_exactly(1), b"?")
        self.device.write(b"no")
        self.assertEqual(program.wait(), 10)
        self.assertEqual(program.stdout.expect_end(), b"no")
        self.assertIn(b"timed out after 15.5 s waiting for the answer.", program.stderr.data)

    def test_10_the_prompt_does_not_come(self):
        program = self.program("?", "--prompt", "x", "--timeout", "0.3")
        self.assertEqual(program.wait(), 10)
        self.assertEqual(self.device.rest(), b"", "nothing is sent")

    def test_10_the_device_takes_nothing(self):
        program = self.program("--expect", "ok", "--timeout", "0.5")
        program.send(bytes(100_000), then_close=True)
        self.device.read_exactly(1)
        # Sending is given up if the queue makes no progress, but not if it is slow.
        self.assertEqual(program.wait(), 10)
        self.assertIn(b"bytes were not sent", program.stderr.data)

    def test_signals(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            program = self.program("?", "--expect", "ok")
            self.assertEqual(self.device.read_exactly(2), b"?\r")
            program.signal(number)
            self.assertEqual(program.wait(), 128 + number)


class HostileExpressionTests(SendCase):
    """Expressions that cannot be matched by going back, or not be read by recursion."""

    TEXT = b"a" * 50_000

    def test_one_that_others_divide_in_endless_ways_is_matched_at_once(self):
        for option in ("--expect", "--prompt"):
            with self.subTest(option):
                program = self.program("?", option, "(a+)+c", "--timeout", "60")
                if option == "--expect":
                    self.assertEqual(self.device.read_exactly(1), b"?")
                else:
                    wait_until(lambda: self.device.exclusive, "the port is open")
                self.device.write(self.TEXT + b"c")
                self.assertEqual(program.wait(), 0)
                shown = self.TEXT + b"c" if option == "--expect" else b""
                self.assertEqual(program.stdout.expect_end(), shown)
                if option == "--prompt":
                    self.assertEqual(self.device.read_exactly(1), b"?")
                self.assertEqual(self.device.read_exactly(1), b"\r")

    def test_a_match_may_be_longer_than_what_is_kept(self):
        program = self.program("?", "--expect", "<([^>]*)>", "--print", "1", "--timeout", "60")
        self.assertEqual(self.device.read_exactly(1), b"?")
        self.device.write(b"<" + b"0123456789abcdef" * 20_000 + b"end>")
        self.assertEqual(program.wait(), 0)
        printed = program.stdout.expect_end()
        self.assertTrue(printed.endswith(b"cdefend\n"))
        self.assertGreater(len(printed), 40_000)

    def test_three_thousand_brackets_are_refused_by_everything_that_reads_expressions(self):
        for bracket, reason in (("(", b"more than 32 groups"), ("(?:", b"more than 40 nested groups"),
                                ("[", b"in a class")):
            hostile = bracket * 3_000
            for words in (("send", "x", "--expect", hostile), ("send", "x", "--prompt", hostile),
                          ("send", "x", "--wait-for", hostile), ("connect", "--wait-for", hostile),
                          ("connect", "--highlight", hostile + "=red")):
                result = serialterm(words[0], self.device.path, *words[1:], stdin=b"")
                self.assertEqual(result.status, 2, (words[:2], result.stderr[-300:]))
                self.assertIn(reason, result.stderr)
                self.assertIn(b", character ", result.stderr)
                self.assertLess(len(result.stderr), 1_000)
            result = serialterm(
                "run", self.device.path, "-", stdin=f'send "x"\nexpect /{hostile}/\n'.encode())
            self.assertEqual(result.status, 2)
            self.assertIn(b"standard input:2: ", result.stderr)
            self.assertIn(reason, result.stderr)
            command = json.dumps({"command": "expect", "regex": hostile}).encode() + b"\n"
            result = serialterm("connect", self.device.path, "--json", stdin=command)
            self.assertEqual(result.status, 0)
            events = [json.loads(line) for line in result.stdout.splitlines()]
            (reply,) = [event for event in events if event["event"] == "failed"]
            self.assertIn(reason.decode(), reply["reason"])
        self.assertEqual(self.device.rest(), b"", "nothing is sent")


class RoundTests(unittest.TestCase):
    def test_rounds_without_one_wrong_answer(self):
        self.check_rounds(3)

    @soak
    def test_a_thousand_rounds_without_one_wrong_answer(self):
        self.check_rounds(1_000)

    def check_rounds(self, count):
        with tempfile.TemporaryDirectory() as folder:
            link = str(Path(folder) / "board")
            with Loopback("--board", "--link", link):
                answer = serialterm(
                    "send", link, "", "--expect", "board> $")
                self.assertEqual(answer.status, 0, answer)
                for number in range(count):
                    result = serialterm(
                        "send", link, f"echo {number}", "--expect", r"\n(\d+)\r\nboard> ", "--print", "1")
                    self.assertEqual((result.status, result.stdout), (0, f"{number}\n".encode()))
