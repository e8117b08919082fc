"""Lines that are edited before they are sent."""

import os

from Tests.endtoend.faults import PREFIX
from Tests.endtoend.faults.disks import small
from Tests.endtoend.harness import wait_until
from Tests.endtoend.test_palette import PaletteTest

UP, LEFT = b"\x1b[A", b"\x1b[D"


class LineInputTest(PaletteTest):
    def setUp(self):
        super().setUp()
        self.state = self.folder / "state"
        self.history = self.state / "serialterm/history/default"

    def begin(self, *options, **how):
        self.terminal, self.screen = self.start(
            "--input-mode", "line", *options, variables={"XDG_STATE_HOME": str(self.state)}, **how)
        self.screen.wait_for(lambda lines: ">" in lines, "the line")

    def press(self, key):
        self.terminal.send(PREFIX + key)

    def wait_for_line(self, text):
        self.screen.wait_for(lambda lines: f"> {text}" in lines, f"the line {text!r}")

    def sent(self, text):
        """Waits until the device has got the line."""
        self.assertEqual(self.device.read_exactly(len(text) + 1), text + b"\r")


class LineInputTests(LineInputTest):
    def test_a_line_is_edited_and_then_sent_whole(self):
        self.begin()
        self.terminal.send(b"helo" + LEFT + b"l")
        self.wait_for_line("hello")
        self.terminal.send(b"!")
        self.wait_for_line("hell!o")
        self.terminal.send(b"\x7f\r")
        self.sent(b"hello")

    def test_characters_of_several_bytes_are_edited_whole(self):
        self.begin()
        self.terminal.send("grün€".encode())
        self.wait_for_line("grün€")
        self.terminal.send(b"\x7f\r")
        self.sent("grün".encode())

    def test_what_the_device_says_stands_above_the_line(self):
        self.begin()
        self.terminal.send(b"half")
        self.wait_for_line("half")
        self.device.write(b"".join(b"row %d\r\n" % number for number in range(40)))
        self.screen.wait_for(lambda lines: "row 39" in lines and "> half" in lines, "both")
        rows = self.screen.everything
        self.assertEqual(rows[-1], "> half")
        self.assertEqual(sum("half" in row for row in rows), 1)
        self.assertEqual(
            [row for row in rows if row.startswith("row")], [f"row {n}" for n in range(40)])

    def test_a_paste_is_taken_as_text_and_each_of_its_lines_is_sent(self):
        self.begin()
        self.assertTrue(self.screen.marks_pastes)
        self.terminal.send(b"\x1b[200~one\ntwo\x03\x15\nthr\x1b[201~")
        self.sent(b"one")
        self.sent(b"two")
        self.wait_for_line("thr")

    def test_a_line_ends_as_enter_does(self):
        for name, ending in (("lf", b"\n"), ("crlf", b"\r\n")):
            self.begin("--line-ending", name)
            self.terminal.send(b"x\r")
            self.assertEqual(self.device.read_exactly(1 + len(ending)), b"x" + ending)
            self.assertEqual(self.quit(self.terminal)[0], 0)

    def test_the_key_that_quits_is_heard_behind_a_large_paste_in_one_line(self):
        for before, after in ((b"\x1b[200~", b"\x1b[201~"), (b"", b"")):
            with self.subTest(before):
                self.begin()
                self.terminal.send(before + b"x" * 60_000 + after + PREFIX + b"q")
                self.assertEqual(self.terminal.wait(), 0)

    def test_pastes_are_not_marked_when_keys_are_for_the_device(self):
        self.begin()
        self.open_palette(self.terminal, self.screen, b"line-input")
        self.terminal.send(b"\r")
        self.screen.wait_for_text("line-input is off.")
        self.screen.wait_for(lambda _: not self.screen.marks_pastes, "no marks")
        self.terminal.send(b"x")
        self.assertEqual(self.device.read_exactly(1), b"x")

    def test_control_keys_that_edit_nothing_reach_the_device(self):
        self.begin()
        self.terminal.send(b"\x03\x04\x1a")
        self.assertEqual(self.device.read_exactly(3), b"\x03\x04\x1a")

    def test_quitting_leaves_nothing_of_it_on_the_screen(self):
        self.begin()
        self.terminal.send(b"unsent")
        self.wait_for_line("unsent")
        self.assertEqual(self.quit(self.terminal)[0], 0)
        self.terminal.transcript.expect_end()
        self.assertNotIn("> unsent", self.screen.everything)
        self.assertFalse(self.screen.marks_pastes)
        self.assert_given_back(self.terminal)

    def test_in_40_by_10_a_long_line_is_followed(self):
        self.begin(size=(10, 40))
        self.terminal.send(b"abcdefghij" * 6)
        self.screen.wait_for(
            lambda lines: any(line.startswith("> <") and line.endswith("ij") for line in lines),
            "the end of the line")
        self.terminal.send(b"\r")
        self.sent(b"abcdefghij" * 6)


class HistoryTests(LineInputTest):
    def type_lines(self, *lines):
        for line in lines:
            self.terminal.send(line + b"\r")
            self.sent(line)

    def test_lines_come_back_in_the_session_and_in_the_next(self):
        self.begin()
        self.type_lines(b"first", b"second")
        self.terminal.send(UP + UP)
        self.wait_for_line("first")
        self.assertEqual(self.quit(self.terminal)[0], 0)
        self.assertEqual(self.history.read_bytes(), b"first\nsecond\n")
        self.begin()
        self.terminal.send(UP)
        self.wait_for_line("second")

    def test_the_file_is_the_users_alone(self):
        self.addCleanup(os.umask, os.umask(0))
        self.begin()
        self.type_lines(b"secret")
        wait_until(self.history.exists, "the file is written")
        self.assertEqual(self.history.stat().st_mode & 0o777, 0o600)
        for folder in (self.history.parent, self.history.parent.parent, self.state):
            self.assertEqual(folder.stat().st_mode & 0o777, 0o700, folder)

    def test_it_has_no_more_than_a_thousand_lines_the_last_ones(self):
        self.history.parent.mkdir(parents=True)
        self.history.write_text("".join(f"old {number}\n" for number in range(999)))
        self.begin()
        self.type_lines(b"a", b"b", b"c")
        self.assertEqual(self.quit(self.terminal)[0], 0)
        lines = self.history.read_text().splitlines()
        self.assertLessEqual(len(lines), 1000)
        self.assertEqual(lines[-4:], ["old 998", "a", "b", "c"])
        self.assertEqual(os.listdir(self.history.parent), ["default"])

    def test_a_symbolic_link_is_neither_read_nor_written(self):
        target = self.folder / "target"
        target.write_text("somebody else's\n")
        self.history.parent.mkdir(parents=True)
        self.history.symlink_to(target)
        self.begin()
        self.terminal.send(UP)
        self.type_lines(b"line")
        self.assertEqual(self.quit(self.terminal)[0], 0)
        self.assertEqual(target.read_text(), "somebody else's\n")

    def test_a_line_with_a_space_in_front_is_not_kept(self):
        self.begin()
        self.type_lines(b" password", b"login")
        self.assertEqual(self.quit(self.terminal)[0], 0)
        self.assertEqual(self.history.read_bytes(), b"login\n")

    def test_a_password_is_in_no_file_and_does_not_come_back(self):
        home = self.folder / "home"
        home.mkdir()
        variables = {"HOME": str(home), "XDG_STATE_HOME": None, "XDG_CONFIG_HOME": None}
        self.terminal, self.screen = self.start(
            "--input-mode", "line", "--log", str(home / "log"), variables=variables, cwd=home)
        self.device.write(b"login: ")
        self.screen.wait_for_text("login:")
        self.type_lines(b"root")
        self.device.write(b"root\r\n\x1b[1mPassword:\x1b[0m ")
        self.screen.wait_for_text("Password:")
        # Also the part that is deleted and inserted again.
        self.terminal.send(b"hunter2\x15\x19\r")
        self.sent(b"hunter2")
        self.device.write(b"\r\n# ")
        self.screen.wait_for_text("#")
        self.type_lines(b"ls")
        self.terminal.send(UP + UP)
        self.wait_for_line("root")
        self.terminal.send(b"\x15\x19")
        self.wait_for_line("root")
        self.press(b"f")
        self.press(b"f")
        self.assertEqual(self.quit(self.terminal)[0], 0)
        written = [path for path in home.rglob("*") if path.is_file()]
        self.assertIn("default", [path.name for path in written])
        self.assertIn("log", [path.name for path in written])
        for path in written:
            self.assertNotIn(b"hunter2", path.read_bytes(), path)
        kept = next(path for path in written if path.name == "default")
        self.assertEqual(kept.read_bytes(), b"root\nls\n")

    def test_without_line_input_or_sending_nothing_is_kept(self):
        variables = {"XDG_STATE_HOME": str(self.state)}
        terminal, _ = self.start(variables=variables)
        terminal.send(b"typed\r")
        self.assertEqual(self.device.read_exactly(6), b"typed\r")
        self.assertEqual(self.quit(terminal)[0], 0)
        self.begin("--read-only")
        self.terminal.send(b"refused\r")
        self.screen.wait_for_text("read-only")
        self.assertEqual(self.quit(self.terminal)[0], 0)
        self.assertFalse(self.state.exists())

    def test_each_profile_has_lines_of_its_own(self):
        configuration = self.folder / "config.toml"
        configuration.write_text("[profile.board]\nbaud = 9600\n")
        self.begin("--config", str(configuration), "--profile", "board")
        self.type_lines(b"to the board")
        self.assertEqual(self.quit(self.terminal)[0], 0)
        self.assertEqual(self.history.with_name("board").read_bytes(), b"to the board\n")
        self.begin()
        self.terminal.send(UP + b"something else")
        self.wait_for_line("something else")
        self.terminal.send(b"\r")
        self.sent(b"something else")
        self.assertEqual(self.quit(self.terminal)[0], 0)
        self.assertEqual(self.history.read_bytes(), b"something else\n")

    def test_a_full_disk_leaves_the_history_as_it_was_and_nothing_beside_it(self):
        self.enterContext(small(self.state, 64))
        self.history.parent.mkdir(parents=True, mode=0o700)
        before = b"".join(b"%040d\n" % number for number in range(1000))
        self.history.write_bytes(before)
        self.begin()
        self.type_lines(b"one more")
        self.assertEqual(self.quit(self.terminal)[0], 0)
        self.assertEqual(self.history.read_bytes(), before)
        self.assertEqual(os.listdir(self.history.parent), ["default"])

    def test_a_folder_that_cannot_be_made_keeps_nobody_from_the_device(self):
        self.state.write_text("a file")
        self.begin()
        self.type_lines(b"line")
        self.terminal.send(UP)
        self.wait_for_line("line")
