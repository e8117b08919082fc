"""Runs the tests of a folder: a line for each, and how many passed, failed and were skipped."""

import argparse
import faulthandler
import resource
import signal
import subprocess
import sys
import time
import traceback
import unittest
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

# Seconds after which a test counts as stuck. Its own deadlines come long before; this ends the run.
STUCK = 300

# What a test's line begins with.
PASSED, FAILED, SKIPPED = "passed", "FAILED", "skipped"


def closing_line(passed, failed, skipped):
    """The last line of every run."""
    return f"{passed} passed, {failed} failed, {skipped} skipped"


class Report(unittest.TestResult):
    """Prints each test's line as it ends, and counts."""

    def __init__(self):
        super().__init__()
        self.counts = {PASSED: 0, FAILED: 0, SKIPPED: 0}

    def startTest(self, test):
        super().startTest(test)
        faulthandler.dump_traceback_later(STUCK, exit=True)
        self._started = time.monotonic()
        self._problems = []
        self._reason = None

    def stopTest(self, test):
        super().stopTest(test)
        faulthandler.cancel_dump_traceback_later()
        duration = f"({time.monotonic() - self._started:.2f} s)"
        if self._problems:
            self._tell(FAILED, test, duration, "\n" + "".join(self._problems))
        elif self._reason is not None:
            self._tell(SKIPPED, test, ":", self._reason)
        else:
            self._tell(PASSED, test, duration)

    def addError(self, test, error):
        text = "".join(traceback.format_exception(*error))
        if isinstance(test, unittest.TestCase):
            self._problems.append(text)
        else:  # A class or a module could not be set up: there is no test to report it for.
            self._tell(FAILED, test, "\n" + text)

    addFailure = addError

    def addSubTest(self, test, subtest, error):
        if error:
            self._problems.append(f"in {subtest}:\n" + "".join(traceback.format_exception(*error)))

    def addSkip(self, test, reason):
        if isinstance(test, unittest.TestCase):
            self._reason = reason
        else:
            self._tell(SKIPPED, test, ":", reason)

    def _tell(self, outcome, test, *details):
        self.counts[outcome] += 1
        print(outcome, test.id(), *details, flush=True)


def tests_of(suite):
    """The single tests of a suite."""
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from tests_of(item)
        else:
            yield item


def is_slow(test):
    """Whether the test or its class is marked with `slow`."""
    method = getattr(test, test._testMethodName, None)
    return getattr(method, "slow", False) or getattr(test, "slow", False)


def modules(folder, files):
    """The names of the modules in `folder` that fit `files`, a glob."""
    top = Path(__file__).resolve().parents[2]
    package = ".".join(Path(folder).resolve().relative_to(top).parts)
    return [f"{package}.{path.stem}" for path in sorted(Path(folder).glob(files))]


def run_tests(names, quick=False, pattern=""):
    """Runs the tests of the modules `names` whose own names contain `pattern`. Returns the counts
    by outcome."""
    # Who starts the tests in the background may have them ignored: what they start would be deaf.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    # A crash's core file is of no use here, and may take seconds to write.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    suite = unittest.defaultTestLoader.loadTestsFromNames(names)
    chosen = unittest.TestSuite(
        test for test in tests_of(suite)
        if pattern in test.id() and not (quick and is_slow(test)))
    report = Report()
    chosen.run(report)
    return report.counts


def print_now(line):
    print(line, end="", flush=True)


def run_part(name, command, tell=print_now, **options):
    """Runs tests in a process or a machine of their own. Hands each of their lines to `tell` and
    returns the counts by outcome."""
    counts = dict.fromkeys((PASSED, FAILED, SKIPPED), 0)
    closing = None
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **options) as process:
        for line in process.stdout:
            if line.strip() == closing_line(*counts.values()):
                closing = line
                continue
            outcome = line.partition(" ")[0]
            if outcome in counts:
                counts[outcome] += 1
            tell(line)
    # Tests that did not run to their end, or none at all, are no success.
    if closing is None or process.returncode not in (0, 1):
        counts[FAILED] += 1
        tell(f"{FAILED} {name} ended early, with status {process.returncode}\n")
    return counts


def run_apart(names, jobs):
    """Runs each of the modules `names` in a process of its own, up to `jobs` at once, with the
    options that this process has. Prints what each printed when it ends. Returns the counts by
    outcome."""
    def run(name):
        lines = []
        command = [sys.executable, *sys.argv, "--jobs", "1", "--module", name]
        counts = run_part(
            name, command, lines.append, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT)
        return lines, counts

    total = dict.fromkeys((PASSED, FAILED, SKIPPED), 0)
    with ThreadPoolExecutor(jobs) as pool:
        for ended in as_completed([pool.submit(run, name) for name in names]):
            lines, counts = ended.result()
            print_now("".join(lines))
            for outcome, count in counts.items():
                total[outcome] += count
    return total


def main(folder, files, description):
    """The command line of a folder's runner."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="leave out the tests marked as slow")
    parser.add_argument("--jobs", type=int, default=1, metavar="N",
                        help="run up to N files of tests at once")
    parser.add_argument("--module", metavar="NAME", help="only the tests of this module")
    parser.add_argument("pattern", nargs="?", default="", help="only tests whose names contain it")
    options = parser.parse_args()
    names = [options.module] if options.module else modules(folder, files)
    if options.jobs > 1:
        counts = run_apart(names, options.jobs)
    else:
        counts = run_tests(names, options.quick, options.pattern)
    print(closing_line(*counts.values()))
    if not any(counts.values()) and not options.module:
        sys.exit(f"no test's name contains '{options.pattern}'")
    sys.exit(1 if counts[FAILED] else 0)
