"""Full-screen programs on a board with a login: each cell is as on a terminal without serialterm.

So is what somebody sees who joins. Nothing of a program is left when the session ends."""

import subprocess

from Tests.endtoend.boards import DIRECT, PROMPT, SESSION, VIEWER, BoardTest, files, needs
from Tests.endtoend.harness import environment


@needs()
class ComparisonTests(BoardTest):
    def test_a_cell_and_a_mode_that_differ_are_noticed(self):
        self.begin("xterm-256color")
        self.panes.send((DIRECT,), r"printf '\033[41m '; tput sgr0 smkx", "Enter")
        self.panes.send((SESSION,), r"printf '\033[42m '; tput sgr0 rmkx", "Enter")
        self.wait_for(rf"^\{{(red|green)\}} \{{\}}{PROMPT}$")
        direct, session = self.pictures((DIRECT, SESSION))
        self.assertFalse(direct.fits(session))
        self.assertEqual(direct.differences(session)[1, 0], ((" ", "red"), (" ", "green")))
        self.assertEqual((direct.mode("keypad_flag"), session.mode("keypad_flag")), ("1", "0"))
        self.assertTrue(self.is_fresh(session) and not self.is_fresh(direct))
        with self.assertRaisesRegex(AssertionError, r"keypad_flag: 1 and 0\n(.*\n)*[0-9]+ cells differ"):
            self._wait((DIRECT, SESSION), "the same", lambda pictures: pictures[0].fits(pictures[1]), timeout=0)


class Program:
    """The tests of a program. A step is what is typed, and a regular expression for what is then
    shown, in `Picture.marked`."""

    TERM = "xterm-256color"
    # What is typed at the prompt, and what is then shown.
    START = ()
    STEPS = ()
    # The number of steps before a panel is opened, somebody joins, or the session ends.
    MIDDLE = 3
    # Steps for which the program sends more than a session keeps, and draws a part of its screen.
    UPDATES = ()
    # The last step, which ends the program.
    END = ()

    def setUp(self):
        super().setUp()
        files.make(self.files, self.shown_processes())

    def shown_processes(self):
        """The processes that a list of them shows."""
        return ()

    def take(self, steps, *names):
        for keys, shown in steps:
            self.assertFalse(self.shows(self.panes.picture(DIRECT), shown), f"{shown} is there before {keys}")
            self.type(*keys)
            self.same(shown, *names)

    def reach_the_middle(self):
        self.begin(self.TERM)
        command, shown = self.START
        self.take([((command, "Enter"), shown), *self.STEPS[:self.MIDDLE]])

    def test_each_step_looks_the_same_and_a_panel_leaves_no_trace(self):
        self.reach_the_middle()
        before = self.panes.picture(SESSION)
        self.command(":")
        self.wait_for("^command:", SESSION)
        self.panes.send((SESSION,), "Escape")
        self.same_as(before, SESSION)
        self.take([*self.STEPS[self.MIDDLE:], (self.END, rf"^{PROMPT}$")])
        self.assertTrue(self.is_fresh(self.panes.picture(SESSION)))

    def test_who_joins_sees_the_same(self):
        self.reach_the_middle()
        self.take(self.UPDATES)
        self.join()
        self.same_as(self.panes.picture(DIRECT), VIEWER)
        self.take(self.STEPS[self.MIDDLE:], DIRECT, SESSION, VIEWER)

    def test_leaving_in_the_middle_leaves_nothing(self):
        self.reach_the_middle()
        before = self.panes.picture(SESSION)
        self.assertFalse(self.is_fresh(before), "there is nothing to take back")
        self.command("q")
        self.wait_for("^ended with 0", SESSION)
        left = self.panes.picture(SESSION)
        self.assertTrue(self.is_fresh(left), left)
        # In letters without colours and styles.
        row, said = left.cells[left.cursor[0] - 1], "ended with 0"
        self.assertEqual(
            [cell for cell in row[:len(said)] if cell[0] != " "],
            [(letter, "default", "default", *[False] * 5) for letter in said if letter != " "])
        if before.mode("alternate_on") == "1":
            self.assertEqual(left.lines[0], f"{PROMPT} {self.START[0]}")


@needs("less")
class LessTests(Program, BoardTest):
    START = "less -R -N -S text", r"^\{reverse\}text\{\}$"
    STEPS = (
        (("Down", "Down"), r"\A +3 row 3"),
        (("Right",), r"\A +3$"),
        (("/", "row 9", "Enter"), r"\A +9 \{reverse\}row 9\{\}"),
        (("n",), r"\A +90 \{reverse\}row 9\{\}0"),
        (("PageUp",), r"\A +67"),
        (("h",), "SUMMARY"),
        (("q", "G"), r"\(END\)"),
        (("k",), r"\A +177"))
    END = ("q",)


@needs("vim")
class VimTests(Program, BoardTest):
    START = "vim -n -u NONE -N -i NONE --cmd 'set ttimeoutlen=20' code.c", r"\A#include"
    STEPS = (
        ((":", "syntax on | set number ruler hlsearch showcmd mouse=a", "Enter"), r"\A  1 #include"),
        (("Down", "Down", "Right", "Right"), "cursor 2,6"),
        (("C-d",), r"\A 12 int"),
        (("/", "f20", "Enter"), r"\{\w*brown\w*\}f20\{\}"),
        (("V", "j", "j"), "VISUAL LINE"),
        (("Escape",), r"\A(?![\s\S]*VISUAL)"),
        (("O", "new \u4e16\u754c", "Left", "X"), r"new \u4e16X\u754c[\s\S]*INSERT"),
        (("Escape",), r"\A(?![\s\S]*INSERT)"),
        ((":", "silent undo 0", "Enter"), r"\A(?![\s\S]*new )"),
        ((":", "split | vsplit", "Enter"), "code.c.*code.c"),
        (("C-w", "l", "G"), "Bot"),
        ((":", "set list cursorline nowrap", "Enter"), r'"\$$'),
        ((":", "set nu", "Tab"), ":set number$"))
    UPDATES = (
        ((":", "for n in range(4000) | call setline(14, repeat(n % 2 ? 'ab ' : 'cd ', 12)) | redraw | endfor | 15d",
          "Enter"), r"ab\n.*13\(\)"),)
    END = ("C-u", "qa!", "Enter")


@needs("dialog")
class DialogTests(Program, BoardTest):
    # It has no other screen, and few keys.
    TERM = "vt100"
    START = "sh dialogs", r"\{\}text1\{reverse\}"
    STEPS = (
        (("Down", "Down", "Down"), r"\{\}text4\{reverse\}"),
        (("Down",) * 5, r"\{\}text9\{reverse\}"),
        (("Right",), "cursor 17,42"),
        (("Left", "Enter"), "Which ones"),
        (("Down", "Space"), r"\[\*\] \{\}b"),
        (("Enter",), "start"),
        (("BSpace", "more"), "starmore"),
        (("Enter",), "#include"),
        (("Down", "Space"), "f16"),
        (("Enter",), "Sure"),
        (("Right",), "cursor 13,43"))
    END = ("Enter",)


@needs("htop")
class HtopTests(Program, BoardTest):
    START = "sh start-htop", "sensor-00"
    STEPS = (
        (("Down", "Down"), r"\{cyan\}.*sensor-02"),
        (("PageDown",), "sensor-22"),
        (("F3", "sensor-3"), "Search: sensor-3"),
        (("Escape", "F4", "sensor-1"), "Filter: sensor-1"),
        (("Enter", "F6"), "Sort by"),
        (("Escape", "F2"), "Categories"),
        (("Escape", "F1"), "CPU usage"))
    END = ("Enter", "q")

    def shown_processes(self):
        return self.enterContext(files.sensors())


@needs("mc")
class McTests(Program, BoardTest):
    START = "sh start-mc", r"file00"
    STEPS = (
        (("Down", "Down"), r"\{cyan\} *code.c"),
        (("Tab", "PageDown"), r"\{cyan\} *file1"),
        (("F3",), "many/file1"),
        (("F10",), "RenMov"),
        (("F9", "Down"), "Listing"),
        (("Left", "Down", "Down"), r"\{black\} Panel options"),
        (("Escape", "Escape"), r"\A(?![\s\S]*┌──────)"),
        (("F5",), "Copy file"),
        (("Escape", "Escape"), r"\A(?![\s\S]*Copy file)"),
        (("echo seen",), "# echo seen"),
        (("Enter",), r"^# +\{blue\}\["),
        (("C-o",), "^seen$"),
        (("C-o",), "file1"))
    END = ("F10",)


@needs("tmux")
class TmuxTests(Program, BoardTest):
    TERM = "tmux-256color"
    START = "tmux -f tmux.conf new", r"\{green\}\[0\]"
    STEPS = (
        (("seq 40", "Enter"), "^40$"),
        (("C-b", "%"), r"\A19 +│\$"),
        (("C-b", "[", "PageUp"), r"\[\d+/"),
        (("q",), r"\A(?![\s\S]*\[\d+/\d+\])"),
        (("C-b", "w"), "sort:"),
        (("q",), r"\A19 +│\$"),
        (("C-b", ":"), r"^\{brown\}:"),
        (("display-menu Ab a x Cd b y", "Enter"), r"\{\w*\}Ab"),
        (("Down",), r"\{\w*\}Cd"),
        (("q",), r"\A(?![\s\S]*Cd)"),
        (("C-b", "z"), r"\{green\}\[0\].*Z"),
        (("C-b", "c"), r"1:\S*\*"),
        (("vim -n -u NONE -i NONE code.c", "Enter"), r"\A#include"),
        (("C-b", ":"), r"^\{brown\}:"))
    END = ("kill-server", "Enter")

    def setUp(self):
        super().setUp()
        for name in (DIRECT, SESSION):
            variables = environment(TMUX=None, TMUX_TMPDIR=str(self.folder / name))
            self.addCleanup(subprocess.run, ["tmux", "kill-server"], env=variables, stderr=subprocess.DEVNULL)
