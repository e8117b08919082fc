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


class PanelTraceTests(PaletteTest):
    """A panel over a full-screen program leaves no trace: every cell, the cursor and the modes are as before."""

    # A title, rows with colours and wide characters, a scroll region, insert mode, the cursor behind the last column.
    PICTURE = (
        b"\x1b[2;23r\x1b[1;30H\x1b[1;32mthe title\x1b7\x1b[0m"
        + b"".join(b"\x1b[%d;%dHrow %d \x1b[44m \x1b[3%dm\xe4\xb8\x96\xe7\x95\x8c\x1b[0m" % (row, row, row, row % 8)
                   for row in range(2, 24))
        + b"\x1b[24;1H\x1b[7mthe end\x1b[0m\x1b[20;80H\x1b[31m|\x1b[4h")
    # Where the device goes on: in the next row, in its colour, inserting; then in the saved place.
    MORE = b"inserted\x1b8 and more"

    def begin(self, first, *options):
        terminal, screen = self.start(*options)
        self.device.write(first + self.PICTURE)
        screen.wait_for(lambda lines: lines[19].endswith("|"), "the last character of the picture")
        return terminal, screen

    def picture(self, screen):
        return screen.cells, screen.cursor, screen.is_alternate, screen.wraps, screen.cursor_is_shown

    def panels(self):
        """What opens a panel, what is then seen, and what closes it."""
        return (
            (b":", "command:", b"\x1b"), (b"?", "list all commands", b"\x1b"), (b"/", "search", b"\x1b"),
            (b"B", "baud rate:", b"\x1b"), (b"c", "8N1", b"k"))

    def check(self, first):
        plain = self.begin(first)
        self.device.write(self.MORE)
        plain[1].wait_for_text("and more")
        expected = self.picture(plain[1])
        self.assertEqual(self.quit(plain[0])[0], 0)
        for key, seen, closing in self.panels():
            with self.subTest(key):
                terminal, screen = self.begin(first)
                before = self.picture(screen)
                terminal.send(PREFIX + key)
                screen.wait_for_text(seen)
                terminal.send(closing)
                screen.wait_for(lambda lines: self.picture(screen) == before, "the program's screen")
                self.device.write(self.MORE)
                screen.wait_for(lambda lines: self.picture(screen) == expected, "what the program draws next")
                self.assertEqual(self.quit(terminal)[0], 0)

    def test_on_the_alternate_screen(self):
        self.check(b"\x1b[?1049h\x1b[2J")

    def test_on_the_main_screen(self):
        self.check(b"\x1b[H\x1b[J")

    def test_a_stop_and_a_resize_give_the_programs_screen_back(self):
        terminal, screen = self.begin(b"\x1b[?1049h\x1b[2J")
        before = self.picture(screen)
        terminal.signal(signal.SIGTSTP)
        wait_until(lambda: processes.state_of(terminal.pid) == "T", "the session stops")
        screen.wait_for(lambda lines: not screen.is_alternate, "the main screen")
        terminal.signal(signal.SIGCONT)
        screen.wait_for(lambda lines: self.picture(screen) == before, "the program's screen")
        screen.resize(30, 100)
        screen.wait_for(lambda lines: lines[23:25] == ["the end", ""], "the program's screen in a larger window")
        self.assertEqual(self.quit(terminal)[0], 0)

    def test_a_replug_gives_the_programs_screen_back(self):
        terminal, screen = self.begin(b"\x1b[?1049h\x1b[2J")
        before = self.picture(screen)
        self.device.hang_up()
        screen.wait_for_text("waiting for it")
        self.replug()
        screen.wait_for_text("is back")
        self.assertNotEqual(self.picture(screen), before)
        terminal.send(b"k")
        self.assertEqual(self.device.read_exactly(1), b"k")
        screen.wait_for(lambda lines: self.picture(screen) == before, "the program's screen")
        self.device.write(b"\x1b[4l\x1b[3;3Hmore")
        screen.wait_for(lambda lines: "more" in lines[2], "what the program draws next")
        self.assertEqual(self.quit(terminal)[0], 0)

    def test_a_message_is_there_until_a_key_is_typed(self):
        terminal, screen = self.begin(b"\x1b[?1049h\x1b[2J")
        before = self.picture(screen)
        terminal.send(PREFIX + b"\x1a")
        screen.wait_for_text("does nothing")
        self.assertNotEqual(self.picture(screen), before)
        terminal.send(b"k")
        screen.wait_for(lambda lines: self.picture(screen) == before, "the program's screen")
