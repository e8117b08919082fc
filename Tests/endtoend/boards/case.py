"""The same board twice, right at a terminal and behind a session, and what both show."""

import re
import shutil
import tempfile
import unittest
from pathlib import Path

from Tests.endtoend.faults import PREFIX
from Tests.endtoend.harness import serialterm_binary, wait_until

from .login import NAME, PASSWORD, PROMPT, Board, login
from .panes import MODES, Panes

# The terminals: where the board's shell runs, where serialterm shows such a board, and where
# somebody joins it.
DIRECT, SESSION, VIEWER = "direct", "session", "viewer"
# Typed at a session.
PREFIX_KEY = f"C-{chr(PREFIX[0] + 0x60)}"


def needs(*packages):
    """Skips the tests of a class where a program of these packages is missing."""
    missing = [name for name in ("tmux", "socat", *packages) if not shutil.which(name)]
    return unittest.skipIf(missing, f"needs the packages {', '.join(missing)}")


class BoardTest(unittest.TestCase):
    def setUp(self):
        # A program that loses its terminal may write there while it ends.
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        self.files = self.folder / "board/files"
        self.files.mkdir(parents=True)
        (self.folder / "run").mkdir(mode=0o700)
        self.variables = {"XDG_RUNTIME_DIR": str(self.folder / "run")}
        self.panes = self.enterContext(Panes(self.folder))
        # What a terminal is without a program: all but its tab stops.
        self.fresh = dict(zip(MODES, ("0", "1", "0", "0", "0", "0", "1", "0", str(self.panes.rows - 1)), strict=False))

    def begin(self, term, *options):
        """Logs in on both boards, with a TERM and the files in `files`."""
        board = self.enterContext(Board(self.folder / SESSION, self.files))
        self.node = board.node
        self.panes.start(DIRECT, *login(self.folder / DIRECT, self.files))
        self.panes.start(
            SESSION, serialterm_binary(), "connect", self.node, *options, variables=self.variables)
        for typed, asked in ((NAME, "board login:"), (PASSWORD, "Password:")):
            self.wait_for(rf"^{asked}$")
            self.type(typed, "Enter")
        self.wait_for(rf"^{PROMPT}$")
        if not options:
            # A question to which the direct terminal has no answer either. Behind the next line,
            # the session says that it gives none: once, and so not behind a program.
            self.type(r"printf '\033[?15n'; echo asked", "Enter")
            self.wait_for(rf"^asked$[\s\S]*^{PROMPT}$")
        # A serial line tells no size.
        self.type(f"export TERM={term}; stty rows {self.panes.rows} cols {self.panes.columns}; clear", "Enter")
        self.same(rf"\A{PROMPT}$")

    def join(self):
        """Somebody joins the session at a third terminal."""
        self.panes.start(VIEWER, serialterm_binary(), "attach", self.node, variables=self.variables)

    def type(self, *keys):
        """Types at both boards."""
        self.panes.send((DIRECT, SESSION), *keys)

    def command(self, *keys):
        """Types a command of the session."""
        self.panes.send((SESSION,), PREFIX_KEY, *keys)

    def pictures(self, names):
        return list(map(self.panes.picture, names))

    def wait_for(self, shown, *names):
        """Waits until each terminal shows something: what a regular expression finds in the
        marked rows (`Picture.marked`), or what a function of a picture accepts. Without names,
        both boards' terminals."""
        self._wait(names or (DIRECT, SESSION), shown, lambda pictures: all(
            self.shows(each, shown) for each in pictures))

    def same(self, shown, *names):
        """Waits until that is shown, and the terminals have the same cells, cursor and modes."""
        names = names or (DIRECT, SESSION)
        self._wait(names, f"the same, with {shown}", lambda pictures: self.shows(pictures[0], shown) and all(
            each.fits(pictures[0]) for each in pictures[1:]))
        # The mouse stays the user's.
        self.assertFalse(any(each.has_mouse for each in self.pictures(names[1:])))

    def same_as(self, picture, name):
        """Waits until a terminal shows a picture."""
        self._wait((name,), f"this picture:\n{picture.marked}", lambda pictures: pictures[0].fits(picture), picture)

    def is_fresh(self, picture):
        """Whether a terminal is as without a program."""
        return not picture.has_mouse and all(picture.mode(name) == mode for name, mode in self.fresh.items())

    @staticmethod
    def shows(picture, shown):
        return shown(picture) if callable(shown) else re.search(shown, picture.marked, re.MULTILINE)

    def _wait(self, names, what, condition, expected=None, timeout=None):
        try:
            wait_until(lambda: condition(self.pictures(names)), what, timeout)
        except AssertionError as error:
            pictures = self.pictures(names)
            shown = [f"{name}:\n{each.marked}" for name, each in zip(names, pictures, strict=True)]
            expected = expected or pictures.pop(0)
            raise AssertionError("\n".join([str(error), *shown, *map(expected.compared, pictures)])) from None
