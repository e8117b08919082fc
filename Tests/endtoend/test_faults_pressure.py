"""Rows 24 to 27: the device takes nothing, or little."""

import random
import re
import signal
import time
import unittest

from Tests.endtoend.faults import (
    HAS_COMPILER, LEAVING, NOT_SENT, PREFIX, SessionTest, faulty, number, processes, record, text)
from Tests.endtoend.harness import TIMEOUT, slow, wait_until

XON, XOFF = b"\x11", b"\x13"
REFUSED = re.compile(rb"serialterm: not sent \(([\d,]+) bytes\): ")
NOT_SENT_MORE = re.compile(rb"serialterm: ([\d,]+) more bytes were not sent")
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
# The milliseconds until a hold is reported: half a second without progress, and what the computer needs.
SAID = 600


class Row24HeldTests(SessionTest):
    def held_session(self, *options):
        """A session whose device has sent XOFF, after `hello` was typed."""
        terminal = self.session("-f", "soft", "-L", str(self.log), *options)
        self.device.write(XOFF + b"stopped")
        terminal.expect(b"stopped")
        waited, started = self.waited(terminal), time.monotonic()
        terminal.send(b"hello")
        self.expect_held(terminal)
        seconds = time.monotonic() - started
        record(24, "held to said", seconds * 1000, "ms", at_most=SAID)
        self.assertLessEqual(self.waited(terminal) - waited, SAID)
        # Only one direction is held: bytes of the device still arrive.
        self.device.write(b"received while held")
        terminal.expect(b"received while held")
        return terminal

    def assert_held_to_the_end(self, terminal, status, expected):
        """It ended with `status`, reported the unsent bytes, and logged the received ones."""
        self.assertEqual(status, expected)
        self.assertEqual(number(terminal.expect(NOT_SENT).group(1)), 5)
        self.assert_given_back(terminal)
        self.assertEqual(self.log.read_bytes(), b"stoppedreceived while held")
        self.log.unlink()
        # The terminal is held for the next session too, as the kernel keeps that.
        self.device.write(XON)

    def test_held_is_shown_and_cleared_and_nothing_is_lost(self):
        terminal = self.held_session()
        said = text(20_000)
        self.device.write(said)
        terminal.expect(said)
        self.device.write(XON)
        terminal.expect(b"accepts bytes again")
        self.assertEqual(self.device.read_exactly(5), b"hello")
        self.assertEqual(self.quit(terminal)[0], 0)
        self.assertEqual(self.log.read_bytes(), b"stoppedreceived while held" + said)
        self.assertNotIn(b"not sent", terminal.transcript.expect_end())

    def test_quit_key_while_held_tells_what_was_not_sent(self):
        durations = []
        for _ in range(3):
            terminal = self.held_session()
            status, seconds = self.quit(terminal)
            self.assert_held_to_the_end(terminal, status, 1)
            durations.append(seconds * 1000)
        record(24, "quit key to the end while held", durations, "ms", at_most=500)

    def test_quitting_with_time_to_drain_does_not_wait_for_a_line_that_stands_still(self):
        terminal = self.held_session("--drain", "20")
        status, _ = self.quit(terminal)
        self.assert_held_to_the_end(terminal, status, 1)

    def test_signals_while_held(self):
        for name in SIGNALS:
            with self.subTest(name.name):
                terminal = self.held_session()
                status, seconds = self.signal(terminal, name)
                self.assert_held_to_the_end(terminal, status, 128 + name)
                record(24, f"{name.name} to the end while held", seconds * 1000, "ms", at_most=500)


@unittest.skipUnless(HAS_COMPILER, "needs a C compiler")
class Row25StuckDriverTests(SessionTest):
    """The driver has taken 100 bytes, and never gets rid of them."""

    def test_drain_is_bounded_and_told(self):
        terminal = self.session(variables=faulty(self.device.node, outq=100, drain_ms=3_600_000))
        terminal.send(b"x")
        self.assertEqual(self.device.read_exactly(1), b"x")
        status, seconds = self.quit(terminal)
        self.assertEqual(status, 1)
        self.assertEqual(number(terminal.expect(NOT_SENT).group(1)), 100)
        self.assert_given_back(terminal)
        record(25, "quit key to the end, driver that never drains", seconds * 1000, "ms", at_most=1000)

    def test_driver_that_is_slow_to_close_keeps_the_terminal_from_nobody(self):
        """A close of a real port waits for the driver, 30 seconds by default (closing_wait)."""
        terminal = self.session(
            variables=faulty(self.device.node, outq=100, stubborn=1, close_ms=3_600_000))
        waited, started = self.waited(terminal), time.monotonic()
        terminal.send(PREFIX + b"q")
        terminal.expect(NOT_SENT)
        wait_until(lambda: terminal.settings == terminal.original_settings, "given back")
        seconds = time.monotonic() - started
        self.assertTrue(terminal.running)  # Else nothing was slow, and nothing shown.
        self.assertLessEqual(self.waited(terminal) - waited, LEAVING)
        record(25, "quit key to restored, driver that even closing waits for", seconds * 1000, "ms", at_most=500)

    def test_driver_that_would_be_slow_to_close_does_not_keep_the_program(self):
        """The bytes that were reported as unsent are removed from the driver, so it has nothing to wait for."""
        terminal = self.session(variables=faulty(self.device.node, outq=100, close_ms=3_600_000))
        status, seconds = self.quit(terminal)
        self.assertEqual(status, 1)
        record(25, "quit key to the end, driver that is slow to close", seconds * 1000, "ms", at_most=1000)


class Row26SlowDeviceTests(SessionTest):
    def paste(self, count, rate, **how):
        data = text(count)
        terminal = self.session(**how)
        terminal.send(data)
        received = self.device.read_exactly(count, count / rate + TIMEOUT, rate)
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
        received = self.device.read_exactly(count, count / rate + TIMEOUT, rate)
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
        status, _ = self.quit(terminal)
        self.assertEqual(status, 1)
        said = number(terminal.expect(NOT_SENT).group(1))
        taken += self.device.rest()
        self.assertEqual(len(taken) + said, len(data))
        self.assertTrue(taken == data[:len(taken)], "what the device got is not what was typed")


class Row27FullQueueTests(SessionTest):
    """24 MiB typed; the program keeps 16 MiB at most, the device takes none."""

    SIZE = 24 * (1 << 20)
    MEMORY = 64

    def full_session(self):
        """A session that has read everything that was typed, and refused a part of it."""
        terminal = self.session()
        terminal.send(b"x" * self.SIZE)
        terminal.expect(re.compile(rb"not sent[^\n]*full"))
        terminal.send(PREFIX + b"n")  # A key is handled although all of that is queued before it.
        terminal.expect(b"reconnect is off")
        terminal.send(PREFIX + b"n")
        terminal.expect(b"reconnect is on")
        most = processes.memory(terminal.pid)[1]
        record(27, "memory at most, 24 MiB typed and none taken", most, "MiB")
        self.assertLess(most, self.MEMORY)
        return terminal

    def assert_counted(self, terminal, taken):
        """Every byte is accounted for: taken by the driver, refused, or given up."""
        terminal.transcript.expect_end()
        output = terminal.output
        refused = sum(number(count) for count in REFUSED.findall(output))
        self.assertGreater(refused, 0)
        given_up = sum(
            number(count) for count in NOT_SENT.findall(output) + NOT_SENT_MORE.findall(output))
        difference = self.SIZE - refused - given_up - len(taken)
        record(27, "bytes refused that no count tells", difference, "bytes")
        self.assertEqual(difference, 0)

    def test_paste_to_a_device_that_never_reads_is_bounded_and_refused_visibly(self):
        terminal = self.full_session()
        status, seconds = self.quit(terminal)
        self.assertEqual(status, 1)
        record(27, "quit key to the end behind 16 MiB", seconds * 1000, "ms", at_most=500)
        self.assertEqual(terminal.settings, terminal.original_settings)
        self.assert_counted(terminal, self.device.rest())

    def test_signals_behind_a_full_queue(self):
        for name in SIGNALS:
            with self.subTest(name.name):
                terminal = self.full_session()
                status, seconds = self.signal(terminal, name)
                self.assertEqual(status, 128 + name)
                record(27, f"{name.name} to the end behind 16 MiB", seconds * 1000, "ms", at_most=500)
                self.assert_given_back(terminal)
                self.assert_counted(terminal, self.device.rest())
                self.replug()

    def test_lost_device_behind_a_full_queue(self):
        terminal = self.full_session()
        taken = self.unplug_and_read(terminal)
        terminal.expect(b"is gone")
        self.assertLess(processes.memory(terminal.pid)[1], self.MEMORY)
        self.device.plug()
        terminal.expect(b"is back")
        self.assertEqual(self.quit(terminal)[0], 1)
        self.assert_counted(terminal, taken)
        self.assertEqual(self.device.rest(), b"")
