"""What full-screen programs draw is shown on the page as by a terminal: each cell with its styles, and the cursor.

The text comes the way of every page: from a device through the filter of a session to the page in a browser. The other
terminal, pyte, gets the same text."""

import itertools
import json
import random
import re
import shlex
import shutil
import unittest

from Tests.endtoend.boards import files
from Tests.endtoend.browser import Browser, why_no_browser
from Tests.endtoend.harness import Program
from Tests.endtoend.test_web import WEB, WebTest

try:
    import pyte
    from wcwidth import wcwidth
except ImportError:
    pyte = None

WHY_NOT = why_no_browser() or (None if pyte else "needs python3-pyte")
ROWS = 24

# Keeps what the page's screen gets, and that screen.
WATCH = """
const { Screen } = await import(new URL('screen.js', location.href.replace(/#.*/, '')).href);
const { write } = Screen.prototype;
window.pieces = [];
Screen.prototype.write = function (piece) {
  window.pageScreen = this;
  pieces.push(piece);
  write.call(this, piece);
};
"""
# What an element shows of a screen: the parts of its rows, with their classes and colours.
SHOWN = """
const shown = (screen, element) => {
  screen.render();
  const rows = [...element.querySelectorAll('.row')].slice(screen.top - screen.rows.length);
  return {
    rows: rows.map((row) => [...row.childNodes].map((part) => part.nodeType === Node.TEXT_NODE
      ? [part.data, '', '', ''] : [part.textContent, part.className, part.style.color, part.style.background])),
    cursor: [screen.y, screen.x],
  };
};
"""
LOOK = SHOWN + """
const { columns } = pageScreen;
return { ...shown(pageScreen, document.getElementById('screen')), pieces: pieces.splice(0), columns };
"""
SHOW = SHOWN + """
const { Screen } = await import(new URL('screen.js', location.href.replace(/#.*/, '')).href);
const [cases, columns, rows] = arguments_;
return cases.map((pieces) => {
  const element = document.createElement('div');
  const screen = new Screen(element, { columns, rows });
  for (const piece of pieces) {
    screen.write(piece);
    screen.render();
  }
  return shown(screen, element);
});
"""

# Where pyte, which lacks a part of what terminals do today, differs from ECMA-48 and from xterm's ctlseqs: the methods
# that `Reference` has in their place.
ERASED = "erased cells have the background, and no other style (bce); half of a wide character is none"
AROUND_REGION = "above and below the region, the cursor moves to the edge of the screen, not back into the region"
CORRECTIONS = {
    "draw": "marks belong to the character before, in its row; half of a wide character is none",
    "erase_characters": ERASED, "erase_in_line": ERASED, "erase_in_display": ERASED,
    "insert_lines": ERASED, "delete_lines": ERASED,
    "insert_characters": "what is moved beyond the edge is gone",
    "delete_characters": "what was beyond it does not come back",
    "index": AROUND_REGION, "reverse_index": AROUND_REGION,
    "cursor_up": AROUND_REGION, "cursor_down": AROUND_REGION,
    "cursor_forward": "a movement after the last column begins in that column",
    "cursor_position": "rows beyond the region are its last one (DECOM)",
    "cursor_to_line": "the same; and there may be no region",
    "tab": "a tab after the last column changes nothing: the next character wraps",
    "set_tab_stop": "the column after the last one is the last one", "clear_tab_stop": "the same",
    "save_cursor": "each of both screens has one saved cursor",
    "restore_cursor": "it stays saved; DECOM may also be off",
    "set_margins": "without numbers, the region is the screen",
    "alignment_display": "the region and the cursor are reset",
    "set_mode": "the alternate screen: 47, 1047, 1048, 1049; DECSCNM reverses the screen, and not its cells",
    "reset_mode": "the same",
    "select_graphic_rendition": "2 is dim, 21 is a double underline, and 90 to 107 are not bold",
}
# The functions that pyte does not have: their final characters, and the names of methods.
MORE = {
    "S": "scroll_up", "T": "scroll_down", "b": "repeat", "I": "forward_tabs", "Z": "back_tabs", "`": "cursor_to_column",
    "s": "save_cursor", "u": "restore_cursor", "e": "cursor_down_freely",
}


if pyte:
    class Stream(pyte.Stream):
        csi = {**pyte.Stream.csi, **MORE}
        escape = {**pyte.Stream.escape, "E": "new_line"}
        events = pyte.Stream.events | {*MORE.values(), "new_line"}

    class Reference(pyte.Screen):
        """pyte's screen with `CORRECTIONS`."""

        def __init__(self, columns, rows=ROWS):
            self.is_alternate, self.saved, self.last = False, [None, None], ""
            self.other = None
            super().__init__(columns, rows)
            self._stream = Stream(self)

        def feed(self, text):
            # pyte reads no numbers between colons.
            text = re.sub(r"\b([34]8):2::?(\d+):(\d+):(\d+)", r"\1;2;\2;\3;\4", text)
            text = re.sub(r"\b([34]8):5:(\d+)", r"\1;5;\2", text).replace("[4:0m", "[24m").replace("[4:3m", "[4m")
            self._stream.feed(text)

        @property
        def region(self):
            return self.margins or (0, self.lines - 1)

        @property
        def column(self):
            return min(self.cursor.x, self.columns - 1)

        @property
        def blank(self):
            return pyte.screens.Char(" ", bg=self.cursor.attrs.bg)

        # Text

        def draw(self, data):
            for character in data:
                width = wcwidth(character)
                row = self.buffer[self.cursor.y]
                if width == 0:
                    x = self.cursor.x - 1
                    x -= x > 0 and row[x].data == ""
                    if x >= 0:
                        row[x] = row[x]._replace(data=row[x].data + character)
                    continue
                if self.cursor.x + width > self.columns:
                    if pyte.modes.DECAWM in self.mode:
                        self.carriage_return()
                        self.index()
                    else:
                        self.cursor.x = self.columns - width
                if pyte.modes.IRM in self.mode:
                    self.insert_characters(width)
                self._cut(self.cursor.x, self.cursor.x + width)
                row = self.buffer[self.cursor.y]
                for x, part in enumerate((character, "")[:width], self.cursor.x):
                    row[x] = self.cursor.attrs._replace(data=part)
                self.cursor.x += width
                self.last = character

        def _cut(self, *columns, y=None):
            """Makes spaces of the halves of wide characters that these columns separate."""
            row = self.buffer[self.cursor.y if y is None else y]
            for x in columns:
                if 0 < x < self.columns and row[x].data == "":
                    row[x - 1], row[x] = (row[each]._replace(data=" ") for each in (x - 1, x))

        def repeat(self, count=None):
            self.draw(self.last * (count or 1))

        # The cursor

        def index(self):
            if self.cursor.y == self.region[1]:
                self.scroll(1, *self.region)
            else:
                self.cursor.y = min(self.cursor.y + 1, self.lines - 1)

        def new_line(self):
            self.carriage_return()
            self.index()

        def reverse_index(self):
            if self.cursor.y == self.region[0]:
                self.scroll(-1, *self.region)
            else:
                self.cursor.y = max(self.cursor.y - 1, 0)

        def cursor_up(self, count=None):
            self.cursor.x = self.column
            top = self.region[0] if self.cursor.y >= self.region[0] else 0
            self.cursor.y = max(self.cursor.y - (count or 1), top)

        def cursor_down(self, count=None):
            self.cursor.x = self.column
            bottom = self.region[1] if self.cursor.y <= self.region[1] else self.lines - 1
            self.cursor.y = min(self.cursor.y + (count or 1), bottom)

        def cursor_down_freely(self, count=None):
            self.cursor.x = self.column
            self.cursor.y = min(self.cursor.y + (count or 1), self.lines - 1)

        def cursor_forward(self, count=None):
            self.cursor.x = self.column
            super().cursor_forward(count)

        def cursor_position(self, line=None, column=None):
            self.cursor_to_line(line)
            self.cursor_to_column(column)

        def cursor_to_line(self, line=None):
            self.cursor.x = self.column
            top, bottom = self.region if pyte.modes.DECOM in self.mode else (0, self.lines - 1)
            self.cursor.y = min(top + (line or 1) - 1, bottom)

        def tab(self):
            if self.cursor.x < self.columns:
                super().tab()

        def forward_tabs(self, count=None):
            for _ in range(min(count or 1, self.columns)):
                self.tab()

        def back_tabs(self, count=None):
            self.cursor.x = self.column
            for _ in range(min(count or 1, self.columns)):
                self.cursor.x = max((stop for stop in self.tabstops if stop < self.cursor.x), default=0)

        def set_tab_stop(self):
            self.tabstops.add(self.column)

        def clear_tab_stop(self, how=0):
            if how == 0:
                self.tabstops.discard(self.column)
            else:
                super().clear_tab_stop(how)

        def save_cursor(self, *_):
            origin = pyte.modes.DECOM in self.mode
            self.saved[self.is_alternate] = self.cursor.x, self.cursor.y, self.cursor.attrs, origin

        def restore_cursor(self, *_):
            x, y, attributes, origin = self.saved[self.is_alternate] or (0, 0, self.default_char, False)
            (self.mode.add if origin else self.mode.discard)(pyte.modes.DECOM)
            top, bottom = self.region if origin else (0, self.lines - 1)
            self.cursor.x, self.cursor.y, self.cursor.attrs = x, max(top, min(y, bottom)), attributes

        # Erasing, inserting, deleting, scrolling

        def erase(self, y, start, end):
            self._cut(start, end, y=y)
            self.buffer[y].update(dict.fromkeys(range(start, end), self.blank))

        def erase_characters(self, count=None):
            self.erase(self.cursor.y, self.column, min(self.column + (count or 1), self.columns))

        def erase_in_line(self, how=0, private=False):
            places = {0: (self.column, self.columns), 1: (0, self.column + 1), 2: (0, self.columns)}
            if how in places:
                self.erase(self.cursor.y, *places[how])

        def erase_in_display(self, how=0, private=False):
            self.erase_in_line(how)
            rows = {0: range(self.cursor.y + 1, self.lines), 1: range(self.cursor.y), 2: range(self.lines)}
            for y in rows.get(how, ()):
                self.erase(y, 0, self.columns)

        def _change(self, y, x, change):
            """Changes the cells of a row from a column on, and fills or cuts the row."""
            cells = [self.buffer[y][each] for each in range(self.columns)]
            cells[x:] = change(cells[x:])
            cells = (cells + [self.blank] * self.columns)[:self.columns + 1]
            if cells.pop().data == "" if len(cells) > self.columns else False:
                cells[-1] = cells[-1]._replace(data=" ")
            self.buffer[y].update(enumerate(cells))

        def insert_characters(self, count=None):
            count = min(count or 1, self.columns - self.column)
            self._cut(self.column)
            self._change(self.cursor.y, self.column, lambda cells: [self.blank] * count + cells)

        def delete_characters(self, count=None):
            self._cut(self.column, self.column + (count or 1))
            self._change(self.cursor.y, self.column, lambda cells: cells[count or 1:])

        def scroll(self, count, top, bottom):
            rows = [self.buffer[y] for y in range(top, bottom + 1)]
            amount = min(abs(count), len(rows))
            fresh = [pyte.screens.StaticDefaultDict(self.blank) for _ in range(amount)]
            rows = rows[amount:] + fresh if count > 0 else fresh + rows[:len(rows) - amount]
            self.buffer.update(enumerate(rows, top))

        def scroll_up(self, count=None):
            self.scroll(count or 1, *self.region)

        def scroll_down(self, count=None):
            self.scroll(-(count or 1), *self.region)

        def delete_lines(self, count=None):
            if self.region[0] <= self.cursor.y <= self.region[1]:
                self.scroll(count or 1, self.cursor.y, self.region[1])
                self.carriage_return()

        def insert_lines(self, count=None):
            self.delete_lines(-(count or 1))

        def alignment_display(self):
            self.margins = None
            self.cursor.x = self.cursor.y = 0
            for y in range(self.lines):
                self.buffer[y] = pyte.screens.StaticDefaultDict(pyte.screens.Char("E"))

        # Modes and styles

        def set_margins(self, top=None, bottom=None):
            first, last = max(1, top or 1) - 1, min(bottom or self.lines, self.lines) - 1
            if first < last:
                self.margins = first, last
                self.cursor_position()

        def set_mode(self, *modes, private=False):
            super().set_mode(*(mode for mode in modes if mode != 5), private=private)
            for mode in modes if private else ():
                if mode in (1048, 1049):
                    self.save_cursor()
                if mode in (47, 1047, 1049):
                    self._show_alternate(True)
                if mode == 1049:
                    self.erase_in_display(2)

        def reset_mode(self, *modes, private=False):
            super().reset_mode(*(mode for mode in modes if mode != 5), private=private)
            for mode in modes if private else ():
                if mode == 1047 and self.is_alternate:
                    self.erase_in_display(2)
                if mode in (47, 1047, 1049):
                    self._show_alternate(False)
                if mode in (1048, 1049):
                    self.restore_cursor()

        def _show_alternate(self, is_on):
            if is_on != self.is_alternate:
                other = self.other or type(self.buffer)(self.buffer.default_factory)
                self.buffer, self.other, self.is_alternate = other, self.buffer, is_on

        def select_graphic_rendition(self, *codes):
            codes = list(codes) or [0]
            while codes:
                code, colour = codes.pop(0), []
                if code in (1, 2, 22):
                    weight = {1: "bold", 2: "dim", 22: ""}[code]
                    weights = {*(self.cursor.attrs.bold or ()), weight} - {""} if weight else ()
                    self.cursor.attrs = self.cursor.attrs._replace(bold=tuple(sorted(weights)))
                    continue
                if code in (38, 48):
                    count = {5: 2, 2: 4}.get(codes[0] if codes else None, 0)
                    colour, codes = codes[:count], codes[count:]
                known = (4 if code == 21 else code,)
                if code in range(90, 98) or code in range(100, 108):
                    known = (38 if code < 100 else 48), 5, code % 10 + 8
                super().select_graphic_rendition(*known, *colour)

        @property
        def cells(self):
            return [[cell_of(self.buffer[y][x]) for x in range(self.columns)] for y in range(self.lines)]

    PALETTE = pyte.graphics.FG_BG_256
    COLOURS = dict(zip(("black", "red", "green", "brown", "blue", "magenta", "cyan", "white"), PALETTE, strict=False))


def cell(text, front, back, styles):
    """A cell as it looks. A blank has no colour of its own, and styles only if they draw lines."""
    if text == " ":
        front, styles = None, styles & {"underline", "struck"}
    return text, front, back, "+".join(sorted(styles))


def cell_of(each):
    """A cell of pyte, as it looks."""
    front, back = (None if colour == "default" else COLOURS.get(colour, colour) for colour in (each.fg, each.bg))
    if each.reverse:
        front, back = back, front or "ink"
    names = {"italic": each.italics, "underline": each.underscore, "struck": each.strikethrough}
    return cell(each.data, front, back, {*(each.bold or ()), *(name for name, is_on in names.items() if is_on)})


def colour_of(classes, letter, value):
    """The colour of a class, or of the element itself."""
    if value:
        return "".join(f"{int(number):02x}" for number in re.findall(r"\d+", value)[:3])
    number = next((int(name[1:]) for name in classes if re.fullmatch(rf"{letter}\d+", name)), None)
    return None if number is None else PALETTE[number]


STYLES = {"tb": "bold", "ti": "italic", "tu": "underline", "ts": "struck", "td": "dim"}


def cells_of(parts, columns):
    """The cells of a row of the page."""
    cells = []
    for text, name, front, back in parts:
        classes = set(name.split())
        front, back = colour_of(classes, "f", front), colour_of(classes, "b", back)
        if "inverse" in classes:
            back = "ink"
        styles = {STYLES[name] for name in classes & set(STYLES)}
        for character in re.findall(r"[\s\S][\u0300-\u036f\u200d\ufe0f]*", text):
            cells.append(cell(character, front, back, styles))
            if "wide" in classes:
                cells.append(cell("", front, back, styles))
    return cells + [cell(" ", None, None, set())] * (columns - len(cells))


def cursors_of(rows):
    """The places where the page shows the cursor."""
    found = []
    for y, parts in enumerate(rows):
        places = [index for index, part in enumerate(parts) if "cursor" in part[1].split()]
        found += [[y, len(cells_of(parts[:index], 0))] for index in places]
    return found


def differences(shown, reference):
    """The places where the page and the other terminal differ, each with what both show."""
    rows = [cells_of(parts, reference.columns) for parts in shown["rows"]]
    rows += [cells_of([], reference.columns)] * (reference.lines - len(rows))
    found = [
        f"row {y}, column {x}: the page {ours}, pyte {theirs}"
        for y, (our, their) in enumerate(itertools.zip_longest(rows, reference.cells, fillvalue=()))
        for x, (ours, theirs) in enumerate(itertools.zip_longest(our, their)) if ours != theirs]
    cursor, drawn = reference.cursor, cursors_of(shown["rows"])
    # A cursor in the right half of a wide character is drawn around all of it.
    half = reference.cells[cursor.y][reference.column][0] == ""
    expected = [[cursor.y, cursor.x], [] if cursor.hidden else [[cursor.y, reference.column - half]]]
    actual = [shown["cursor"], drawn]
    if actual != expected:
        found.append(f"cursor, and where it is drawn: the page {actual}, pyte {expected}")
    return found[:20]


class RandomStream:
    """Sequences that pass the filter, at random from a seed."""

    WORDS = ("boot", "login:", "eth0", "the quick brown fox", "[ 1.25]", "lqqqk x mqqj", "a_b~c`d", "=" * 45)
    WIDE = (
        "世界", "한글", "Ａ", "é", "→", "─│┌", "█▒", "e\u0301", "a\u0308o", "λΩ", "世\u0301", "x" * 29 + "世")
    STYLES = ("0", "1", "2", "3", "4", "7", "9", "21", "22", "23", "24", "27", "29", "39", "49")
    KINDS = ("cursor", "erase", "scroll", "colours", "sets", "modes", "save", "wide", "tabs", "resets")

    def __init__(self, seed, columns, rows):
        self._chance, self._columns, self._rows = random.Random(f"screens {seed}"), columns, rows
        kind = (*self.KINDS, None)[seed % (len(self.KINDS) + 1)]
        self.pieces = []
        for _ in range(self._chance.randrange(20, 60)):
            own = kind or self._any(*self.KINDS)
            self.pieces.append(self._any("text", "cursor", own, own, write=True))

    def _any(self, *choices, write=False):
        choice = self._chance.choice(choices)
        return getattr(self, f"_{choice}")() if write else choice

    @property
    def _row(self):
        return self._any(1, self._rows, *(self._chance.randint(1, self._rows) for _ in "ab"))

    @property
    def _column(self):
        return self._any(1, self._columns, *(self._chance.randint(1, self._columns) for _ in "ab"))

    @property
    def _count(self):
        return self._any("", "0", "1", "2", "3", str(self._chance.randint(1, 99)))

    def _text(self):
        return self._any(*self.WORDS, "\r\n", "\n", "\r", "\b", "x" * self._chance.randint(1, 2 * self._columns))

    def _cursor(self):
        return self._any(
            f"\x1b[{self._row};{self._column}{self._any('H', 'f')}", f"\x1b[{self._row}H", "\x1b[H",
            f"\x1b[{self._count}{self._any(*'ABCDEFae')}", f"\x1b[{self._column}{self._any('G', '`')}",
            f"\x1b[{self._row}d", "\r\n", "\b", "\x1bM", "\x1bD", "\x1bE", "\v", "\f")

    def _erase(self):
        return self._any(
            f"\x1b[{self._any('', '0', '1', '2', '?', '?1')}{self._any('J', 'K', 'K')}",
            f"\x1b[{self._count}{self._any(*'@PXLM')}")

    def _scroll(self):
        first = self._chance.randint(1, self._rows - 1)
        return self._any(
            f"\x1b[{first};{self._chance.randint(first + 1, self._rows)}r", "\x1b[r", f"\x1b[{first}r",
            self._any("\x1bD", "\x1bM", "\x1bE", "\n") * self._chance.randint(1, self._rows),
            f"\x1b[{self._count}{self._any(*'STLM')}", f"\x1b[{self._row};1H",
            f"\x1b[{first + 1};{first}r", "\x1b[2;4r\x1b[6H\x1b[2B", "\x1b[?6h", "\x1b[?6l")

    def _colours(self):
        number, parts = self._chance.randrange(256), [self._chance.randrange(256) for _ in "rgb"]
        ground = self._any(38, 48)
        return self._any(
            "\x1b[m", *2 * [f"\x1b[{';'.join(self._chance.choices(self.STYLES, k=self._any(1, 1, 2, 3)))}m"],
            f"\x1b[{self._any(3, 4, 9, 10)}{self._chance.randrange(8)}m", f"\x1b[{ground};5;{number}m",
            f"\x1b[{ground};2;{';'.join(map(str, parts))}m", f"\x1b[{ground}:2::{':'.join(map(str, parts))}m",
            f"\x1b[{ground}:5:{number}m", f"\x1b[{self._any(1, 2)};{self._any(1, 2, 9)}m,\x1b[22m.",
            f"\x1b[1;3{number % 8};4{number // 8 % 8}m", "\x1b[4:3m", "\x1b[4:0m",
            f"\x1b[{self._any('K', 'J', '3@', '3P', '4X', 'L', 'M', 'S', 'T')}", "\n" * 3)

    def _sets(self):
        return self._any(
            "\x1b(0", "\x1b(B", "\x1b)0", "\x1b*0", "\x0e", "\x0f", "\x1b(0lqqqk\x1b(B", "\x1b)0\x0emqqj\x0f", "\x1bn",
            "\x1b(A#\x1b(B", "\x1bNqa", "\x1b[11m\xc9\xcd\xbb\x1b[10m")

    def _modes(self):
        return self._any(
            "\x1b[4h", "\x1b[4l", f"\x1b[4h{self._any(*self.WORDS, *self.WIDE)}\x1b[4l",
            "\x1b[?7l", "\x1b[?7h", "\x1b[?25l", "\x1b[?25h",
            f"\x1b[{self._chance.randint(1, 3)};{self._chance.randint(4, self._rows)}r", "\x1b[?6h", "\x1b[?6l")

    def _save(self):
        return self._any(
            "\x1b7", "\x1b8", "\x1b[s", "\x1b[u",
            f"\x1b[?6h\x1b[{self._row}H\x1b7\x1b[{self._chance.randrange(1, self._rows)}r\x1b8",
            "\x1b7\x1b[1;1H*\x1b8", *(
                f"\x1b[?{mode}{self._any('h', 'h', 'l')}" for mode in (47, 1047, 1048, 1049)))

    def _wide(self):
        after = self._any("", f"\x1b[{self._count}{self._any(*'@PXDCGK')}")
        return self._any(*self.WIDE) * self._any(1, 1, 2, 9) + after

    def _tabs(self):
        return self._any(
            "\t" * self._chance.randint(1, 5), f"\x1b[{self._any('', 2, 3)}{self._any('I', 'Z')}", "\x1bH", "\x1b[g",
            f"\x1b[{self._column}G", f"\x1b[{self._column}G\x1bH\x1b[g\r" + "\t" * 4,
            "\r" + "x" * self._columns + "\ty", f"={self._any('', chr(13))}\x1b[{self._count}b",
            "\x1b#8", "\x1b[2;4r\x1b#8\x1b[4B\n", "\x1b[3g")

    def _resets(self):
        return self._any("\x1bc", "\x1b[!p", self._modes(), self._scroll(), self._save(), self._colours())

    def divided(self, text):
        """The text in pieces."""
        cuts = sorted(self._chance.randrange(len(text) + 1) for _ in range(self._chance.randrange(12)))
        return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


@unittest.skipUnless(WEB, "needs serialterm-web: SERIALTERM_WEB names it")
@unittest.skipIf(WHY_NOT, WHY_NOT)
class WatchedPageTest(WebTest):
    """Has one browser for all tests of a class. Its page keeps what it gets."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = cls.enterClassContext(Browser())

    def tearDown(self):
        complaints = self.browser.complaints()
        self.browser.open("about:blank")
        self.assertEqual(complaints, [], "the browser complains")

    def open(self):
        """Opens the page, and waits until it shows what comes."""
        self.serve()
        self.browser.open(f"http://127.0.0.1:{self.port}/#{self.token}")
        self.browser.wait_for_text("#state", "open")
        self.browser.run_async(WATCH)
        self.device.write(b"\x1bcbegin\r\n")
        self.browser.wait_for_text("#screen", "begin")
        shown = self.browser.run(LOOK)
        self.reference = Reference(shown["columns"])
        self.reference.feed("".join(shown["pieces"]))


class SequenceTests(WatchedPageTest):
    COLUMNS, LINES, COUNT = 40, 12, 800

    def test_random_sequences_are_shown_as_by_another_terminal(self):
        self.open()
        streams = [RandomStream(seed, self.COLUMNS, self.LINES) for seed in range(self.COUNT)]
        texts = self.filtered(streams)
        cases = [stream.divided(text) for stream, text in zip(streams, texts, strict=True)]
        shown = self.browser.run_async(SHOW, cases, self.COLUMNS, self.LINES)
        for seed, (text, each) in enumerate(zip(texts, shown, strict=True)):
            reference = Reference(self.COLUMNS, self.LINES)
            reference.feed(text)
            self.assertEqual(differences(each, reference), [], f"seed {seed}: {json.dumps(text)}")

    def test_the_corrections_of_the_other_terminal_have_reasons(self):
        corrected = {name for name in vars(Reference) if name in dir(pyte.Screen) and not name.startswith("__")}
        self.assertEqual(corrected, set(CORRECTIONS))

    def filtered(self, streams):
        """The texts that the page gets of them, each from a reset terminal on."""
        got = ""

        def has(mark):
            nonlocal got
            got += "".join(self.browser.run("return pieces.splice(0)"))
            return mark in got
        for number, stream in enumerate([*streams, None]):
            data = b"" if stream is None else b"".join(map(self.bytes_of, stream.pieces))
            self.device.write_until_read(f"<{number}>\x1bc".encode() + data)
            # A page that is too slow would miss a part.
            if number % 20 == 0 or stream is None:
                self.browser.wait_for(lambda number=number: has(f"<{number}>"), f"the streams before {number}")
        # What resets the terminal after one stream belongs to none.
        return [
            re.search(rf"<{number}>.*?\x1b\[2J\x1b7(.*?)<{number + 1}>", got, re.DOTALL)[1]
            for number in range(len(streams))]

    # What pyte does not have: what is sent, and the rows.
    UNKNOWN_TO_PYTE = (
        ("the text is moved to the left (SL)", "abc\r\ndef\x1b[2 @", ["c", "f"]),
        ("to the right (SR)", "abc\r\ndef\x1b[ A", [" abc", " def"]),
        ("only in the region", "abc\r\ndef\r\nghi\x1b[2;3r\x1b[ @", ["abc", "ef", "hi"]),
        ("not by private sequences", "abc\x1b[?2 @", ["abc"]),
    )

    def test_what_the_other_terminal_does_not_know(self):
        self.open()
        shown = self.browser.run_async(SHOW, [[text] for _, text, _ in self.UNKNOWN_TO_PYTE], 20, 5)
        for (what, _, expected), each in zip(self.UNKNOWN_TO_PYTE, shown, strict=True):
            with self.subTest(what):
                rows = ["".join(part[0] for part in row).rstrip() for row in each["rows"]]
                self.assertEqual(rows[:len(expected)], expected)
        hidden, = self.browser.run_async(SHOW, [["\x1b[8;31mhidden\x1b[28mseen"]], 20, 5)
        self.assertEqual(hidden["rows"][0][:2], [["hidden", "f1", "transparent", ""], ["seen", "f1", "", ""]])

    def test_modes_of_the_whole_screen_come_and_go(self):
        self.open()
        state = """
            const { classList } = document.getElementById('screen');
            return [classList.contains('inverse'), pageScreen.sendsApplicationKeys];"""
        for what, data, expected in (
                ("reversed", "\x1b[?5h", [True, False]), ("application keys", "\x1b[?1h", [True, True]),
                ("soft reset", "\x1b[!p", [True, False]), ("normal", "\x1b[?5l", [False, False]),
                ("both", "\x1b[?1;5h", [True, True]), ("reset", "\x1bc", [False, False])):
            self.device.write(data.encode())
            self.browser.wait_for(lambda expected=expected: self.browser.run(state) == expected, what)

    @staticmethod
    def bytes_of(piece):
        # Of code page 437.
        return piece.encode("latin-1" if piece.startswith("\x1b[11m") else "utf-8")


# Keys of Selenium.
ESCAPE, PAGE_DOWN, ARROW_UP, ARROW_DOWN, F2, F9, F10 = "\ue00c\ue00f\ue013\ue015\ue032\ue039\ue03a"
PROMPT = "board:~#"
# A shell on the board. A serial line tells no size.
SHELL = """\
stty sane rows {rows} cols {columns}
cd {files} && exec env -i PATH="$PATH" HOME={home} TERM={term} LC_ALL=C.UTF-8 TZ=UTC PS1={prompt} ESCDELAY=200 \\
    bash --noprofile --norc -i
"""


class ProgramTests(WatchedPageTest):
    """A program on a board behind a port, and keys typed in the page. Whenever one looks at the page, it is right."""

    def begin(self, term, pids=()):
        """A shell on a board, which has the size of the page's screen."""
        self.open()
        home, board = self.folder / "home", self.folder / "files"
        home.mkdir()
        board.mkdir()
        files.make(board, pids)
        script = self.folder / "shell"
        script.write_text(SHELL.format(
            rows=ROWS, columns=self.reference.columns, files=board, home=home, term=term,
            prompt=shlex.quote(f"{PROMPT} ")))
        self.enterContext(Program(
            ["socat", "-", f"EXEC:bash {script},pty,setsid,ctty,stderr"],
            stdin=self.device.descriptor, stdout=self.device.descriptor))
        self.wait_for(rf"^{PROMPT}$")
        self.browser.click("#pen-actions button")
        self.browser.wait_for_text("#pen-text", "You have the pen")
        self.browser.click("#screen")

    def look(self):
        """The text of the page's screen, which has to be as on the other terminal."""
        shown = self.browser.run(LOOK)
        self.reference.feed("".join(shown["pieces"]))
        self.assertEqual(differences(shown, self.reference), [])
        rows = ["".join(part[0] for part in row).rstrip() for row in shown["rows"]]
        return "\n".join([*rows, f"cursor {self.reference.cursor.y},{self.reference.cursor.x}"])

    def wait_for(self, expected):
        """Waits until a regular expression finds something on the screen."""
        self.browser.wait_for(
            lambda: re.search(expected, self.look(), re.MULTILINE), f"{expected!r} on the screen of the page")

    def play(self, term, command, *steps, end="q", needs=None, pids=()):
        """Starts a program at the board's prompt, and types: what is then shown, keys, what is then shown, and so on.

        In the end, the shell goes on. `needs` is the program that the command runs, if it is another one."""
        for program in ("socat", needs or command.split()[0]):
            if not shutil.which(program):
                self.skipTest(f"needs {program}")
        self.begin(term, pids)
        self.browser.type("echo before\n")
        self.wait_for(rf"^before\n{PROMPT}$")
        for keys, expected in zip((f"{command}\n", *steps[1::2]), steps[::2], strict=True):
            self.assertNotRegex(self.look(), re.compile(expected, re.MULTILINE))
            self.browser.type(keys)
            self.wait_for(expected)
        self.browser.type(end)
        self.wait_for(rf"^{PROMPT}$\s*cursor")
        self.browser.type("echo after\n")
        self.wait_for(rf"^after\n{PROMPT}$")

    VIM = "vim -n -u NONE -N -i NONE --cmd 'set ttimeoutlen=200' code.c"

    def test_vim(self):
        self.play(
            "xterm-256color", self.VIM,
            r"\A#include", ":syntax on | set number ruler hlsearch showcmd\n",
            r"\A  1 #include", PAGE_DOWN,
            r"\A 2[0-9] int", "/f31\n",
            r" 34,5 ", "Vjj",
            "VISUAL LINE", ESCAPE,
            r"\A(?![\s\S]*VISUAL)", "Onew 世X界",
            r"new 世X界[\s\S]*INSERT", ESCAPE,
            r"\A(?![\s\S]*INSERT)", ":silent undo 0\n",
            r"\A(?![\s\S]*new 世)", ":split | vsplit\n",
            r"code.c.*code.c", ":wincmd l\nG",
            "Bot", ":set list cursorline nowrap\n",
            r'"\$$', ":!seq 40\n",
            r"^40$[\s\S]*Press ENTER", "\n",
            r"\A(?![\s\S]*Press ENTER)", end=":qa!\n")

    def test_vim_of_a_plain_terminal(self):
        self.play(
            "vt102", self.VIM,
            r"\A#include", ":set number ruler hlsearch\n",
            r"\A  1 #", "20Gzt",
            r"\A 20 int", "ddp/f31\n",
            r" 34,5 ", f"O{'wide ' * 40}{ESCAPE}",
            r" 34,200 ", ":split\n",
            r"code.c[\s\S]*code.c", end=":qa!\n")

    def test_less(self):
        self.play(
            "vt102", "less -R -N -S text",
            r"^ +1 row 1 ", " ",
            r"\A +24 row", "/row 9\n",
            r"\A +90 row", "n",
            r"\A +91 row", "b",
            r"\A +68 row", f"{ESCAPE})",
            r"\A +68 (?!row)", "h",
            "SUMMARY", "q",
            r"\A +68 row", "G",
            r"\(END\)")

    def test_less_with_long_lines(self):
        self.play(
            "xterm", "less -R text",
            r"^row 1 ", PAGE_DOWN,
            r"\A(?![\s\S]*row 1 )", "G",
            r"\(END\)", "kkk",
            r"^:", "g",
            r"\Arow 1 ")

    def test_dialog(self):
        self.play(
            "xterm", "bash dialogs",
            r"text1", ARROW_DOWN * 8,
            r"\A(?![\s\S]*item1 )", "\n",
            "Which", f"{ARROW_DOWN} ",
            r"\[\*\] *b", "\n",
            "start", "more",
            "startmore", "\n",
            "#include", " ",
            r"f20", "\n",
            "Sure", end="\n", needs="dialog")

    def test_whiptail(self):
        self.play(
            "screen", "whiptail --title Setup --inputbox 'Name of the board' 10 40 one 2>/dev/null",
            "Name of[\\s\\S]*one", "xyz",
            "onexyz", "\t\t",
            r"cursor (?!10,)", end="\n")

    def test_htop(self):
        pids = self.enterContext(files.sensors())
        self.play(
            "linux", "sh start-htop",
            "sensor-00", PAGE_DOWN,
            "sensor-39|sensor-2[5-9]", "\\sensor-1",
            "Filter: sensor-1", ESCAPE,
            "F1Help", "S",
            "Categories", ESCAPE,
            r"\A(?![\s\S]*Categories)", "h",
            "CPU usage", "\n",
            "F1Help", pids=pids, needs="htop")

    def test_nano(self):
        self.play(
            "xterm", "nano -I code.c",
            r"^#include[\s\S]*Exit", PAGE_DOWN,
            r"\A.*\nint", "y" * 200,
            r"^<y+int", "\n",
            r"^<?y+>\nint", ARROW_UP,
            "cursor 1,0", end=f"{F2}n")

    def test_mc(self):
        self.play(
            "xterm-256color", "sh start-mc",
            "file00", f"\t{PAGE_DOWN}",
            "file29", f"{F9}\n",
            "Listing", F10,
            r"\A(?![\s\S]*Listing)", end=F10, needs="mc")


if __name__ == "__main__":
    unittest.main()
