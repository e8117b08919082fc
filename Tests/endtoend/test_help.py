"""The list of all commands, by ctrl-t and a question mark."""

import re

from Tests.endtoend.harness import serialterm, wait_until
from Tests.endtoend.test_commands import CommandTest

HEADER, FOOTER = "Commands: press ctrl-t", "palette: ctrl-t :"


def records():
    """The program's own table: the key and the name of each command."""
    rows = serialterm("session-commands").stdout.decode().splitlines()
    return [tuple(row.split("\t")[:2]) for row in rows]


def missing(lines):
    """The commands that are not in any line."""
    # A line of commands that are off may be wrapped.
    text = " ".join(" ".join(lines).split())
    return [
        (key, name) for key, name in records()
        if not re.search(rf"(?<!\S){re.escape(key + ' ' if key else '')}{re.escape(name)}\b", text)]


class HelpTests(CommandTest):
    def list(self, size, *options, **how):
        self.begin(*options, size=size, **how)
        # The screen is already full, so the rows for the list scroll up.
        self.device.write(b"".join(b"row %d\r\n" % number for number in range(size[0])))
        self.screen.wait_for_text(f"row {size[0] - 1}")
        self.press(b"?")

    def test_on_a_screen_of_46_rows_all_of_it_is_in_view(self):
        self.list((46, 80))
        self.screen.wait_for_text("Escape: close.")
        lines = self.screen.lines
        self.assertIn(HEADER, "\n".join(lines))
        self.assertEqual(missing(lines), [])
        self.assertNotIn("Space", lines[-1])
        for name, reason in (("b break", "break"), ("p pulse-line", "modem lines")):
            row = self.screen.row_of(name)
            self.assertTrue(self.screen.is_dimmed(row, name), name)
            self.assertIn(f"(off: this port has no {reason})", " ".join(" ".join(lines[row:row + 2]).split()))
        self.terminal.send(b"\x1b")
        self.screen.wait_for_text("row 45")
        self.expect_nothing_sent()

    def test_after_it_the_session_is_as_it_was(self):
        for size, options in (((24, 80), ()), ((24, 40), ("--status",))):
            with self.subTest(size):
                self.begin(*options, size=size)
                self.device.write(b"".join(b"row %d\r\n" % number for number in range(30)) + b"prompt> ")
                self.screen.wait_for_text("prompt>")
                if options:
                    # The status line takes a row, which scrolls the others.
                    self.screen.wait_for(lambda lines: "8N1" in lines[-1], "the status line")
                before = self.screen.lines, self.screen.cursor, self.screen.scrollback
                self.press(b"?")
                self.screen.wait_for_text("Space: next")
                self.assertTrue(self.screen.is_alternate)
                self.assertIsNone(self.screen.row_of("row "))
                # What comes meanwhile follows in its place.
                self.device.write(b"late")
                self.terminal.send(b"\x1b")
                self.screen.wait_for_text("prompt> late")
                self.assertFalse(self.screen.is_alternate)
                lines, (row, column), scrollback = before
                # Below is the status line, which counts.
                self.assertEqual(self.screen.lines[:row], lines[:row])
                self.assertEqual(self.screen.cursor, (row, column + 4))
                self.assertEqual(self.screen.scrollback, scrollback)
                self.expect_nothing_sent()
                self.assertEqual(self.quit(self.terminal)[0], 0)
                self.terminal.close()

    def test_killed_while_it_is_shown_the_session_is_on_the_screen(self):
        self.list((24, 80))
        self.screen.wait_for_text("Space: next")
        self.terminal.process.kill()
        self.terminal.wait()
        self.screen.wait_for_text("row 23")
        self.assertFalse(self.screen.is_alternate)
        wait_until(
            lambda: self.terminal.settings == self.terminal.original_settings, "the terminal is restored")

    def test_a_terminal_without_a_second_screen_shows_it_below_the_text(self):
        for how, options in (({"variables": {"TERM": "linux"}}, ()), ({}, ("--raw",))):
            with self.subTest(options):
                self.list((60, 120), *options, **how)
                self.screen.wait_for_text(FOOTER)
                self.assertFalse(self.screen.is_alternate)
                self.assertNotIn(b"1049", self.terminal.output)
                self.assertIn("row 59", self.screen.everything)
                self.expect_nothing_sent()
                self.assertEqual(self.quit(self.terminal)[0], 0)
                self.terminal.close()

    def test_with_a_status_line_and_line_input_it_has_pages_and_nothing_of_it_is_lost(self):
        self.list(
            (24, 80), "--status", "--input-mode", "line",
            variables={"XDG_STATE_HOME": str(self.folder)})
        seen, pages = self.pages(width=80)
        self.assertEqual(missing(seen), [])
        self.assertIn(HEADER, "\n".join(seen))
        self.assertLessEqual(pages, 3)

    def test_on_a_standard_screen_the_first_page_has_what_has_a_key(self):
        self.list((24, 80))
        self.screen.wait_for_text("Space: next")
        first = self.screen.lines
        for name in ("B baud ", "x send-file ", "h hex ", "f log ", "q quit ", "Session ? help "):
            self.assertIn(name, "\n".join(first))
        self.assertRegex("\n".join(first), r"p pulse-line, L lines \(off: ")
        self.assertNotRegex("\n".join(first), r"…|timestamp-format")
        row = self.screen.row_of("B baud")
        self.assertTrue(self.screen.is_bold(row, "B"))
        self.terminal.send(b" ")
        self.screen.wait_for_text(FOOTER)
        self.screen.wait_until_gone("Space: next")
        # The last page does not show lines of the page before again.
        self.assertIsNone(self.screen.row_of("p pulse-line"))
        self.assertIsNotNone(self.screen.row_of("timestamp-format"))
        self.terminal.send(b" ")
        self.screen.wait_for_text("row 23")

    def test_on_40_rows_of_120_columns_all_of_it_is_in_view(self):
        self.list((40, 120))
        self.screen.wait_for_text("Escape: close.")
        self.assertEqual(missing(self.screen.lines), [])
        self.assertNotIn("Space", self.screen.lines[-1])
        self.assertNotIn("…", self.screen.text)

    def test_on_a_large_screen_each_command_has_a_line_and_says_what_it_does(self):
        self.list((80, 120))
        self.screen.wait_for_text("Escape: close.")
        self.assertEqual(missing(self.screen.lines), [])
        row = next(line for line in self.screen.lines if "B baud" in line)
        self.assertEqual(row.split(), ["Device", "B", "baud", "set", "the", "baud", "rate", "115200"])

    def pages(self, width):
        """Reads all pages; returns their lines and their number. The last page closes the list."""
        seen, pages = [], 0
        while True:
            self.screen.wait_for_text("Escape: close.")
            lines = self.screen.lines
            place = next(line for line in lines if "Escape: close." in line)
            pages += 1
            self.assertLessEqual(max(len(line) for line in lines), width)
            seen += lines
            self.terminal.send(b" ")
            self.screen.wait_until_gone(place)
            if "Space: next" not in place:
                return seen, pages

    def test_on_a_small_screen_it_has_pages_and_nothing_of_it_is_lost(self):
        self.list((12, 40))
        seen, pages = self.pages(width=40)
        self.assertGreater(pages, 2)
        self.assertEqual(missing(seen), [])
        text = " ".join(" ".join(seen).split())
        self.assertIn("p pulse-line, L lines, sequence (off: this port has no modem lines)", text)
        self.assertIn("row 11", self.screen.everything)
        self.expect_nothing_sent()

    def test_pages_follow_the_keys_and_the_state(self):
        self.list((12, 40))
        self.screen.wait_for_text("1-11 of")
        for keys, place in ((b"\x1b[B", "2-12 of"), (b"\x1b[6~", "13-23 of"), (b"\x1b[A", "12-22 of"),
                            (b"\x1b[5~", "1-11 of"), (b"\x1b[A", "1-11 of")):
            self.terminal.send(keys)
            self.screen.wait_for_text(place)
        self.screen.wait_for_text("B baud")
        self.device.hang_up()
        # It is off now, so it is on another page.
        self.screen.wait_until_gone("B baud")
        self.device.plug()
        self.screen.wait_for_text("B baud")
        self.terminal.send(b"q")
        self.screen.wait_until_gone("Space: next")
        self.expect_nothing_sent()

    def test_a_command_can_be_given_while_a_page_is_shown(self):
        self.list((12, 40))
        self.screen.wait_for_text("Space: next")
        self.assertEqual(self.quit(self.terminal)[0], 0)
        self.assert_given_back(self.terminal)

    def test_printed_it_has_pages_too_and_each_of_them_is_in_view(self):
        for options, how in (
                ((), {"variables": {"TERM": "dumb"}}), (("--plain",), {}),
                (("--plain", "--status"), {})):
            with self.subTest(options=options, **how):
                self.list((12, 44), *options, **how)
                seen, place = [], "Commands:"
                for page in range(1, 20):
                    self.screen.wait_for(
                        lambda lines: any(line.endswith("ctrl-t :") for line in lines)
                        or any(line.endswith(". Escape: close.") and not line.startswith(place)
                               for line in lines[-3:]), f"page {page}")
                    lines = self.screen.lines
                    seen += lines
                    if any(line.endswith("ctrl-t :") for line in lines):
                        break
                    place = [line for line in lines if ". Escape: close." in line][-1].split()[0]
                    self.terminal.send(b" " if page % 2 else b"\r")
                self.assertGreater(page, 3)
                self.assertEqual(missing(seen), [])
                self.expect_nothing_sent()
                self.assertEqual(self.quit(self.terminal)[0], 0)
                self.terminal.close()

    def test_printed_it_ends_with_the_keys_that_close(self):
        self.list((12, 40), "--plain")
        self.screen.wait_for_text("Space: next")
        self.terminal.send(b"q")
        self.terminal.send(b"x")
        self.assertEqual(self.device.read_exactly(1), b"x")

    def test_where_it_is_only_printed_and_fits_it_is_printed_whole(self):
        self.begin(size=(90, 80), variables={"TERM": "dumb"})
        self.press(b"?")
        self.terminal.expect(FOOTER.encode())
        self.assertEqual(missing(self.terminal.output.decode().replace("\r", "").split("\n")), [])

    def test_a_key_that_does_nothing_says_where_the_list_is(self):
        self.begin()
        for key, shown in ((b"z", "ctrl-t z"), (b"\x19", "ctrl-t ctrl-y"), (b"\x1b[A", "ctrl-t and that key"),
                           (b" ", "ctrl-t space"), (b"\x1b", "ctrl-t escape"), (b"\x00", "ctrl-t ctrl-space")):
            self.press(key)
            self.screen.wait_for_text(f"{shown} does nothing. Press ctrl-t ? for a list.")
        self.assertIn(
            "For ctrl-t y, release ctrl before you press y.", " ".join(" ".join(self.screen.lines).split()))
        self.expect_nothing_sent()
