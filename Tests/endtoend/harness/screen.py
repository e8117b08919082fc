"""A terminal emulator that shows what a user of a `Terminal` sees."""

import copy
import itertools
import time
from typing import NamedTuple

import pyte

from .deadline import Deadline

# pyte does not support dim text. It is stored as struck out, which no test uses otherwise.
DIM, NORMAL_INTENSITY, STRUCK_OUT, NOT_STRUCK_OUT = 2, 22, 9, 29
# Other numbers of a colour follow.
COLOURS = 38, 48
BRIGHT = *range(90, 98), *range(100, 108)
# No program draws it.
UNDRAWN = "\N{WARNING SIGN}"
ATTRIBUTES = ("bold", "italics", "underscore", "strikethrough", "reverse")


class Emulator(pyte.HistoryScreen):
    """pyte's screen with scrollback, corrected where modern terminals behave differently."""

    # The mode of the alternate screen, which pyte does not have.
    ALTERNATE = 1049

    def __init__(self, rows, columns):
        self.text_screen = None
        super().__init__(columns, rows, history=5000, ratio=0.5)

    def set_mode(self, *modes, **how):
        if self.ALTERNATE in modes and how.get("private") and self.text_screen is None:
            self.text_screen = copy.deepcopy(self.buffer), copy.copy(self.cursor)
            self.erase_in_display(2)
        super().set_mode(*modes, **how)

    def reset_mode(self, *modes, **how):
        super().reset_mode(*modes, **how)
        if self.ALTERNATE in modes and how.get("private") and self.text_screen is not None:
            buffer, cursor = self.text_screen
            self.text_screen = None
            self.buffer.clear()
            self.buffer.update(buffer)
            self.cursor.x = min(cursor.x, self.columns - 1)
            self.cursor.y = min(cursor.y, self.lines - 1)
            self.cursor.attrs = cursor.attrs
            self.dirty.update(range(self.lines))

    def select_graphic_rendition(self, *codes, **how):
        codes = list(codes) or [0]
        while codes:
            code, colour = codes.pop(0), []
            if code in COLOURS:
                count = {5: 2, 2: 4}.get(codes[0] if codes else None, 0)
                colour, codes = codes[:count], codes[count:]
            known = {DIM: [STRUCK_OUT], NORMAL_INTENSITY: [code, NOT_STRUCK_OUT]}.get(code, [code])
            was_bold = self.cursor.attrs.bold
            super().select_graphic_rendition(*known, *colour, **how)
            if code in BRIGHT:
                # pyte makes them bold, too.
                self.cursor.attrs = self.cursor.attrs._replace(bold=was_bold)

    def set_margins(self, top=None, bottom=None):
        # Without parameters pyte receives 0, and does not reset the scroll region.
        if top or bottom:
            super().set_margins(top, bottom)
        else:
            self.margins = None
            self.cursor_position()

    def save_cursor(self):
        # A terminal saves one cursor; pyte has a stack.
        self.savepoints.clear()
        super().save_cursor()

    def restore_cursor(self):
        kept = [point._replace(cursor=copy.copy(point.cursor)) for point in self.savepoints]
        hidden = self.cursor.hidden
        super().restore_cursor()
        self.cursor.hidden = hidden
        self.savepoints[:] = kept

    def resize(self, lines=None, columns=None):
        """Like xterm: removes rows below the cursor first, then moves rows from the top into the
        scrollback; a smaller width truncates rows."""
        lines, columns = lines or self.lines, columns or self.columns
        self.margins = None
        for _ in range(max(0, self.cursor.y - lines + 1)):
            self.history.top.append(self.buffer[0])
            for row in range(self.lines - 1):
                self.buffer[row] = self.buffer[row + 1]
            self.buffer.pop(self.lines - 1, None)
            self.cursor.y -= 1
        for row in range(lines, self.lines):
            self.buffer.pop(row, None)
        for row in self.buffer.values():
            for column in range(columns, self.columns):
                row.pop(column, None)
        self.lines, self.columns = lines, columns
        self.cursor.x = min(self.cursor.x, columns - 1)
        self.dirty.update(range(lines))


class Run(NamedTuple):
    """Adjacent text in a row with the same attributes."""

    text: str
    bold: bool
    dim: bool
    reverse: bool
    # By pyte's name.
    colour: str


class Screen:
    """The screen of a `Terminal`, from its transcript."""

    def __init__(self, terminal, size=(24, 80)):
        self._terminal = terminal
        self._emulator = Emulator(*size)
        self._stream = pyte.ByteStream(self._emulator)
        self._position = 0

    def update(self):
        """Processes the new output of the terminal."""
        data = self._terminal.transcript.since(self._position)
        self._position += len(data)
        self._stream.feed(data)
        return self

    def skip(self):
        """Leaves out the output so far, because processing megabytes takes long. Afterwards the program must
        draw the whole screen, as after `resize`."""
        self._position = len(self._terminal.output)
        self._emulator.reset()

    def resize(self, rows, columns):
        """Processes the output so far, then changes the size of the window."""
        self.update()
        self._emulator.resize(rows, columns)
        self._terminal.resize(rows, columns)

    def resize_until_drawn(self, rows, columns):
        """Changes the size of the window, and waits until the program has drawn all rows for it. What a program has drawn
        for the size before would be in the wrong rows."""
        self.resize(rows, columns)
        self._emulator.buffer[rows - 1][0] = pyte.screens.Char(UNDRAWN)
        self.wait_for(lambda lines: not lines[-1].startswith(UNDRAWN), f"{rows} rows that are drawn")

    @property
    def lines(self):
        """The rows without trailing spaces."""
        self.update()
        return [line.rstrip() for line in self._emulator.display]

    @property
    def cells(self):
        """The rows of characters, each with its colours and styles. A blank has only a ground."""
        self.update()
        return [
            [self._cell(self._emulator.buffer[row][column]) for column in range(self._emulator.columns)]
            for row in range(self._emulator.lines)]

    @staticmethod
    def _cell(cell):
        if cell.data == " " and not cell.reverse and not cell.underscore:
            return " ", cell.bg
        return tuple(cell)

    @property
    def text(self):
        """The rows as one text, without trailing empty rows."""
        return "\n".join(self.lines).rstrip()

    @property
    def scrollback(self):
        """The rows that have scrolled off the top of the screen."""
        self.update()
        columns = range(self._emulator.columns)
        return [
            "".join(row[column].data for column in columns).rstrip()
            for row in self._emulator.history.top]

    @property
    def everything(self):
        """The scrollback and the screen, without trailing empty rows."""
        rows = self.scrollback + self.lines
        while rows and not rows[-1]:
            rows.pop()
        return rows

    @property
    def cursor(self):
        """The row and the column of the cursor, from 0."""
        self.update()
        return self._emulator.cursor.y, self._emulator.cursor.x

    @property
    def cursor_is_shown(self):
        self.update()
        return not self._emulator.cursor.hidden

    @property
    def scrolls_whole(self):
        """Whether no scroll region is set."""
        self.update()
        return self._emulator.margins in (None, (0, self._emulator.lines - 1))

    @property
    def is_alternate(self):
        """Whether the alternate screen is shown."""
        self.update()
        return self._emulator.text_screen is not None

    @property
    def wraps(self):
        self.update()
        return pyte.modes.DECAWM in self._emulator.mode

    @property
    def marks_pastes(self):
        """Whether bracketed paste is on. pyte stores private modes shifted by 5 bits."""
        self.update()
        return 2004 << 5 in self._emulator.mode

    @property
    def runs(self):
        """The rows as lists of runs, without trailing empty rows."""
        count = len(self.text.split("\n"))
        rows = []
        for number in range(count):
            row = self._emulator.buffer[number]
            cells = [row[column] for column in range(self._emulator.columns)]
            looks = itertools.groupby(
                cells, lambda cell: (cell.bold, cell.strikethrough, cell.reverse, cell.fg))
            rows.append([Run("".join(cell.data for cell in same), *look) for look, same in looks])
        return rows

    def row_of(self, text):
        """The number of the first row that contains the text; None if there is none."""
        return next((number for number, line in enumerate(self.lines) if text in line), None)

    def colour_of(self, text, row=None):
        """The colour (pyte's name) of a text in the given row, or in the first row with the text;
        None if the text is missing or has several colours."""
        row = self.row_of(text) if row is None else row
        if row is None:
            return None
        start = self.lines[row].index(text)
        cells = self._emulator.buffer[row]
        colours = {cells[start + number].fg for number in range(len(text))}
        return colours.pop() if len(colours) == 1 else None

    def is_dimmed(self, row, text=None):
        """Whether a row's text, or a part of it, is dim."""
        return self._has(row, "strikethrough", text)

    def is_bold(self, row, text):
        """Whether a part of a row's text is bold."""
        return self._has(row, "bold", text)

    def is_reversed(self, row):
        return self._has(row, "reverse")

    def has_attributes(self):
        """Whether anything on the screen has an attribute."""
        self.update()
        return any(
            getattr(cell, name) for row in self._emulator.buffer.values() for cell in row.values()
            for name in ATTRIBUTES)

    def wait_for(self, condition, what, timeout=None):
        """Waits until `condition(lines)` is true for the rows; returns them."""
        deadline = Deadline(timeout)
        while True:
            lines, position = self.lines, self._position
            if condition(lines):
                return lines
            # The condition may have processed more output, and have seen parts of before and after.
            if deadline.passed or (self._position == position and not self._terminal.transcript.wait_beyond(
                    position, deadline.left)):
                shown = "\n".join(f"  |{line}" for line in self.lines)
                raise AssertionError(f"not within {deadline.seconds} s: {what}. Screen:\n{shown}")

    def wait_for_text(self, text, timeout=None):
        """Waits until a row contains the text; returns the time (`time.monotonic`)."""
        self.wait_for(lambda lines: any(text in line for line in lines), text, timeout)
        return time.monotonic()

    def wait_until_gone(self, text, timeout=None):
        """Waits until no row contains the text."""
        self.wait_for(
            lambda lines: not any(text in line for line in lines), f"{text} is gone", timeout)

    def _has(self, row, attribute, text=None):
        self.update()
        start = self.lines[row].index(text) if text else 0
        columns = range(start, start + len(text) if text else self._emulator.columns)
        cells = [
            cell for column, cell in self._emulator.buffer[row].items()
            if column in columns and cell.data.strip()]
        return bool(cells) and all(getattr(cell, attribute) for cell in cells)

