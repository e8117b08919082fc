"""The terminal's cursor is where the user types: braille displays, magnifiers and input methods follow it."""

import signal

from Tests.endtoend import test_views
from Tests.endtoend.faults import PREFIX
from Tests.endtoend.harness import serialterm_binary, wait_until
from Tests.endtoend.test_line_input import LEFT, LineInputTest
from Tests.endtoend.test_palette import PaletteTest


class FocusTest(PaletteTest):
    def wait_for_cursor(self, screen, row, column):
        screen.wait_for(
            lambda _: screen.cursor == (row, column) and screen.cursor_is_shown,
            f"the cursor in row {row}, column {column}, not {screen.cursor}")


class PaletteFocusTests(FocusTest):
    def begin(self, text=b"login: ", *options, **how):
        terminal, screen = self.start(*options, **how)
        self.device.write(text)
        screen.wait_for_text("login:")
        return terminal, screen

    def test_the_cursor_is_behind_the_query_and_then_back_in_the_text(self):
        terminal, screen = self.begin()
        home = screen.cursor
        self.assertEqual(home[1], 7)
        self.open_palette(terminal, screen)
        self.wait_for_cursor(screen, home[0] + 1, len("command: "))
        terminal.send(b"baud")
        self.wait_for_cursor(screen, home[0] + 1, len("command: baud"))
        terminal.send(b"\r")
        screen.wait_for_text("baud rate:")
        self.wait_for_cursor(screen, home[0] + 1, len("baud rate: "))
        terminal.send(b"96")
        self.wait_for_cursor(screen, home[0] + 1, len("baud rate: 96"))
        self.close_list(terminal, screen, "baud rate: 96")
        self.wait_for_cursor(screen, *home)
        self.device.write(b"root")
        screen.wait_for_text("login: root")

    def close_list(self, terminal, screen, text):
        terminal.send(b"\x1b")
        screen.wait_until_gone(text)

    def test_in_the_last_row_the_text_moves_up_while_the_palette_is_shown(self):
        rows = b"".join(b"row %d\r\n" % number for number in range(30))
        terminal, screen = self.begin(rows + b"login: ")
        self.assertEqual(screen.cursor, (23, 7))
        before, above = screen.lines, screen.scrollback
        self.open_palette(terminal, screen)
        row = screen.row_of("command: ")
        self.wait_for_cursor(screen, row, len("command: "))
        self.assertEqual(screen.lines[row - 1], "login:")
        self.close_palette(terminal, screen)
        self.wait_for_cursor(screen, 23, 7)
        self.assertEqual(screen.lines, before)
        self.assertEqual(screen.scrollback, above)

    def test_a_cursor_that_the_device_has_hidden_is_shown_meanwhile(self):
        terminal, screen = self.begin(b"login: \x1b[?25l")
        screen.wait_for(lambda _: not screen.cursor_is_shown, "the device hides the cursor")
        self.open_palette(terminal, screen)
        screen.wait_for(lambda _: screen.cursor_is_shown, "the cursor")
        terminal.send(b"baud")
        screen.wait_for_text("command: baud")
        self.assertTrue(screen.cursor_is_shown)
        self.close_palette(terminal, screen)
        screen.wait_for(lambda _: not screen.cursor_is_shown, "hidden again")

    def test_a_status_line_that_changes_leaves_the_cursor_there(self):
        terminal, screen = self.begin(b"login: ", "--status")
        home = screen.cursor
        self.open_palette(terminal, screen)
        self.device.write(b"x" * 200)
        screen.wait_for(lambda lines: "in 0 B/s" not in lines[-1], "another rate", 10)
        self.wait_for_cursor(screen, home[0] + 1, len("command: "))
        self.close_palette(terminal, screen)
        screen.wait_for_text("login: xxx")

    def test_help_in_pages_has_the_cursor_where_reading_begins(self):
        terminal, screen = self.begin(size=(12, 40))
        home = screen.cursor
        terminal.send(PREFIX + b"?")
        screen.wait_for_text("Space: next")
        row = screen.row_of("Space: next")
        screen.wait_for(lambda _: screen.cursor[1] == 0 and screen.cursor[0] < row, "the first line")
        terminal.send(b"\x1b")
        screen.wait_until_gone("Space: next")
        self.assertEqual((screen.cursor[1], screen.lines[screen.cursor[0]]), (home[1], "login:"))

    def test_killed_with_a_list_open_nothing_of_it_stays(self):
        terminal, screen = self.begin()
        home = screen.cursor
        self.open_palette(terminal, screen)
        terminal.signal(signal.SIGKILL)
        screen.wait_until_gone("command:")
        self.assertEqual(screen.cursor, home)


class LineInputFocusTests(LineInputTest, FocusTest):
    def test_the_cursor_is_in_the_line_wherever_the_device_writes(self):
        self.begin()
        self.terminal.send(b"halo" + LEFT)
        self.wait_for_line("halo")

        def is_in_line():
            # Found again each time, because the line moves with the text.
            row = self.screen.row_of("> halo")
            return self.screen.cursor == (row, len("> hal")) and self.screen.cursor_is_shown

        for text, words in (
                (b"login: ", "login:"), (b"row\r\n" * 40 + b"user: ", "user:"),
                (b"\x1b[31mred\x1b[0m: ", "red:")):
            self.device.write(text)
            self.screen.wait_for_text(words)
            self.screen.wait_for(lambda _: is_in_line(), "the cursor in the line")
        self.terminal.send(b"l")
        self.wait_for_line("hallo")
        self.wait_for_cursor(self.screen, self.screen.row_of("> hallo"), len("> hall"))

    def test_in_a_window_that_changes_its_size_the_device_goes_on_in_its_line(self):
        self.begin()
        self.device.write(b"row\r\n" * 30 + b"login: ")
        self.screen.wait_for_text("login:")
        for rows, columns in ((10, 40), (30, 100), (6, 30), (24, 80)):
            self.screen.resize_until_drawn(rows, columns)
            self.device.write(b"a")
            self.screen.wait_for(
                lambda lines: sum(line == ">" for line in lines) == 1, "one line to type in")
        self.screen.wait_for_text("login: aaaa")
        self.assertEqual(sum(line == ">" for line in self.screen.everything), 1)


class TmuxFocusTests(test_views.TmuxTest):
    """tmux leaves the place that DECSC remembers as it was when a window changes its size."""

    def cursor(self):
        column, row, is_shown = self.tmux(
            "display-message", "-p", "#{cursor_x} #{cursor_y} #{cursor_flag}").split()
        return int(row), int(column), is_shown == "1"

    def wait_for_cursor(self, row, column):
        wait_until(lambda: self.cursor() == (row, column, True), f"the cursor in {row}, {column}")

    def row_of(self, text):
        rows = self.tmux("capture-pane", "-p").split("\n")
        return next(number for number, row in enumerate(rows) if row.startswith(text))

    def test_the_palette_and_a_question(self):
        self.begin()
        self.wait_for_screen("board>")
        home = self.row_of("board>")
        self.wait_for_cursor(home, 7)
        self.type("\x14:")
        self.wait_for_cursor(home + 1, len("command: "))
        self.type("data-bits\r")
        self.wait_for_screen("data bits: ")
        self.wait_for_cursor(home + 1, len("data bits: "))
        self.type("\x1b")
        self.wait_for_cursor(home, 7)
        self.type("xyz")
        self.wait_for_screen("board> xyz")

    def test_line_input_in_a_window_that_changes_its_size(self):
        self.begin(command=f"{serialterm_binary()} connect loopback:board --input-mode line")
        self.wait_for_screen("board>")
        self.type("help\rhelp\r")
        self.type("dat")
        self.wait_for_screen("> dat")
        for columns, rows in ((60, 12), (100, 30), (80, 24)):
            self.tmux("resize-window", "-x", str(columns), "-y", str(rows))
            wait_until(
                lambda: self.cursor() == (self.row_of("> dat"), len("> dat"), True),
                f"the cursor in the line, {columns} by {rows}")
            self.assertEqual(self.captured().count("> dat"), 1)
        self.type("\x15uptime\r")
        self.wait_for_screen("board> uptime")
