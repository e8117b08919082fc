"""Messages fit on the terminal that they go to: lines are broken between words."""

from pathlib import Path

from Tests.endtoend.faults import PREFIX
from Tests.endtoend.harness import Terminal, serialterm, serialterm_binary, wait_until
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

    def test_errors_before_a_session_have_whole_words(self):
        words = [serialterm_binary(), "connect", "-b", "9600x", self.device.path]
        whole = serialterm("connect", "-b", "9600x", self.device.path).stderr.decode()
        # A pipe gets one line.
        self.assertEqual(whole.count("\n"), 1)
        for columns in (40, 80, 200):
            with self.subTest(columns), Terminal(*words, size=(24, columns)) as terminal:
                self.assertEqual(terminal.wait(), 2)
                terminal.transcript.expect_end()
                lines = terminal.output.decode().replace("\r", "").splitlines()
                self.assertLessEqual(max(map(len, lines)), columns)
                self.assertEqual(" ".join(line.strip() for line in lines), whole.strip())
                # The command is copied whole.
                self.assertTrue(any("'serialterm connect --help'" in line for line in lines), lines)

    def test_frames_are_broken_between_words_and_numbers(self):
        sentence = b"$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230326,003.1,W*63\r\n"
        for columns in (60, 80):
            with self.subTest(columns):
                terminal = self.session("--frames", "nmea", size=(24, columns))
                screen = Screen(terminal, (24, columns))
                screen.wait_for_text("ctrl-t q")
                self.device.write(sentence)
                screen.wait_for_text("003.1W")
                first = screen.row_of("$GPRMC")
                rows = [row for row in screen.lines[first:] if row]
                place = rows[0].index("$GPRMC")
                self.assertGreater(len(rows), 2)
                self.assertEqual({len(row) - len(row.lstrip()) for row in rows[1:]}, {place}, rows)
                self.assertEqual(
                    " ".join(row.strip() for row in rows[1:])[-len("course 084.4 date 230326 variation 003.1W"):],
                    "course 084.4 date 230326 variation 003.1W")
                terminal.leave()
                terminal.close()
