"""Messages fit on the terminal that they go to: lines are broken between words."""

from pathlib import Path

from Tests.endtoend.faults import PREFIX
from Tests.endtoend.harness import Terminal, serialterm_binary, wait_until
from Tests.endtoend.harness.screen import Screen
from Tests.endtoend.test_palette import PaletteTest


class MessageTests(PaletteTest):
    def said(self):
        return (
            f"serialterm: {self.device.path} is released for other programs. "
            "ctrl-t r takes it back.")

    def test_words_are_whole(self):
        for columns in (40, 80):
            with self.subTest(columns):
                terminal = self.session(size=(24, columns))
                screen = Screen(terminal, (24, columns))
                screen.wait_for_text("ctrl-t q")
                terminal.send(PREFIX + b"r")
                # A word that the terminal has broken would be two words.
                screen.wait_for(
                    lambda lines: self.said() in " ".join(" ".join(lines).split()), "the message")
                terminal.leave()
                terminal.close()

    def test_a_file_has_the_message_in_one_line(self):
        said = Path(self.folder) / "said"
        with said.open("wb") as file:
            terminal = self.enterContext(Terminal(
                serialterm_binary(), "connect", self.device.path, size=(24, 40), stderr=file))
            wait_until(lambda: b"ctrl-t ? for help." in said.read_bytes(), "the greeting")
            terminal.send(PREFIX + b"r")
            wait_until(lambda: self.said() in said.read_text(), "the message")
            terminal.send(PREFIX + b"q")
            self.assertEqual(terminal.wait(), 0)
