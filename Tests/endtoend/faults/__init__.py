"""What the tests of faults share, beyond the harness: see docs/reliability.md for the rows.

`SessionTest` has a device and starts sessions with it; `processes` looks at processes from outside;
`faulty` makes a device's system calls fail; `record` keeps what was measured; `text` is what is
typed, and `number` reads what is told. `scenarios` and `programs` are for `scripts/compare-faults`,
which does to other terminal programs what the tests do to ours.
"""

from . import processes
from .figures import record
from .preload import HAS_COMPILER, faulty
from .session import LEAVING, PREFIX, SessionTest
from .words import number, text

__all__ = [
    "HAS_COMPILER", "LEAVING", "PREFIX", "SessionTest", "faulty", "number", "processes", "record",
    "text",
]
