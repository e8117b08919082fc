"""Rows 24 to 27: the device takes nothing, or little."""

import random
import re
import signal
import time
import unittest

from Tests.endtoend.faults import (
    HAS_COMPILER, LEAVING, NOT_SENT, PREFIX, SessionTest, faulty, number, processes, record, text)
from Tests.endtoend.harness import slow, wait_until

XON, XOFF = b"\x11", b"\x13"
REFUSED = re.compile(rb"serialterm: not sent: ([\d,]+) bytes, ")
NOT_SENT_MORE = re.compile(rb"serialterm: ([\d,]+) more bytes were not sent")


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
            self.assertEqual(status, 1)
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
        self.assertEqual(number(terminal.expect(NOT_SENT).group(1)), 5)
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
        self.assertEqual(status, 1)
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
        self.assertEqual(status, 1)
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
        self.assertEqual(status, 1)
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
        self.assertEqual(status, 1)
        self.assertLess(seconds, LEAVING)
        record(27, "quit key to the end behind 16 MiB", seconds * 1000, "ms")
        self.assertEqual(terminal.settings, terminal.original_settings)
        # Every byte is accounted for: taken by the driver, refused, or given up.
        output = terminal.output
        told = sum(
            number(count) for count in
            NOT_SENT.findall(output) + REFUSED.findall(output) + NOT_SENT_MORE.findall(output))
        difference = self.SIZE - told - len(self.device.rest())
        record(27, "bytes refused that no count tells", difference, "bytes")
        self.assertEqual(difference, 0)

    def test_signal_behind_a_full_queue(self):
        terminal = self.session()
        terminal.send(b"x" * (4 << 20), 60)
        status, seconds = self.signal(terminal, signal.SIGTERM)
        self.assertEqual(status, 128 + signal.SIGTERM)
        self.assertLess(seconds, LEAVING)
        self.assert_given_back(terminal)
