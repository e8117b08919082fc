"""The manual pages that scripts/make-manual makes from the program and from docs/, and that of serialterm-web."""

import json
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from Tests.endtoend.harness import serialterm, serialterm_binary
from Tests.endtoend.harness.program import REPOSITORY

SOURCES = REPOSITORY / "Sources"
# The manual of serialterm-web, which is written by hand.
WEB_PAGE = REPOSITORY / "man/serialterm-web.1"


class ManualTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        subprocess.run(
            [REPOSITORY / "scripts/make-manual", serialterm_binary(), cls.folder], check=True)

    def page(self, name):
        """A page without roff's escapes of dashes."""
        return (self.folder / name).read_text().replace("\\-", "-")

    def section(self, name):
        """The terms in a section of serialterm(1), with their texts."""
        text = re.search(rf"(?ms)^\.SH {name}\n(.*?)(?=^\.SH)", self.page("serialterm.1")).group(1)
        return dict(re.findall(r"(?m)^\.TP.*\n\.B (.*)\n(.*)$", text))

    def test_every_command_and_every_option_is_in_it(self):
        listed = re.findall(r"^  (\w+)(?: \(default\))? {2,}\S",
                            serialterm("--help").stdout.decode(), re.M)
        commands = set(listed) - {"help"}
        self.assertIn("doctor", commands)
        self.assertEqual(set(self.section("COMMANDS")), commands)
        for command in commands:
            page = self.page(f"serialterm-{command}.1")
            told = serialterm("help", command, "all")
            told = told if told.status == 0 else serialterm("help", command)
            options = told.stdout.decode().partition("\n\n")[2]
            for option in set(re.findall(r"--[a-z][a-z0-9-]+", options)) - {"--help", "--version"}:
                self.assertIn(option, page, command)

    def test_every_command_of_a_session_is_in_it(self):
        keys = self.section("KEYS")
        for line in serialterm("session-commands").stdout.decode().splitlines():
            key, name, text = line.split("\t")
            self.assertEqual(keys[f"ctrl-t {key}" if key else name], text)

    def test_every_help_topic_is_in_it(self):
        topics = self.section("HELP TOPICS")
        self.assertIn("sharing", topics)
        told = serialterm("--help").stdout.decode()
        self.assertEqual(set(topics), set(re.findall(r"(?m)^  serialterm help ([a-z-]+)  ", told)))

    def test_exit_statuses_are_those_of_the_program_and_of_the_readme(self):
        source = next(SOURCES.rglob("ExitStatus.swift")).read_text()
        numbers = set(re.findall(r"(?m)^    case \.\w+: (\d+)$", source)) | {"128+N"}
        self.assertGreater(len(numbers), 10)
        self.assertEqual(set(self.section("EXIT STATUS")), numbers)
        readme = (REPOSITORY / "README.md").read_text()
        listed = readme.partition("### Exit status\n\n")[2].partition("\n\n")[0]
        self.assertEqual(set(re.findall(r"(?:^|· )([\dN+]+) ", listed.replace("\n", " "))), numbers)

    def test_commands_of_json_and_expressions_have_pages(self):
        page = self.page("serialterm-json.7")
        terms = re.findall(r"(?m)^  ([a-z-]+(?:, [a-z-]+)*)  ", serialterm("help", "json").stdout.decode())
        listed = [name for term in terms for name in term.split(", ")]
        self.assertIn("receive-files", listed)
        self.assertIn("take-back", listed)
        for name in listed:
            self.assertRegex(page, rf"\\fB{name}\\fR")
        # A bar in a cell of a table does not end it.
        self.assertIn("\\fBa|b\\fR\none or the other", self.page("serialterm-expressions.7"))
        for topic in ("json", "regex", "scripts"):
            told = serialterm("help", topic).stdout.decode()
            for name in re.findall(r"man 7 (serialterm-[a-z]+)", told) or [None]:
                self.assertTrue((self.folder / f"{name}.7").exists(), topic)

    def test_variables_are_those_that_the_program_reads(self):
        reading = re.compile(r'(?:getenv|variable)\("(\w+)"\)|folder\("(\w+)"')
        read = {name for path in SOURCES.rglob("*.swift")
                for found in reading.findall(path.read_text()) for name in found if name}
        named = {name for term in self.section("ENVIRONMENT") for name in term.split(", ")}
        # SUDO_UID is sudo's own.
        self.assertEqual(named, read - {"SUDO_UID"})

    def test_every_finding_of_doctor_has_a_section(self):
        page = self.page("serialterm-troubleshooting.7")
        codes = (SOURCES / "serialterm/Doctor/Finding.swift").read_text()
        names = re.findall(r'(?m)^    case \w+ = "([a-z-]+)"', codes)
        self.assertGreater(len(names), 10)
        headings = {heading.lower().replace(" ", "-")
                    for heading in re.findall(r"(?m)^\.SH (.*)$", page)}
        self.assertEqual(set(names) - headings, set())

    def test_section_that_a_finding_refers_to_is_in_the_page(self):
        """`more:` is a command, with the title of a section as a comment."""
        found = json.loads(serialterm("doctor", "--json", "/dev/ttyNONE9").stdout)
        for finding in found:
            command, _, title = finding["documentation"].partition("   # ")
            _, section, name = command.split()
            self.assertIn(f"\n.SH {title.upper()}\n", self.page(f"{name}.{section}").upper())

    def test_page_of_the_page_for_browsers_has_every_option_of_its_help(self):
        source = (REPOSITORY / "Web/Sources/serialterm-web/Options.swift").read_text()
        usage = re.search(r'(?s)usage = """\n(.*?)"""', source)[1]
        page = WEB_PAGE.read_text().replace("\\-", "-")
        options = re.search(r"(?s)\n\.SH OPTIONS\n(.*?)\n\.SH ", page)[1]
        named = set(re.findall(r"(?m)(?:^ +|, )(--[a-z-]+)", usage))
        self.assertGreater(len(named), 5)
        self.assertLessEqual(named, set(re.findall(r"(?m)^\.B (--[a-z-]+)", options)))

    @unittest.skipUnless(shutil.which("mandoc"), "needs mandoc")
    def test_pages_are_well_formed(self):
        checked = subprocess.run(
            ["mandoc", "-T", "lint", "-W", "warning", *sorted(self.folder.iterdir()), WEB_PAGE],
            stdout=subprocess.PIPE, text=True)
        problems = [line for line in checked.stdout.splitlines() if "missing date" not in line]
        self.assertEqual(problems, [])

    def test_pages_refer_to_each_other_only_where_there_is_a_page(self):
        pages = [*self.folder.iterdir(), WEB_PAGE]
        there = {path.name for path in pages}
        for path in pages:
            for name, section in re.findall(
                    r"(serialterm[\w-]*) ?\((\d)\)", path.read_text().replace("\\-", "-")):
                self.assertIn(f"{name}.{section}", there, path.name)
