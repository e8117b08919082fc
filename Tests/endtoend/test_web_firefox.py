"""The page of a session in Firefox: what another browser could do differently. test_web_page has all else."""

import unittest

from Tests.endtoend import test_web_page
from Tests.endtoend.firefox import Firefox, why_no_firefox

CONTROL, ENTER, ESCAPE, UP, TAB, BACKSPACE = "\ue009", "\ue007", "\ue00c", "\ue013", "\ue004", "\ue003"


@unittest.skipIf(why_no_firefox(), why_no_firefox())
class FirefoxTests(test_web_page.BrowserTest):
    browser_type = Firefox

    def wait_typed(self, expected):
        self.browser.wait_for(lambda: self.mock.typed == expected, f"{expected!r}, not {self.mock.typed!r}")

    def test_keys_and_lines(self):
        self.open(history="U-Boot\r\n=> ")
        self.browser.wait_for_text("#screen", "U-Boot\n=>")
        self.browser.click("#screen")
        self.browser.type("lsü", ENTER, UP, TAB, BACKSPACE)
        self.browser.chord(CONTROL, "c")
        self.wait_typed("lsü\r\x1b[A\t\x7f\x03")
        self.mock.messages.clear()
        self.browser.click("#text")
        self.browser.type("version", ENTER)
        self.wait_typed("version\r")
        self.browser.open_drawer("options")
        self.browser.click("#typing")
        self.browser.click("#bar")
        self.browser.click("#options .close")
        self.mock.messages.clear()
        self.browser.click("#text")
        self.browser.type("ab", BACKSPACE)
        self.browser.click("#keybar [aria-label='Ctrl-C']")
        self.browser.type("x", ENTER, BACKSPACE)
        self.wait_typed("ab\x7f\x03x\r\x7f")

    def test_commands(self):
        self.open()
        self.browser.click("#screen")
        self.browser.chord(CONTROL, "k")
        self.browser.type("baud", ENTER)
        self.browser.find("#argument-baud-argument")
        self.browser.type("31250", ENTER)
        self.assertEqual(self.mock.wait_for("baud")["argument"], "31250")
        self.browser.chord(CONTROL, "k")
        self.browser.type(ESCAPE)
        self.browser.wait_for(lambda: self.browser.run("return document.activeElement.id") == "keys", "the terminal")
        self.browser.chord(CONTROL, "k")
        self.browser.chord(CONTROL, "k")
        self.wait_typed("\x0b")

    def test_the_pen_and_people(self):
        self.open()
        self.mock.say_people("other", [(1, "max")])
        self.browser.wait_for_text("#pen-text", "max has the pen")
        self.browser.click("#pen-actions [data-name=ask-pen]")
        self.mock.wait_for("ask-pen")
        self.mock.say_people("mine", [(1, "max")])
        self.browser.open_drawer("people")
        self.browser.click("[aria-label='Give the pen to max']")
        self.assertEqual(self.mock.wait_for("give-pen")["to"], 1)

    def test_sequences(self):
        self.open()
        table = test_web_page.ScreenTests.TABLE
        shown = self.browser.run_async(
            test_web_page.SCREEN + "return arguments_[0].map((text) => show([text], 20, 5, 100));", [text for _, text, _ in table])
        for (what, _, expected), ours in zip(table, shown, strict=True):
            with self.subTest(what):
                self.assertEqual(ours["lines"], expected)
                self.assertEqual(ours["drawn"][-len(expected):], expected)

    def test_every_view_fits_and_axe_finds_nothing(self):
        self.open(history="x" * 500)
        self.mock.say_people("other", [(1, "a-name-without-any-space-that-is-very-long-indeed")])
        for width in (1280, 360):
            self.browser.resize(width, 740)
            for view in (None, "people", "files", "options", "plot", "commands"):
                with self.subTest(view, width=width):
                    if view == "commands":
                        self.browser.click("#commands-button")
                    elif view:
                        self.browser.open_drawer(view)
                    self.assertEqual(self.browser.run("return document.documentElement.scrollWidth - innerWidth"), 0)
                    self.assertEqual(self.browser.faults(), [])
            self.browser.click("#palette-close")
