#!/usr/bin/env python3
"""Tests the built program with devices that are plugged and unplugged: mocked by umockdev, and real
ones in a virtual machine (see stage.sh): run.py [--quick | --all | --soak] [PATTERN]. --quick skips
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
    return {runner.PASSED: 0, runner.FAILED: 0, runner.SKIPPED: 1}


def part(name, pattern, options):
    """The command that runs the tests of one part."""
    marks = (f"--{name}" for name in ("all", "soak") if getattr(options, name))
    return [sys.executable, __file__, "--part", name, *marks, pattern]


def run_mocks(options):
    """Runs the tests with umockdev."""
    reason = missing_for_mocks()
    if reason:
        return skip("Tests.stage.mock", reason)
    with tempfile.TemporaryDirectory(prefix="st-", ignore_cleanup_errors=True) as folder:
        return runner.run_part(
            "Tests.stage.mock",
            ["umockdev-wrapper", *part("mock", options.pattern, options), "--folder", folder])


def run_guests(options):
    """Runs the tests in the virtual machine, which is started once for all of them."""
    stage = FOLDER / "stage.sh"
    # Builds first, to report the reason if it cannot run.
    built = subprocess.run([stage, "build"], stderr=subprocess.PIPE, text=True)
    print(built.stderr, end="", file=sys.stderr)
    if built.returncode == UNAVAILABLE:
        return skip("Tests.stage.guest", built.stderr.strip().rpartition("stage: ")[2])
    # The machine is emulated and may be ten times slower.
    variables = ["env", "SERIALTERM_TEST_TIMEOUT=60", f"SERIALTERM={serialterm_binary()}"]
    shares = []
    if figures := os.environ.get("SERIALTERM_FIGURES"):
        variables.append(f"SERIALTERM_FIGURES={figures}")
        shares = ["--share", Path(figures).resolve().parent]
    return runner.run_part(
        "Tests.stage.guest",
        [stage, "run", "--timeout", "1800" if options.all or options.soak else "1200", "--modules", GADGETS,
         *shares, "--", *variables, *part("guest", options.pattern, options)],
        cwd=REPOSITORY)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="skip the virtual machine")
    parser.add_argument("--all", action="store_true", help="run the tests marked as slow too")
    parser.add_argument("--soak", action="store_true", help="run only the tests that take minutes")
    parser.add_argument("--part", choices=["mock", "guest"], help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    parser.add_argument("pattern", nargs="?", default="", help="only tests whose names contain it")
    options = parser.parse_args()
    if options.part:
        tests = [
            test for name in runner.modules(FOLDER, f"{options.part}_*.py")
            for test in runner.chosen_tests(
                name, quick=not options.all and not options.soak, pattern=options.pattern, soak=options.soak)]
        if options.part == "mock":  # The virtual machine has nothing that could disturb its tests.
            isolation.separate(Path(options.folder))
        parts = [runner.run_tests(tests).counts]
    else:
        parts = [run_mocks(options)]
        if not options.quick:
            parts.append(run_guests(options))
    counts = {outcome: sum(part[outcome] for part in parts) for outcome in parts[0]}
    print(runner.closing_line(*counts.values()), flush=True)
    if not any(counts.values()):
        sys.exit(f"no test's name contains '{options.pattern}'")
    sys.exit(1 if counts[runner.FAILED] else 0)


if __name__ == "__main__":
    main()
