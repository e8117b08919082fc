"""Saving the changes of a session as a profile, from the palette."""

import os
import stat

from Tests.endtoend.faults import PREFIX
from Tests.endtoend.harness import serialterm
from Tests.endtoend.test_commands import CommandTest

FILE = """# my boards
[default]
local-echo = true

[profile.board] # on the desk
baud = 9600   # as its manual says
hex = true
[profile.board.snippets]
hello = 'x'
"""


class SaveTest(CommandTest):
    def begin_with(self, *options, text=FILE, **how):
        self.file = self.folder / "serialterm" / "config.toml"
        if text is not None:
            self.file.parent.mkdir()
            self.file.write_text(text)
        self.begin(*options, variables={"XDG_CONFIG_HOME": str(self.folder)}, **how)

    def save(self, name, confirm=b"yes"):
        self.open_palette(self.terminal, self.screen, b"save-profile")
        self.terminal.send(b"\r")
        self.screen.wait_for_text("save as profile:")
        self.terminal.send(name + b"\r")
        if confirm is not None:
            self.screen.wait_for_text("write these lines:")
            self.terminal.send(confirm + b"\r")

    def set_rate(self, rate):
        self.press(b"B")
        self.answer("baud rate", rate)
        self.screen.wait_for_text(f"Now {rate.decode()}")

    def settings(self, *words):
        result = serialterm(
            "connect", *words, "--json", variables={"XDG_CONFIG_HOME": str(self.folder)})
        self.assertEqual(result.status, 0, result)
        return result.stdout.split(b'"settings":"')[1].split(b'"')[0].decode()


class SavingTests(SaveTest):
    def test_the_profile_of_the_session_is_changed_where_it_differs(self):
        self.begin_with("--profile", "board", size=(40, 100))
        self.set_rate(b"57600")
        self.press(b"h")
        self.screen.wait_for_text("hex is off.")
        self.press(b"t")
        self.screen.wait_for_text("timestamps are on")
        self.save(b"")
        self.screen.wait_for_text("The profile board is in")
        rows = self.screen.everything
        self.assertIn("  - baud = 9600   # as its manual says", rows)
        self.assertIn("  + baud = 57600   # as its manual says", rows)
        self.assertEqual(
            self.file.read_text(),
            FILE.replace("baud = 9600 ", "baud = 57600 ").replace("hex = true\n", (
                f'target = "{self.device.path}"\ntimestamps = "time"\n')))
        self.assertEqual(self.settings("loopback:", "--profile", "board"), "57600 8N1")

    def test_the_first_profile_of_all_makes_the_file_and_its_folder(self):
        self.begin_with("-b", "300", "--log-sent", "--log", str(self.folder / "x.txt"), text=None)
        self.save(b"new-one")
        self.screen.wait_for_text("The profile new-one is in")
        self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o600)
        self.assertEqual(
            self.file.read_text(),
            f'[profile.new-one]\ntarget = "{self.device.path}"\nbaud = 300\n'
            f'log = "{self.folder / "x.txt"}"\nlog-sent = true\n')
        self.assertEqual(self.settings("loopback:", "--profile", "new-one", "--no-log", "--no-log-sent"), "300 8N1")

    def test_no_and_escape_write_nothing(self):
        self.begin_with()
        self.save(b"other", confirm=b"")
        self.screen.wait_for_text("Nothing was written.")
        self.save(b"other", confirm=b"\x1b")
        self.assertEqual(self.file.read_text(), FILE)

    def test_a_file_that_changed_meanwhile_is_left_alone(self):
        self.begin_with()
        self.save(b"other", confirm=None)
        self.screen.wait_for_text("write these lines:")
        self.file.write_text(FILE + "# more\n")
        self.terminal.send(b"yes\r")
        self.screen.wait_for(
            lambda lines: "the file has changed meanwhile" in " ".join(
                line.strip() for line in lines), "the reason")
        self.assertEqual(self.file.read_text(), FILE + "# more\n")
        self.assertEqual(os.listdir(self.file.parent), ["config.toml"])

    def test_a_broken_file_is_named_with_its_line(self):
        self.begin_with()
        self.file.write_text("[profile.x]\nbaud = 'fast'\n")
        self.open_palette(self.terminal, self.screen, b"save-profile")
        self.terminal.send(b"\r")
        self.screen.wait_for(
            lambda lines: "config.toml:2: 'baud' is a string" in " ".join(
                line.strip() for line in lines), "the mistake")

    def test_with_numbered_lists(self):
        self.begin_with("--plain", "-b", "300")
        self.terminal.send(PREFIX + b":")
        self.screen.wait_for_text("save-profile")
        self.terminal.send(b"save-profile\r")
        self.screen.wait_for_text("save as profile")
        self.terminal.send(b"fresh\r")
        self.screen.wait_for_text("write these lines:")
        self.terminal.send(b"yes\r")
        self.screen.wait_for_text("The profile fresh is in")
        self.assertIn("[profile.fresh]\n", self.file.read_text())
