"""docs/commands.md agrees with the program."""

import re
import unittest

from Tests.endtoend import shots
from Tests.endtoend.harness import serialterm

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

    def test_its_table_has_the_groups_and_the_order_of_the_program(self):
        """As in the list that is printed, in which what is off is last in its group."""
        with shots.Session("--plain", size=(100, 120)) as session:
            session.press(b"?", "in the palette")
            titles = re.findall(r"(?m)^([A-Z][a-z]+):$", session.screen.text)
            listed = re.split(r"(?m)^[A-Z][a-z]+:$", session.screen.text)[1:]
        table = shots.DOCUMENT.read_text()
        self.assertEqual(re.findall(r"(?m)^\| \| \*\*(\w+)\*\* \|", table), titles)
        groups = re.split(r"(?m)^\| \| \*\*\w+\*\* \|.*$", table)[1:]
        for title, group, described in zip(titles, listed, groups, strict=True):
            with self.subTest(title):
                self.assertEqual(
                    sorted(name for _, name, _ in ROW.findall(described)),
                    sorted(re.findall(r"(?m)^  .  ([a-z-]+): ", group)))
        names = [line.split("\t")[1] for line in serialterm("session-commands").stdout.decode().splitlines()]
        self.assertEqual([name for _, name, _ in ROW.findall(table)], names)

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
