"""Runs the tests of a folder, each file in a process of its own, several at once: a line for each test, and how many
passed, failed and were skipped."""

import argparse
import faulthandler
import functools
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import unittest
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from Tests.endtoend import isolation

REPOSITORY = Path(__file__).resolve().parents[2]

# The seconds of each test in the last run, and those of processor time. The longest files start first.
DURATIONS = REPOSITORY / ".build/test-durations.json"
# A test that took longer is not quick, whether it is marked or not.
QUICK = 0.5

# Seconds after which a test counts as stuck. Its own deadlines come before; this ends the run.
STUCK = 600

# A run with more failures than this is broken, and none of them is tried again.
MOST_AGAIN = 10

# The maximum length of a line of a failure. A failure that prints a megabyte hides the cause.
LONGEST_LINE = 2_000

# The beginning of a test's line.
PASSED, FAILED, SKIPPED = "passed", "FAILED", "skipped"
# The name of a test, or of the class or module that could not be set up.
TEST_NAME = re.compile(r"\S+(?: \(Tests\.\S+\))?")
# The line of a failure that says which error it was.
ERROR = re.compile(r"[A-Za-z_][\w.]*(?:Error|Exception|Expired|Interrupt|Exit)\b")
# The beginnings of the lines before the last one: one for each test that failed first, and then passed alone, and one for
# each that failed for good. They are for readers who have only the end of a log.
UNSTEADY, FAILED_FOR_GOOD = "unsteady:", "failed:"


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


def processor_time():
    """The seconds of processor time of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


class Report(unittest.TestResult):
    """Prints each test's line as it ends, and counts."""

    def __init__(self, until_failure=False):
        super().__init__()
        self._until_failure = until_failure
        self.counts = {PASSED: 0, FAILED: 0, SKIPPED: 0}
        # By test: seconds, and seconds of processor time, with those of the programs that have ended.
        self.durations = {}

    def startTest(self, test):
        super().startTest(test)
        limit = STUCK * 20 if is_marked(test, "soak") else STUCK
        faulthandler.dump_traceback_later(limit, exit=True)
        self._started, self._used = time.monotonic(), processor_time()
        self._problems = []
        self._reason = None

    def stopTest(self, test):
        super().stopTest(test)
        faulthandler.cancel_dump_traceback_later()
        seconds = time.monotonic() - self._started
        self.durations[test.id()] = round(seconds, 2), round(processor_time() - self._used, 2)
        duration = f"({seconds:.2f} s)"
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
    """Whether the test or its class is marked: with `slow`, `soak` or `runs_alone`."""
    method = getattr(test, test._testMethodName, None)
    return bool(getattr(method, mark, False) or getattr(test, mark, False))


def fits(names, pattern):
    """Whether one of the names of tests, with a `$` at its end, contains the pattern."""
    return any(pattern in f"{name}$" for name in names)


@functools.cache
def known_durations():
    """What DURATIONS has; empty before the first run."""
    try:
        return json.loads(DURATIONS.read_text())
    except (OSError, ValueError):
        return {}


def kept_durations(known, measured, failures):
    """The durations for the next run. A test that failed keeps its old one: the new one says how long it waited."""
    return known | {name: each for name, each in measured.items() if name not in failures}


def is_quick(test, is_asked_for):
    """Whether a test is not marked as slow. If nobody asked for it by name, it also took not longer than QUICK."""
    took = 0 if is_asked_for else known_durations().get(test.id(), (0,))[0]
    return took <= QUICK and not is_marked(test, "slow")


def modules(folder, files):
    """The names of the modules in `folder` that fit `files`, a glob."""
    package = ".".join(Path(folder).resolve().relative_to(REPOSITORY).parts)
    return [f"{package}.{path.stem}" for path in sorted(Path(folder).glob(files))]


def chosen_tests(name, quick=False, patterns=(), soak=False, alone=None):
    """The tests of the module `name` whose names, with a `$` at their end, contain one of the `patterns`. `quick` leaves
    out tests that are not (`is_quick`); `soak` chooses only tests that take minutes; `alone` chooses those that must run
    alone, or all but those."""
    return [
        test for test in tests_of(unittest.defaultTestLoader.loadTestsFromName(name))
        if (not patterns or any(fits([test.id()], pattern) for pattern in patterns))
        and is_marked(test, "soak") == soak
        and (not quick or is_quick(test, is_asked_for=bool(patterns)))
        and alone in (None, is_marked(test, "runs_alone"))]


def run_tests(tests, until_failure=False):
    """Runs tests in this process. `until_failure` stops after the first failure. Returns the report."""
    # A background process may ignore these signals, and the programs that the tests start would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    # A crash's core file is of no use here, and may take seconds to write.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    for test in tests:
        if isinstance(test, unittest.TestCase):
            test.addTypeEqualityFunc(bytes, same_bytes)
    report = Report(until_failure)
    unittest.TestSuite(tests).run(report)
    return report


def print_now(line):
    print(line, end="", flush=True)


class Part:
    """What a process or a machine that ran tests has said: how many passed, failed and were skipped, and why the first
    ones failed."""

    def __init__(self):
        self.counts = dict.fromkeys((PASSED, FAILED, SKIPPED), 0)
        self.passed = []
        # The error of each failure, by the name of the test.
        self.failures = {}
        self._failing = None

    def read(self, line):
        """Reads a line of the output. Returns whether it is one for the reader, which the closing line is not."""
        if line.strip() == closing_line(*self.counts.values()):
            return False
        outcome, _, rest = line.partition(" ")
        if outcome in self.counts:
            self.counts[outcome] += 1
            name = TEST_NAME.match(rest)[0]
            self._failing = name if outcome == FAILED else None
            if outcome == FAILED:
                self.failures[name] = ""
            elif outcome == PASSED:
                self.passed.append(name)
        elif self._failing and (ERROR.match(line) or not self.failures[self._failing]):
            self.failures[self._failing] = line.strip()
        return True

    def fail(self, name, reason):
        """Counts something that is no test of its own. Returns a line that says it."""
        self.counts[FAILED] += 1
        self.failures[name] = reason
        return f"{FAILED} {name} {reason}\n"

    def add(self, other):
        for outcome, count in other.counts.items():
            self.counts[outcome] += count
        self.passed += other.passed
        self.failures.update(other.failures)


def run_part(name, command, tell=print_now, **options):
    """Runs tests in a separate process or machine. Passes each line of output to `tell`, and returns the part."""
    part = Part()
    is_closed = False
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **options) as process:
        for line in process.stdout:
            if part.read(line):
                tell(line)
            else:
                is_closed = True
    # If a test did not run to its end, or none ran at all, that is not a success.
    if not is_closed or process.returncode not in (0, 1):
        tell(part.fail(name, f"ended early, with status {process.returncode}"))
    return part


def try_again(part, run):
    """Runs what has failed once more, alone: `run` gets its names, and returns another part. What passes then counts as
    passed. Returns the lines that say so."""
    names = list(part.failures)
    if not names:
        return []
    if len(names) > MOST_AGAIN:
        print_now(f"-- {len(names)} tests failed, too many to run them again\n")
        return []
    print_now(f"-- once more, alone: {', '.join(names)}\n")
    again = run(names)
    unsteady = [name for name in names
                if fits(again.passed, pattern_of(name))
                and name not in again.failures and not fits(again.failures, pattern_of(name))]
    part.counts[FAILED] -= len(unsteady)
    part.counts[PASSED] += len(unsteady)
    return [f"{UNSTEADY} {name} (first: {short(part.failures.pop(name))})" for name in unsteady]


def failures_of(part):
    """A line for each test that has failed."""
    return [f"{FAILED_FOR_GOOD} {name} ({short(reason)})" for name, reason in part.failures.items()]


def short(reason):
    """The reason of a failure for a line at the end."""
    return reason[:300] or "it says no reason"


def minutes(seconds):
    """A duration: 3:05."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


class Files:
    """The files of a run: which there are, how far it is, and what they have said so far."""

    def __init__(self, tests, slowest, arguments):
        """`tests` by module. `slowest` names the files that take longest, where no run has measured it. `arguments`
        are for the processes that run a module."""
        self._arguments = arguments
        self.whole = Part()
        self.durations = {}
        known = known_durations()

        def seconds(module):
            if not known:
                return next(
                    (len(slowest) - place for place, name in enumerate(slowest) if module.endswith(name)), 0)
            return sum(known.get(test.id(), (0,))[0] for test in tests[module])

        # The longest first.
        self.parts = sorted(
            {(module, is_marked(test, "runs_alone")) for module, each in tests.items() for test in each},
            key=lambda part: (part[1], -seconds(part[0]), part[0]))
        self._started = time.monotonic()
        self._running, self._ended = [], 0
        self._lock = threading.Lock()

    def run(self, jobs):
        """Runs each file in a process, up to `jobs` at once; then one at a time the tests that must run alone."""
        for alone, count in ((False, jobs), (True, 1)):
            with ThreadPoolExecutor(count) as pool:
                running = [pool.submit(self._run, *part) for part in self.parts if part[1] == alone]
                for ended in as_completed(running):
                    ended.result()

    def _run(self, name, alone):
        with self._lock:
            if "--until-failure" in self._arguments and self.whole.failures:
                return
            self._running.append(name)
        started = time.monotonic()
        lines = []
        with tempfile.TemporaryDirectory(prefix="st-", ignore_cleanup_errors=True) as folder, \
                tempfile.TemporaryFile() as durations:
            command = [
                sys.executable, sys.argv[0], *self._arguments, "--module", name, "--part", "alone" if alone else "beside",
                "--folder", folder, "--durations", str(durations.fileno())]
            part = run_part(
                name, command, lines.append, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT,
                pass_fds=[durations.fileno()])
            durations.seek(0)
            measured = json.loads(durations.read() or b"{}")
        with self._lock:
            self._running.remove(name)
            self._ended += 1
            self.durations.update(measured)
            self.whole.add(part)
            print_now("".join(lines) + self._progress(name, time.monotonic() - started))

    def _progress(self, name, seconds):
        """A line when a file has ended."""
        line = f"-- {self._ended} of {len(self.parts)} files, {minutes(time.monotonic() - self._started)}"
        if self.whole.failures:
            line += f", {self.whole.counts[FAILED]} failed"
        line += f": {name.rpartition('.')[2]} took {seconds:.0f} s"
        if self._running:
            line += "; still running: " + ", ".join(each.rpartition(".")[2] for each in self._running)
        return line + "\n"


def run_files(tests, jobs, arguments, slowest=(), is_whole=False):
    """Runs the tests, which are by module, each module in a process, which gets the `arguments`. `is_whole`: durations
    of other tests are forgotten. Returns the files."""
    files = Files(tests, slowest, arguments)
    count = sum(len(each) for each in tests.values())
    print_now(f"{count} tests in {len(files.parts)} files, {jobs} at once\n")
    files.run(jobs)
    if DURATIONS.parent.is_dir():
        durations = kept_durations({} if is_whole else known_durations(), files.durations, files.whole.failures)
        DURATIONS.write_text(json.dumps(durations, indent=0, sort_keys=True))
        known_durations.cache_clear()
    return files


def say_how_isolated():
    """Says it once if the tests cannot be kept apart from the machine as they should be."""
    with tempfile.TemporaryDirectory() as folder:
        reason = isolation.why_no_namespaces(Path(folder))
    if reason:
        print_now(f"The tests use folders and free ports of this machine, because it permits no namespaces: {reason}.\n")


def print_slowest(durations, count):
    """Prints the tests that took longest."""
    print("The slowest tests, and their processor time:")
    for name, (seconds, used) in sorted(durations.items(), key=lambda item: -item[1][0])[:count]:
        print(f"{seconds:8.2f} s {used:8.2f} s  {name.partition('.test_')[2] or name}")
    print(f"{sum(used for _, used in durations.values()):8.0f} s of processor time in all tests")


def run_module(options):
    """Runs the tests of one module in this process. Returns the counts by outcome."""
    tests = chosen_tests(
        options.module, options.quick, options.patterns, options.soak, alone=options.part == "alone")
    isolation.separate(
        Path(options.folder), network=not getattr(sys.modules.get(options.module), isolation.MARK, False))
    report = run_tests(tests, options.until_failure)
    with os.fdopen(options.durations, "w") as file:
        json.dump(report.durations, file)
    return report.counts


def main(folder, files, description, slowest=()):
    """The command line of a folder's runner. `slowest` has the ends of the names of the files that take longest, the
    slowest one first."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help=f"leave out the tests that are marked as slow or took more than {QUICK} s in the last run")
    parser.add_argument("--soak", action="store_true", help="only the tests that take minutes")
    parser.add_argument("--jobs", type=int, default=(os.cpu_count() or 1) + 1, metavar="N",
                        help="run up to N files of tests at once; by default one more than processors")
    parser.add_argument("--until-failure", action="store_true",
                        help="end after the first test that fails")
    parser.add_argument("--slowest", type=int, metavar="N", help="print the N slowest tests at the end")
    parser.add_argument("--module", metavar="NAME", help="only the tests of this module")
    # For the processes that run the files.
    parser.add_argument("--part", choices=["alone", "beside"], help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    parser.add_argument("--durations", type=int, help=argparse.SUPPRESS)
    parser.add_argument("patterns", nargs="*", metavar="PATTERN",
                        help="only tests whose names contain one of them; a $ is the end of a name")
    options = parser.parse_args()
    # nohup and a shell's `&` leave them ignored, and programs inherit that.
    for number in (signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if options.part:
        counts, closing = run_module(options), []
    else:
        # Debian's users do not search these, where servers are and what makes file systems.
        os.environ["PATH"] += ":/usr/sbin:/sbin"
        say_how_isolated()
        ran = run_chosen(folder, files, options, slowest)
        counts, closing = ran.whole.counts, []
        if not options.until_failure:
            closing = try_again(ran.whole, lambda names: run_again(folder, files, options, names))
        closing += failures_of(ran.whole)
        if options.slowest:
            print_slowest(ran.durations, options.slowest)
    for line in (*closing, closing_line(*counts.values())):
        print(line, flush=True)
    sys.exit(1 if counts[FAILED] else 0)


def pattern_of(name):
    """The pattern for something that failed: a test, a class that could not be set up, a module, a whole part."""
    if set_up := re.search(r"\((.*)\)", name):
        return f"{set_up[1]}."
    if re.search(r"\._?[A-Z]\w*\.test_", name):
        return f"{name}$"
    return f"{name}." if ".test_" in name else name


def run_chosen(folder, files, options, slowest=()):
    """Runs the tests of the options, and returns the files."""
    tests = {name: chosen_tests(name, options.quick, options.patterns, options.soak)
             for name in modules(folder, files) if options.module in (None, name)}
    if not any(tests.values()):
        sys.exit(f"no test's name contains '{' '.join(options.patterns)}'")
    marks = [f"--{mark.replace('_', '-')}" for mark in ("quick", "soak", "until_failure") if getattr(options, mark)]
    is_whole = not (marks or options.patterns or options.module)
    return run_files(tests, options.jobs, [*marks, *options.patterns], slowest, is_whole)


def run_again(folder, files, options, names):
    """Runs tests by their names, one at a time."""
    options.jobs, options.patterns = 1, [pattern_of(name) for name in names]
    return run_chosen(folder, files, options).whole
