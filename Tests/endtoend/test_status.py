"""The line at the bottom that shows the state."""

import re
import signal
import time

from Tests.endtoend.faults import PREFIX, processes, record
from Tests.endtoend.harness import Deadline, pace, slow, wait_until
from Tests.endtoend.test_palette import PaletteTest

# What every redraw of the line begins with: it goes to the last of 24 rows.
REDRAW = re.compile(rb"\x1b\[24;1H")


def wait_until_asleep(terminal):
    """Waits until a session comes to rest: more than a second passes in which it does not wake, and draws nothing."""
    def state():
        return processes.state_of(terminal.pid), processes.switches(terminal.pid), len(terminal.output)

    def slept():
        before = state()
        # Its slowest clock ticks once a second.
        time.sleep(1.2)
        # One that is ready to run, but has no processor, does not sleep.
        return before[0] == "S" and state() == before
    wait_until(slept, "it sleeps")


class StatusTest(PaletteTest):
    def begin(self, *options, **how):
        self.terminal, self.screen = self.start("--status", *options, **how)
        self.wait_for_status("115200 8N1")

    def wait_for_status(self, text):
        self.screen.wait_for(lambda lines: text in lines[-1], f"{text} in the last row")

    def assert_falls_asleep(self):
        wait_until_asleep(self.terminal)


class StatusTests(StatusTest):
    def test_it_is_in_the_last_row_with_a_reversed_port_and_the_text_scrolls_above(self):
        self.begin()
        self.device.write(b"".join(b"row %d\r\n" % number for number in range(50)))
        self.screen.wait_for_text("row 49")
        self.assertFalse(self.screen.is_reversed(23))
        # Only the port is reversed; nothing has a colour.
        self.assertRegex(self.terminal.output, rb"\x1b\[7m \S+ \x1b\[0m  115200 8N1  \x1b\[2min \x1b\[0m")
        self.assertTrue(self.screen.lines[23].endswith("  ctrl-t ? help"))
        self.assertEqual(self.screen.lines[21:23], ["row 49", ""])
        rows = [row for row in self.screen.everything[:-1] if row.startswith("row")]
        self.assertEqual(rows, [f"row {number}" for number in range(50)])

    def test_it_follows_the_device(self):
        self.begin()
        self.device.hang_up()
        self.wait_for_status("waiting for")
        self.device.plug()
        self.wait_for_status("115200 8N1")

    def test_at_most_ten_updates_a_second_in_a_flood(self):
        self.check_rate(lambda: self.device.write(b"x" * 100 + b"\r\n"))

    def test_at_most_ten_updates_a_second_however_fast_the_state_changes(self):
        self.check_rate(lambda: self.terminal.send(PREFIX + b"h"), rate=500)

    def check_rate(self, step, rate=None):
        """Does a step again and again, at a rate, for two seconds or longer, until the line is redrawn."""
        self.begin()
        self.terminal.catch_up()
        started, before, steps = time.monotonic(), len(self.terminal.output), 0

        def redraws():
            return len(REDRAW.findall(self.terminal.transcript.since(before)))
        deadline = Deadline()
        while time.monotonic() - started < 2 or not redraws():
            self.assertFalse(deadline.passed, "it is not redrawn")
            step()
            steps += 1
            if rate:
                pace(started, steps, rate)
        # One may have been on its way before.
        count, seconds = redraws(), time.monotonic() - started
        self.assertLessEqual(count, seconds * 10 + 2)

    @slow
    def test_nothing_is_drawn_and_nobody_wakes_while_nothing_happens(self):
        self.begin()
        self.device.write(b"something\r\n")
        self.screen.wait_for_text("something")
        self.wait_for_status("in 0 B/s out 0 B/s")
        self.assert_falls_asleep()

    def test_the_command_switches_it_off_and_on(self):
        self.begin()
        for expected in ("off", "on"):
            self.open_palette(self.terminal, self.screen, b"status-line")
            self.terminal.send(b"\r")
            self.screen.wait_for_text(f"status-line is {expected}.")
            self.screen.wait_for(
                lambda lines: ("115200" in lines[-1]) == (expected == "on"), expected)
            self.assertEqual(self.screen.scrolls_whole, expected == "off")

    def test_the_palette_stands_above_it(self):
        self.begin()
        self.device.write(b"".join(b"row %d\r\n" % number for number in range(50)))
        self.screen.wait_for_text("row 49")
        self.open_palette(self.terminal, self.screen)
        self.device.hang_up()
        self.wait_for_status("waiting for")
        self.assertIsNotNone(self.screen.row_of("command:"))
        self.close_palette(self.terminal, self.screen)
        self.screen.wait_for_text("is gone")
        rows = [row for row in self.screen.everything if row.startswith("row")]
        self.assertEqual(rows, [f"row {number}" for number in range(50)])

    def test_a_window_that_changes_its_size_keeps_it_in_the_last_row(self):
        self.begin()
        for rows, columns in ((10, 40), (30, 100), (2, 40), (24, 80)):
            self.screen.resize_until_drawn(rows, columns)
            if rows == 2:
                self.screen.wait_for(lambda _: self.screen.scrolls_whole, "no room for it")
            else:
                self.screen.wait_for(
                    lambda lines: "port" in lines[-1] or "/tmp" in lines[-1], "the last row")
                self.assertEqual(sum("B/s" in line for line in self.screen.lines[:-1]), 0)

    def test_quitting_takes_it_away(self):
        self.begin()
        self.assertEqual(self.quit(self.terminal)[0], 0)
        self.terminal.transcript.expect_end()
        self.assertTrue(self.screen.scrolls_whole and self.screen.cursor_is_shown)
        self.assertNotIn("115200", self.screen.lines[-1])


class RememberedStatusTests(StatusTest):
    """The status line that the user has chosen in another session."""

    def start_again(self, *options, **how):
        self.terminal, self.screen = self.start(
            *options, variables={"XDG_STATE_HOME": str(self.folder / "state")}, **how)

    def assert_shown(self, *options, expected):
        """Whether a session begins with the line, which is drawn before the answer to a command."""
        self.start_again(*options)
        if expected:
            self.wait_for_status("ctrl-t ? help")
        self.terminal.send(PREFIX + b"e")
        self.screen.wait_for_text("local-echo is on.")
        self.assertEqual(self.screen.scrolls_whole, not expected)
        self.assertEqual(self.quit(self.terminal)[0], 0)

    def test_the_next_session_begins_with_it(self):
        self.assert_shown(expected=False)
        self.start_again()
        self.terminal.send(PREFIX + b"u")
        self.screen.wait_for_text("status-line is on.")
        self.wait_for_status("ctrl-t ? help")
        self.assertEqual(self.quit(self.terminal)[0], 0)
        kept = self.folder / "state/serialterm/history/status-line.txt"
        self.assertEqual((kept.read_text(), kept.stat().st_mode & 0o777), ("on\n", 0o600))
        self.assert_shown(expected=True)
        self.assert_shown("--no-status", expected=False)
        configured = self.folder / "config.toml"
        configured.write_text("[default]\nstatus = false\n")
        self.assert_shown("--config", str(configured), expected=False)
        self.start_again()
        self.wait_for_status("ctrl-t ? help")
        self.terminal.send(PREFIX + b"u")
        self.screen.wait_for_text("status-line is off.")
        self.assertEqual(self.quit(self.terminal)[0], 0)
        self.assert_shown(expected=False)
        self.assert_shown("--status", expected=True)

    def test_a_file_that_is_not_the_users_own_harms_nothing(self):
        history = self.folder / "state/serialterm/history"
        history.mkdir(parents=True)
        target = self.folder / "target"
        target.write_text("on\n")
        (history / "status-line.txt").symlink_to(target)
        self.assert_shown(expected=False)
        self.start_again()
        self.terminal.send(PREFIX + b"u")
        self.screen.wait_for_text("status-line is on.")
        self.assertEqual(self.quit(self.terminal)[0], 0)
        self.assertEqual(target.read_text(), "on\n")


class StatusSignalTests(StatusTest):
    def test_while_stopped_the_screen_is_the_shells_and_comes_back(self):
        self.begin()
        for _ in range(3):
            self.terminal.signal(signal.SIGTSTP)
            wait_until(lambda: processes.state_of(self.terminal.pid) == "T", "stopped")
            self.screen.wait_for(lambda _: self.screen.scrolls_whole, "the whole screen")
            self.assertNotIn("115200", self.screen.lines[-1])
            self.terminal.signal(signal.SIGCONT)
            self.wait_for_status("115200 8N1")
            self.assertFalse(self.screen.scrolls_whole)

    def test_killed_it_leaves_a_screen_that_scrolls_whole(self):
        self.begin("--input-mode", "line")
        self.screen.wait_for(lambda _: self.screen.marks_pastes, "line input")
        self.device.write(b"\x1b[31mred\x1b[?25l\x1b[?7l")
        self.screen.wait_for_text("red")
        guard = self.guard_of(self.terminal)
        started = time.monotonic()
        self.terminal.signal(signal.SIGKILL)
        self.screen.wait_for(lambda _: self.screen.scrolls_whole, "the whole screen")
        record(4, "SIGKILL to the screen given back", (time.monotonic() - started) * 1000, "ms", at_most=200)
        wait_until(lambda: processes.state_of(guard) in (None, "Z"), "the guard is done")
        self.assert_screen_is_plain()

    def test_a_crash_leaves_a_screen_that_scrolls_whole(self):
        self.begin()
        self.device.write(b"\x1b[?25l")
        self.terminal.signal(signal.SIGSEGV)
        self.assertEqual(self.terminal.wait(), -signal.SIGSEGV)
        self.screen.wait_for(lambda _: self.screen.scrolls_whole, "the whole screen")
        self.assert_screen_is_plain()

    def test_killed_on_a_stalled_terminal_the_guard_restores_it(self):
        self.begin("--log", str(self.log))
        guard = self.guard_of(self.terminal)
        self.terminal.stall()
        self.device.write(b"y" * 200_000)
        self.wait_for_log(200_000)
        started = time.monotonic()
        self.terminal.signal(signal.SIGKILL)
        self.terminal.wait()
        wait_until(lambda: processes.state_of(guard) in (None, "Z"), "the guard is done")
        record(4, "SIGKILL to the guard's end, the terminal stalled", (time.monotonic() - started) * 1000, "ms",
               at_most=1000)
        self.assertEqual(self.terminal.settings, self.terminal.original_settings)

    def assert_screen_is_plain(self):
        screen = self.screen
        self.assertTrue(screen.scrolls_whole and screen.cursor_is_shown and screen.wraps)
        self.assertFalse(screen.marks_pastes)
        self.assertNotIn("115200", screen.lines[-1])
