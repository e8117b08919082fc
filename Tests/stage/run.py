#!/usr/bin/env python3
"""Tests the built program with devices that are plugged and unplugged: mocked by umockdev, and real
ones in a virtual machine (see stage.sh): run.py [--quick | --all | --soak] [PATTERN...]. --quick skips
the virtual machine; --all adds the tests with a hundred or a thousand repetitions; --soak runs only
the tests that take minutes.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
REPOSITORY = FOLDER.parents[1]
sys.path.insert(0, str(REPOSITORY))

# Only found through the path set above.
from Tests.endtoend import isolation, runner  # noqa: E402
from Tests.endtoend.harness import serialterm_binary  # noqa: E402

# The kernel modules of gadget.py and chip.py.
GADGETS = "configfs dummy_hcd libcomposite usb_f_acm usb_f_fs cdc_acm"

# The exit status of stage.sh if it cannot run on this machine.
UNAVAILABLE = 77


def missing_for_mocks():
    """The reason why the tests with umockdev cannot run here; None if they can."""
    if not shutil.which("umockdev-wrapper"):
        return "needs umockdev"
    probe = "import gi; gi.require_version('UMockdev', '1.0'); from gi.repository import UMockdev"
    if subprocess.run([sys.executable, "-c", probe], stderr=subprocess.DEVNULL).returncode:
        return f"needs python3-gi and gir1.2-umockdev-1.0 for {sys.executable}"
    return None


def skip(name, reason):
    """Counts a whole part as one skipped test."""
    print(f"{runner.SKIPPED} {name}: {reason}", flush=True)
    skipped = runner.Part()
    skipped.counts[runner.SKIPPED] = 1
    return skipped


def part(name, options):
    """The command that runs the tests of one part."""
    marks = (f"--{mark}" for mark in ("all", "soak") if getattr(options, mark))
    return [sys.executable, __file__, "--part", name, *marks, *options.patterns]


def run_mocks(options):
    """Runs the tests with umockdev."""
    reason = missing_for_mocks()
    if reason:
        return skip("Tests.stage.mock", reason)
    with tempfile.TemporaryDirectory(prefix="st-", ignore_cleanup_errors=True) as folder:
        return runner.run_part(
            "Tests.stage.mock",
            ["umockdev-wrapper", *part("mock", options), "--folder", folder])


def run_guests(options):
    """Runs the tests in the virtual machine, which is started once for all of them."""
    stage = FOLDER / "stage.sh"
    # Builds first, to report the reason if it cannot run.
    built = subprocess.run([stage, "build"], stderr=subprocess.PIPE, text=True)
    print(built.stderr, end="", file=sys.stderr)
    if built.returncode == UNAVAILABLE:
        return skip("Tests.stage.guest", built.stderr.strip().rpartition("stage: ")[2])
    # The machine is emulated and may be ten times slower.
    variables = ["env", "SERIALTERM_TEST_TIMEOUT=120", f"SERIALTERM={serialterm_binary()}"]
    shares = []
    if figures := os.environ.get("SERIALTERM_FIGURES"):
        variables.append(f"SERIALTERM_FIGURES={figures}")
        shares = ["--share", Path(figures).resolve().parent]
    return runner.run_part(
        "Tests.stage.guest",
        # Seven minutes on a quiet machine, twenty beside other work: only a hang takes two hours.
        [stage, "run", "--timeout", "7200", "--modules", GADGETS,
         *shares, "--", *variables, *part("guest", options)],
        cwd=REPOSITORY)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="skip the virtual machine")
    parser.add_argument("--all", action="store_true", help="run the tests marked as slow too")
    parser.add_argument("--soak", action="store_true", help="run only the tests that take minutes")
    parser.add_argument("--part", choices=["mock", "guest"], help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    parser.add_argument("patterns", nargs="*", metavar="PATTERN",
                        help="only tests whose names contain one of them; a $ is the end of a name")
    options = parser.parse_args()
    if options.part:
        tests = [
            test for name in runner.modules(FOLDER, f"{options.part}_*.py")
            for test in runner.chosen_tests(
                name, quick=not options.all and not options.soak, patterns=options.patterns, soak=options.soak)]
        if options.part == "mock":  # The virtual machine has nothing that could disturb its tests.
            isolation.separate(Path(options.folder))
        counts, closing = runner.run_tests(tests).counts, []
    else:
        whole = run_parts(options)
        closing = runner.try_again(whole, lambda names: run_again(options, names))
        closing += runner.failures_of(whole)
        counts = whole.counts
    for line in (*closing, runner.closing_line(*counts.values())):
        print(line, flush=True)
    if not any(counts.values()):
        sys.exit(f"no test's name contains '{' '.join(options.patterns)}'")
    sys.exit(1 if counts[runner.FAILED] else 0)


def run_parts(options, names=("mock", "guest")):
    """Runs the parts one after the other."""
    whole = runner.Part()
    if "mock" in names:
        whole.add(run_mocks(options))
    if "guest" in names and not options.quick:
        whole.add(run_guests(options))
    return whole


def run_again(options, names):
    """Runs tests by their names."""
    options.patterns = [runner.pattern_of(name) for name in names]
    return run_parts(options, [kind for kind in ("mock", "guest") if any(f".{kind}" in name for name in names)])


if __name__ == "__main__":
    main()
