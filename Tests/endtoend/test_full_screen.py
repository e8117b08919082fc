"""A full-screen program on the device: it draws as on the user's own terminal, and nothing of it is left."""

import signal

from Tests.endtoend.faults import PREFIX, processes
from Tests.endtoend.harness import wait_until
from Tests.endtoend.test_palette import PaletteTest

# What curses sends to draw a box: the alternate screen, keys of the cursor, a hidden cursor, special graphics, and a
# scroll region.
BEGIN = b"\x1b[?1049h\x1b[22;0;0t\x1b[?1h\x1b=\x1b[?25l\x1b[2;9r\x1b[H\x1b[2J"
BOX = (
    b"\x1b)0\x0elqqk\x0f\r\n\x0ex\x0fab\x0ex\x0f\r\n\x1b(0mqqj\x1b(B\r\n\x1b[11m\xc9\xcd\xbb\x1b[0;10m"
    b"\x1b]0;title\x07\x1b[6n\x1b[4hz")
SHOWN = ["┌──┐", "│ab│", "└──┘", "╔═╗z"]
# What takes it back.
UNDONE = [b"\x1b[?1049l", b"\x1b[?1l", b"\x1b>", b"\x1b[?25h", b"\x1b[4l", b"\x1b[r"]


class FullScreenTests(PaletteTest):
    def draw(self, *options):
        terminal, screen = self.start(*options)
        self.device.write(BEGIN + BOX)
        screen.wait_for(lambda lines: lines[:4] == SHOWN, "a box and a frame")
        self.assertTrue(screen.is_alternate)
        self.assertIn(b"\x1b[?1h", terminal.output)
        for dropped in (b"\x1b[6n", b"title", b"\x1b[22"):
            self.assertNotIn(dropped, terminal.output)
        return terminal, screen

    def assert_undone(self, output):
        for sequence in UNDONE:
            self.assertIn(sequence, output)

    def test_it_draws_and_the_end_undoes_what_it_has_switched(self):
        terminal, screen = self.draw()
        before = len(terminal.output)
        self.assertEqual(self.quit(terminal)[0], 0)
        self.assert_undone(terminal.output[before:])
        screen.update()
        self.assertFalse(screen.is_alternate)
        self.assertTrue(screen.cursor_is_shown and screen.scrolls_whole)

    def test_a_kill_in_the_middle_leaves_nothing(self):
        terminal, screen = self.draw()
        wait_until(lambda: processes.in_session(terminal.pid, processes.GUARD), "the guard runs")
        terminal.signal(signal.SIGKILL)
        terminal.wait()
        wait_until(lambda: not processes.in_session(terminal.pid), "the guard ends too")
        screen.wait_for(lambda lines: not screen.is_alternate, "the main screen")
        self.assert_undone(terminal.output)

    def test_a_stop_gives_the_terminal_back_and_the_session_takes_it_again(self):
        terminal, screen = self.draw()
        before = len(terminal.output)
        terminal.signal(signal.SIGTSTP)
        wait_until(lambda: processes.state_of(terminal.pid) == "T", "the session stops")
        screen.wait_for(lambda lines: not screen.is_alternate, "the main screen")
        self.assert_undone(terminal.output[before:])
        before = len(terminal.output)
        terminal.signal(signal.SIGCONT)
        screen.wait_for(lambda lines: screen.is_alternate and not screen.cursor_is_shown, "the program's screen")
        self.assertIn(b"\x1b[?1h", terminal.output[before:])

    def test_the_device_can_have_pastes_marked(self):
        terminal, screen = self.start()
        self.device.write(b"\x1b[?2004h$ ")
        screen.wait_for(lambda lines: screen.marks_pastes, "pastes are marked")
        terminal.send(b"\x1b[200~one\rtwo\x1b[201~")
        self.assertEqual(self.device.read_exactly(19), b"\x1b[200~one\rtwo\x1b[201~")
        # A panel marks them for itself, and they stay marked.
        terminal.send(PREFIX + b":")
        screen.wait_for_text("quit")
        terminal.send(b"\x1b")
        screen.wait_until_gone("quit: ")
        self.assertTrue(screen.marks_pastes)
        self.device.write(b"\x1b[?2004l.")
        screen.wait_for(lambda lines: not screen.marks_pastes, "pastes are not marked")
