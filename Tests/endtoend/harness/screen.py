"""What a user sees: a terminal emulator that reads what a program writes to its terminal."""

import copy
import time

import pyte

from .deadline import Deadline

# pyte does not know dim text. It is kept as struck out, which nobody uses.
DIM, NORMAL_INTENSITY, STRUCK_OUT, NOT_STRUCK_OUT = 2, 22, 9, 29
ATTRIBUTES = ("bold", "italics", "underscore", "strikethrough", "reverse")


class Emulator(pyte.HistoryScreen):
    """pyte's screen with scrollback, where terminals of today differ from it."""

    def __init__(self, rows, columns):
        super().__init__(columns, rows, history=5000, ratio=0.5)

    def select_graphic_rendition(self, *codes, **how):
        known = []
        for code in codes:
            known += {
                DIM: [STRUCK_OUT], NORMAL_INTENSITY: [code, NOT_STRUCK_OUT]}.get(code, [code])
        super().select_graphic_rendition(*known, **how)

    def set_margins(self, top=None, bottom=None):
        # Without parameters pyte hears a 0, and leaves the region as it is.
        if top or bottom:
            super().set_margins(top, bottom)
        else:
            self.margins = None
            self.cursor_position()

    def save_cursor(self):
        # A terminal has one place to remember a cursor in, pyte a stack of them.
        self.savepoints.clear()
        super().save_cursor()

    def restore_cursor(self):
        kept = [point._replace(cursor=copy.copy(point.cursor)) for point in self.savepoints]
        hidden = self.cursor.hidden
        super().restore_cursor()
        self.cursor.hidden = hidden
        self.savepoints[:] = kept

    def resize(self, lines=None, columns=None):
        """Like xterm: rows go from below the cursor first, then from the top, into the scrollback;
        a smaller width cuts off."""
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


class Screen:
    """The screen of a `Terminal`, as far as its transcript goes."""

    def __init__(self, terminal, size=(24, 80)):
        self._terminal = terminal
        self._emulator = Emulator(*size)
        self._stream = pyte.ByteStream(self._emulator)
        self._position = 0

    def update(self):
        """Reads what has come since."""
        data = self._terminal.transcript.since(self._position)
        self._position += len(data)
        self._stream.feed(data)
        return self

    def resize(self, rows, columns):
        """Changes the size of the window, after what has come."""
        self.update()
        self._emulator.resize(rows, columns)
        self._terminal.resize(rows, columns)

    @property
    def lines(self):
        """The rows, without spaces at their ends."""
        self.update()
        return [line.rstrip() for line in self._emulator.display]

    @property
    def text(self):
        """The rows as one text, without empty ones at the end."""
        return "\n".join(self.lines).rstrip()

    @property
    def scrollback(self):
        """What has left the screen at its upper end."""
        self.update()
        columns = range(self._emulator.columns)
        return [
            "".join(row[column].data for column in columns).rstrip()
            for row in self._emulator.history.top]

    @property
    def everything(self):
        """The scrollback and the screen, without empty rows at the end."""
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
    def wraps(self):
        self.update()
        return pyte.modes.DECAWM in self._emulator.mode

    @property
    def marks_pastes(self):
        """Whether bracketed paste is on: private modes are kept shifted."""
        self.update()
        return 2004 << 5 in self._emulator.mode

    def row_of(self, text):
        """The number of the first row with the text; None if there is none."""
        return next((number for number, line in enumerate(self.lines) if text in line), None)

    def colour_of(self, text, row=None):
        """The colour that all of a text has, as pyte names it, in its first row or in another; None
        where there is no such text, or it has several."""
        row = self.row_of(text) if row is None else row
        if row is None:
            return None
        start = self.lines[row].index(text)
        cells = self._emulator.buffer[row]
        colours = {cells[start + number].fg for number in range(len(text))}
        return colours.pop() if len(colours) == 1 else None

    def is_dimmed(self, row):
        """Whether a row's text is dim."""
        return self._has(row, "strikethrough")

    def is_reversed(self, row):
        return self._has(row, "reverse")

    def has_attributes(self):
        """Whether anything on the screen is set off."""
        self.update()
        return any(
            getattr(cell, name) for row in self._emulator.buffer.values() for cell in row.values()
            for name in ATTRIBUTES)

    def wait_for(self, condition, what, timeout=None):
        """Waits until `condition(lines)` holds for the rows; returns them."""
        deadline = Deadline(timeout)
        while not condition(lines := self.lines):
            if deadline.passed or not self._terminal.transcript.wait_beyond(
                    self._position, deadline.left):
                shown = "\n".join(f"  |{line}" for line in lines)
                raise AssertionError(f"not within {deadline.seconds} s: {what}. On screen:\n{shown}")
        return lines

    def wait_for_text(self, text, timeout=None):
        """Waits until the text stands in one of the rows; returns when that was seen."""
        self.wait_for(lambda lines: any(text in line for line in lines), text, timeout)
        return time.monotonic()

    def wait_until_gone(self, text, timeout=None):
        """Waits until the text stands in none of the rows."""
        self.wait_for(
            lambda lines: not any(text in line for line in lines), f"{text} is gone", timeout)

    def _has(self, row, attribute):
        self.update()
        cells = [cell for cell in self._emulator.buffer[row].values() if cell.data.strip()]
        return bool(cells) and all(getattr(cell, attribute) for cell in cells)

