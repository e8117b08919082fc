"""A user's terminal that stalls: sequences may be among the bytes that it is not shown."""

import signal

from Tests.endtoend.faults import PREFIX, processes
from Tests.endtoend.harness import slow
from Tests.endtoend.test_palette import PaletteTest

# More than is kept for a terminal.
FLOOD = 1_200_000
# Changes everything that a device can leave changed.
CHANGES = b"\x1b[31;1m\x1b[4;44m\x1b[?25l\x1b[?7l\x1b[3;8r"
RESETS = b"\x1b[r\x1b[?7h\x1b[?25h\x1b[0m"


class GapTest(PaletteTest):
    def begin(self, *options):
        self.terminal, self.screen = self.start("--log", str(self.log), *options)
        self.sent = 0

    def write(self, data):
        self.device.write(data)
        self.sent += len(data)
        self.wait_for_log(self.sent)

    def stall(self):
        self.screen.update()
        self.terminal.stall()
        self.screen.update()

    def go_on(self):
        """The terminal moves again: the same screen gets what follows."""
        self.terminal.resume()
        self.skip_flood()

    def skip_flood(self):
        """Waits for the note about the gap."""
        place = self.terminal.expect(b" bytes not shown]").start()
        # The emulator takes seconds for a megabyte of the flood. Its last screens are enough.
        self.screen._position = max(0, self.terminal.output.rfind(b"y" * 100, 0, place))

    def assert_screen_is_original(self):
        screen = self.screen.update()
        self.assertTrue(screen.scrolls_whole, "a scroll region")
        self.assertTrue(screen.wraps, "no wrapping")
        self.assertTrue(screen.cursor_is_shown, "a hidden cursor")
        self.assertFalse(screen.marks_pastes, "paste marks")
        cursor = screen._emulator.cursor.attrs
        self.assertEqual(
            (cursor.fg, cursor.bg, cursor.bold, cursor.underscore), ("default", "default", 0, 0))


class GivenBackTests(GapTest):
    def quit_keys(self):
        self.assertEqual(self.quit(self.terminal)[0], 0)

    @slow
    def test_what_ended_in_the_gap_has_ended_when_the_session_has(self):
        for leave in (self.quit_keys, lambda: self.signal(self.terminal, signal.SIGTERM)):
            with self.subTest(leave):
                self.begin("--input-mode", "line")
                self.write(CHANGES + b"red")
                self.screen.wait_for_text("red")
                self.stall()
                self.write(b"y" * FLOOD + RESETS)
                self.go_on()
                leave()
                self.terminal.transcript.expect_end()
                self.assert_screen_is_original()
                self.terminal.close()
                self.log.unlink()

    def test_what_ended_in_the_gap_has_ended_when_the_terminal_goes_on(self):
        self.begin()
        self.write(CHANGES + b"red")
        self.screen.wait_for_text("red")
        self.stall()
        self.write(b"y" * FLOOD + RESETS)
        self.go_on()
        self.write(b"after")
        self.screen.wait_for_text("after")
        self.assert_screen_is_original()

    def test_what_began_in_the_gap_is_in_force_when_the_terminal_goes_on(self):
        self.begin()
        self.stall()
        self.write(b"y" * FLOOD + CHANGES)
        self.go_on()
        self.write(b"after")
        self.screen.wait_for_text("after")
        self.assertEqual(self.screen.colour_of("after"), "red")
        self.assertFalse(self.screen.cursor_is_shown or self.screen.wraps)
        self.assertFalse(self.screen.scrolls_whole)
        self.quit_keys()
        self.terminal.transcript.expect_end()
        self.assert_screen_is_original()

    def test_a_terminal_that_goes_on_while_the_session_ends(self):
        self.begin()
        self.write(CHANGES + b"red")
        self.screen.wait_for_text("red")
        self.stall()
        self.write(b"y" * FLOOD + RESETS + CHANGES)
        self.terminal.send(PREFIX + b"q")
        self.go_on()
        self.assertEqual(self.terminal.wait(), 0)
        self.terminal.transcript.expect_end()
        self.assert_screen_is_original()

    def test_paste_marks_and_the_palette_that_closed_in_the_gap(self):
        self.begin()
        self.open_palette(self.terminal, self.screen)
        self.screen.wait_for(lambda _: self.screen.marks_pastes, "paste marks")
        self.stall()
        self.write(b"y" * FLOOD)
        self.terminal.send(b"\x07")  # Closes it like escape, which would wait whether more of a sequence comes.
        # No output shows that the key was read, because the drawn output is not read.
        processes.wait_until_keys_are_read(self.terminal.pid)
        self.go_on()
        self.quit_keys()
        self.terminal.transcript.expect_end()
        self.assert_screen_is_original()

    def test_bytes_that_an_open_palette_had_no_room_for(self):
        self.begin()
        self.write(CHANGES + b"red")
        self.screen.wait_for_text("red")
        self.open_palette(self.terminal, self.screen)
        self.write(b"y" * FLOOD + RESETS)
        self.close_palette(self.terminal, self.screen)
        self.skip_flood()
        self.write(b"after")
        self.screen.wait_for_text("after")
        self.assert_screen_is_original()

    def test_killed_after_the_gap(self):
        self.begin("--status")
        self.stall()
        self.write(b"y" * FLOOD + CHANGES)
        self.go_on()
        self.write(b"after")
        self.screen.wait_for_text("after")
        self.terminal.signal(signal.SIGKILL)
        # The guard is the last that has the terminal. Drawing the status line also resets some of this for a moment.
        self.terminal.transcript.expect_end()
        self.assert_screen_is_original()
