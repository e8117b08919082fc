"""The names of pyserial. Errors for names of pyserial say the name here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

MODULE = {
    "Serial": "serialterm.open(TARGET, baud=9600)",
    "SerialException": "serialterm.Error",
    "serial_for_url": "serialterm.open(TARGET)",
}
SESSION = {
    "readline": "lines(), for a line at a time",
    "readlines": "lines()",
    "read_until": "expect(REGEX)",
    "read_all": "read()",
    "in_waiting": "read(), which returns what there is",
    "inWaiting": "read(), which returns what there is",
    "reset_input_buffer": "read(), which returns what there is",
    "flushInput": "read(), which returns what there is",
    "baudrate": "set(baud=9600)",
    "dtr": "set_line(dtr=True)",
    "setDTR": "set_line(dtr=True)",
    "rts": "set_line(rts=True)",
    "setRTS": "set_line(rts=True)",
    "send_break": "break_()",
    "flush": "write(), which waits",
    "is_open": "state",
    "isOpen": "state",
}


def missing(names: dict[str, str], owner: str, name: str) -> AttributeError:
    """The error for an attribute that is not there."""
    answer = f": pyserial's {name} is {names[name]} here" if name in names else ""
    error: Any = AttributeError(f"{owner} has no attribute '{name}'{answer}")
    if answer:
        # Python would add a name that is spelt like this one.
        error.obj = None
    return error  # type: ignore[no-any-return]


class PySerialNames:
    """A session which answers to pyserial's names with an error; without it, `dtr = True` would do nothing."""

    if not TYPE_CHECKING:
        def __getattr__(self, name: str) -> Any:
            raise missing(SESSION, "a session", name)

        def __setattr__(self, name: str, value: Any) -> None:
            if name in SESSION:
                raise missing(SESSION, "a session", name)
            super().__setattr__(name, value)
