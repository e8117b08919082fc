"""Rows 24 to 29: somebody takes nothing, or little, or no more."""

import random
import re
import signal
import string
import subprocess
import time
import unittest

from Tests.endtoend.faults import (
    HAS_COMPILER, LEAVING, PREFIX, SessionTest, faulty, processes, record)
from Tests.endtoend.harness import Terminal, serialterm_binary, slow, wait_until

XON, XOFF = b"\x11", b"\x13"
NOT_SENT = re.compile(rb"serialterm: ([\d,]+) bytes were not sent")
NOT_SENT_MORE = re.compile(rb"serialterm: ([\d,]+) more bytes were not sent")
NOT_SHOWN = re.compile(rb"\r\n\[([\d,]+) bytes not shown\]\r\n")


def number(digits):
    """The number that a message shows with commas."""
    return int(digits.replace(b",", b""))


def text(count, seed=0):
    """As many random letters and digits: nothing that a terminal or a session takes for a key."""
    letters = (string.ascii_letters + string.digits).encode()
    return random.Random(seed).randbytes(count).translate((letters * 5)[:256])


class Row24HeldTests(SessionTest):
    def held_session(self):
        """A session whose device has sent XOFF, after `hello` was typed."""
        terminal = self.session("-f", "soft", "-L", str(self.log))
        self.device.write(XOFF + b"stopped")
        terminal.expect(b"stopped")
        started = time.monotonic()
        terminal.send(b"hello")
        self.expect_held(terminal)
        record(24, "held to said", (time.monotonic() - started) * 1000, "ms")
        return terminal

    def test_held_is_shown_and_cleared_and_nothing_is_lost(self):
        terminal = self.held_session()
        said = text(20_000)
        self.device.write(said)
        terminal.expect(said)
        self.device.write(XON)
        terminal.expect(b"takes bytes again")
        self.assertEqual(self.device.read_exactly(5), b"hello")
        self.assertEqual(self.quit(terminal)[0], 0)
        self.assertEqual(self.log.read_bytes(), b"stopped" + said)
        self.assertNotIn(b"not sent", terminal.transcript.expect_end())

    def test_quit_key_while_held_tells_what_was_not_sent(self):
        durations = []
        for _ in range(3):
            self.log.unlink(missing_ok=True)
            terminal = self.held_session()
            status, seconds = self.quit(terminal)
            self.assertEqual(status, 0)
            self.assertLess(seconds, LEAVING)
            self.assertEqual(number(terminal.expect(NOT_SENT).group(1)), 5)
            self.assert_given_back(terminal)
            durations.append(seconds * 1000)
            self.device.write(XON)
        record(24, "quit key to the end while held", durations, "ms")

    def test_signal_while_held(self):
        terminal = self.held_session()
        status, seconds = self.signal(terminal, signal.SIGTERM)
        self.assertEqual(status, 128 + signal.SIGTERM)
        self.assertLess(seconds, LEAVING)
        self.assert_given_back(terminal)
        record(24, "SIGTERM to the end while held", seconds * 1000, "ms")


@unittest.skipUnless(HAS_COMPILER, "needs a C compiler")
class Row25StuckDriverTests(SessionTest):
    """The driver has taken 100 bytes, and never gets rid of them."""

    def test_drain_is_bounded_and_told(self):
        terminal = self.session(variables=faulty(self.device.node, outq=100, drain_ms=60_000))
        terminal.send(b"x")
        self.assertEqual(self.device.read_exactly(1), b"x")
        status, seconds = self.quit(terminal)
        self.assertEqual(status, 0)
        self.assertLess(seconds, 1)
        self.assertEqual(number(terminal.expect(NOT_SENT).group(1)), 100)
        self.assert_given_back(terminal)
        record(25, "quit key to the end, driver that never drains", seconds * 1000, "ms")

    def test_driver_that_is_slow_to_close_keeps_the_terminal_from_nobody(self):
        """A close of a real port waits for the driver, 30 seconds by default (closing_wait)."""
        terminal = self.session(
            variables=faulty(self.device.node, outq=100, stubborn=1, close_ms=3_000))
        started = time.monotonic()
        terminal.send(PREFIX + b"q")
        terminal.expect(NOT_SENT)
        wait_until(lambda: terminal.settings == terminal.original_settings, "given back")
        seconds = time.monotonic() - started
        self.assertTrue(terminal.running)  # Else nothing was slow, and nothing shown.
        self.assertLess(seconds, LEAVING)
        record(25, "quit key to restored, driver that even closing waits for", seconds * 1000, "ms")

    def test_driver_that_would_be_slow_to_close_does_not_keep_the_program(self):
        """What was told as not sent is taken from the driver: it has nothing left to wait for."""
        terminal = self.session(variables=faulty(self.device.node, outq=100, close_ms=3_000))
        status, seconds = self.quit(terminal)
        self.assertEqual(status, 0)
        record(25, "quit key to the end, driver that is slow to close", seconds * 1000, "ms")
        self.assertLess(seconds, 1)


class Row26SlowDeviceTests(SessionTest):
    def paste(self, count, rate, **how):
        data = text(count)
        terminal = self.session(**how)
        terminal.send(data)
        received = self.device.read_exactly(count, count / rate + 10, rate)
        self.assertTrue(received == data, "what the device got differs")
        self.assertEqual(self.quit(terminal)[0], 0)
        self.assertEqual(self.device.rest(), b"")
        self.assertNotIn(b"not sent", terminal.transcript.expect_end())
        record(26, f"lost of a paste of {count // 1000} kB", 0, "bytes")

    def test_paste_to_a_slow_device(self):
        self.paste(80_000, 80_000)

    @slow
    def test_paste_to_a_device_of_4_kB_a_second(self):
        self.paste(80_000, 4_000)

    @unittest.skipUnless(HAS_COMPILER, "needs a C compiler")
    def test_paste_to_a_driver_that_takes_a_byte_or_none(self):
        self.paste(80_000, 400_000, variables=faulty(self.device.node, write=1, again=3))

    def pipe(self, count, rate):
        data = random.Random(26).randbytes(count)
        program = self.pipes()
        program.send(data, then_close=True)
        received = self.device.read_exactly(count, count / rate + 10, rate)
        self.assertTrue(received == data, "what the device got differs")
        self.assertEqual(program.wait(), 0)
        self.assertEqual(self.device.rest(), b"")
        record(26, f"lost of a pipe of {count // 1000} kB", 0, "bytes")

    def test_pipe_to_a_slow_device(self):
        self.pipe(200_000, 200_000)

    @slow
    def test_pipe_to_a_device_of_20_kB_a_second(self):
        self.pipe(200_000, 20_000)

    def test_quitting_behind_a_paste_tells_exactly_what_was_not_sent(self):
        data = text(80_000)
        terminal = self.session("--drain", "0.2")
        terminal.send(data)
        taken = self.device.read_exactly(20_000)
        status, seconds = self.quit(terminal)
        self.assertEqual(status, 0)
        self.assertLess(seconds, LEAVING)
        said = number(terminal.expect(NOT_SENT).group(1))
        taken += self.device.rest()
        self.assertEqual(len(taken) + said, len(data))
        self.assertTrue(taken == data[:len(taken)], "what the device got is not what was typed")


class Row27FullQueueTests(SessionTest):
    SIZE = 24 * (1 << 20)

    def test_paste_to_a_device_that_never_reads_is_bounded_and_refused_visibly(self):
        terminal = self.session()
        terminal.send(b"x" * self.SIZE, 60)
        terminal.expect(re.compile(rb"not sent: [^\n]*full"))
        terminal.send(PREFIX + b"?")  # A key is heard behind all of it.
        terminal.expect(b"quit")
        most = processes.memory(terminal.pid)[1]
        record(27, "memory at most, 24 MiB typed and none taken", most, "MiB")
        self.assertLess(most, 64)
        status, seconds = self.quit(terminal)
        self.assertEqual(status, 0)
        self.assertLess(seconds, LEAVING)
        record(27, "quit key to the end behind 16 MiB", seconds * 1000, "ms")
        self.assertEqual(terminal.settings, terminal.original_settings)
        # Every byte is accounted for: taken by the driver, refused, or given up.
        output = terminal.output
        told = sum(
            number(count) for count in
            NOT_SENT.findall(output) + NOT_SENT_MORE.findall(output))
        difference = self.SIZE - told - len(self.device.rest())
        record(27, "bytes refused that no count tells", difference, "bytes")
        self.assertGreaterEqual(difference, 0)
        self.assertLessEqual(difference, 65_536)  # The first piece is refused in words alone.

    def test_signal_behind_a_full_queue(self):
        terminal = self.session()
        terminal.send(b"x" * (4 << 20), 60)
        status, seconds = self.signal(terminal, signal.SIGTERM)
        self.assertEqual(status, 128 + signal.SIGTERM)
        self.assertLess(seconds, LEAVING)
        self.assert_given_back(terminal)


class Row28StalledTerminalTests(SessionTest):
    def stalled_session(self, count):
        """A session that logs, whose terminal stalled before the device said `count` bytes."""
        terminal = self.session("-L", str(self.log))
        self.greeting = len(terminal.output)
        terminal.stall()
        self.said = text(count)
        started = time.monotonic()
        self.device.write(self.said)
        self.wait_for_log(count)
        seconds = time.monotonic() - started
        self.assertTrue(self.log.read_bytes() == self.said, "what the log got differs")
        record(28, f"lost in the log of {count // 1000} kB", 0, "bytes")
        record(28, f"{count // 1000} kB written to logged", seconds * 1000, "ms")
        return terminal

    def test_log_has_all_and_the_quit_key_is_heard(self):
        terminal = self.stalled_session(230_000)
        status, seconds = self.quit(terminal)
        self.assertEqual(status, 0)
        self.assertLess(seconds, LEAVING)
        self.assert_given_back(terminal)
        record(28, "quit key to the end, terminal stalled", seconds * 1000, "ms")

    def test_signal_is_heard(self):
        terminal = self.stalled_session(230_000)
        status, seconds = self.signal(terminal, signal.SIGTERM)
        self.assertEqual(status, 128 + signal.SIGTERM)
        self.assertLess(seconds, LEAVING)
        self.assert_given_back(terminal)
        record(28, "SIGTERM to the end, terminal stalled", seconds * 1000, "ms")

    def test_what_fits_the_queue_is_shown_later(self):
        terminal = self.stalled_session(230_000)
        terminal.resume()
        terminal.expect(self.said)

    def test_what_does_not_fit_is_counted_exactly(self):
        terminal = self.stalled_session(2_000_000)
        terminal.resume()
        gap = terminal.expect(NOT_SHOWN)
        shown = gap.string[:gap.start()]
        self.assertTrue(self.said.startswith(bytes(shown)), "what was shown differs")
        self.assertEqual(len(shown) + number(gap.group(1)), len(self.said))
        self.device.write(b"shown again")
        terminal.expect(b"shown again")
        self.assertEqual(self.quit(terminal)[0], 0)
        record(28, "difference between said and true, of bytes not shown", 0, "bytes")

    def test_lost_device_ends_it(self):
        """Also what is said at the very end must not wait for a terminal that shows nothing."""
        terminal = self.session("--no-reconnect", "-L", str(self.log))
        terminal.stall()
        said = text(230_000)
        self.device.write(said)
        self.wait_for_log(len(said))
        started = time.monotonic()
        self.device.hang_up()
        seconds = processes.seconds_to_end(terminal, started, limit=3)
        self.assertIsNotNone(seconds, "it still runs after 3 s")
        self.assertEqual(terminal.wait(0), 6)
        self.assertLess(seconds, LEAVING)
        self.assertEqual(terminal.settings, terminal.original_settings)
        record(28, "device lost to the end, terminal stalled", seconds * 1000, "ms")

    def test_keys_reach_the_device_meanwhile(self):
        terminal = self.stalled_session(2_000_000)
        terminal.send(b"typed blindly")
        self.assertEqual(self.device.read_exactly(13), b"typed blindly")


class Row29OutputGoneTests(SessionTest):
    def test_reader_that_has_enough_ends_it_with_9(self):
        durations = []
        for _ in range(3):
            program = self.pipes()
            wait_until(lambda: self.device.exclusive, "the port is opened exclusively")
            self.device.write(b"first line\r\n")
            program.stdout.expect(b"first line\r\n")
            program.close_stdout()
            started = time.monotonic()
            self.device.write(b"second line\r\n")
            status, seconds = self.ended(program, started)
            self.assertEqual(status, 9)
            self.assertLess(seconds, LEAVING)
            self.assert_port_is_free()
            durations.append(seconds * 1000)
        record(29, "output gone to the end", durations, "ms")

    def test_terminal_is_restored_when_a_redirected_output_goes(self):
        arguments = (serialterm_binary(), "connect", self.device.path, "-L", str(self.log))
        with Terminal(*arguments, stdout=subprocess.PIPE) as terminal:
            terminal.expect(b"ctrl-t q")
            self.device.write(b"logged")
            wait_until(lambda: self.log.read_bytes() == b"logged", "the log is written")
            terminal.process.stdout.close()
            status, seconds = self.ended(terminal, time.monotonic())
            self.assertEqual(status, 9)
            self.assertLess(seconds, LEAVING)
            self.assert_given_back(terminal)
            self.assertEqual(self.log.read_bytes(), b"logged")
