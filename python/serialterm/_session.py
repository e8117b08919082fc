"""The blocking session."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping
from re import Pattern
from types import TracebackType
from typing import Any, Callable, Optional, TypeVar, Union

from . import _core, aio
from ._core import Event, Frame, Match, Text

T = TypeVar("T")
Option = Union[str, int, float, bool, None]


class Session:
    """An open port. Make one with `serialterm.open()`.

    A thread reads what the program prints, so that no byte waits while the test does something else. The session
    keeps the last 4 MiB that were not read; `lost` counts what it dropped.
    """

    def __init__(self, target: str, baud: Optional[int] = None, *, frames: Optional[str] = None,
                 timeout: float = 10, program: Optional[str] = None, **options: Option) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=f"serialterm {target}", daemon=True)
        self._thread.start()
        try:
            self._session = self._run(
                aio.open(target, baud, frames=frames, timeout=timeout, program=program, **options))
        except BaseException:
            self._end()
            raise

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        """Does work of the asyncio session in its thread, and waits for the result."""
        if threading.current_thread() is self._thread:
            work.close()
            raise _core.Error("an observer cannot give commands: it would wait for itself")
        if self._loop.is_closed():
            work.close()
            raise _core.Closed("the session is closed")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def _call(self, function: Callable[[], T]) -> T:
        async def work() -> T:
            return function()
        return self._run(work())

    def _each(self, items: AsyncIterator[T]) -> Iterator[T]:
        while True:
            yield self._run(_next(items))

    def _end(self) -> None:
        # What was interrupted cleans up first.
        self._run(_finish())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def target(self) -> str:
        """The TARGET that was opened."""
        return self._session.target

    @property
    def timeout(self) -> float:
        """The limit of every wait that names none, in seconds."""
        return self._session.timeout

    @timeout.setter
    def timeout(self, seconds: float) -> None:
        """Changes the limit."""
        self._session.timeout = seconds

    def command(self, name: str, timeout: Optional[float] = None, **members: Any) -> Mapping[str, Any]:
        """Performs a command of docs/json.md, and returns its answer.

        If there is no answer in time, the command is cancelled. An observer cannot call it.
        """
        return self._run(self._session.command(name, timeout, **members))

    # Bytes

    def write(self, data: Text, timeout: Optional[float] = None) -> None:
        """Sends text or bytes exactly, and returns when the driver has sent them."""
        self._run(self._session.write(data, timeout))

    def expect(self, pattern: Union[Text, Pattern[bytes]], timeout: Optional[float] = None) -> Match:
        """Waits until what was received and not read contains a regular expression of the module `re`.

        It reads up to the end of the match. The error `Timeout` has the last lines received. `^` and `$` are the start
        and the end of a line, and `.` is any byte of it: CR, LF and CR LF end a line. A compiled expression is used as
        it is.
        """
        return self._run(self._session.expect(pattern, timeout))

    def read(self, size: Optional[int] = None, timeout: Optional[float] = None) -> bytes:
        """Reads exactly `size` bytes, and waits for them. Without `size`, it returns what there is."""
        return self._run(self._session.read(size, timeout))

    def lines(self, timeout: Optional[float] = None) -> Iterator[str]:
        """The next lines, without their ends: CR, LF or CR LF. It ends with `Timeout` if none arrives in time."""
        return self._each(self._session.lines(timeout))

    def frames(self, timeout: Optional[float] = None) -> Iterator[Frame]:
        """The next frames, of a session with `frames=`."""
        return self._each(self._session.frames(timeout))

    @property
    def lost(self) -> int:
        """The number of bytes that were dropped because they were not read."""
        return self._session.lost

    @property
    def transcript(self) -> str:
        """What was received (`<`), sent (`>`) and what happened (`!`), without control characters."""
        return self._call(lambda: self._session.transcript)

    # Events

    @property
    def state(self) -> str:
        """`open`, `waiting`, `released` or `closed`."""
        return self._session.state

    @property
    def node(self) -> Optional[str]:
        """The path of the device's node; None if it has none."""
        return self._session.node

    def observe(self, observer: Callable[[Event], None]) -> None:
        """Calls a function with each event, on the reading thread: it must be quick."""
        self._session.observe(observer)

    def events(self, timeout: Optional[float] = None) -> Iterator[Event]:
        """The events since the start or the last call."""
        return self._each(self._session.events(timeout))

    def wait_for(self, kind: str, timeout: Optional[float] = None) -> Event:
        """Waits for an event of a kind, and skips others: `board.wait_for("unplugged")`."""
        return self._run(self._session.wait_for(kind, timeout))

    # The commands

    def commands(self, timeout: Optional[float] = None) -> Mapping[str, Mapping[str, Any]]:
        """What the session says of each command now, by name: the event `commands` of docs/json.md.

        A record has `enabled`, or else the `reason` and its `code`, and the `arguments` with their `choices`.
        """
        return self._run(self._session.commands(timeout))

    # The line

    def set_line(self, *, dtr: Optional[bool] = None, rts: Optional[bool] = None) -> None:
        """Asserts or deasserts DTR and RTS."""
        self._run(self._session.set_line(dtr=dtr, rts=rts))

    def set(self, **settings: Union[int, str]) -> None:
        """Changes `baud`, `data_bits`, `parity`, `stop_bits` or `flow`."""
        self._run(self._session.set(**settings))

    def pulse(self, line: str) -> None:
        """Toggles `dtr` or `rts` for a short time."""
        self._run(self._session.pulse(line))

    def break_(self, milliseconds: int = 250) -> None:
        """Sends a break."""
        self._run(self._session.break_(milliseconds))

    def start_log(self, path: Union[str, os.PathLike[str]], append: bool = False) -> None:
        """Logs to a file. Its suffix chooses the format."""
        self._run(self._session.start_log(path, append))

    def stop_log(self) -> None:
        """Ends the log."""
        self._run(self._session.stop_log())

    def read_log(self, timeout: Optional[float] = None) -> bytes:
        """Returns what the log has now. `timeout` is the limit of each piece of 16 KiB."""
        return self._run(self._session.read_log(timeout))

    @contextlib.contextmanager
    def released(self, timeout: Optional[float] = None) -> Iterator[Optional[str]]:
        """Lends the port to another program, such as a flasher, and reopens it at the end."""
        lending = self._session.released(timeout)
        node = self._run(_enter(lending))
        try:
            yield node
        finally:
            self._run(_leave(lending))

    # Files

    def send_file(self, path: Union[str, os.PathLike[str]], protocol: str = "raw", timeout: float = 600) -> None:
        """Sends a file, as it is or by a protocol: a choice of `commands()["send-file"]`."""
        self._run(self._session.send_file(path, protocol, timeout))

    def receive_files(self, into: Union[str, os.PathLike[str]] = ".", protocol: str = "zmodem",
                      name: Optional[str] = None, timeout: float = 600) -> None:
        """Receives files into a folder, by a choice of `commands()["receive-files"]`. XMODEM needs a `name`."""
        self._run(self._session.receive_files(into, protocol, name, timeout))

    # The end

    def close(self) -> None:
        """Closes the port and ends the program. A program that does not answer is killed after 2 s."""
        if self._loop.is_closed():
            return
        self._run(self._session.close())
        self._end()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()


async def _finish() -> None:
    await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}), return_exceptions=True)


async def _next(items: AsyncIterator[T]) -> T:
    return await items.__anext__()


async def _enter(context: contextlib.AbstractAsyncContextManager[T]) -> T:
    return await context.__aenter__()


async def _leave(context: contextlib.AbstractAsyncContextManager[Any]) -> None:
    await context.__aexit__(None, None, None)


def open(target: str, baud: Optional[int] = None, *, frames: Optional[str] = None, timeout: float = 10,
         program: Optional[str] = None, **options: Option) -> Session:
    """Opens a port.

    `target` is a TARGET of serialterm: `/dev/ttyUSB0`, `usb:0403:6001`, `rfc2217://lab:4001`, `loopback:board`.
    `timeout` in seconds is the limit of every wait that names none. `options` are long options of
    `serialterm connect`: `data_bits=7`, `wait=True`, `log="board.txt"`. `program` is serialterm, else
    `$SERIALTERM`, else the one of the PATH.
    """
    return Session(target, baud, frames=frames, timeout=timeout, program=program, **options)
