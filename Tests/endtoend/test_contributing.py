"""What CONTRIBUTING.md and the workflow name exists: files, commands, options, tests, commits."""

import os
import re
import shlex
import subprocess
import unittest

from Tests.endtoend.harness import serialterm
from Tests.endtoend.harness.program import REPOSITORY

GUIDE = (REPOSITORY / "CONTRIBUTING.md").read_text()
WORKFLOW = (REPOSITORY / ".github/workflows/ci.yml").read_text()
NAMES = re.findall(r"`([^`\n]+)`", re.sub(r"(?ms)^```.*?^```", "", GUIDE))


def sources(*folders):
    """The text of all files of code in some folders."""
    return "\n".join(
        file.read_text() for folder in folders for file in sorted((REPOSITORY / folder).rglob("*"))
        if file.suffix in (".swift", ".py", ".sh", ".toml") or file.parent.name == "scripts" and file.is_file())


def words_of(command):
    """The words of a command, without the interpreter."""
    words = shlex.split(command, comments=True)
    return words[words[0] == "/usr/bin/python3":]


def git(*words):
    """The output of a git command; None if it fails, as it does outside of a repository."""
    ended = subprocess.run(
        ["git", *words], cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "LC_ALL": "C"})
    # There is a history, but git refuses to read it, for example in a container: that hides no test.
    if "dubious ownership" in ended.stderr:
        raise AssertionError(ended.stderr)
    return ended.stdout if ended.returncode == 0 else None


def diffs():
    """Each example: its commit, or None if it names none; the file, and the lines that were added."""
    for section in GUIDE.split("\n### ")[1:]:
        blocks = re.findall(r"(?s)```diff\n(.*?)```", section)
        if blocks:
            named = re.search(r"`([0-9a-f]{7})`", section)
            commit = named and named[1]
            for block in blocks:
                for path, lines in re.findall(r"(?m)^ (\S+)\n((?:\+.*\n)+)", block):
                    yield commit, path, [line[1:] for line in lines.splitlines()]


class ContributingTests(unittest.TestCase):
    def check(self, command):
        """A command of this repository: the script exists and can be run, and knows its options."""
        words = words_of(command)
        script = REPOSITORY / words[0]
        self.assertTrue(os.access(script, os.X_OK), command)
        for option in words[1:]:
            if option.startswith("-"):
                self.assertIn(option, script.read_text(), command)
        return words

    def test_code_is_that_of_the_sources(self):
        """Each example of Swift, in the file that is named before it."""
        examples = re.findall(r"(?s)`(Sources/[^`]*\.swift)`[^`]*```swift\n(.*?)```", GUIDE)
        self.assertEqual(len(examples), GUIDE.count("```swift"))
        self.assertGreater(len(examples), 0)
        for path, code in examples:
            self.assertIn(code, (REPOSITORY / path).read_text(), path)

    def test_examples_are_still_so(self):
        self.assertEqual(
            sum(len(added) for *_, added in diffs()), len(re.findall(r"(?m)^\+", GUIDE)))
        for commit, path, added in diffs():
            present = (REPOSITORY / path).read_text().splitlines()
            for line in added:
                with self.subTest(commit=commit, path=path):
                    self.assertIn(line, present)

    def test_examples_are_those_of_their_commits(self):
        commits = {commit for commit, *_ in diffs() if commit}
        if all(git("cat-file", "-e", commit) is None for commit in commits):
            self.skipTest("needs the history of the repository")
        for commit, path, added in diffs():
            if not commit:
                continue
            # The file may have been in another folder then.
            change = git("show", "--format=", commit, "--", f":(glob)**/{path.rpartition('/')[2]}")
            self.assertIsNotNone(change, commit)
            for line in added:
                with self.subTest(commit=commit, path=path):
                    self.assertIn(f"+{line}", change.splitlines())

    def test_named_files_exist(self):
        top = {path.name for path in REPOSITORY.iterdir()}
        paths = [name for name in NAMES if "/" in name and name.split("/")[0] in top]
        self.assertGreater(len(paths), 25)
        for path in paths:
            with self.subTest(path):
                path = path.partition(" ")[0]
                self.assertTrue(any(REPOSITORY.glob(path)) or path.startswith(".build"), path)

    def test_named_types_and_tests_exist(self):
        text = sources("Sources", "Tests", "scripts")
        names = [name for name in NAMES if re.fullmatch(r"(Fake|[A-Z][a-z]+)[A-Z]\w+|test_\w+", name)]
        self.assertGreater(len(names), 15)
        for name in names:
            with self.subTest(name):
                file = REPOSITORY / f"Tests/endtoend/{name}.py"
                self.assertTrue(file.exists() or re.search(rf"\b{name}\b", text))

    def test_named_variables_exist(self):
        text = sources("Tests", "scripts", "Fuzz")
        for name in (name for name in NAMES if name.startswith(("SERIALTERM", "STAGE"))):
            with self.subTest(name):
                self.assertIn(name.partition("=")[0], text)

    def test_commands_exist(self):
        count = 0
        for block in re.findall(r"(?ms)^```sh\n(.*?)^```", GUIDE):
            for line in block.splitlines():
                with self.subTest(line):
                    words = words_of(line)
                    if words[0] == "export":
                        continue
                    if words[0] == "swift":
                        if "--filter" in words:
                            self.assertIn(f" {words[-1]} ", sources("Tests", "Web/Tests"))
                        continue
                    self.check(line)
                    if words[0].endswith("/run.py"):
                        folder = REPOSITORY / os.path.dirname(words[0])
                        self.assertTrue((folder / f"{words[-1]}.py").exists())
                    count += 1
        self.assertGreater(count, 8)

    def test_workflow_runs_scripts_that_exist(self):
        commands = [command for command in re.findall(r"(?m)^\s*(?:- )?run: (.*)$", WORKFLOW)
                    if command.startswith(("scripts/", ".ci/"))]
        self.assertEqual(
            sorted(commands), [".ci/install-swift 6.3.3", "scripts/lint", "scripts/test", "scripts/test --soak"])
        for command in commands:
            self.check(command)
        for file in re.findall(r"'([\w./]+)'", re.search(r"hashFiles\((.*)\)", WORKFLOW)[1]):
            with self.subTest(file):
                self.assertTrue((REPOSITORY / file).exists())

    def test_workflows_say_which_commit_an_action_is(self):
        """A tag can be moved to another commit, and a commit cannot. The version is for those who read it."""
        for workflow in sorted((REPOSITORY / ".github/workflows").glob("*.yml")):
            for action in re.findall(r"\buses: (.*)", workflow.read_text()):
                with self.subTest(workflow=workflow.name):
                    self.assertRegex(action, r"^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")

    def test_workflows_make_git_trust_what_they_check_out(self):
        for workflow in sorted((REPOSITORY / ".github/workflows").glob("*.yml")):
            text = workflow.read_text()
            self.assertEqual(
                text.count("uses: actions/checkout@"), text.count("--add safe.directory"), workflow.name)

    def test_workflow_has_the_swift_that_the_manifest_asks_for(self):
        asked = re.search(r"swift-tools-version: (\d+)\.(\d+)", (REPOSITORY / "Package.swift").read_text())
        oldest = tuple(map(int, asked.groups()))
        images = re.findall(r"- swift:(\d+)\.(\d+)-(\w+)", WORKFLOW)
        self.assertEqual({system for *_, system in images}, {"bookworm", "jammy", "noble"})
        versions = {(int(major), int(minor)) for major, minor, _ in images}
        self.assertEqual(min(versions), oldest)

    def test_bug_report_asks_for_commands_that_exist(self):
        form = (REPOSITORY / ".github/ISSUE_TEMPLATE/bug_report.yml").read_text()
        asked = set(re.findall(r"label: Output of `serialterm (.*)`", form))
        self.assertEqual(asked, {"--version", "doctor"})
        for words in asked:
            with self.subTest(words):
                self.assertEqual(serialterm(words, "--help").status, 0)


if __name__ == "__main__":
    unittest.main()
