"""The twin of `serialterm.open` for asyncio.

```python
import serialterm.aio

async with await serialterm.aio.open("usb:0403:6001", baud=115200) as board:
    await board.write("help\\r")
    m = await board.expect(r"(\\d+) ok", timeout=2)
```
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from re import Pattern
from types import TracebackType
from typing import Any, Callable, Optional, TypeVar, Union

from . import _core
from ._core import Closed, Event, Frame, Match, Text
from ._pyserial import PySerialNames

T = TypeVar("T")
Option = Union[str, int, float, bool, None]


class Session(PySerialNames):
    """An open port. Make one with `await serialterm.aio.open()`. Methods and errors are those of `serialterm.Session`.

    Use it in one event loop. Several tasks may wait at once; commands are performed one after the other.
    """

    def __init__(self, target: str, timeout: float) -> None:
        self.target = target
        self.timeout = timeout
        self._core = _core.Core()
        self._changed = asyncio.Condition()
        self._commands = asyncio.Lock()
        self._observers: list[Callable[[Event], None]] = []
        self._failure: Optional[Exception] = None
        self._closing = False
        self._is_closed = False

    async def _start(self, words: list[str], waits: bool) -> None:
        self._errors = tempfile.TemporaryFile()
        try:
            self._process = await asyncio.create_subprocess_exec(
                *words, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=self._errors)
        except OSError as error:
            self._errors.close()
            raise _core.not_started(words[0], error) from None
        self._reader = asyncio.ensure_future(self._read())
        try:
            await self._wait(lambda: self._core.state == "open" or (waits and self._core.state == "waiting") or None,
                             self.timeout, f"{self.target} to open")
        except BaseException:
            await self.close()
            raise

    # The program

    async def _read(self) -> None:
        assert self._process.stdout
        try:
            while data := await self._process.stdout.read(65_536):
                async with self._changed:
                    events = self._core.feed(data)
                    self._changed.notify_all()
                for event in events:
                    for observer in list(self._observers):
                        observer(event)
            status = await self._process.wait()
            failure: Exception = self._ended(status)
        except Exception as error:
            failure = error
        async with self._changed:
            self._failure = self._failure or failure
            self._changed.notify_all()

    def _ended(self, status: int) -> Closed:
        if self._closing:
            return Closed("the session is closed", status)
        self._errors.seek(0)
        said = _core.harmless(self._errors.read(4096).strip())
        return Closed(f"{self.target}: the program ended with status {status}" + (f": {said}" if said else ""), status)

    async def _wait(self, find: Callable[[], Optional[T]], timeout: float, what: str) -> T:
        deadline = time.monotonic() + timeout
        async with self._changed:
            while True:
                found = find()
                if found is not None:
                    return found
                if self._failure:
                    raise self._failure
                left = deadline - time.monotonic()
                if left <= 0:
                    raise self._core.timed_out(what, timeout)
                with contextlib.suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(self._changed.wait(), left)

    async def command(self, name: str, timeout: Optional[float] = None, **members: Any) -> Mapping[str, Any]:
        """Performs a command of docs/json.md, and returns its answer. Without an answer in time, it is cancelled."""
        limit = self.timeout if timeout is None else timeout
        async with self._commands:
            number, line = self._core.command(name, members)
            try:
                await self._send(line, limit)
                answer = await self._wait(
                    lambda: self._core.answers.pop(number, None), limit, f"the answer to {name}")
            except BaseException:
                self._core.forget(number)
                if not self._failure and self._process.stdin:
                    self._process.stdin.write(b'{"command": "cancel"}\n')
                raise
        return _core.result(name, answer)

    async def _send(self, line: bytes, timeout: float) -> None:
        assert self._process.stdin
        try:
            self._process.stdin.write(line)
            await asyncio.wait_for(self._process.stdin.drain(), timeout)
        except asyncio.TimeoutError:
            raise self._core.timed_out("the program to read its input", timeout) from None
        except OSError:
            # The reason is known when the reader has seen the end.
            await self._wait(lambda: None, self.timeout, "the end of the program")

    # Bytes

    async def write(self, data: Text, timeout: Optional[float] = None) -> None:
        """Sends text or bytes exactly, and returns when the driver has sent them."""
        for members in _core.pieces(data):
            self._core.note(">", bytes.fromhex(members["hex"]))
            await self.command("send", timeout, **members)

    async def expect(self, pattern: Union[Text, Pattern[bytes]], timeout: Optional[float] = None) -> Match:
        """Waits until what was received and not read contains a regular expression, and reads up to its end."""
        expression = _core.compiled(pattern)
        limit = self.timeout if timeout is None else timeout
        return Match(await self._wait(lambda: self._core.received.search(expression), limit,
                                      _core.shown(pattern)))

    async def read(self, size: Optional[int] = None, timeout: Optional[float] = None) -> bytes:
        """Reads exactly `size` bytes, and waits for them. Without `size`, it returns what there is."""
        received = self._core.received
        if size is None:
            return received.take()
        limit = self.timeout if timeout is None else timeout
        return await self._wait(
            lambda: received.take(size) if received.end - received.position >= size else None, limit, f"{size} bytes")

    async def lines(self, timeout: Optional[float] = None) -> AsyncIterator[str]:
        """The next lines, without their ends: CR, LF or CR LF. It ends with `Timeout` if none arrives in time."""
        limit = self.timeout if timeout is None else timeout
        while True:
            yield (await self._wait(self._core.received.take_line, limit, "a line")).decode("utf-8", "backslashreplace")

    async def frames(self, timeout: Optional[float] = None) -> AsyncIterator[Frame]:
        """The next frames, of a session with `frames=`."""
        limit = self.timeout if timeout is None else timeout
        while True:
            yield await self._wait(lambda: self._core.frames.popleft() if self._core.frames else None, limit, "a frame")

    @property
    def lost(self) -> int:
        """The number of bytes that were dropped because they were not read."""
        return self._core.received.lost

    @property
    def transcript(self) -> str:
        """What was received (`<`), sent (`>`) and what happened (`!`), without control characters."""
        return self._core.written_transcript()

    # Events

    @property
    def state(self) -> str:
        """`open`, `waiting`, `released` or `closed`."""
        return self._core.state

    @property
    def node(self) -> Optional[str]:
        """The path of the device's node; None if it has none."""
        return self._core.node

    def observe(self, observer: Callable[[Event], None]) -> None:
        """Calls a function with each event."""
        self._observers.append(observer)

    async def events(self, timeout: Optional[float] = None) -> AsyncIterator[Event]:
        """The events since the start or the last call."""
        limit = self.timeout if timeout is None else timeout
        while True:
            yield await self._wait(
                lambda: self._core.events.popleft() if self._core.events else None, limit, "an event")

    async def wait_for(self, kind: str, timeout: Optional[float] = None) -> Event:
        """Waits for an event of a kind, and skips others."""
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        while True:
            event = await self._wait(
                lambda: self._core.events.popleft() if self._core.events else None,
                max(0.0, deadline - time.monotonic()), f"the event {kind}")
            if event.kind == kind:
                return event

    # The commands

    async def commands(self, timeout: Optional[float] = None) -> Mapping[str, Mapping[str, Any]]:
        """What the session says of each command now, by name: the event `commands` of docs/json.md.

        A record has `enabled`, or else the `reason` and its `code`, and the `arguments` with their `choices`.
        """
        watched = self._core.watched
        events = sorted({*watched.get("events", []), "commands"})
        await self.command("watch", timeout, **{**watched, "events": events})
        limit = self.timeout if timeout is None else timeout
        return await self._wait(lambda: dict(self._core.commands) or None, limit, "the commands")

    # The line

    async def set_line(self, *, dtr: Optional[bool] = None, rts: Optional[bool] = None) -> None:
        """Asserts or deasserts DTR and RTS."""
        lines = {"dtr": dtr, "rts": rts}
        await self.command("set", **{name: value for name, value in lines.items() if value is not None})

    async def set(self, **settings: Union[int, str]) -> None:
        """Changes `baud`, `data_bits`, `parity`, `stop_bits` or `flow`."""
        members: dict[str, Any] = {name.replace("_", "-"): value for name, value in settings.items()}
        await self.command("set", **members)

    async def pulse(self, line: str) -> None:
        """Toggles `dtr` or `rts` for a short time."""
        await self.command("pulse-line", argument=line)

    async def break_(self, milliseconds: int = 250) -> None:
        """Sends a break."""
        await self.command("break", milliseconds=milliseconds)

    async def start_log(self, path: Union[str, os.PathLike[str]], append: bool = False) -> None:
        """Logs to a file. Its suffix chooses the format."""
        await self.command("start-log", path=os.path.abspath(path), append=append)

    async def read_log(self, timeout: Optional[float] = None) -> bytes:
        """Returns what the log has now. `timeout` is the limit of each piece of 16 KiB."""
        log = bytearray()
        while True:
            piece = await self.command("read-log", timeout, offset=len(log))
            log += base64.b64decode(piece["data"])
            if len(log) >= piece["size"]:
                return bytes(log)

    async def stop_log(self) -> None:
        """Ends the log."""
        await self.command("stop-log")

    @contextlib.asynccontextmanager
    async def released(self, timeout: Optional[float] = None) -> AsyncIterator[Optional[str]]:
        """Lends the port to another program, such as a flasher, and reopens it at the end."""
        node = self.node
        await self.command("release", timeout)
        try:
            yield node
        finally:
            await self.command("take-back", timeout)
            limit = self.timeout if timeout is None else timeout
            await self._wait(lambda: self._core.state == "open" or None, limit, f"{self.target} to open")

    # Files

    async def send_file(
            self, path: Union[str, os.PathLike[str]], protocol: str = "raw", timeout: float = 600) -> None:
        """Sends a file, as it is or by a protocol: a choice of `commands()["send-file"]`."""
        await self.command("send-file", timeout, path=os.path.abspath(path), protocol=protocol)

    async def receive_files(self, into: Union[str, os.PathLike[str]] = ".", protocol: str = "zmodem",
                            name: Optional[str] = None, timeout: float = 600) -> None:
        """Receives files into a folder, by a choice of `commands()["receive-files"]`. XMODEM needs a `name`."""
        named = {} if name is None else {"name": name}
        await self.command("receive-files", timeout, into=os.path.abspath(into), protocol=protocol, **named)

    # The end

    async def close(self) -> None:
        """Closes the port and ends the program. A program that does not answer is killed after 2 s."""
        if self._is_closed:
            return
        self._closing = self._is_closed = True
        assert self._process.stdin
        with contextlib.suppress(OSError):
            self._process.stdin.write(b'{"command": "cancel"}\n{"command": "close"}\n')
        self._process.stdin.close()
        try:
            # The reader waits for the program, and takes its output meanwhile.
            await asyncio.wait_for(asyncio.shield(self._reader), 2)
        except asyncio.TimeoutError:
            self._process.kill()
            await self._reader
        await self._process.wait()
        self._errors.close()

    async def __aenter__(self) -> Session:
        return self

    async def __aexit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        await self.close()


async def open(target: str, baud: Optional[int] = None, *, frames: Optional[str] = None, timeout: float = 10,
               program: Optional[str] = None, **options: Option) -> Session:
    """Opens a port. The arguments are those of `serialterm.open`."""
    session = Session(target, timeout)
    words = _core.command_line(program or _core.find_program(), target, baud, frames, options)
    await session._start(words, bool(options.get("wait")))
    return session
