"""Rows 28 and 29: the reader of the output takes nothing, or is gone."""

import re
import signal
import subprocess
import time

from Tests.endtoend.faults import SessionTest, number, record, text
from Tests.endtoend.harness import soak, wait_until

NOT_SHOWN = re.compile(rb"\x18\r\n\[([\d,]+) bytes not shown\]\r\n")


class Row28StalledTerminalTests(SessionTest):
    def stalled_session(self, count):
        """A session that logs, and whose terminal stalled before the device sent `count` bytes."""
        terminal = self.session("-L", str(self.log))
        terminal.expect(b"\n")  # The end of the greeting.
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
        self.assert_given_back(terminal)
        record(28, "quit key to the end, terminal stalled", seconds * 1000, "ms", at_most=500)

    def test_signal_is_heard(self):
        terminal = self.stalled_session(230_000)
        status, seconds = self.signal(terminal, signal.SIGTERM)
        self.assertEqual(status, 128 + signal.SIGTERM)
        self.assert_given_back(terminal)
        record(28, "SIGTERM to the end, terminal stalled", seconds * 1000, "ms", at_most=500)

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

    def test_what_is_said_meanwhile_is_shown_behind_the_gap(self):
        terminal = self.stalled_session(2_000_000)
        self.device.hang_up()
        # The device's end is noticed where no terminal has to take anything.
        self.device.plug()
        wait_until(lambda: self.device.exclusive, "the port is open again")
        self.device.write(b"behind all")
        self.wait_for_log(2_000_010)
        terminal.resume()
        terminal.expect(NOT_SHOWN)
        terminal.expect(b"is gone, waiting for it to come back")
        terminal.expect(b"is back")
        record(28, "messages left out", 0, "")

    def test_what_is_said_behind_a_list_is_shown_when_it_closes(self):
        terminal = self.session("-L", str(self.log))
        terminal.send(b"\x14:")
        terminal.expect(b"command:")
        said = text(1_000_000)
        self.device.write(said)
        self.wait_for_log(len(said))
        self.device.hang_up()
        terminal.expect(b"no device")
        terminal.send(b"\x1b")
        terminal.expect(NOT_SHOWN)
        terminal.expect(b"is gone, waiting for it to come back")

    def test_lost_device_ends_it(self):
        """Even the last messages must not wait for a terminal that shows nothing."""
        terminal = self.session("--no-reconnect", "-L", str(self.log))
        terminal.stall()
        said = text(230_000)
        self.device.write(said)
        self.wait_for_log(len(said))
        with self.leaving(terminal) as left:
            self.device.hang_up()
        self.assertEqual(left.status, 6)
        self.assertEqual(terminal.settings, terminal.original_settings)
        record(28, "device lost to the end, terminal stalled", left.seconds * 1000, "ms", at_most=500)

    def test_keys_reach_the_device_meanwhile(self):
        terminal = self.stalled_session(2_000_000)
        terminal.send(b"typed blindly")
        self.assertEqual(self.device.read_exactly(13), b"typed blindly")


class Row29OutputGoneTests(SessionTest):
    def close_often(self, times):
        durations = []
        for _ in range(times):
            program = self.pipes()
            wait_until(lambda: self.device.exclusive, "the port is opened exclusively")
            self.device.write(b"first line\r\n")
            program.stdout.expect(b"first line\r\n")
            with self.leaving(program) as left:
                program.close_stdout()
                self.device.write(b"second line\r\n")
            self.assertEqual(left.status, 9)
            self.assert_port_is_free()
            program.close()
            durations.append(left.seconds * 1000)
        record(29, "output gone to the end", durations, "ms", at_most=500)

    def test_reader_that_has_enough_ends_it_with_9(self):
        self.close_often(2)

    @soak
    def test_reader_that_has_enough_a_hundred_times(self):
        self.close_often(100)

    def test_terminal_is_restored_when_a_redirected_output_goes(self):
        with self.connect("-L", str(self.log), stdout=subprocess.PIPE) as terminal:
            terminal.expect(b"ctrl-t q")
            self.device.write(b"logged")
            wait_until(lambda: self.log.read_bytes() == b"logged", "the log is written")
            with self.leaving(terminal) as left:
                terminal.process.stdout.close()
            self.assertEqual(left.status, 9)
            self.assert_given_back(terminal)
            self.assertEqual(self.log.read_bytes(), b"logged")
