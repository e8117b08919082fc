"""The terminal emulator that the other tests read the screen with."""

import unittest

from Tests.endtoend.harness import Terminal
from Tests.endtoend.harness.screen import Screen


class EmulatorTests(unittest.TestCase):
    """The sequences with which the program draws, written by a shell."""

    def draw(self, sequences, size=(5, 10)):
        terminal = self.enterContext(
            Terminal("/bin/sh", "-c", f"printf '{sequences}'; printf .; read -r x", size=size))
        screen = Screen(terminal, size)
        screen.wait_for_text(".")
        return screen

    def test_index_in_the_last_row_scrolls_and_keeps_the_column(self):
        screen = self.draw(r"one\n\n\n\nab\033D")
        self.assertEqual(screen.lines, ["", "", "", "ab", "  ."])
        self.assertEqual(screen.scrollback, ["one"])

    def test_a_scroll_region_keeps_the_last_row(self):
        screen = self.draw(r"\033[5;1Hlast\033[1;4r\033[1;1Ha\nb\nc\nd\ne")
        self.assertEqual(screen.lines, ["b", "c", "d", "e.", "last"])
        self.assertEqual(screen.scrollback, ["a"])
        self.assertFalse(screen.scrolls_whole)

    def test_resetting_the_region_between_saving_and_restoring_keeps_the_cursor(self):
        screen = self.draw(r"\033[1;4r\033[2;3H\0337\033[r\0338")
        self.assertEqual(screen.lines[1], "  .")
        self.assertTrue(screen.scrolls_whole)

    def test_a_cursor_is_restored_more_than_once(self):
        screen = self.draw(r"ab\0337cd\0338\033[5;1H\0338")
        self.assertEqual(screen.lines[0], "ab.d")

    def test_dim_and_reversed_rows_are_told(self):
        screen = self.draw(r"\033[2mdim\033[0m\n\033[7mback\033[0m\nplain\n")
        self.assertEqual(
            [screen.is_dimmed(row) for row in range(3)], [True, False, False])
        self.assertEqual(
            [screen.is_reversed(row) for row in range(3)], [False, True, False])

    def test_bright_colours_are_not_bold_and_numbers_of_a_colour_are_no_styles(self):
        screen = self.draw(r"\033[103ma\033[49mb\033[38;5;2mc\033[39md\033[48;2;1;2;22;1me\033[m")
        looks = [cell[1:] for cell in screen.cells[0][:5]]
        plain = [False] * 5
        self.assertEqual(looks[1], ("default", "default", *plain))
        self.assertEqual(looks[3], looks[1])
        # The others have one style at most: e is bold.
        self.assertEqual([list(look[2:]) for look in looks], [plain] * 4 + [[True, *plain[1:]]])
        self.assertEqual(looks[4][1], "010216")

    def test_a_lower_window_drops_empty_rows_before_it_scrolls(self):
        screen = self.draw(r"one\ntwo\nthree")
        screen.resize(4, 10)
        self.assertEqual(screen.lines, ["one", "two", "three.", ""])
        screen.resize(2, 10)
        self.assertEqual((screen.scrollback, screen.lines), (["one"], ["two", "three."]))
