"""Rows 9 to 11: a device that is unplugged."""

import random
import time

from Tests.endtoend.faults import NOT_SENT, PREFIX, SessionTest, number, processes, record
from Tests.endtoend.harness import soak, wait_until


class Row09IdleTests(SessionTest):
    def unplug(self, terminal):
        """Unplugs the device; returns the milliseconds until it was reported."""
        before = len(terminal.output)
        started = time.monotonic()
        self.device.hang_up()
        terminal.expect(b"is gone, waiting")
        return (terminal.transcript.arrival(before) - started) * 1000

    def unplug_often(self, times):
        terminal = self.session()
        durations = []
        for _ in range(times):
            waited = self.waited(terminal)
            durations.append(self.unplug(terminal))
            self.assertLessEqual(self.waited(terminal) - waited, 100)
            self.device.plug()
            terminal.expect(b"is back")
        record(9, "unplugged to said", durations, "ms", at_most=100)
        self.assertEqual(self.quit(terminal)[0], 0)

    def test_unplugged_is_said_at_once(self):
        self.unplug_often(3)

    @soak
    def test_unplugged_is_said_at_once_a_hundred_times(self):
        self.unplug_often(100)

    def test_waiting_takes_no_processor_time(self):
        terminal = self.session()
        self.unplug(terminal)
        shares = []

        def is_still():
            before, started = processes.processor_seconds(terminal.pid), time.monotonic()
            time.sleep(1)  # Over which the test does nothing.
            used = processes.processor_seconds(terminal.pid) - before
            shares.append(100 * used / (time.monotonic() - started))
            return shares[-1] < 1

        # The work of unplugging goes on for a moment: a thread looks for programs that share the port.
        wait_until(is_still, "waiting takes less than 1 % of a processor")
        record(9, "processor time while waiting", shares[-1], "%")

    def lose_often(self, times):
        durations = []
        for _ in range(times):
            terminal = self.session("--no-reconnect")
            with self.leaving(terminal) as left:
                self.device.hang_up()
            self.assertEqual(left.status, 6)
            self.assertEqual(terminal.settings, terminal.original_settings)
            terminal.close()
            durations.append(left.seconds * 1000)
            self.device.plug()
        record(9, "unplugged to the end, with --no-reconnect", durations, "ms", at_most=500)

    def test_without_reconnect_the_device_is_lost(self):
        self.lose_often(2)

    @soak
    def test_without_reconnect_a_hundred_times(self):
        self.lose_often(100)


class Row10WritingTests(SessionTest):
    SIZE = 100_000

    def setUp(self):
        super().setUp()
        data = random.Random(10).randbytes(self.SIZE + 4096)
        self.data = data.replace(PREFIX, b"")[:self.SIZE]

    def unplug_half_way(self, program):
        """Unplugs the device when it has read half. Returns all that the driver had taken."""
        taken = self.device.read_exactly(self.SIZE // 2)
        return taken + self.unplug_and_read(program)

    def test_count_of_what_was_not_sent_is_exact_and_nothing_is_sent_later(self):
        terminal = self.session()
        terminal.send(self.data)
        # The answer comes when all that was typed before has been taken in.
        terminal.send(PREFIX + b"s")
        terminal.expect(b"waiting to be sent")
        taken = self.unplug_half_way(terminal)
        self.assertEqual(taken, self.data[:len(taken)])
        said = number(terminal.expect(NOT_SENT).group(1))
        record(10, "difference between said and true, of bytes not sent",
               abs(len(taken) + said - self.SIZE), "bytes")
        self.assertEqual(len(taken) + said, self.SIZE)
        self.device.plug()
        terminal.expect(b"is back")
        terminal.send(b"!")
        self.assertEqual(self.device.read_exactly(1), b"!")
        self.assertEqual(self.quit(terminal)[0], 1, "some of what was typed was not sent")
        self.assertEqual(self.device.rest(), b"")

    def test_stream_from_a_pipe_goes_on_where_the_driver_stopped(self):
        program = self.pipes("--linger", "0")
        program.send(self.data, then_close=True)
        taken = self.unplug_half_way(program)
        program.stderr.expect(b"is gone, waiting")
        self.device.plug()
        taken += self.device.read_exactly(self.SIZE - len(taken))
        self.assertTrue(taken == self.data, "what both devices got is not what was piped")
        self.assertEqual(program.wait(), 0)
        self.assertEqual(self.device.rest(), b"")

    def test_unplugged_while_held_counts_too(self):
        terminal = self.session("-f", "soft")
        self.device.write(b"\x13stopped")
        terminal.expect(b"stopped")
        terminal.send(b"x" * 1000)
        self.expect_held(terminal)
        self.device.hang_up()
        self.assertEqual(number(terminal.expect(NOT_SENT).group(1)), 1000)


class Row11LastWordsTests(SessionTest):
    """On a pseudo-terminal the kernel drops unread bytes when the device is unplugged. Therefore the program has just
    read the last ones when the test unplugs the device; whether it has shown or logged them is its own affair."""

    SIZE = 20_000

    def last_words(self, times, stalled):
        lost = []
        for index in range(times):
            log = self.folder / f"log-{index}"
            said = random.Random(index).randbytes(self.SIZE).replace(b"s", b"")
            terminal = self.session("--raw", "--no-reconnect", "-L", str(log))
            if stalled:
                terminal.stall()
            self.device.write_until_read(said)
            with self.leaving(terminal) as left:
                self.device.hang_up()
            self.assertEqual(left.status, 6)
            if not stalled:
                self.assertIn(said, terminal.transcript.expect_end())
            lost.append(len(said) - log.stat().st_size)
            self.assertEqual(log.read_bytes(), said)
            terminal.close()
            self.device.plug()
        return lost

    def test_last_words_are_shown_and_logged(self):
        record(11, "last words lost, on screen or in the log", self.last_words(2, False), "bytes")

    def test_last_words_are_logged_while_the_terminal_stalls(self):
        lost = self.last_words(2, True)
        record(11, "last words lost in the log, terminal stalled", lost, "bytes")

    @soak
    def test_last_words_fifty_times(self):
        record(11, "last words lost, on screen or in the log", self.last_words(50, False), "bytes")

    @soak
    def test_last_words_fifty_times_while_the_terminal_stalls(self):
        lost = self.last_words(50, True)
        record(11, "last words lost in the log, terminal stalled", lost, "bytes")
