"""Serial ports for test programs, through `serialterm connect --json`.

```python
import serialterm

with serialterm.open("usb:0403:6001", baud=115200) as board:
    board.write("help\\r")
    m = board.expect(r"(\\d+) ok", timeout=2)
```
"""

from typing import TYPE_CHECKING, NoReturn

from ._core import Closed, CommandFailed, Error, Event, Frame, Match, Timeout
from ._session import Session, open

if not TYPE_CHECKING:
    def __getattr__(name: str) -> NoReturn:
        from . import _pyserial
        raise _pyserial.missing(_pyserial.MODULE, "serialterm", name)

__all__ = ["Closed", "CommandFailed", "Error", "Event", "Frame", "Match", "Session", "Timeout", "open"]
