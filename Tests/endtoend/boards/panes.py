"""Terminals whose cells can be read: tmux emulates them, and draws every cell for its user.

tmux knows what the emulator of the harness does not, as sets of characters, and the form of keys
in each mode. Its own list of cells (`capture-pane`) lacks those that were erased in a colour."""

import shlex
import subprocess
from pathlib import Path
from typing import NamedTuple

from Tests.endtoend.harness import Terminal, environment
from Tests.endtoend.harness.screen import Screen

# What a program can leave at a terminal, by tmux's names.
MODES = (
    "alternate_on", "cursor_flag", "keypad_flag", "keypad_cursor_flag", "insert_flag", "origin_flag", "wrap_flag",
    "scroll_region_upper", "scroll_region_lower", "pane_tabs")

# Its user's terminal gets characters, and nothing that the harness could take in another way.
PLAIN = "*" + "".join(f":{name}@" for name in (
    "csr ind indn ri rin ech ich ich1 dch dch1 il il1 dl dl1 el el1 ed".split()))
OPTIONS = (
    # Without a terminal, the server would end at once.
    ("-g", "exit-empty", "off"), ("-g", "status", "off"), ("-g", "default-terminal", "tmux-256color"),
    ("-g", "escape-time", "0"), ("-s", "terminal-overrides", PLAIN))


class Picture(NamedTuple):
    """What a terminal shows, and its modes."""

    # The rows of cells: each is a character with its colours and styles (`Screen.cells`).
    cells: list
    # The row and the column, from 0.
    cursor: tuple
    modes: tuple
    # Whether a program wants to know what the mouse does.
    has_mouse: bool

    def mode(self, name):
        return self.modes[MODES.index(name)]

    @property
    def lines(self):
        """The rows without trailing spaces."""
        return ["".join(cell[0] for cell in row).rstrip() for row in self.cells]

    @property
    def marked(self):
        """The rows without trailing spaces, with a mark where another ground begins: {cyan},
        {reverse}, or {} for none. Then the row and the column of the cursor."""
        rows = []
        for row in self.cells:
            marked, last = "", "default"
            for cell in row:
                is_reverse = len(cell) > 2 and cell[7]
                ground = "reverse" if is_reverse else cell[1 if len(cell) == 2 else 2]
                if ground != last:
                    marked += f"{{{ground}}}".replace("default", "")
                marked, last = marked + cell[0], ground
            rows.append(marked.rstrip())
        return "\n".join([*rows, "cursor {},{}".format(*self.cursor)])

    def fits(self, other):
        """Whether both are the same. The mouse does not count."""
        return self[:3] == other[:3]

    def differences(self, other):
        """The cells of both where they differ, by row and column."""
        return {
            (row, column): pair
            for row, rows in enumerate(zip(self.cells, other.cells, strict=True))
            for column, pair in enumerate(zip(*rows, strict=True)) if pair[0] != pair[1]}

    def compared(self, other):
        """What differs in another picture, for the message of a failure."""
        found = self.differences(other)
        modes = [f"{name}: {left} and {right}" for name, left, right in zip(MODES, self.modes, other.modes, strict=True)
                 if left != right]
        places = [f"row {row}, column {column}: {left} and {right}"
                  for (row, column), (left, right) in list(found.items())[:5]]
        return "\n".join([*modes, *places, f"{len(found)} cells differ"])


class Panes:
    """Terminals of one size, by name."""

    def __init__(self, folder, rows=24, columns=80):
        self._tmux = "tmux", "-u", "-S", str(Path(folder) / "panes"), "-f", "/dev/null"
        self.rows, self.columns = rows, columns
        self._users = {}

    def __enter__(self):
        words = ["start-server"]
        for option in OPTIONS:
            words += [";", "set-option", *option]
        self._run(*words)
        return self

    def __exit__(self, *_):
        self._run("kill-server")
        for user, _ in self._users.values():
            user.close()

    def _run(self, *words):
        result = subprocess.run(
            [*self._tmux, *words], stdin=subprocess.DEVNULL, capture_output=True, env=environment(TMUX=None),
            encoding="utf-8")
        if result.returncode:
            raise AssertionError(f"tmux {' '.join(words)}: {result.stderr}")
        return result.stdout

    def start(self, name, *command, variables=None):
        """Starts a program on a new terminal, which stays when it ends."""
        settings = [word for each in (variables or {}).items() for word in ("-e", "=".join(each))]
        self._run("new-session", "-d", "-s", name, "-x", str(self.columns), "-y", str(self.rows), *settings,
                  "sh", "-c", '"$@"; echo "ended with $?"; read -r _', "sh", *command)
        # Its user's terminal cannot erase in a colour, and gets spaces.
        user = Terminal(*self._tmux, "attach-session", "-t", f"={name}", size=(self.rows, self.columns),
                        variables={"TERM": "screen-256color", "TMUX": None})
        self._users[name] = user, Screen(user, (self.rows, self.columns))

    def send(self, names, *keys):
        """Types at several terminals: texts, or tmux's names of keys, which the terminal's modes
        give their form."""
        words = []
        for name in names:
            words += ["send-keys", "-t", f"={name}:", *keys, ";"]
        self._run(*words[:-1])

    def record(self, name, path):
        """Writes to a file what the program sends to its terminal from now on."""
        self._run("pipe-pane", "-O", "-t", f"={name}:", f"exec cat > {shlex.quote(str(path))}")

    def picture(self, name):
        """What a terminal shows now."""
        screen = self._users[name][1]
        form = " ".join(f"#{{{mode}}}" for mode in ("mouse_any_flag", *MODES))
        mouse, *modes = self._run("display-message", "-p", "-t", f"={name}:", form).split()
        return Picture(screen.cells, screen.cursor, tuple(modes), mouse == "1")
