"""Shared code of the tests of file transfers, in addition to the harness.

`Bench` has a line with serialterm at one end, and starts another program at the other; `contents` has
the files; `scripted` speaks the protocols byte by byte, for faults that no real program makes.
"""

from .bench import Bench, at_once, differences, ended, missing, missing_package, written

__all__ = [
    "Bench", "at_once", "differences", "ended", "missing", "missing_package", "written",
]
