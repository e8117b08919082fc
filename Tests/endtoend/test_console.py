"""`serialterm connect --console`: the console of another program, at pipes and at a pseudo-terminal."""

import importlib.util
import os
import pty
import re
import select
import signal
import subprocess
import tempfile
import tty
import unittest
from pathlib import Path

from Tests.endtoend.harness import TIMEOUT, Deadline, Device, Pipes, serialterm, serialterm_binary, wait_until

EVERY_BYTE = bytes(range(256))


class ConsoleTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.link = self.folder / "board"

    def device(self):
        return self.enterContext(Device(self.link))

    def words(self, *options):
        return [serialterm_binary(), "connect", str(self.link), "--console", *options]

    def read(self, descriptor, count):
        data, deadline = b"", Deadline()
        while len(data) < count and select.select([descriptor], [], [], deadline.left)[0]:
            data += os.read(descriptor, 65_536)
        return data


class TerminalTests(ConsoleTest):
    """At one pseudo-terminal for all three streams, as pexpect, LAVA and tbot start a console."""

    def start(self, *options):
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        program = subprocess.Popen(
            self.words(*options), stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
        self.addCleanup(program.wait)
        self.addCleanup(program.kill)
        return program, master, slave

    def test_bytes_pass_unchanged_both_ways_and_nothing_else_is_there(self):
        device = self.device()
        _, master, slave = self.start()
        device.write(EVERY_BYTE)
        self.assertEqual(self.read(master, 256), EVERY_BYTE)
        # With the terminal in raw mode: no echo, no signal, no line end is changed, no prefix key.
        os.write(master, EVERY_BYTE)
        self.assertEqual(device.read_exactly(256), EVERY_BYTE)
        device.write(b"done")
        self.assertEqual(self.read(master, 4), b"done")
        os.close(slave)

    def test_it_waits_for_its_device_and_for_its_return_without_a_word(self):
        _, master, slave = self.start()
        wait_until(lambda: not tty.tcgetattr(slave)[3] & tty.ECHO, "the terminal is in raw mode")
        device = self.device()
        # What a program writes before the device is there waits for it.
        os.write(master, b"early")
        self.assertEqual(device.read_exactly(5), b"early")
        device.hang_up()
        device.plug(says=b"boot")
        self.assertEqual(self.read(master, 4), b"boot")
        os.close(slave)

    def test_a_signal_ends_it_and_gives_the_terminal_back(self):
        device = self.device()
        program, master, slave = self.start()
        device.write(b"x")
        self.assertEqual(self.read(master, 1), b"x")
        before = tty.tcgetattr(slave)
        program.send_signal(signal.SIGTERM)
        self.assertEqual(program.wait(TIMEOUT), 128 + signal.SIGTERM)
        after = tty.tcgetattr(slave)
        self.assertNotEqual(before[3], after[3])
        self.assertTrue(after[3] & tty.ECHO)
        self.assertEqual(select.select([master], [], [], 0)[0], [])
        os.close(slave)

    def test_a_failure_leaves_nothing_in_the_stream_and_its_message_in_the_file(self):
        self.link.write_text("not a port")
        messages = self.folder / "messages"
        program, master, slave = self.start("--messages", str(messages))
        self.assertEqual(program.wait(TIMEOUT), 3)
        self.assertEqual(select.select([master], [], [], 0)[0], [])
        self.assertIn("not a serial port", messages.read_text())
        self.assertEqual(messages.stat().st_mode & 0o777, 0o600)
        os.close(slave)


# What a test of Zephyr says.
ZEPHYR = [
    b"*** Booting Zephyr OS build v4.2.0 ***\r\n", b"Running TESTSUITE framework_tests\r\n", b"START - test_one\r\n",
    b" PASS - test_one in 0.001 seconds\r\n", b"PROJECT EXECUTION SUCCESSFUL\r\n"]


@unittest.skipUnless(importlib.util.find_spec("serial"), "needs python3-serial")
class TwisterTests(ConsoleTest):
    """As Zephyr's twister does with --device-serial-pty: it splits the command at spaces and commas, and gives it the
    master's end of a pseudo-terminal for all three streams. It opens the other end by its name with pyserial, and
    reads lines from it. It ends the program by SIGTERM, half a second later by SIGKILL, and never closes the master's
    end."""

    def start(self):
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        self.addCleanup(os.close, slave)
        program = subprocess.Popen(
            re.split("[, ]", " ".join(self.words())), stdin=master, stdout=master, stderr=master)
        self.addCleanup(program.wait)
        self.addCleanup(program.kill)
        return program, slave

    def opened(self, slave):
        import serial
        port = serial.Serial(
            os.ttyname(slave), baudrate=115_200, parity=serial.PARITY_NONE, stopbits=serial.STOPBITS_ONE,
            bytesize=serial.EIGHTBITS, timeout=TIMEOUT)
        self.addCleanup(port.close)
        return port

    def test_a_test_is_read_line_by_line_and_sigterm_is_enough(self):
        device = self.device()
        program, slave = self.start()
        # It is there before twister opens the port. A terminal with echo would send it back to the device.
        device.write(b"an older boot\r\n")
        wait_until(lambda: select.select([slave], [], [], 0)[0], "the program passes it on")
        port = self.opened(slave)
        port.flush()
        port.reset_input_buffer()
        port.reset_output_buffer()
        device.write(b"".join(ZEPHYR))
        self.assertEqual([port.readline() for _ in ZEPHYR], ZEPHYR)
        port.write(b"shell\n" + EVERY_BYTE)
        self.assertEqual(device.read_exactly(262), b"shell\n" + EVERY_BYTE)
        device.write(EVERY_BYTE)
        self.assertEqual(port.read(256), EVERY_BYTE)
        port.close()
        program.terminate()
        self.assertEqual(program.wait(TIMEOUT), 128 + signal.SIGTERM)

    def test_a_board_that_is_reset_by_flashing_says_nothing_but_its_own_words(self):
        device = self.device()
        program, slave = self.start()
        port = self.opened(slave)
        device.write(b"ready\r\n")
        self.assertEqual(port.readline(), b"ready\r\n")
        device.hang_up()
        device.plug(says=b"".join(ZEPHYR))
        self.assertEqual([port.readline() for _ in ZEPHYR], ZEPHYR)
        program.terminate()
        self.assertEqual(program.wait(TIMEOUT), 128 + signal.SIGTERM)
        self.assertEqual(port.in_waiting, 0)


class PipeTests(ConsoleTest):
    def test_options_of_the_configuration_change_nothing(self):
        config = self.folder / "config.toml"
        config.write_text('[default]\nprefix = "ctrl-a"\nhex = true\ntimestamps = "time"\nstatus = true\n'
                          'escape = "~"\nmap = "from-device:lfcrlf"\nshow = "nothing"\n')
        device = self.device()
        program = self.enterContext(Pipes(*self.words("--config", str(config))))
        program.send(b"\r~." + EVERY_BYTE)
        self.assertEqual(device.read_exactly(259), b"\r~." + EVERY_BYTE)
        device.write(EVERY_BYTE)
        wait_until(lambda: len(program.stdout.data) >= 256, "the bytes of the device")
        self.assertEqual(program.stdout.data, EVERY_BYTE)

    def test_the_end_of_the_input_ends_it_when_all_is_sent(self):
        device = self.device()
        program = self.enterContext(Pipes(*self.words()))
        data = EVERY_BYTE * 800
        program.send(data, then_close=True)
        self.assertEqual(device.read_exactly(len(data)), data)
        self.assertEqual(program.wait(), 0)
        self.assertEqual(program.stdout.data, b"")

    def test_standard_error_in_the_same_pipe_gets_nothing(self):
        device = self.device()
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        program = subprocess.Popen(self.words(), stdin=subprocess.PIPE, stdout=writer, stderr=writer)
        os.close(writer)
        self.addCleanup(program.wait)
        self.addCleanup(program.kill)
        self.addCleanup(program.stdin.close)
        device.write(b"before")
        self.assertEqual(self.read(reader, 6), b"before")
        device.hang_up()
        device.plug(says=b"after")
        self.assertEqual(self.read(reader, 5), b"after")
        program.terminate()
        self.assertEqual(program.wait(TIMEOUT), 128 + signal.SIGTERM)
        self.assertEqual(os.read(reader, 1_000), b"")

    def test_messages_go_to_standard_error_or_to_a_file_that_is_added_to(self):
        device = self.device()
        program = self.enterContext(Pipes(*self.words()))
        device.write(b"x")
        program.stdout.expect(b"x")
        device.hang_up()
        program.stderr.expect(b"board")
        program.signal(signal.SIGTERM)
        self.assertEqual(program.wait(), 128 + signal.SIGTERM)
        messages = self.folder / "messages"
        messages.write_text("before\n")
        device.plug()
        program = self.enterContext(Pipes(*self.words("--messages", str(messages))))
        device.write(b"y")
        program.stdout.expect(b"y")
        device.hang_up()
        wait_until(lambda: "board" in messages.read_text(), "a message in the file")
        program.signal(signal.SIGTERM)
        self.assertEqual(program.wait(), 128 + signal.SIGTERM)
        self.assertTrue(messages.read_text().startswith("before\nserialterm: "))
        self.assertEqual((program.stdout.data, program.stderr.data), (b"y", b""))


class UsageTests(ConsoleTest):
    def test_what_does_not_fit_is_refused(self):
        planted = self.folder / "planted"
        planted.symlink_to(self.folder / "elsewhere")
        for words, text in (
            (["--json"], b"--console and --json exclude each other"),
            (["--exec", "true"], b"--console and --exec exclude each other"),
            (["other"], b"--console is for one device"),
            (["--messages", str(self.folder)], b"--messages"),
            (["--messages", str(planted)], b"--messages"),
        ):
            result = serialterm(*self.words(*words)[1:])
            self.assertEqual(result.status, 2, words)
            self.assertIn(text, result.stderr)
        self.assertFalse((self.folder / "elsewhere").exists())
        result = serialterm("connect", str(self.link), "--messages", "file")
        self.assertEqual(result.status, 2)
        self.assertIn(b"--messages is for --console", result.stderr)


if __name__ == "__main__":
    unittest.main()
