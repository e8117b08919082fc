"""A library of Robot Framework: `Library    serialterm.robot.SerialBoard`."""

from __future__ import annotations

from typing import Optional

from ._core import Error
from ._session import Session, open


class SerialBoard:
    """Keywords for one board: `Open Board`, `Write`, `Expect`, `Read Line`, `Close Board`."""

    ROBOT_LIBRARY_SCOPE = "SUITE"

    def __init__(self) -> None:
        self._session: Optional[Session] = None

    def open_board(self, target: str, baud: Optional[int] = None, timeout: float = 10) -> None:
        """Opens a port; closes the one that is open."""
        self.close_board()
        self._session = open(target, baud, timeout=timeout)

    def close_board(self) -> None:
        """Closes the port, if one is open."""
        if self._session:
            self._session.close()
        self._session = None

    def write(self, text: str) -> None:
        """Sends a text exactly."""
        self._board.write(text)

    def expect(self, pattern: str, timeout: float = 10) -> str:
        """Waits for a regular expression, and returns its first group, or the whole match."""
        match = self._board.expect(pattern, timeout)
        return str(match.group(1 if match.groups() else 0))

    def read_line(self, timeout: float = 10) -> str:
        """Returns the next line."""
        return next(self._board.lines(timeout))

    def set_lines(self, dtr: Optional[bool] = None, rts: Optional[bool] = None) -> None:
        """Asserts or deasserts DTR and RTS."""
        self._board.set_line(dtr=dtr, rts=rts)

    @property
    def _board(self) -> Session:
        if not self._session:
            raise Error("no board is open: use Open Board first")
        return self._session
