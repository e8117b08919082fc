"""docs/commands.md agrees with the program."""

import re
import unittest

from Tests.endtoend import shots

# | `x` | `send-file` | send a file | ...
ROW = re.compile(r"(?m)^\| (?:`(.)`)? ?\| `([a-z-]+)` \| ([^|]+?) \|")
# 12) x send-file: send a file   (off: ...)
CHOICE = re.compile(r"(?m)^ *\d+\) (.) ([a-z-]+): (.+?)(?:  .*)?$")


class CommandsDocumentTests(unittest.TestCase):
    def test_every_command_of_the_program_is_in_it_and_no_other(self):
        with shots.Session(variables={"TERM": "dumb"}, size=(80, 120)) as session:
            session.press(b":", "quit: end the session")
            listed = {
                (key.strip(), name, summary)
                for key, name, summary in CHOICE.findall(session.screen.text)}
        listed.add((":", "palette", "search the commands"))
        described = set(ROW.findall(shots.DOCUMENT.read_text()))
        self.assertEqual(described, listed)

    def test_the_screens_in_it_are_what_the_program_shows(self):
        documented = shots.documented()
        self.assertEqual(documented.keys(), {shots.CHOOSER, *shots.SHOTS})
        for title, shot in shots.SHOTS.items():
            with self.subTest(title):
                self.assertEqual(shot(), documented[title])

    def test_the_pictures_are_what_the_program_shows(self):
        pages = "".join(
            path.read_text() for path in (shots.DOCUMENTS.parent / "README.md", *shots.DOCUMENTS.glob("*.md")))
        for path, svg in shots.pictures().items():
            with self.subTest(path.name):
                self.assertRegex(pages, rf"[\"(/]{re.escape(path.name)}[\")]")
                self.assertEqual(path.read_text(), svg)
