"""The page of a session, in a browser, with a server that plays the session (servers/web_mock.py)."""

import base64
import json
import random
import re
import unittest

from Tests.endtoend.browser import Browser, axe, why_no_browser
from Tests.endtoend.faults import record
from Tests.endtoend.harness import wait_until

WHY_NOT = why_no_browser()
try:
    from Tests.endtoend.servers.web_mock import COMMANDS, SVG, WebMock, argument, choice
except ImportError:
    WHY_NOT = WHY_NOT or "needs python3-websockets"

try:
    import jsonschema
except ImportError:
    jsonschema = None

# Makes a screen in the page, writes pieces of text to it, and returns what it shows. A piece that is an object names
# methods of the screen that are called, with their argument.
SCREEN = """
const { Screen } = await import(new URL('screen.js', location.href.replace(/#.*/, '')).href);
const show = (pieces, columns, rows, limit) => {
  const element = document.createElement('div');
  const screen = new Screen(element, { columns, rows, limit });
  for (const piece of pieces) {
    if (typeof piece === 'string') screen.write(piece);
    else for (const [name, argument] of Object.entries(piece)) screen[name](argument);
  }
  screen.render();
  const styles = [...element.children].map((row) => [...row.querySelectorAll('span')].map((span) =>
    [span.textContent, span.className.replace(/ ?cursor/, ''), span.style.color, span.style.background].join('|')));
  return {
    lines: screen.lines(), all: screen.lines(true), x: screen.x, y: screen.y, styles,
    drawn: [...element.children].map((row) => row.textContent.trimEnd()), wrapped: element.querySelectorAll('.wrapped').length,
  };
};
"""


class BrowserTest(unittest.TestCase):
    """Has one browser for all tests of a class. Each test has a server, and with it an origin, of its own."""

    browser_type = Browser

    @classmethod
    def setUpClass(cls):
        cls.browser = cls.enterClassContext(cls.browser_type())

    def setUp(self):
        self.mock = self.enterContext(WebMock())

    def tearDown(self):
        complaints = self.browser.complaints()
        self.browser.reset()
        self.assertEqual(complaints, [], "the browser complains")

    def open(self, **members):
        """Opens the page, and waits until it has joined the session."""
        for name, value in members.items():
            setattr(self.mock, name, value)
        self.browser.open(self.mock.address)
        self.browser.wait_for_text("#state", "open")
        self.browser.find("#commands [data-name=break]")


@unittest.skipIf(WHY_NOT, WHY_NOT)
class ScreenTests(BrowserTest):
    def setUp(self):
        super().setUp()
        self.open()

    def show(self, *pieces, columns=20, rows=5, limit=100):
        return self.browser.run_async(
            SCREEN + "return show(...arguments_);", list(pieces), columns, rows, limit)

    TABLE = (
        ("text", "hello\r\nworld", ["hello", "world"]),
        ("a line feed alone goes straight down", "ab\ncd", ["ab", "  cd"]),
        ("a carriage return", "hello\rJ", ["Jello"]),
        ("backspace", "abc\b\bX", ["aXc"]),
        ("tab", "a\tb", ["a       b"]),
        ("long lines wrap", "0123456789012345678901234", ["01234567890123456789", "01234"]),
        ("without wrapping", "\x1b[?7l0123456789012345678901234", ["01234567890123456784"]),
        ("left, right", "abc\x1b[2DX\x1b[3CY", ["aXc  Y"]),
        ("up, down", "a\r\nb\r\nc\x1b[2AX\x1b[BY", ["aX", "b Y", "c"]),
        ("the next and the former line", "ab\x1b[Ecd\x1b[Fx", ["xb", "cd"]),
        ("a new line", "ab\x1bEc\x1bDd", ["ab", "c", " d"]),
        ("a position", "\x1b[3;4Hx\x1b[fy", ["y", "", "   x"]),
        ("a column, a row", "abc\x1b[2GX\x1b[3dY\x1b[1`Z", ["aXc", "", "Z Y"]),
        ("erase to the end", "abcdef\x1b[3D\x1b[K", ["abc"]),
        ("erase from the beginning", "abcdef\x1b[3D\x1b[1K", ["    ef"]),
        ("erase the line", "abcdef\x1b[2Kx", ["      x"]),
        ("erase below", "ab\r\ncd\r\nef\x1b[2;2H\x1b[J", ["ab", "c", ""]),
        ("erase above", "ab\r\ncd\r\nef\x1b[2;1H\x1b[1J", ["", " d", "ef"]),
        ("erase all", "ab\r\ncd\x1b[2Jx", ["", "  x"]),
        ("not the scrollback", "ab\x1b[3Jc", ["abc"]),
        ("insert characters", "abc\x1b[2D\x1b[2@XY", ["aXYbc"]),
        ("delete characters", "abcdef\x1b[1G\x1b[2P", ["cdef"]),
        ("erase characters", "abcdef\x1b[2G\x1b[2X", ["a  def"]),
        ("insert a line", "a\r\nb\x1b[1;1H\x1b[Lx", ["x", "a", "b", "", ""]),
        ("delete a line", "a\r\nb\r\nc\x1b[1;1H\x1b[M", ["b", "c", "", "", ""]),
        ("a scroll region", "1\r\n2\r\n3\r\n4\r\n5\x1b[2;4r\x1b[4;1H\nx", ["1", "3", "4", "x", "5"]),
        ("up at the top of a region", "1\r\n2\r\n3\r\n4\r\n5\x1b[2;4r\x1b[2;1H\x1bMx", ["1", "x", "2", "3", "5"]),
        ("scrolled up and down", "1\r\n2\r\n3\r\n4\r\n5\x1b[2S\x1b[T", ["", "3", "4", "5", ""]),
        ("a saved cursor", "ab\x1b7\r\ncd\x1b8X\x1b[s\r\n\x1b[uY", ["abXY", "cd"]),
        ("a repeated character", "a\x1b[3b", ["aaaa"]),
        ("after any other character", "ab\r\n\x1b[31m\x1b[2b", ["ab", "bb"]),
        ("tab stops", "\x1b[2Ix\x1b[2Zy", ["        y       x"]),
        ("tab stops that are set", "\x1b[3g\x1b[4G\x1bH\x1b[9G\x1bH\rx\ty\tz", ["x  y    z"]),
        ("movement by them", "\x1b[3g\x1b[4G\x1bH\x1b[9G\x1bH\r\x1b[2Ix\x1b[2Zy", ["   y    x"]),
        ("a tab stop that is cleared", "\x1b[9G\x1b[g\rx\ty", ["x               y"]),
        ("no tab stops", "\x1b[3gx\ty", ["x                  y"]),
        ("a tab in a full row", "01234567890123456789\tx", ["01234567890123456789", "x"]),
        ("rows that count from a region", "1\r\n2\r\n3\r\n4\r\n5\x1b[2;4r\x1b[?6hx\x1b[9;2Hy\x1b[2dz\x1b[?6lw", [
            "w", "x", "3 z", "4y", "5"]),
        ("which is saved with the cursor", "\x1b[2;4r\x1b[?6h\x1b7\x1b[?6l\x1b8\x1b[Hx", ["", "x"]),
        ("down in a region", "\x1b[2;3r\x1b[2;1H\x1b[4Bx", ["", "", "x"]),
        ("down out of it", "\x1b[2;3r\x1b[2;1H\x1b[4ex", ["", "", "", "", "x"]),
        ("lines in a region", "1\r\n2\r\n3\r\n4\r\n5\x1b[2;4r\x1b[3;1H\x1b[L\x1b[5;1H\x1b[M\x1b[2;1H\x1b[M", [
            "1", "", "3", "", "5"]),
        ("scrolled in a region", "1\r\n2\r\n3\r\n4\r\n5\x1b[2;4r\x1b[2S\x1b[T", ["1", "", "4", "", "5"]),
        ("insert mode", "abc\r\x1b[4hXY\x1b[4lZ", ["XYZbc"]),
        ("insert mode in full rows", "0123456789012345678901\x1b[H\x1b[4hxy\x1b[20Gzw", [
            "xy01234567890123456z", "w01"]),
        ("insert mode with wide characters", "你好\x1b[2G\x1b[4h世x", [" 世x 好"]),
        ("a screen that is filled", "ab\x1b[2;3r\x1b#8x\x1b[5;1H\ny", [*4 * ("E" * 20,), "y"]),
        ("erase to the end of a full row", "01234567890123456789\x1b[K", ["0123456789012345678"]),
        ("erase from the beginning of a full row", "01234567890123456789\x1b[1K", [""]),
        ("erase what is not protected", "abcdef\x1b[3D\x1b[?K\r\nxyz\x1b[?1J", ["", ""]),
        ("erase nothing", "ab\r\x1b[3K\x1b[4J", ["ab"]),
        ("a mark without a character", "ab\x1b[5C\u0301x", ["ab     x"]),
        ("the alternate screen", "ab\x1b[?1049hcd", ["  cd", "", "", "", ""]),
        ("it is left", "ab\x1b[?1049h\x1b[3;1HX\x1b[?1049lc", ["abc"]),
        ("it is left with what was saved", "\x1b[2;4r\x1b[?6ha\x1b[?1049h\x1b[?6lX\x1b[?1049lb\x1b[Hc", ["", "cb"]),
        ("shown twice", "ab\x1b[?1049hcd\x1b[?1049h\x1b[HX\x1b[?1049lc", ["abc"]),
        ("left twice", "ab\x1b[?1049hcd\x1b[?1049l\x1b[?1049lc", ["abc"]),
        ("the cursor stays", "ab\x1b[?47hcd\x1b[?47le", ["ab  e"]),
        ("the alternate screen is kept", "ab\x1b[?47hcd\x1b[?47l\x1b[?1047he", ["  cde", "", "", "", ""]),
        ("or cleared", "ab\x1b[?1047hcd\x1b[?1047le\x1b[?47hf", ["     f", "", "", "", ""]),
        ("each screen has a saved cursor", "ab\x1b7\x1b[?47h\x1b[2;5H\x1b7\x1b[?47l\x1b8X\x1b[?47h\x1b8Y\x1b[?47l", [
            "abX", ""]),
        ("the cursor is saved by a mode", "ab\x1b[?1048h\r\ncd\x1b[?1048lX", ["abX", "cd"]),
        ("wide characters", "你好x", ["你好x"]),
        ("half of a wide character is overwritten", "你好\x1b[2Gx", [" x好"]),
        ("a wide character that has no room", "0123456789012345678你", ["0123456789012345678", "你"]),
        ("marks", "e\u0301x", ["e\u0301x"]),
        ("an unbounded number of marks", "e" + "\u0301" * 500, ["e" + "\u0301" * 15]),
        ("emoji", "😀x\x1b[3Gy", ["😀y"]),
        ("a flag", "🇩🇪x\x1b[3Gy", ["🇩🇪y"]),
        ("unknown sequences", "a\x1b[5nb\x1b[>cc\x1b[!pd\x1b(Be\x1b=f", ["abcdef"]),
        ("markup", "<img onerror=x> </script> &amp;", ["<img onerror=x> </sc", "ript> &amp;"]),
        ("a bell", "a\x07b", ["ab"]),
        ("numbers beyond measure", "a\x1b[9999999999Cb\x1b[999999;99999Hc", [
            "a                  b", "", "", "", "                   c"]),
    )

    def test_sequences(self):
        for what, text, expected in self.TABLE:
            with self.subTest(what):
                shown = self.show(text)
                self.assertEqual(shown["lines"], expected)
                self.assertEqual(shown["drawn"][-len(expected):], expected)
                self.assertEqual(self.show(*text)["lines"], expected, "character by character")

    def test_an_unfinished_sequence_is_bounded(self):
        self.assertEqual(self.show("a\x1b[" + "1" * 100, "mb", columns=200)["lines"][0][:3], "a[1")

    def test_colours_and_styles(self):
        table = (
            ("\x1b[1;31mx", "x|tb f1||"), ("\x1b[94;4mx", "x|tu f12||"), ("\x1b[42mx", "x|on b2||"),
            ("\x1b[7mx", "x|on inverse||"), ("\x1b[7;31mx", "x|on b1||"), ("\x1b[31;7;42mx", "x|on f2 b1||"),
            ("\x1b[38;5;9mx", "x|f9||"), ("\x1b[38;5;208mx", "x||rgb(255, 135, 0)|"),
            ("\x1b[48;5;244mx", "x|on||rgb(128, 128, 128)"), ("\x1b[38;2;1;2;3mx", "x||rgb(1, 2, 3)|"),
            ("\x1b[38:2::1:2:3mx", "x||rgb(1, 2, 3)|"), ("\x1b[38;2;999;2;3;1mx", "x|tb|rgb(255, 2, 3)|"))
        for text, expected in table:
            with self.subTest(text):
                self.assertEqual(self.show(text + "\x1b[m")["styles"][0][0], expected)
        self.assertEqual(self.show("\x1b[1;31;7mx\x1b[22;27;39my")["styles"][0], ["x|tb on b1||", " |||"])

    def test_what_is_erased_has_the_background(self):
        row = [f"{' ' * 20}|on b1||"]
        for what, text, expected in (
                ("the end of a row", "\x1b[44mabc\x1b[2G\x1b[41m\x1b[K", [["a|on b4||", f"{' ' * 19}|on b1||"]]),
                ("deleted characters", "\x1b[41mab\r\x1b[P", [["b|on b1||", " |on b1||"]]),
                ("a row below the others", "a\x1b[5;1H\x1b[41m\n", [[], [], [], [], [], row]),
                ("an inserted line", "a\r\nb\x1b[41m\x1b[L", [[], row, [], [], []]),
                ("the alternate screen", "\x1b[41m\x1b[?1049h\x1b[3;3H\x1b[mx", [
                    row, row, ["  |on b1||", f"{' ' * 17}|on b1||"], row, row])):
            with self.subTest(what):
                self.assertEqual(self.show("\x1b[?25l" + text)["styles"], expected)

    # Lines, the last of which the cursor is in.
    LINES = "".join(f"\x1b[3{i % 8}mline {i}\x1b[m\r\n" for i in range(12)) + "$ vim"
    # What a full-screen program of five rows draws, with all that scrolls. It ends in the last row.
    DRAWING = (
        "\x1b[?1049h\x1b[41m\x1b[2J\x1b[m\x1b[Htop\x1b[3;5Hx\x1b[5;1H" + "down\r\n" * 200 + "\x1b[3S\x1bD\x1b[2;4r\x1b[4;1H\n\n"
        "\x1b[2;1H\x1bM\x1bM\x1b[r\x1b[2J\x1b[Hfirst\x1b[5;1Hlast")
    DRAWN = ["first", "", "", "", "last"]

    def test_the_alternate_screen_leaves_no_trace(self):
        render = {"render": None}
        for what, text in (("many lines", self.LINES), ("few lines", "a\r\nb"), ("none", "")):
            with self.subTest(what):
                before = self.show(text)
                inside = self.show(text, render, self.DRAWING)
                self.assertEqual(inside["lines"], self.DRAWN)
                self.assertEqual(inside["all"], before["all"][:-len(before["lines"])] + self.DRAWN)
                self.assertEqual(inside["drawn"], inside["all"])
                self.assertEqual((inside["x"], inside["y"]), (4, 4))
                left = [self.DRAWING, "\x1b[?1049l"]
                for how, pieces in (
                        ("drawn all the time", [render, left[0], render, left[1]]), ("drawn at its end", left),
                        ("twice", [render, *left, render, *left]), ("twice without drawing", left + left)):
                    with self.subTest(how):
                        self.assertEqual(self.show(text, *pieces), before)
                self.assertEqual(
                    self.show(text, *left, "\r\nmore\r\n" * 9), self.show(text, "\r\nmore\r\n" * 9), "it goes on")
        change = "\x1b[HX\x1b[3;1H"
        self.assertEqual(
            self.show("a\r\nb\r\n", render, change + self.DRAWING, render, "\x1b[?1049l"),
            self.show("a\r\nb\r\n" + change), "what has changed just before")

    def test_the_rows_are_bounded_while_the_alternate_screen_is_shown(self):
        pieces = [self.LINES, self.DRAWING, *({"note": f"note {i}"} for i in range(200))]
        notes = [f"note {i}" for i in range(195, 200)]
        self.assertEqual(self.show(*pieces, limit=10)["all"], notes + self.DRAWN)
        shown = self.show(*pieces, "\x1b[?1049l", limit=10)
        self.assertEqual(shown["all"], [*notes, *(f"line {i}" for i in range(8, 12)), "$ vim"])

    def test_a_note_stays_out_of_the_alternate_screen(self):
        before = self.show(self.LINES)
        shown = self.show(self.LINES, {"render": None}, self.DRAWING, {"render": None}, {"note": "left out"}, "x")
        self.assertEqual(shown["lines"], [*self.DRAWN[:4], "lastx"])
        self.assertEqual(shown["drawn"][-6:], ["left out", *shown["lines"]])
        self.assertEqual(shown["styles"][-6], ["left out|note||"])
        shown = self.show(self.LINES, self.DRAWING, {"note": "left out"}, "\x1b[?1049l")
        self.assertEqual((shown["lines"], shown["x"], shown["y"]), (before["lines"], before["x"], before["y"]))
        self.assertEqual(shown["all"][:-5], [*before["all"][:-5], "left out"])

    def test_a_note_does_not_depend_on_what_the_device_has_set(self):
        shown = self.show("\x1b[5;1Hab\x1b[41m\x1b[4h\x1b[?7l", {"note": "left out"}, "x\ry")
        self.assertEqual(shown["lines"], ["", "", "ab", "left out", "yx"])
        self.assertEqual(shown["styles"][-2:], [["left out|note||"], ["y|on b1||", "x|on b1||"]])

    def test_it_is_cleared_with_all_that_the_device_has_set(self):
        pieces = ["old\x1b[2;4r\x1b[?6h\x1b[3g\x1b[4h\x1b7\x1b[?1049h\x1b7cd", {"clear": None}, "a\tb\rX\x1b[?1049lY"]
        self.assertEqual(self.show(*pieces)["lines"], ["Y       b"])
        self.assertEqual(self.show(*pieces[:2], "\x1b[3;4r\x1b[Hz")["lines"], ["z"])
        self.assertEqual(self.show(*pieces, "\x1b[?47h")["lines"], ["", "", "", "", ""])

    def test_a_row_that_is_erased_does_not_go_on_from_the_one_above(self):
        for text, count in (("", 1), ("\x1b[K", 1), ("\x1b[2K", 0), ("\x1b[H\x1b[J", 0), ("\x1b[2J", 0), ("\x1b#8", 0)):
            with self.subTest(text):
                self.assertEqual(self.show("x" * 30 + text)["wrapped"], count)

    def test_another_width_keeps_text_and_the_cursor_in_sight(self):
        table = (
            ("the text", ["0123456789", {"resize": 5}], ["0123456789"]),
            ("until it is erased", ["0123456789", {"resize": 5}, "\x1b[3G\x1b[K"], ["01"]),
            ("not half of it", ["0123456789", {"resize": 5}, "\x1b[2G\x1b[P"], ["0234"]),
            ("the other screen", [
                "0123456789", {"resize": 5}, "\x1b[?1049h\x1b[Habcdefg", {"resize": 20}, "\x1b[?1049lx"], ["01234x6789"]),
            ("the tab stops", ["\x1b[3g\x1b[4G\x1bH", {"resize": 40}, "\r\tx\ty"], ["   x" + " " * 35 + "y"]))
        for what, pieces, expected in table:
            with self.subTest(what):
                self.assertEqual(self.show(*pieces)["lines"], expected)

    def test_rows_are_bounded(self):
        shown = self.show("".join(f"line {i}\r\n" for i in range(1000)))
        self.assertEqual(shown["all"], [f"line {i}" for i in range(901, 1000)] + [""])
        self.assertEqual(shown["drawn"][-2:], ["line 999", ""])

    def test_all_rows_are_drawn_when_it_is_calm_again(self):
        self.mock.receive("".join(f"line {i}\r\n" for i in range(3000)))
        self.browser.wait_for(
            lambda: self.browser.run("return document.querySelectorAll('.row').length") == 3001, "3,001 rows")
        self.assertEqual(
            self.browser.run("return [...document.querySelectorAll('.row')].map((row) => row.textContent.trimEnd())"),
            [f"line {i}" for i in range(3000)] + [""])

    def test_a_flood_does_not_freeze_the_page(self):
        """A megabyte a second for three seconds."""
        self.browser.run("""
            [window.longest, window.drawn] = [0, 0];
            let last = performance.now();
            const frame = () => {
              const now = performance.now();
              [longest, last] = [Math.max(longest, now - last), now];
              drawn += 1;
              requestAnimationFrame(frame);
            };
            frame();""")
        line = "\x1b[32mI (12345) sensor: 21.5 degrees\x1b[0m, humidity 40 % and more words in it\r\n"
        piece = line * (20_000 // len(line))
        used = self.browser.processor_seconds()
        self.browser.run_async("""
            const [piece, pieces] = arguments_;
            const { Screen } = await import(new URL('screen.js', location.href.replace(/#.*/, '')).href);
            window.flooded = new Screen(document.getElementById('screen'), { columns: 100 });
            for (let sent = 0; sent < pieces; sent += 1) {
              flooded.write(piece);
              await new Promise((resolve) => setTimeout(resolve, 20));
            }""", piece, 150)
        record("web", "longest frame of the page in a flood", self.browser.run("return longest"), "ms", at_most=1000)
        # A frame that waits for a processor takes longer. So that is no verdict.
        used, drawn = self.browser.processor_seconds() - used, self.browser.run("return drawn")
        print(f"    a frame of a flood took {1000 * used / drawn:.0f} ms of a processor")
        self.assertLess(used / drawn, 0.5)


@unittest.skipIf(WHY_NOT, WHY_NOT)
class PageTests(BrowserTest):
    def screen_text(self):
        return self.browser.text("#screen")

    def close_commands(self):
        self.browser.click("#palette-close")

    def actions(self):
        """The buttons beside the text about the pen."""
        return self.browser.run("return [...document.querySelectorAll('#pen-actions button')].map((each) => each.textContent)")

    def reason(self, name):
        """The reason that a command shows; None if it is on."""
        button = self.browser.find(f"#commands [data-name='{name}']")
        # Both at one time: the command may change in between.
        shown, is_off = self.browser.run(
            "return [arguments[0].querySelector('.reason').innerText, arguments[0].ariaDisabled === 'true']", button)
        self.assertEqual(is_off, bool(shown))
        return shown or None

    # Opening

    def test_it_shows_the_session(self):
        self.open(history="U-Boot 2026.07\r\n=> ")
        self.assertEqual(self.mock.messages[0], {"command": "hello", "token": "secret", "name": ""})
        self.browser.wait_for_text("#screen", "U-Boot 2026.07\n=>")
        self.assertEqual(self.browser.text("h1"), "/dev/ttyUSB0")
        self.assertEqual(self.browser.text("#settings"), "115200 8N1")
        self.assertRegex(self.browser.run("return document.getElementById('lines').textContent"), "DTR on.*DSR off")
        self.assertEqual(self.browser.driver.title, "/dev/ttyUSB0 – serialterm")

    def test_a_refused_token_says_what_to_do_and_ends_it(self):
        self.browser.open(self.mock.address.replace("secret", "guess"))
        self.browser.wait_for_text("#banner", "This link is not valid. Open the link that serialterm has printed.")
        self.browser.find("#text")
        self.assertEqual(len(self.mock.sent("hello")), 1)
        # It does not try again by itself.
        self.assertFalse(self.browser.run("return document.getElementById('retry').checkVisibility()"))

    def test_several_sessions_are_chosen_from(self):
        self.mock.sessions = [
            WebMock.session("4711:0", "/dev/ttyUSB0", ["max"], "max"), WebMock.session("4712:0", "/dev/ttyACM0")]
        self.browser.open(self.mock.address)
        self.browser.wait_for_text("#sessions-list", "open · max · pen: max")
        self.assertEqual(self.mock.sent("join"), [])
        self.browser.click("[aria-label='Join /dev/ttyACM0']")
        self.browser.wait_for_text("h1", "/dev/ttyACM0")
        self.assertEqual(self.mock.sent("join")[0]["session"], "4712:0")
        self.browser.find("[aria-label='Joined: /dev/ttyACM0'][aria-disabled]")
        # The list opens by itself only while there is something to choose.
        self.assertEqual(self.browser.run("return document.getElementById('sessions').hidden"), True)
        self.browser.click("[data-drawer=sessions]")
        self.browser.wait_for_text("#sessions-list", "/dev/ttyUSB0")

    def test_the_list_of_sessions_opens_once(self):
        self.mock.sessions = [WebMock.session(f"471{each}:0", f"/dev/ttyUSB{each}") for each in range(2)]
        self.browser.open(self.mock.address)
        self.browser.wait_for_text("#sessions-list", "/dev/ttyUSB1")
        self.browser.open_drawer("people")
        self.browser.click("#name")
        self.browser.type("an")
        self.mock.list_sessions(*self.mock.sessions, WebMock.session("4719:0", "/dev/ttyACM0"))
        self.browser.wait_for_text("#sessions-list", "/dev/ttyACM0")
        self.browser.type("na")
        self.assertEqual(self.browser.run("return document.getElementById('name').value"), "anna")
        self.browser.click("#people .close")
        self.browser.open_drawer("sessions")
        self.browser.click("[aria-label='Join /dev/ttyACM0']")
        self.browser.wait_for(lambda: self.browser.run("return document.activeElement.id") == "keys", "the terminal")

    def test_a_name_is_kept(self):
        self.open()
        self.browser.open_drawer("people")
        self.browser.click("#name")
        self.browser.type("anna\n")
        # The connection stays, and with it the pen.
        self.mock.wait_for("name", lambda name: name["argument"] == "anna")
        self.browser.wait_for_text("#people-list", "anna")
        # The session may have another anna.
        self.mock.say_commands({"name": "name", "value": "anna (2)"})
        self.browser.wait_for_text("#people-list", "anna (2)")
        self.browser.driver.refresh()
        wait_until(lambda: len(self.mock.sent("hello")) == 2, "a second hello")
        self.assertEqual(self.mock.sent("hello")[1]["name"], "anna")

    # The pen and keys

    def test_keys_with_the_pen(self):
        from selenium.webdriver.common.keys import Keys

        self.open()
        self.browser.click("#screen")
        self.browser.type("ls -l", Keys.ENTER, Keys.ARROW_UP, Keys.BACKSPACE, Keys.TAB, Keys.HOME, Keys.DELETE, Keys.F10, "ü€")
        self.browser.chord(Keys.CONTROL, "c")
        self.browser.chord(Keys.CONTROL, "[")
        self.browser.chord(Keys.ALT, "b")
        expected = "ls -l\r\x1b[A\x7f\t\x1b[H\x1b[3~\x1b[21~ü€\x03\x1b\x1bb"
        self.browser.wait_for(lambda: self.mock.typed == expected, f"{expected!r}, not {self.mock.typed!r}")

    def test_keys_of_the_cursor_are_those_that_the_device_wants(self):
        from selenium.webdriver.common.keys import Keys

        self.open(history="\x1b[?1hmenu")
        self.browser.wait_for_text("#screen", "menu")
        self.show_keys(has_others=False)
        self.browser.click("#screen")
        keys = (Keys.ARROW_UP, Keys.HOME, Keys.END, Keys.DELETE, Keys.F1)
        self.browser.type(*keys)
        self.browser.click("#keybar [aria-label='Arrow Down']")
        expected = "\x1bOA\x1bOH\x1bOF\x1b[3~\x1bOP\x1bOB"
        self.browser.wait_for(lambda: self.mock.typed == expected, f"{expected!r}, not {self.mock.typed!r}")
        self.mock.receive("\x1b[?1l normal")
        self.browser.wait_for_text("#screen", "normal")
        self.browser.type(*keys)
        expected += "\x1b[A\x1b[H\x1b[F\x1b[3~\x1bOP"
        self.browser.wait_for(lambda: self.mock.typed == expected, f"{expected!r}, not {self.mock.typed!r}")

    def test_keys_at_the_text_go_to_the_device(self):
        self.open()
        self.browser.run("document.getElementById('screen').focus()")
        self.browser.type("ok\n")
        self.browser.wait_for(lambda: self.mock.typed == "ok\r", "ok and Enter")

    def test_keys_wait_for_the_answer_and_stay_in_order(self):
        self.open(answers={"send": lambda message: None})
        self.browser.click("#screen")
        self.browser.type("abc")
        first = self.mock.wait_for("send")
        self.assertEqual(first["text"], "a")
        self.mock.answers = {}
        self.mock.send("done", id=first["id"])
        self.browser.wait_for(lambda: self.mock.typed == "abc", "the others")

    def test_keys_without_the_pen_are_not_sent(self):
        self.open()
        self.mock.say_people("other", [(1, "max")])
        self.browser.wait_for_text("#pen", "Keys are not sent: max has the pen.")
        self.browser.click("#screen")
        self.browser.type("rm")
        self.browser.wait_for_text("#pen", "2 not sent")
        self.mock.say_people("mine", [(1, "max")])
        self.browser.wait_for_text("#pen", "You have the pen")
        self.browser.type("x")
        self.browser.wait_for(lambda: self.mock.typed == "x", "only what was typed with the pen")

    def test_names_are_shown_as_they_were_typed(self):
        self.open()
        for name in ("max", "Max", "nobody", "élan", "Ünal"):
            with self.subTest(name):
                self.mock.answers = {"statistics": lambda message, name=name: {"reason": f"{name} has the pen"}}
                self.mock.say_people("other", [(1, name)])
                self.browser.wait_for_text("#pen-text", f"Keys are not sent: {name} has the pen.")
                # The drawer is closed.
                shown = self.browser.run("return document.getElementById('upload-reason').textContent")
                self.assertEqual(shown, f"{name} has the pen")
                self.browser.click("#text")
                self.browser.type("x\n")
                self.browser.wait_for_text("#status", f"Not sent: {name} has the pen.")
                self.browser.choose_command("statistics")
                self.browser.wait_for_text("#status", f"Not done: {name} has the pen.")
                self.mock.say_commands({"name": "break", "reason": f"{name} has the pen", "code": "pen-held"})
                self.browser.wait_for(lambda: self.reason("break") == f"{name} has the pen", "the command's reason")
                self.browser.choose_command("break")
                self.browser.wait_for_text("#palette-text", f"Not available: {name} has the pen.")
                self.close_commands()
        self.mock.say_people("free", [(1, "max")])
        self.browser.wait_for_text("#pen-text", "Keys are not sent: you are only watching.")

    def test_keys_while_the_device_is_away_are_not_sent(self):
        self.open()
        self.mock.send("state", state="waiting", node=None)
        self.mock.say_commands({"name": "send", "reason": "no device", "code": "no-device"})
        self.browser.wait_for_text("#pen", "Keys are not sent: no device.")
        self.browser.wait_for_text("#state", "waiting for the device")

    def test_whether_keys_are_sent_is_what_the_session_says(self):
        """Whatever its sentence is, with the pen or without."""
        self.open()
        self.show_keys()
        off = "return ['send', 'press'].map((id) => document.getElementById(id).ariaDisabled)"
        for reason in ("the board is asleep", "ask Ünal first!"):
            with self.subTest(reason):
                said = reason if reason.endswith("!") else f"{reason}."
                self.mock.say_commands({"name": "send", "reason": reason, "code": "busy"})
                self.browser.wait_for_text("#pen-text", f"Keys are not sent: {said}")
                self.assertEqual(self.browser.run(off), ["true", "true"])
                self.browser.click("#press")
                self.browser.wait_for_text("#status", f"Not sent: {said}")
                self.browser.click("#screen")
                self.browser.type("rm")
                self.browser.wait_for_text("#pen-text", "not sent.")
        self.browser.wait_for_text("#pen-text", "Keys are not sent: ask Ünal first! 4 not sent.")
        self.mock.say_commands({"name": "send", "reason": None})
        self.browser.wait_for_text("#pen-text", "You have the pen: keys go to the device.")
        self.assertEqual(self.browser.run(off), [None, None])
        self.browser.type("x")
        self.browser.click("#press")
        self.browser.wait_for(lambda: self.mock.typed == "x\x7f", "only what was typed when keys were sent")

    def test_the_pen_is_asked_for_and_given(self):
        self.open()
        self.browser.wait_for(lambda: self.actions() == [], "nothing to do while nobody else is here")
        self.mock.say_people("other", [(1, "max")])
        self.browser.wait_for(lambda: self.actions() == ["Ask for the pen"], "it can be asked for")
        self.browser.open_drawer("people")
        self.browser.find("[aria-label='Give the pen to max'][data-reason='max has the pen']")
        self.browser.click("#pen-actions button")
        self.mock.wait_for("ask-pen")
        self.mock.say_people("other", [(1, "max")], asking=True)
        self.browser.wait_for(lambda: self.actions() == ["Take the pen, unasked"], "it can be taken, too")
        self.browser.wait_for_text("#pen-text", "You have asked for it.")
        self.browser.click("#pen-actions button")
        self.mock.wait_for("take-pen")
        self.mock.say_people("mine", [(1, "max")])
        self.browser.wait_for(lambda: self.actions() == ["Give the pen back"], "there is nobody to keep it from")
        self.mock.say_people("mine", [{"id": 1, "name": "max", "program": False, "asks": True, "text": "reset"}])
        self.browser.wait_for_text("#pen", "max asks for the pen to send “reset”.")
        self.assertEqual(self.actions(), ["Give to max", "Keep"])
        self.browser.click("#pen-actions [data-name=keep-pen]")
        self.mock.wait_for("keep-pen")
        self.browser.click("#pen-actions [data-name=give-pen]")
        self.assertEqual(self.mock.wait_for("give-pen")["to"], 1)
        self.mock.say_people("mine", [(1, "max")])
        self.browser.wait_for(lambda: self.actions() == ["Give the pen back"], "the question is answered")
        self.browser.click("#pen-actions button")
        self.mock.wait_for("return-pen")
        self.mock.say_people("mine")
        self.browser.wait_for(lambda: self.actions() == [], "nobody else is here")

    def test_the_button_of_the_pen_keeps_the_focus(self):
        self.open()
        self.mock.say_people("other", [(1, "max")])
        self.browser.wait_for(lambda: self.actions() == ["Ask for the pen"], "it can be asked for")
        self.browser.run("document.querySelector('#pen-actions button').focus()")
        focus = "return document.activeElement.dataset.name ?? document.activeElement.id"
        self.mock.say_people("mine", [(1, "max")])
        self.browser.wait_for(lambda: self.browser.run(focus) == "return-pen", "the focus is at the other button")
        self.mock.say_people("mine")
        self.browser.wait_for(lambda: self.browser.run(focus) == "keys", "the focus is at the terminal")

    def show_keys(self, has_others=True):
        """Shows the buttons for keys."""
        self.browser.open_drawer("options")
        if self.browser.run("return document.getElementById('keybar').hidden"):
            self.browser.click("#bar")
        self.browser.click("#options .close")
        if has_others:
            self.browser.click("#more")

    def test_a_line_is_sent_with_or_without_enter(self):
        self.open()
        self.browser.click("#text")
        self.browser.type("version\n")
        self.browser.wait_for(lambda: self.mock.typed == "version\r", "version and Enter")
        self.browser.open_drawer("options")
        self.browser.click("#enter")
        self.browser.click("#text")
        self.browser.type("x\n")
        self.browser.wait_for(lambda: self.mock.typed == "version\rx", "x without Enter")

    def test_buttons_send_keys(self):
        self.open()
        self.show_keys()
        buttons = self.browser.run(
            "return [...document.querySelectorAll('#keybar > button:not(#more)')].map((each) => each.getAttribute('aria-label'))")
        self.assertEqual(buttons, [
            "Escape", "Tab", "Ctrl-C", "Ctrl-D", "Arrow Left", "Arrow Up", "Arrow Down", "Arrow Right", "Enter"])
        self.browser.click("#text")
        for name in buttons:
            self.browser.click(f"#keybar [aria-label='{name}']")
        expected = "\x1b\t\x03\x04\x1b[D\x1b[A\x1b[B\x1b[C\r"
        self.browser.wait_for(lambda: self.mock.typed == expected, f"{expected!r}, not {self.mock.typed!r}")
        # A phone keeps its keyboard.
        self.assertEqual(self.browser.run("return document.activeElement.id"), "text")
        self.browser.find("#special").send_keys("F12")
        self.browser.click("#press")
        self.browser.wait_for(lambda: self.mock.typed == expected + "\x1b[24~", "F12")
        self.browser.driver.refresh()
        self.browser.wait_for(lambda: self.browser.run("return !document.getElementById('keybar').hidden"), "it is kept")

    def type_at_once(self):
        self.open()
        self.browser.open_drawer("options")
        self.browser.click("#typing")
        self.show_keys(has_others=False)
        self.browser.click("#text")

    def test_a_line_is_sent_as_it_is_typed(self):
        self.type_at_once()
        self.browser.type("lz\bs")
        self.browser.wait_for(lambda: self.mock.typed == "lz\x7fs", "each key")
        # A keyboard of a phone completes words, and changes them.
        for value in ("ls 😀teh", "ls 😀the ", "ls"):
            self.browser.run("""
                const field = document.getElementById('text');
                field.value = arguments[0];
                field.dispatchEvent(new InputEvent('input', { bubbles: true, isComposing: true }));""", value)
        self.browser.wait_for(lambda: self.mock.typed == "lz\x7fs 😀teh\x7f\x7fhe " + "\x7f" * 6, "what has changed")
        self.mock.messages.clear()
        self.browser.type("\n")
        self.browser.wait_for(lambda: self.mock.typed == "\r", "Enter alone")
        self.assertEqual(self.browser.run("return document.getElementById('text').value"), "")
        # What is erased then is the device's.
        self.browser.type("\b")
        self.browser.wait_for(lambda: self.mock.typed == "\r\x7f", "backspace")
        # With a key, the line of the device is another one.
        self.browser.type("ver")
        self.browser.click("#keybar [aria-label=Tab]")
        self.browser.type("1")
        self.browser.wait_for(lambda: self.mock.typed == "\r\x7fver\t1", "what follows")
        self.assertEqual(self.browser.run("return document.getElementById('text').value"), "1")

    def test_a_line_that_cannot_be_sent_is_not_typed(self):
        self.type_at_once()
        self.browser.type("ok")
        self.browser.wait_for(lambda: self.mock.typed == "ok", "the keys")
        self.mock.say_commands({"name": "send", "reason": "no device", "code": "no-device"})
        self.browser.wait_for_text("#pen-text", "no device")
        self.browser.type("rm")
        self.browser.wait_for_text("#status", "Not sent: no device.")
        self.assertEqual(self.field(), "")
        self.assertEqual(self.mock.typed, "ok")

    def field(self):
        return self.browser.run("return document.getElementById('text').value")

    def test_what_was_typed_is_forgotten_when_it_is_no_longer_the_device_s_line(self):
        """Otherwise, Backspace would erase what somebody else has typed."""
        self.type_at_once()

        def lose_the_pen():
            self.mock.say_people("other", [(1, "max")])
            self.browser.wait_for_text("#pen-text", "max has the pen")
            self.mock.say_people("mine", [(1, "max")])
            self.browser.wait_for_text("#pen-text", "You have the pen")

        def type_in_the_terminal():
            self.browser.click("#screen")
            self.browser.type("x")

        def join_another():
            self.mock.list_sessions(*self.mock.sessions, WebMock.session("4712:0", "/dev/ttyACM0"))
            self.browser.open_drawer("sessions")
            self.browser.click("[aria-label='Join /dev/ttyACM0']")
            self.browser.wait_for_text("h1", "/dev/ttyACM0")
            self.browser.wait_for_text("#pen-text", "keys go to the device")

        def fail():
            self.mock.answers = {"send": lambda _: {"reason": "no room"}}
            self.browser.type("y")
            self.browser.wait_for_text("#status", "Not sent: no room")
            self.mock.answers = {}

        for change in (lose_the_pen, type_in_the_terminal, fail, join_another):
            with self.subTest(change.__name__):
                self.browser.click("#text")
                self.browser.type("ab")
                self.browser.wait_for(lambda: self.mock.typed.endswith("ab"), "the keys")
                change()
                self.browser.wait_for(lambda: self.field() == "", "an empty field")
                self.mock.messages.clear()
                self.browser.click("#text")
                self.browser.type("c\b")
                self.browser.wait_for(lambda: self.mock.typed == "c\x7f", f"the new keys alone, not {self.mock.typed!r}")

    def test_a_text_of_several_lines_is_pasted_as_such_or_not_at_all(self):
        self.open()
        paste = """
            const data = new DataTransfer();
            data.setData('text/plain', 'one\\ntwo\\n');
            document.getElementById('text').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, cancelable: true }));"""
        self.browser.run(paste)
        self.browser.wait_for_text("#status", "Not pasted: the text has several lines.")
        self.browser.open_drawer("options")
        self.browser.click("#typing")
        self.browser.run(paste)
        self.browser.wait_for(lambda: self.mock.typed == "one\rtwo\r", "both lines")

    def test_a_paste_is_sent_in_pieces(self):
        self.open()
        text = "".join(f"set {i} 😀\n" for i in range(1000))
        self.browser.run("""
            const data = new DataTransfer();
            data.setData('text/plain', arguments[0]);
            document.getElementById('keys').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, cancelable: true }));
            """, text)
        self.browser.wait_for(lambda: self.mock.typed == text.replace("\n", "\r"), "the whole paste")
        self.assertTrue(all(len(json.dumps(each)) < 16_384 for each in self.mock.sent("send")))

    def test_composed_text_is_sent_once(self):
        self.open()
        self.browser.click("#screen")
        self.browser.driver.execute_cdp_cmd(
            "Input.imeSetComposition", {"text": "ni", "selectionStart": 2, "selectionEnd": 2})
        self.browser.driver.execute_cdp_cmd("Input.insertText", {"text": "你"})
        self.browser.wait_for(lambda: self.mock.typed == "你", "the composed character")

    def test_a_copy_joins_wrapped_lines(self):
        self.open()
        long = "0123456789" * 30
        self.mock.receive(f"first\r\n{long}\r\nlast")
        self.browser.wait_for_text("#screen", "last")
        copied = self.browser.run("""
            getSelection().selectAllChildren(document.getElementById('screen'));
            const data = new DataTransfer();
            document.getElementById('screen').dispatchEvent(new ClipboardEvent('copy', { clipboardData: data, bubbles: true }));
            return data.getData('text/plain');""")
        self.assertEqual(copied.rstrip(), f"first\n{long}\nlast")

    # What the device sends

    def test_hostile_text_stays_text(self):
        self.open()
        hostile = "<img src=x onerror=\"document.title='owned'\"></script><script>document.title='owned'</script>"
        self.mock.receive(f"{hostile}\r\n\x1b]0;owned\x07 \x1b]52;c;b3duZWQ=\x1b\\ \x1bPq\x1b\\ \u202e\x9b5n")
        self.mock.receive("\r\nend")
        self.mock.say_people("other", [(1, hostile)])
        self.mock.say_commands({"name": "baud", "title": hostile, "value": hostile, "reason": hostile})
        self.mock.list_sessions(WebMock.session("4711:0", hostile, [hostile], hostile))
        self.mock.send("message", text=hostile)
        self.browser.wait_for_text("#screen", "end")
        self.browser.wait_for_text("#status", hostile)
        self.assertIn(hostile, self.screen_text().replace("\n", ""))
        self.assertNotIn("owned", self.browser.driver.title)
        self.assertEqual(self.browser.run("return document.querySelectorAll('img:not(#plot-image), body script').length"), 0)

    def test_missed_bytes_are_shown_and_counted(self):
        self.open()
        self.mock.receive("before")
        self.mock.send("missed", bytes=4096)
        self.mock.send("missed", bytes=4)
        self.mock.receive("after")
        self.browser.wait_for_text(
            "#screen", "before\n… 4,096 bytes left out: this page was too slow …\n… 4 bytes left out: this page was too slow …\nafter")
        self.browser.find(".note")
        self.assertEqual(self.browser.text("#missed"), "4,100 bytes left out")

    def test_the_text_follows_unless_the_user_has_scrolled(self):
        self.open()
        self.mock.receive("".join(f"line {i}\r\n" for i in range(100)))
        where = "const s = document.getElementById('screen'); return [s.scrollTop, s.scrollHeight - s.clientHeight - s.scrollTop]"
        self.browser.wait_for(lambda: self.browser.run(where)[0] > 100 and self.browser.run(where)[1] < 4, "the end")
        self.browser.run("document.getElementById('screen').scrollTop = 100")
        self.mock.receive("more\r\n" * 50)
        self.browser.wait_for_text("#screen", "more")
        self.assertEqual(self.browser.run(where)[0], 100)

    # Commands

    def test_commands_are_off_with_their_reasons_and_on_again(self):
        self.open()
        self.assertEqual(self.reason("stop"), "nothing runs")
        self.assertIsNone(self.reason("break"))
        self.mock.say_commands({"name": "break", "reason": "no device", "code": "no-device"})
        self.browser.wait_for(lambda: self.reason("break") == "no device", "break is off")
        self.browser.choose_command("break")
        self.browser.wait_for_text("#palette-text", "Not available: no device.")
        self.assertEqual(self.mock.sent("break"), [])
        self.mock.say_commands({"name": "break", "reason": None}, {"name": "stop", "reason": None})
        self.browser.wait_for(lambda: self.reason("break") is None and self.reason("stop") is None, "both are on")
        self.browser.choose_command("stop")
        self.mock.wait_for("stop")

    def test_the_session_says_which_commands_there_are(self):
        self.open()
        self.mock.say_commands(
            {"name": "frobnicate", "title": "do what no page knows", "users": ["page"], "arguments": [
                argument("text", "how", "manner")]},
            {"name": "only-others", "title": "not for pages", "users": ["person", "script", "agent"]},
            {"name": "fold", "title": "do it at once"})
        self.browser.wait_for_text("#commands", "do it at once")
        listed = self.browser.run("return [...document.querySelectorAll('#commands [data-name]')].map((each) => each.dataset.name)")
        # Those about the pen, and what sends keys, have a place of their own.
        elsewhere = {"send", "give-pen", "keep-pen"}
        self.assertEqual(sorted(listed), sorted(
            name for name, each in self.mock.commands.items() if "page" in each["users"] and name not in elsewhere))
        for name in ("only-others", "release", "local-echo", "snippet: reset"):
            self.assertNotIn(name, listed)
        self.browser.choose_command("fold")
        self.assertEqual(set(self.mock.wait_for("fold")), {"command", "id"})
        self.browser.choose_command("frobnicate")
        self.browser.find("#argument-frobnicate-manner").send_keys("gently\n")
        self.assertEqual(self.mock.wait_for("frobnicate")["manner"], "gently")
        self.mock.say_commands({"name": "fold", "title": "do it at once", "users": ["person"]})
        self.browser.wait_for(
            lambda: not self.browser.driver.find_elements("css selector", "#commands [data-name=fold]"), "it is not for pages any more")

    def test_what_runs_has_a_button_that_stops_it(self):
        self.open()
        shown = "const each = document.getElementById('stop'); return each.hidden ? '' : each.textContent"
        self.assertEqual(self.browser.run(shown), "")
        self.mock.say_commands({"name": "stop", "reason": None, "value": '"status"'})
        self.browser.wait_for(
            lambda: self.browser.run(shown) == 'Stop what is running: "status"', "something runs")
        self.browser.click("#stop")
        # A command that runs holds up the others; what runs behind its command has none to cancel.
        self.mock.wait_for("cancel")
        self.mock.wait_for("stop")
        self.mock.say_commands({"name": "stop", "reason": "nothing runs", "code": "nothing-runs"})
        self.browser.wait_for(lambda: self.browser.run(shown) == "", "nothing runs")

    def test_a_command_with_several_arguments(self):
        self.open()
        self.mock.say_commands({"name": "mix", "title": "mix it", "users": ["page"], "arguments": [
            argument("number", "1 to 9", "count", unit="s"), argument("flag", "true or false", "fast", True),
            choice("a", "b", name="way", titles=["the first", "the second"]), argument("text", "a text", "note", True)]})
        self.browser.find("#commands [data-name=mix]")
        for is_whole, expected in (
                (False, {"count": "3", "way": "a"}), (True, {"count": "3", "fast": True, "way": "b", "note": "slowly"})):
            with self.subTest(is_whole=is_whole):
                self.mock.messages.clear()
                self.browser.choose_command("mix")
                self.browser.find("#argument-mix-count").send_keys("3")
                self.assertEqual(
                    self.browser.run("return [...document.querySelectorAll('.argument label')].map((each) => each.textContent)"),
                    ["count: 1 to 9", "fast: true or false", "way", "note: a text"])
                if is_whole:
                    self.browser.click("#argument-mix-fast")
                    self.browser.find("#argument-mix-way").send_keys("the second")
                    self.browser.find("#argument-mix-note").send_keys("slowly")
                self.browser.click(".argument [type=submit]")
                sent = self.mock.wait_for("mix")
                self.assertEqual({key: each for key, each in sent.items() if key != "id"}, {"command": "mix", **expected})

    def test_arguments(self):
        self.open()
        for name, value, expected in (
                ("break", "100", {"argument": "100"}), ("break", "", {}), ("baud", "9600", {"argument": "9600"}),
                ("parity", "even", {"argument": "even"}), ("toggle-line", "rts", {"argument": "rts"}),
                ("mark", "begin", {"argument": "begin"}), ("mark", "", {}),
                ("repeat", "", {"argument": ""})):
            with self.subTest(name, value=value):
                self.mock.messages.clear()
                self.browser.choose_command(name)
                field = self.browser.find(f"#argument-{name}-argument")
                if value:
                    field.send_keys(value)
                self.browser.click(f"#commands li:has([data-name='{name}']) [type=submit]")
                sent = self.mock.wait_for(name)
                self.assertEqual({key: each for key, each in sent.items() if key != "id"}, {"command": name, **expected})
                self.browser.wait_for(lambda: not self.browser.driver.find_elements("css selector", ".argument"), "no form")

    def test_usual_values_are_offered_and_others_are_taken(self):
        self.open()
        self.browser.choose_command("baud")
        field = self.browser.find("#argument-baud-argument")
        self.assertEqual(field.get_attribute("value"), "115200")
        self.assertEqual(
            self.browser.run("return [...arguments[0].list.options].map((each) => each.value)", field),
            ["9600", "115200", "921600"])
        self.assertEqual(self.browser.text("#commands form label"), "set the baud rate: a rate")
        self.assertEqual(self.browser.text("#commands form .unit"), "Bd")
        field.send_keys("31250\n")
        self.assertEqual(self.mock.wait_for("baud")["argument"], "31250")

    def test_answers_and_failures_are_said(self):
        self.open(answers={
            "lines": lambda _: {"message": "DTR is asserted.\nRTS is asserted."}, "mark": lambda _: {"reason": "no log is kept"}})
        self.browser.choose_command("lines")
        self.browser.wait_for_text("#status", "DTR is asserted.\nRTS is asserted.")
        self.browser.choose_command("mark")
        self.browser.find("#argument-mark-argument").send_keys("here\n")
        self.browser.wait_for_text("#status", "Not done: no log is kept.")
        self.assertEqual(self.browser.find("#status").get_attribute("role"), "status")

    def test_commands_are_searched(self):
        self.open()
        self.browser.click("#screen")
        self.browser.chord("\ue009", "k")
        self.browser.wait_for(lambda: self.browser.run("return document.activeElement.id") == "filter", "the search")
        self.browser.type("baud")
        self.browser.wait_without("#commands", "send a break")
        self.assertIn("set the baud rate", self.browser.text("#commands"))
        self.browser.type("xyz")
        self.browser.wait_for_text("#palette-text", "No command matches.")
        self.browser.type("\ue00c")
        # The next search starts empty, and the keys go to the device.
        self.browser.wait_for(lambda: self.browser.run("return document.activeElement.id") == "keys", "the terminal")
        self.browser.type("a")
        self.browser.chord("\ue009", "k")
        self.browser.wait_for_text("#commands", "send a break")
        self.browser.chord("\ue009", "k")
        self.browser.type("b")
        self.browser.wait_for(lambda: self.mock.typed == "a\x0bb", "the second Ctrl-K is the device's")

    def test_commands_are_searched_by_other_words(self):
        self.open()
        self.browser.click("#commands-button")
        self.browser.type("SysRq")
        self.browser.wait_without("#commands", "set the baud rate")
        self.assertIn("send a break", self.browser.text("#commands"))
        self.browser.type("\b" * len("SysRq"))
        self.browser.wait_for_text("#commands", "set the baud rate")

    def test_ctrl_k_is_the_device_s_only_from_the_terminal_and_once(self):
        self.open()
        self.browser.open_drawer("people")
        self.browser.click("#name")
        for _ in range(2):
            self.browser.chord("\ue009", "k")
        self.browser.click("#screen")
        self.browser.run("""
            for (const repeat of [false, true, true, true]) document.getElementById('keys').dispatchEvent(
              new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, repeat, bubbles: true, cancelable: true }));""")
        self.assertTrue(self.browser.run("return document.getElementById('palette').open"))
        self.browser.type("\ue00c")
        self.browser.type("x")
        self.browser.wait_for(lambda: self.mock.typed == "x", "no Ctrl-K")

    def test_the_end_of_a_composition_chooses_nothing(self):
        self.open()
        self.browser.choose_command("baud")
        self.browser.run("""
            for (const each of ['filter', 'argument-baud-argument']) for (const key of ['Enter', 'Escape'])
              document.getElementById(each).dispatchEvent(
                new KeyboardEvent('keydown', { key, isComposing: true, bubbles: true, cancelable: true }));""")
        self.assertTrue(self.browser.run("return document.getElementById('palette').open"))
        self.browser.find("#argument-baud-argument").send_keys("9600\n")
        self.assertEqual(self.mock.wait_for("baud")["argument"], "9600")

    def test_a_form_stays_while_its_command_is_off(self):
        self.open()
        self.browser.choose_command("baud")
        field = self.browser.find("#argument-baud-argument")
        field.send_keys("9600")
        self.mock.say_commands({"name": "baud", "reason": "busy now", "code": "busy"})
        self.browser.find(".argument [type=submit][aria-disabled]")
        field.send_keys("\n")
        self.browser.wait_for_text("#palette-text", "Not available: busy now.")
        self.mock.say_commands({"name": "baud", "reason": None})
        self.browser.find(".argument [type=submit]:not([aria-disabled])")
        field.send_keys("\n")
        self.assertEqual(self.mock.wait_for("baud")["argument"], "9600")

    def test_the_focus_stays_in_the_dialog_when_the_session_ends(self):
        self.open()
        self.browser.choose_command("baud")
        self.browser.find("#argument-baud-argument")
        self.mock.drop()
        self.browser.wait_for_text("#palette-text", "No session is joined.")
        self.assertEqual(self.browser.run("return document.activeElement.id"), "filter")

    def test_a_command_is_chosen_with_the_keyboard(self):
        self.open()
        self.browser.chord("\ue009", "k")
        self.browser.type("lines\n")
        self.mock.wait_for("lines")
        self.browser.chord("\ue009", "k")
        down, up = "\ue015", "\ue013"
        self.browser.type("set the", down, down, down, up)
        self.browser.wait_for(lambda: self.browser.run("return document.activeElement.dataset.name") == "baud", "the first one")
        self.browser.type(up)
        self.assertEqual(self.browser.run("return document.activeElement.id"), "filter")
        self.browser.type(down, down, "\n")
        self.browser.find("#argument-parity-argument").send_keys("odd", "\n")
        self.assertEqual(self.mock.wait_for("parity")["argument"], "odd")

    def test_a_command_with_a_place_on_the_page_leads_there(self):
        self.open()
        for name, place in (("name", "name"), ("send-file", "file"), ("plot", "plot")):
            with self.subTest(name):
                self.browser.choose_command(name)
                self.browser.wait_for(lambda place=place: self.browser.run(
                    "const e = document.activeElement; return e.id === arguments[0] || e.parentNode.parentNode.id === arguments[0]",
                    place), f"the focus is at {place}")

    def test_the_focus_stays_while_commands_change(self):
        self.open()
        self.browser.click("#commands-button")
        self.browser.run("document.querySelector('[data-name=baud]').focus()")
        self.mock.say_commands({"name": "baud", "value": "9600", "reason": "no device", "code": "no-device"})
        self.browser.wait_for(lambda: self.reason("baud") == "no device", "baud is off")
        self.assertEqual(self.browser.run("return document.activeElement.dataset.name"), "baud")

    # The connection

    def test_a_session_that_leaves_and_comes_back_is_joined_again(self):
        self.open(history="old text")
        self.browser.wait_for_text("#screen", "old text")
        self.mock.list_sessions()
        self.mock.send("left", session="4711:0", reason="the session has ended: unplugged")
        self.browser.wait_for_text("#status", "unplugged")
        self.browser.wait_for_text("#state", "no session")
        self.browser.wait_for_text("#no-sessions", "None is running.")
        self.mock.history = "new text"
        self.mock.list_sessions(WebMock.session("4999:0", "/dev/ttyACM7"), WebMock.session("4800:0", "/dev/ttyUSB0"))
        self.browser.wait_for_text("#screen", "new text")
        self.assertEqual(self.mock.sent("join")[-1]["session"], "4800:0")
        self.assertNotIn("old text", self.screen_text())

    def test_a_session_that_refuses_is_not_tried_without_a_pause(self):
        self.mock.sessions = []
        self.browser.open(self.mock.address)
        self.browser.wait_for_text("#no-sessions", "None is running.")
        gone = WebMock.session("4711:0", "/dev/ttyUSB0")
        self.browser.run("""
            window.joins = [];
            const send = WebSocket.prototype.send;
            WebSocket.prototype.send = function (data) { if (/"join"/.test(data)) joins.push(performance.now()); send.call(this, data); };""")
        self.mock._join = self.refuse_to_join
        self.mock.list_sessions(gone)
        times = self.browser.wait_for(
            lambda: (joins := self.browser.run("return joins"))[2:] and joins, "three attempts")
        self.assertGreater(times[1] - times[0], 450)
        self.assertGreater(times[2] - times[1], 900)

    async def refuse_to_join(self, name, send):
        await send("joined", session=name)
        await send("left", session=name, reason="no")
        await send("sessions", sessions=self.mock.sessions)

    def test_a_lost_connection_is_made_again(self):
        self.open(history="once")
        port = self.mock.port
        self.mock.close()
        self.browser.wait_for_text("#banner", "The connection to the server is lost. Trying again…")
        self.browser.wait_for_text("#state", "not connected")
        again = self.mock = self.enterContext(WebMock(port=port))
        again.history = "again"
        self.browser.wait_for_text("#screen", "again")
        self.browser.wait_for(lambda: not self.browser.find("#banner").is_displayed(), "no banner")
        self.assertNotIn("once", self.screen_text())

    # Files and the plot

    def choose_file(self, contents):
        path = self.browser.folder / "fw.bin"
        path.write_bytes(contents)
        self.browser.open_drawer("files")
        self.browser.find("#file").send_keys(str(path))

    def test_a_file_is_uploaded_in_pieces(self):
        self.open(answers={"upload": lambda _: None})
        contents = random.Random(1).randbytes(200_001)
        self.choose_file(contents)
        self.assertEqual(
            self.browser.run("return [...document.getElementById('protocol').options].map((each) => [each.value, each.text])"),
            [["raw", "as it is"], ["xmodem", "XMODEM"], ["zmodem", "ZMODEM"]])
        self.assertEqual(self.browser.run("return document.getElementById('protocol').value"), "raw")
        self.browser.run("document.getElementById('protocol').value = 'zmodem'")
        self.browser.click("#upload-start")
        upload = self.mock.wait_for("upload")
        self.assertEqual((upload["name"], upload["size"], upload["protocol"]), ("fw.bin", 200_001, "zmodem"))
        wait_until(lambda: self.mock.file == contents, "the whole file")
        self.assertLessEqual(max(each.get("piece", 0) for each in self.mock.messages), 32 << 10)
        self.mock.send("progress", name="fw.bin", position=100_000, size=200_001, rate=11_000, retries=0)
        self.browser.wait_for_text("#upload-text", "fw.bin: 100,000 of 200,001 bytes, 11,000 B/s")
        self.browser.wait_for_text("#upload-reason", "a file is being sent")
        self.browser.click("#upload-stop")
        self.mock.wait_for("cancel")
        self.mock.send("failed", id=upload["id"], reason="cancelled")
        self.browser.wait_for_text("#upload-text", "fw.bin was not sent: cancelled")
        self.browser.wait_for(lambda: not self.browser.find("#upload-stop").is_displayed(), "no stop")

    def test_what_was_received_is_saved(self):
        self.open(history="\x1b[32mgreen\x1b[0m\r\nhalf ")
        self.mock.receive("a line\r")
        self.mock.receive("\nlast \x1b[")
        self.mock.receive("1mbold")
        self.browser.wait_for_text("#screen", "bold")
        for with_times, expected in (
                (False, "green\nhalf a line\nlast bold\n"),
                (True, ("[2026-11-21T06:30:00.000000Z] green\n[2026-11-21T06:30:00.000000Z] half a line\n"
                        "[2026-11-21T06:31:00.123456Z] last bold\n"))):
            with self.subTest(with_times=with_times):
                if with_times:
                    self.browser.open_drawer("files")
                    self.browser.click("#times")
                for path in self.browser.downloads.iterdir():
                    path.unlink()
                self.browser.run("document.getElementById('download').click()")
                path = self.browser.wait_for(
                    lambda: next(iter(self.browser.downloads.glob("ttyUSB0-*.txt")), None), "a downloaded file")
                self.browser.wait_for(lambda path=path, expected=expected: path.read_text() == expected, f"{expected!r}")

    def test_the_log_of_the_session_is_saved(self):
        log = bytes(range(256)) * 40
        sizes = []

        def piece(message):
            data = log[message["offset"]:message["offset"] + 4_096]
            sizes.append(len(data))
            return {"data": base64.b64encode(data).decode(), "size": len(log), "name": "board.log"}

        self.open(answers={"read-log": piece})
        self.browser.open_drawer("files")
        self.browser.wait_for_text("#log-reason", "the session's log is not shared")
        self.browser.click("#log-save")
        self.browser.wait_for_text("#status", "Not available: the session's log is not shared.")
        self.assertEqual(self.mock.sent("read-log"), [])
        self.mock.say_commands({"name": "read-log", "reason": None})
        self.browser.wait_for(lambda: not self.browser.text("#log-reason"), "no reason")
        self.browser.click("#log-save")
        self.browser.wait_for_text("#log-text", "The log was saved: board.log, 10,240 bytes.")
        self.assertEqual(sizes, [4_096, 4_096, 2_048])
        path = self.browser.wait_for(
            lambda: next(iter(self.browser.downloads.glob("board*.log")), None), "a downloaded file")
        self.browser.wait_for(lambda: path.read_bytes() == log, "the bytes of the log")

    def test_a_log_that_does_not_come_is_said_and_stopped(self):
        answers = iter((
            {"reason": "the log has just been moved, try again"}, {"data": "", "size": 5, "name": "board.log"},
            {"data": "", "size": 1 << 31, "name": "board.log"}))
        self.open(answers={"read-log": lambda _: next(answers, None)})
        self.mock.say_commands({"name": "read-log", "reason": None})
        self.browser.open_drawer("files")
        for text in ("the log has just been moved, try again.", "a piece is missing.", "a page saves at most 1 GiB."):
            self.browser.click("#log-save")
            self.browser.wait_for_text("#log-text", f"The log was not saved: {text}")
            self.browser.wait_for_text("#status", f"The log was not saved: {text}")
        self.browser.click("#log-save")
        self.browser.wait_for_text("#log-reason", "the log is being read")
        self.browser.click("#log-stop")
        self.browser.wait_for_text("#log-text", "The log was not saved: stopped.")
        # An answer that comes later is not used.
        waiting = self.mock.sent("read-log")[-1]
        self.mock.send("done", id=waiting["id"], data="QQ==", size=1, name="board.log")
        self.mock.receive("after it")
        self.browser.wait_for_text("#screen", "after it")
        self.browser.wait_for_text("#log-text", "The log was not saved: stopped.")

    def test_what_is_kept_is_bounded(self):
        self.open()
        self.browser.open_drawer("files")
        for number in range(18):
            self.mock.receive(f"{number}".ljust(1 << 20, "\n"))
        self.browser.wait_for_text("#download-text", "The beginning is missing: the page keeps 16 MiB.")

    def test_the_plot_is_polled_while_it_is_open(self):
        self.open(answers={"plot": lambda _: {"reason": "no numbers seen yet"}})
        self.browser.open_drawer("plot")
        self.browser.wait_for_text("#plot", "No picture: no numbers seen yet.")
        self.mock.answers = {}
        self.browser.wait_for(lambda: self.browser.run("return document.getElementById('plot-image').naturalWidth") == 640, "the picture")
        self.assertRegex(self.browser.find("#plot-image").get_attribute("src"), "^blob:")
        self.assertIn("width", self.mock.wait_for("plot"))
        self.assertTrue(SVG)

    def test_a_high_plot_leaves_room_for_the_terminal(self):
        """A picture may be higher than it was asked for: its legend has a row for each curve."""
        self.open(answers={"plot": lambda _: {"svg": SVG.replace('height="240"', 'height="1400"')}})
        self.browser.open_drawer("plot")
        self.browser.wait_for(
            lambda: self.browser.run("return document.getElementById('plot-image').naturalHeight") == 1400, "the picture")
        for height in (900, 500):
            with self.subTest(height=height):
                self.browser.resize(1280, height)
                places = self.browser.run("""
                    return ['screen', 'plot', 'pen', 'line'].map((id) => {
                      const { top, bottom } = document.getElementById(id).getBoundingClientRect();
                      return [top, bottom];
                    });""")
                for (_, bottom), (top, _) in zip(places, places[1:]):
                    self.assertLessEqual(bottom, top)
                self.assertGreaterEqual(places[0][1] - places[0][0], 120)
                self.assertLessEqual(self.browser.find("#plot-image").rect["height"], height * 0.45)
                # A part of a picture would be a wrong one.
                self.assertLessEqual(self.browser.run("const p = document.getElementById('plot'); return p.scrollHeight - p.clientHeight"), 0)

    # Everybody

    def test_screen_readers_say_new_text_if_they_are_told_to(self):
        self.open()
        live = "return document.getElementById('screen').getAttribute('aria-live')"
        self.assertEqual(self.browser.run(live), "off")
        self.browser.open_drawer("options")
        self.browser.click("#aloud")
        self.assertEqual(self.browser.run(live), "polite")
        self.browser.driver.refresh()
        self.browser.wait_for(lambda: self.browser.run(live) == "polite", "it is kept")

    def stops(self):
        """What Tab reaches from the beginning of the page, in this order."""
        from selenium.webdriver.common.keys import Keys

        self.browser.run("document.querySelector('.skip').focus()")
        seen = []
        for _ in range(80):
            self.browser.type(Keys.TAB)
            place = self.browser.run("""
                const each = document.activeElement;
                return each.id || each.dataset.drawer || each.dataset.name || each.getAttribute('aria-label') || each.textContent""")
            if place == "keys":
                # In the terminal, Tab is a key for the device.
                self.browser.type(Keys.TAB)
                self.assertEqual(self.browser.run("return document.activeElement.id"), "keys")
                self.browser.type(Keys.ESCAPE)
            if place == "Go to the terminal":
                break
            seen.append(place)
        return seen

    def test_keyboard_alone_reaches_everything(self):
        from selenium.webdriver.common.keys import Keys

        self.open()
        self.mock.say_people("mine", [(1, "max")])
        self.browser.wait_for(lambda: self.actions() == ["Give the pen back"], "the pen")
        for drawer, inside in (
                (None, []), ("people", ["Close", "Give the pen to max", "name"]),
                ("files", ["Close", "file", "protocol", "upload-start", "download", "times", "log-save"]),
                ("options", ["Close", "tabs", "typing", "enter", "bar", "aloud"])):
            with self.subTest(drawer):
                if drawer:
                    self.browser.run("document.querySelector(`[data-drawer=${arguments[0]}]`).focus()", drawer)
                    self.browser.type(Keys.ENTER)
                self.assertEqual([each for each in self.stops() if each in (
                    "commands-button", "people", "files", "plot", "options", "screen", "keys", "return-pen", "text", "send", *inside)], [
                    "commands-button", "people", "files", "plot", "options", "screen", "keys", "return-pen", "text", "send", *inside])
        self.browser.wait_for(lambda: self.mock.typed == "\t\x1b" * 4, "the keys for the device")
        self.browser.run("document.getElementById('tabs').focus()")
        self.browser.type(Keys.ESCAPE)
        self.assertEqual(self.browser.run("return [document.getElementById('options').hidden, document.activeElement.dataset.drawer]"), [
            True, "options"])
        self.browser.chord(Keys.CONTROL, "k")
        self.browser.type("break", Keys.ENTER)
        self.browser.find("#argument-break-argument").send_keys("20", Keys.ENTER)
        self.assertEqual(self.mock.wait_for("break")["argument"], "20")
        self.assertEqual(self.browser.run("return document.activeElement.dataset.drawer"), "options")

    # What is open beside the terminal, one after the other.
    VIEWS = ("people", "files", "sessions", "options", "plot", "commands")

    def show_view(self, name):
        if name == "commands":
            self.browser.choose_command("parity")
        else:
            self.browser.open_drawer(name)

    def test_a_phone_does_not_scroll_sideways(self):
        self.open(history="x" * 500)
        self.mock.list_sessions(*self.mock.sessions, WebMock.session("4712:0", "/dev/a-port-whose-name-is-too-long-for-a-line"))
        # Rows that are there already are as wide as the window was.
        self.browser.wait_for_text("#screen", "xxx")
        self.browser.resize(360, 740)
        self.show_keys()
        self.mock.say_people("other", [(1, "a-name-without-any-space-that-is-very-long-indeed")])
        self.mock.send("message", text="y" * 500)
        self.browser.wait_for_text("#status", "yyy")
        for view in (None, *self.VIEWS):
            with self.subTest(view):
                if view:
                    self.show_view(view)
                self.assertEqual(self.browser.run("""
                    return [...document.querySelectorAll('html, body, header, main, .drawer, .screen, dialog, #commands')].filter(
                      (each) => each.getClientRects().length
                        && (each.scrollWidth > each.clientWidth || each.getBoundingClientRect().right > innerWidth)
                    ).map((each) => each.id || each.localName);"""), [])

    def test_the_keyboard_of_a_phone_leaves_the_line_and_the_keys_in_sight(self):
        self.open()
        self.browser.resize(360, 740)
        self.show_keys(has_others=False)
        self.mock.say_people("other", [(1, "max")])
        self.browser.resize(360, 300)
        self.browser.wait_for(
            lambda: self.browser.run("return document.getElementById('keybar').getBoundingClientRect().bottom <= innerHeight"),
            "the keys in sight")
        self.assertGreaterEqual(self.browser.run("return document.getElementById('screen').clientHeight"), 32)

    def test_the_terminal_has_most_of_the_window(self):
        self.open()
        self.mock.say_people("other", [(1, "max")])
        self.browser.wait_for_text("#pen-text", "max has the pen")
        share = "return document.getElementById('screen').clientHeight / innerHeight"
        for width, height, least in ((1280, 720, 0.8), (1280, 500, 0.7), (360, 740, 2 / 3), (412, 915, 2 / 3)):
            with self.subTest(width=width, height=height):
                self.browser.resize(width, height)
                self.browser.wait_for(
                    lambda least=least: self.browser.run(share) >= least, f"a share of {least:.2f}, not {self.browser.run(share):.2f}")
                self.assertEqual(self.browser.run("return document.documentElement.scrollHeight - innerHeight"), 0)

    def test_the_first_tab_stop_leads_to_the_terminal_and_the_link_stays(self):
        self.open()
        hellos = len(self.mock.sent("hello"))
        self.browser.run("document.activeElement.blur()")
        self.browser.type("\ue004")
        place = """
            const each = document.activeElement, { top, left } = each.getBoundingClientRect();
            return [each.className, top >= 0 && left >= 0, each.contains(document.elementFromPoint(left + 5, top + 5))];"""
        self.browser.wait_for(lambda: self.browser.run(place) == ["skip", True, True], "the link is seen")
        self.browser.type("\ue007")
        self.browser.wait_for(lambda: self.browser.run("return document.activeElement.id") == "keys", "the focus moved")
        # A link to a place of the page would put it where the token is, also in a new tab.
        self.assertEqual(self.browser.run("return document.querySelectorAll('a[href*=\"#\"]').length"), 0)
        self.assertEqual(self.browser.run("return location.hash"), "#secret")
        # The Enter that followed the link is not the device's.
        self.browser.type("x")
        self.browser.wait_for(lambda: self.mock.sent("send"), "a key is sent")
        self.assertEqual([each["text"] for each in self.mock.sent("send")], ["x"])
        self.assertEqual(len(self.mock.sent("hello")), hellos)

    @unittest.skipIf(axe() is None, "needs axe-playwright-python of PyPI in .build/python")
    def test_axe_finds_nothing(self):
        colours = "".join(
            f"\x1b[{base + i}m colour {base + i} \x1b[0m\r\n" for base in (30, 40, 90, 100) for i in range(8))
        self.open(history=f"{colours}\x1b[7minverse\x1b[27m \x1b[2mdim\x1b[0m \x1b[31;42mboth\x1b[0m")
        self.mock.send("missed", bytes=5)
        self.mock.say_people("mine", [{"id": 1, "name": "max", "program": False, "asks": True}, {
            "id": 2, "name": "anna", "program": True, "asks": False}])
        self.browser.wait_for_text("#pen", "max asks")
        self.show_keys()
        self.mock.list_sessions(*self.mock.sessions, WebMock.session("4712:0", "/dev/ttyACM0"))
        self.mock.send("message", text="a message")
        for view in self.VIEWS:
            self.show_view(view)
            for width, dark in ((1280, False), (1280, True), (360, False), (360, True)):
                with self.subTest(view, width=width, dark=dark):
                    self.browser.resize(width, 800)
                    self.browser.use_dark(dark)
                    self.assertEqual(self.browser.faults(), [])
        self.close_commands()
        self.mock.say_people("other", [(1, "max")])
        self.mock.drop()
        self.browser.wait_for_text("#banner", "lost")
        self.assertEqual(self.browser.faults(), [])


class SourceTests(unittest.TestCase):
    @unittest.skipIf(WHY_NOT, WHY_NOT)
    @unittest.skipIf(jsonschema is None, "needs python3-jsonschema")
    def test_the_records_of_these_tests_are_whole(self):
        from Tests.endtoend.browser import REPOSITORY

        schema = json.loads((REPOSITORY / "docs/json.schema.json").read_text())
        event = {"event": "commands", "commands": list(COMMANDS)}
        errors = jsonschema.Draft202012Validator(schema).iter_errors(event)
        self.assertEqual([each.message for each in errors], [])

    def test_nothing_in_the_page_needs_another_policy_or_place(self):
        from Tests.endtoend.browser import REPOSITORY

        folder = REPOSITORY / "Web/Sources/serialterm-web/Page"
        page = (folder / "page.html").read_text()
        self.assertNotRegex(page, r"\son\w+=|\sstyle=|<style|<script(?! type=\"module\" src=\"page.js\"></script>)")
        self.assertEqual(re.findall(r"(?:href|src)=\"([^#\"]*)\"", page), ["icon.svg", "page.css", "page.js"])
        for script in folder.glob("*.js"):
            self.assertNotRegex(script.read_text(), "innerHTML|outerHTML|insertAdjacentHTML|document.write|eval\\(")
