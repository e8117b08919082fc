"""Shared code of the fault tests, in addition to the harness. docs/reliability.md lists the rows.

`SessionTest` has a device and starts sessions with it; `processes` examines processes;
`faulty` makes a device's system calls fail; `record` saves measurements; `text` makes test data,
and `number` parses numbers in messages. `scenarios` and `programs` belong to
`scripts/compare-faults`, which tests other terminal programs with the same faults.
"""

from . import processes
from .figures import record
from .preload import HAS_COMPILER, faulty
from .session import LEAVING, PREFIX, SessionTest
from .words import NOT_SENT, number, text

__all__ = [
    "HAS_COMPILER", "LEAVING", "NOT_SENT", "PREFIX", "SessionTest", "faulty", "number", "processes",
    "record", "text",
]
