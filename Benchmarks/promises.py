"""The promised times of docs/reliability.md: measures each with nothing else running, and compares.

The tests of the fault matrix measure them, and no test fails because of a time: on a busy machine the program is late
and not wrong. What they judge on any machine is how long the program waits by itself."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

from Benchmarks import markdown  # noqa: E402  (only found through the path set above)
from Tests.endtoend.faults.figures import recorded  # noqa: E402
from Tests.endtoend.faults.rows import ROWS  # noqa: E402

TESTS = REPOSITORY / "Tests"
PYTHON = "/usr/bin/python3"
# The tests with a promise of a time that are not named after a row of the matrix.
OTHERS = (
    "test_a_viewer_that_is_killed_is_gone_at_once$", "test_bounded.", "test_an_answer_takes_no_longer_than_a_key$",
    "ComparedTests.", "test_one_that_stalls_does_not_keep_the_session$",
    "test_an_expression_of_the_worst_kind_can_be_left$", "test_palette.LivePaletteTests.",
    "test_a_stalled_terminal_does_not_keep_it_from_quitting$", "test_mistakes_are_named_with_their_line$",
    "test_client_that_does_not_say_what_it_wants", "test_one_that_stops_in_mid_line_keeps_the_others_waiting",
    "test_status.StatusSignalTests.", "test_one_that_is_stopped_does_not_delay_the_end$",
    "test_transfer_faults.EndTests.", "test_a_stopped_transfer_leaves_the_prompt$")
# What runs: the end-to-end tests, the mocked devices, and what only Swift can measure.
COMMANDS = (
    [PYTHON, TESTS / "endtoend/run.py", "--jobs", "1", "Row", *OTHERS],
    [PYTHON, TESTS / "stage/run.py", "--quick", "Row"],
    ["swift", "test", "--disable-xctest", "--filter", "UdevSourceTests|ReconnectorThousandTests"],
)
# A time in a requirement: "≤ 100 ms".
TIME = re.compile(r"≤ [\d.,]+ m?s\b")


def measured(patterns=()):
    """Runs the tests of the release program, and returns the figures that have a promised time, and the commands that
    failed. `patterns` chooses tests."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "figures"
        environment = dict(
            os.environ, SERIALTERM=str(REPOSITORY / ".build/release/serialterm"), SERIALTERM_FIGURES=str(path),
            SERIALTERM_THOROUGH="1")
        commands = [[*COMMANDS[0][:4], *patterns]] if patterns else COMMANDS
        failed = [
            " ".join(map(str, command)) for command in commands
            if subprocess.run(command, cwd=REPOSITORY, env=environment, stdout=sys.stderr, check=False).returncode]
        return [figure for figure in recorded(path) if limits(figure)] if path.exists() else [], failed


def limits(figure):
    """The promise of a figure: for its worst value and for its median."""
    return {name: figure[name] for name in ("at_most", "typical") if figure.get(name) is not None}


def is_kept(figure):
    promised = limits(figure)
    return (figure["worst"] <= promised.get("at_most", figure["worst"])
            and figure["median"] <= promised.get("typical", figure["median"]))


def shown(value, unit):
    """A number with its unit."""
    return f"{value:,.0f} {unit}" if value >= 100 or value == int(value) else f"{value:,.1f} {unit}"


def promise(figure):
    words = {"at_most": "≤ {}", "typical": "median ≤ {}"}
    return ", ".join(words[name].format(shown(limit, figure["unit"])) for name, limit in limits(figure).items())


def rows(figures):
    """The cells of the table: each row of the matrix that names a time, then what other pages promise."""
    for number, (fault, required) in ROWS.items():
        found = [figure for figure in figures if figure["row"] == number]
        if not found and TIME.search(required):
            yield [str(number), fault, TIME.search(required)[0], "not measured here", "", "", "", ""]
        yield from cells(str(number), fault, found)
    others = [figure for figure in figures if isinstance(figure["row"], str)]
    for page in dict.fromkeys(figure["row"] for figure in others):
        yield from cells("", page, [figure for figure in others if figure["row"] == page])


def cells(number, fault, figures):
    for index, figure in enumerate(figures):
        median = shown(figure["median"], figure["unit"]) if figure["samples"] > 1 else ""
        yield [
            "" if index else number, "" if index else fault, promise(figure), figure["name"], median,
            shown(figure["worst"], figure["unit"]), f"{figure['samples']:,}",
            "kept" if is_kept(figure) else "**missed**"]


def table(figures):
    return markdown.table(["row", "fault", "promised", "measured", "median", "worst", "times", ""], rows(figures))


def missed(figures):
    return [f"{figure['row']} {figure['name']}" for figure in figures if not is_kept(figure)]
