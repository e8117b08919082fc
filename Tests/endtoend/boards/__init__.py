"""Shared code of the tests with a board that has a login, in addition to the harness.

`Panes` are terminals whose cells can be read. `BoardTest` has the same board twice, right at a
terminal and behind a session of serialterm, and waits until both terminals show the same. `login`
is the board, `files` what is on it.
"""

from . import files
from .case import DIRECT, SESSION, VIEWER, BoardTest, needs
from .login import PROMPT
from .panes import Panes, Picture

__all__ = ["DIRECT", "PROMPT", "SESSION", "VIEWER", "BoardTest", "Panes", "Picture", "files", "needs"]
