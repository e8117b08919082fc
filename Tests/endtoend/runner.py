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

# The maximum length of a line of a failure. A failure that prints a megabyte hides the cause.
LONGEST_LINE = 2_000

# The beginning of a test's line.
PASSED, FAILED, SKIPPED = "passed", "FAILED", "skipped"


def closing_line(passed, failed, skipped):
    """The last line of every run."""
    return f"{passed} passed, {failed} failed, {skipped} skipped"


def shortened(text):
    """A text without the middle of lines that are too long to read."""
    half = LONGEST_LINE // 2
    return "\n".join(
        line if len(line) <= LONGEST_LINE
        else f"{line[:half]} [{len(line) - 2 * half:,} characters] {line[-half:]}"
        for line in text.split("\n"))


def same_bytes(actual, expected, msg=None):
    """A replacement of assertEqual for bytes: it shows where they differ, with counts if there are many."""
    if actual == expected:
        return
    if max(len(actual), len(expected)) <= 200:
        difference = f"{actual!r} != {expected!r}"
    else:
        place = next((i for i, pair in enumerate(zip(actual, expected)) if pair[0] != pair[1]),
                     min(len(actual), len(expected)))
        difference = (
            f"{len(actual):,} bytes instead of {len(expected):,}; they differ from byte {place:,} on: "
            f"{actual[place:place + 40]!r} instead of {expected[place:place + 40]!r}")
    raise AssertionError(f"{difference}: {msg}" if msg else difference)


class Report(unittest.TestResult):
    """Prints each test's line as it ends, and counts."""

    def __init__(self, until_failure=False):
        super().__init__()
        self._until_failure = until_failure
        self.counts = {PASSED: 0, FAILED: 0, SKIPPED: 0}

    def startTest(self, test):
        super().startTest(test)
        limit = STUCK * 20 if is_marked(test, "soak") else STUCK
        faulthandler.dump_traceback_later(limit, exit=True)
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
        text = shortened("".join(traceback.format_exception(*error)))
        if isinstance(test, unittest.TestCase):
            self._problems.append(text)
        else:  # A class or a module could not be set up: there is no test to report it for.
            self._tell(FAILED, test, "\n" + text)

    addFailure = addError

    def addSubTest(self, test, subtest, error):
        if error:
            text = shortened("".join(traceback.format_exception(*error)))
            self._problems.append(f"in {subtest}:\n{text}")

    def addSkip(self, test, reason):
        if isinstance(test, unittest.TestCase):
            self._reason = reason
        else:
            self._tell(SKIPPED, test, ":", reason)

    def _tell(self, outcome, test, *details):
        self.counts[outcome] += 1
        print(outcome, test.id(), *details, flush=True)
        if outcome == FAILED and self._until_failure:
            self.stop()


def tests_of(suite):
    """The single tests of a suite."""
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from tests_of(item)
        else:
            yield item


def is_marked(test, mark):
    """Whether the test or its class is marked: with `slow` or `soak`."""
    method = getattr(test, test._testMethodName, None)
    return getattr(method, mark, False) or getattr(test, mark, False)


def modules(folder, files):
    """The names of the modules in `folder` that fit `files`, a glob."""
    top = Path(__file__).resolve().parents[2]
    package = ".".join(Path(folder).resolve().relative_to(top).parts)
    return [f"{package}.{path.stem}" for path in sorted(Path(folder).glob(files))]


def run_tests(names, quick=False, pattern="", soak=False, until_failure=False):
    """Runs the tests of the modules `names` whose names contain `pattern`. `quick` leaves out tests that take
    seconds; `soak` runs only tests that take minutes; `until_failure` stops after the first failure. Returns
    the counts by outcome."""
    # A background process may ignore these signals, and the programs that the tests start would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    # A crash's core file is of no use here, and may take seconds to write.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    suite = unittest.defaultTestLoader.loadTestsFromNames(names)
    chosen = unittest.TestSuite(
        test for test in tests_of(suite)
        if pattern in test.id() and is_marked(test, "soak") == soak
        and not (quick and is_marked(test, "slow")))
    for test in tests_of(chosen):
        if isinstance(test, unittest.TestCase):
            test.addTypeEqualityFunc(bytes, same_bytes)
    report = Report(until_failure)
    chosen.run(report)
    return report.counts


def print_now(line):
    print(line, end="", flush=True)


def run_part(name, command, tell=print_now, **options):
    """Runs tests in a separate process or machine. Passes each line of output to `tell`, and
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
    # If a test did not run to its end, or none ran at all, that is not a success.
    if closing is None or process.returncode not in (0, 1):
        counts[FAILED] += 1
        tell(f"{FAILED} {name} ended early, with status {process.returncode}\n")
    return counts


def run_apart(names, jobs):
    """Runs each of the modules `names` in a separate process, up to `jobs` at once, with the options of this
    process. Prints the output of each when it ends. Returns the counts by
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
    parser.add_argument("--soak", action="store_true", help="only the tests that take minutes")
    parser.add_argument("--jobs", type=int, default=1, metavar="N",
                        help="run up to N files of tests at once")
    parser.add_argument("--until-failure", action="store_true",
                        help="end after the first test that fails")
    parser.add_argument("--module", metavar="NAME", help="only the tests of this module")
    parser.add_argument("pattern", nargs="?", default="", help="only tests whose names contain it")
    options = parser.parse_args()
    names = [options.module] if options.module else modules(folder, files)
    if options.jobs > 1:
        counts = run_apart(names, options.jobs)
    else:
        counts = run_tests(
            names, options.quick, options.pattern, options.soak, options.until_failure)
    print(closing_line(*counts.values()))
    if not any(counts.values()) and not options.module:
        sys.exit(f"no test's name contains '{options.pattern}'")
    sys.exit(1 if counts[FAILED] else 0)
