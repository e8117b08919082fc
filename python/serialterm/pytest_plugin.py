"""The plugin of pytest: the fixtures `board` and `board_module`, and the option `--serial-target`."""

# The types of this file can also be checked where pytest is not installed.
# mypy: allow-untyped-decorators

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest  # type: ignore[import-not-found,unused-ignore]

from ._core import Error
from ._session import Session, open


def pytest_addoption(parser: Any) -> None:
    """Adds the options."""
    group = parser.getgroup("serialterm")
    group.addoption("--serial-target", action="append", default=[], metavar="TARGET",
                    help="The board to test: a TARGET of serialterm. Without it, tests of a board are skipped; if it "
                         "is missing, they fail. Repeat it for pytest-xdist: one a worker.")
    group.addoption("--serial-baud", type=int, default=None, metavar="N", help="The baud rate.")


@pytest.fixture(scope="session")
def serialterm_target(request: Any) -> str:
    """The TARGET of this worker. If none is named, the test is skipped."""
    targets: list[str] = request.config.getoption("--serial-target")
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
    number = int(worker[2:])
    if not targets:
        pytest.skip("no board: name one with --serial-target")
    if number >= len(targets) and not targets[0].startswith("loopback:"):
        pytest.skip(f"no board for worker {worker}: {len(targets)} named with --serial-target")
    return targets[min(number, len(targets) - 1)]


def _opened(request: Any, target: str) -> Iterator[Session]:
    problem = ""
    try:
        session = open(target, request.config.getoption("--serial-baud"))
    except Error as error:
        problem = str(error)
    if problem:
        # Also if the device is missing: a skipped test of a named board would not be noticed.
        pytest.fail(f"--serial-target {problem}", pytrace=False)
    with session:
        yield session


@pytest.fixture
def board(request: Any, serialterm_target: str) -> Iterator[Session]:
    """A session for one test."""
    yield from _opened(request, serialterm_target)


@pytest.fixture(scope="module")
def board_module(request: Any, serialterm_target: str) -> Iterator[Session]:
    """A session for all tests of a module."""
    yield from _opened(request, serialterm_target)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: Any) -> Iterator[None]:
    """Adds the transcript to the report of a failure."""
    outcome: Any = yield
    report = outcome.get_result()
    values: dict[str, Any] = getattr(item, "funcargs", {})
    if report.failed:
        for name, value in values.items():
            if isinstance(value, Session):
                report.sections.append((f"serial transcript of {name}: {value.target}", value.transcript))
