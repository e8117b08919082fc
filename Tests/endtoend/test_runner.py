"""The runner of these tests: what it counts, and what it does with tests that fail. It needs no binary."""

import contextlib
import io
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from Tests.endtoend import runner
from Tests.endtoend.harness.program import REPOSITORY

OUTPUT = """\
passed Tests.endtoend.test_a.ATests.test_one (0.01 s)
FAILED Tests.endtoend.test_a.ATests.test_two (0.02 s)
Traceback (most recent call last):
  File "test_a.py", line 3, in test_two
AssertionError: not within 60 s: the log is there
it wrote b'x'

skipped Tests.endtoend.test_a.ATests.test_three : needs root
FAILED setUpClass (Tests.endtoend.test_a.BTests)
OSError: no room
1 passed, 2 failed, 1 skipped
"""
TWO = "Tests.endtoend.test_a.ATests.test_two"
CLASS = "setUpClass (Tests.endtoend.test_a.BTests)"


def part_of(output):
    """What a process with this output has said, as a part of a run."""
    part, whole = runner.Part(), runner.Part()
    for line in output.splitlines():
        part.read(line)
    whole.add(part)
    return whole


class ChosenTests(unittest.TestCase):
    """Which tests of this module are chosen."""

    NAME = "Tests.endtoend.test_runner"
    ONE = f"{NAME}.PartTests.test_counts_and_reasons_are_read"

    def setUp(self):
        self.file = Path(self.enterContext(tempfile.TemporaryDirectory())) / "durations.json"
        self.enterContext(mock.patch.object(runner, "DURATIONS", self.file))
        self.addCleanup(runner.known_durations.cache_clear)

    def left_out(self, durations, **how):
        self.file.write_text(json.dumps(durations))
        runner.known_durations.cache_clear()
        every = {test.id() for test in runner.chosen_tests(self.NAME)}
        self.assertGreater(len(every), 10)
        return every - {test.id() for test in runner.chosen_tests(self.NAME, **how)}

    def test_quick_leaves_out_what_took_longer_the_last_time(self):
        durations = {self.ONE: (0.51, 0.1)}
        self.assertEqual(self.left_out(durations, quick=True), {self.ONE})
        self.assertEqual(self.left_out(durations), set())
        self.assertEqual(self.left_out({self.ONE: (0.5, 0.5)}, quick=True), set())

    def test_quick_runs_it_if_it_is_asked_for_by_name(self):
        self.assertNotIn(self.ONE, self.left_out({self.ONE: (9, 9)}, quick=True, patterns=["counts_and_reasons"]))

    def test_a_test_that_fails_is_quick_the_next_time(self):
        known, measured = {"a": (0.1, 0.1), "b": (0.2, 0.1)}, {"a": (60, 0.3), "c": (0.3, 0.1)}
        self.assertEqual(
            runner.kept_durations(known, measured, {"a": "AssertionError: not within 60 s"}), known | {"c": (0.3, 0.1)})

    def test_quick_runs_all_whose_durations_are_not_known(self):
        self.file.write_text("{")
        self.assertEqual(runner.known_durations(), {})
        self.assertEqual(self.left_out({"another.test": (9, 9)}, quick=True), set())


class PartTests(unittest.TestCase):
    def test_counts_and_reasons_are_read(self):
        part = part_of(OUTPUT)
        self.assertEqual(list(part.counts.values()), [1, 2, 1])
        self.assertEqual(part.failures, {
            TWO: "AssertionError: not within 60 s: the log is there", CLASS: "OSError: no room"})

    def test_only_the_closing_line_with_these_counts_is_one(self):
        part = part_of(OUTPUT)
        self.assertFalse(part.read("1 passed, 2 failed, 1 skipped\n"))
        self.assertTrue(part.read("2 passed, 0 failed, 0 skipped\n"))

    def test_patterns_name_just_what_failed(self):
        for name, pattern in (
                (TWO, f"{TWO}$"), (CLASS, "Tests.endtoend.test_a.BTests."),
                ("Tests.endtoend.test_a", "Tests.endtoend.test_a."), ("Tests.stage.guest", "Tests.stage.guest"),
                ("Tests.stage.guest_line.LineTests.test_x", "Tests.stage.guest_line.LineTests.test_x$"),
                # A module that cannot be imported.
                ("unittest.loader._FailedTest.test_a", "unittest.loader._FailedTest.test_a$")):
            with self.subTest(name):
                self.assertEqual(runner.pattern_of(name), pattern)


class SwiftResultsTests(unittest.TestCase):
    """scripts/swift-results, which reads the report of the Swift tests."""

    BEGIN = '<?xml version="1.0"?>\n<testsuites>\n'
    WHOLE = f'''{BEGIN}<testsuite>
      <testcase classname="A.B" name="one()"/><testcase classname="A.B" name="two()"><failure message="it"/></testcase>
      <testcase classname="A.B" name="three()"><skipped/></testcase></testsuite>\n</testsuites>\n'''

    def results(self, task, *reports):
        """What it says of reports with these contents; None is a report that is not there."""
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder) / str(number) for number in range(len(reports))]
            for path, text in zip(paths, reports):
                if text is not None:
                    path.write_text(text)
            return subprocess.run(
                [sys.executable, REPOSITORY / "scripts/swift-results", task, *paths], check=True, text=True,
                stdout=subprocess.PIPE).stdout

    def test_tests_are_counted(self):
        self.assertEqual(self.results("counts", self.WHOLE), "1 1 1\n")
        self.assertEqual(self.results("failed", self.WHOLE), "A\\.B/two\\b\n")

    def test_a_process_that_crashed_is_a_failure(self):
        """Its report was begun, or is not there."""
        for report in self.BEGIN, "", None:
            self.assertEqual(self.results("counts", report), "0 1 0\n")
            self.assertEqual(self.results("failed", report), "")

    def test_what_passes_the_second_time_is_unsteady(self):
        again = self.WHOLE.replace('<failure message="it"/>', "")
        self.assertEqual(self.results("counts", self.WHOLE, again), "2 0 1\n")
        self.assertEqual(self.results("unsteady", self.WHOLE, again), "unsteady: A.B/two() (first: it)\n")


class AgainTests(unittest.TestCase):
    def again(self, part, output):
        """The lines after a second run that prints `output`."""
        self.asked = []

        def run(names):
            self.asked.append(names)
            return part_of(output)

        with contextlib.redirect_stdout(io.StringIO()):
            return runner.try_again(part, run)

    def test_what_passes_alone_counts_as_passed_and_is_named(self):
        part = part_of(OUTPUT)
        lines = self.again(part, f"passed {TWO} (0.02 s)\nFAILED {CLASS}\nOSError: no room\n")
        self.assertEqual(self.asked, [[TWO, CLASS]])
        self.assertEqual(
            lines, [f"unsteady: {TWO} (first: AssertionError: not within 60 s: the log is there)"])
        self.assertEqual(list(part.counts.values()), [2, 1, 1])
        self.assertEqual(list(part.failures), [CLASS])
        self.assertEqual(runner.failures_of(part), [f"failed: {CLASS} ({part.failures[CLASS]})"])

    def test_a_module_that_ended_early_is_steady_if_nothing_of_it_fails(self):
        for output, count in (f"passed {TWO} (1 s)\n", 1), (f"passed {TWO} (1 s)\nFAILED {TWO[:-3]}one (1 s)\n", 0):
            with self.subTest(count):
                part = runner.Part()
                part.fail("Tests.endtoend.test_a", "ended early, with status -9")
                self.assertEqual(len(self.again(part, output)), count)
                self.assertEqual(part.counts[runner.FAILED], 1 - count)

    def test_what_fails_again_beside_tests_that_pass_has_not_passed(self):
        module, torn_down = "Tests.endtoend.test_a", f"tearDownClass ({TWO.rpartition('.')[0]})"
        for name, again in (module, "ended early, with status -9"), (torn_down, "OSError: no room"):
            with self.subTest(name):
                part = runner.Part()
                part.fail(name, "the first time")
                with contextlib.redirect_stdout(io.StringIO()):
                    lines = runner.try_again(part, lambda _, name=name, again=again: self.second(name, again))
                self.assertEqual((lines, part.counts[runner.FAILED]), ([], 1))

    @staticmethod
    def second(name, reason):
        part = part_of(f"passed {TWO} (0.02 s)\n")
        part.fail(name, reason)
        return part

    def test_what_did_not_run_again_has_not_passed(self):
        part = part_of(OUTPUT)
        self.assertEqual(self.again(part, ""), [])
        self.assertEqual(list(part.counts.values()), [1, 2, 1])

    def test_nothing_runs_again_without_failures_or_with_too_many(self):
        for failures in (0, runner.MOST_AGAIN + 1):
            with self.subTest(failures):
                part = part_of("".join(f"FAILED Tests.endtoend.test_a.A.test_{n} (1 s)\n" for n in range(failures)))
                self.assertEqual(self.again(part, ""), [])
                self.assertEqual(self.asked, [])
                self.assertEqual(part.counts[runner.FAILED], failures)
