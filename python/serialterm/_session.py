"""The blocking session."""

from __future__ import annotations

import base64
import contextlib
import os
import select
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from re import Pattern
from types import TracebackType
from typing import Any, Callable, Optional, TypeVar, Union

from . import _core
from ._core import Closed, Event, Frame, Match, Text
from ._pyserial import PySerialNames

T = TypeVar("T")
Option = Union[str, int, float, bool, None]


class Session(PySerialNames):
    """An open port. Make one with `serialterm.open()`.

    A thread reads what the program prints, so that no byte waits while the test does something else. The session
    keeps the last 4 MiB that were not read; `lost` counts what it dropped.
    """

    def __init__(self, target: str, baud: Optional[int] = None, *, frames: Optional[str] = None,
                 timeout: float = 10, program: Optional[str] = None, **options: Option) -> None:
        self.target = target
        self.timeout = timeout
        self._core = _core.Core()
        self._changed = threading.Condition()
        self._commands = threading.Lock()
        self._observers: list[Callable[[Event], None]] = []
        self._failure: Optional[Exception] = None
        self._closing = False
        self._errors = tempfile.TemporaryFile()
        words = _core.command_line(program or _core.find_program(), target, baud, frames, options)
        try:
            self._process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, bufsize=0)
        except OSError as error:
            self._errors.close()
            raise _core.not_started(words[0], error) from None
        assert self._process.stdin
        os.set_blocking(self._process.stdin.fileno(), False)
        self._reader = threading.Thread(target=self._read, name=f"serialterm {target}", daemon=True)
        self._reader.start()
        try:
            waits = bool(options.get("wait"))
            self._wait(lambda: self._core.state == "open" or (waits and self._core.state == "waiting") or None,
                       timeout, f"{target} to open")
        except BaseException:
            self.close()
            raise

    # The program

    def _read(self) -> None:
        assert self._process.stdout
        descriptor = self._process.stdout.fileno()
        while True:
            try:
                data = os.read(descriptor, 65_536)
                with self._changed:
                    events = self._core.feed(data)
                    self._changed.notify_all()
                for event in events:
                    for observer in list(self._observers):
                        observer(event)
            except Exception as error:
                with self._changed:
                    self._failure = error
                    self._changed.notify_all()
                return
            if not data:
                break
        status = self._process.wait()
        with self._changed:
            if not self._failure:
                self._failure = self._ended(status)
            self._changed.notify_all()

    def _ended(self, status: int) -> Closed:
        if self._closing:
            return Closed("the session is closed", status)
        self._errors.seek(0)
        said = _core.harmless(self._errors.read(4096).strip())
        return Closed(f"{self.target}: the program ended with status {status}" + (f": {said}" if said else ""), status)

    def _wait(self, find: Callable[[], Optional[T]], timeout: float, what: str) -> T:
        deadline = time.monotonic() + timeout
        with self._changed:
            while True:
                found = find()
                if found is not None:
                    return found
                if self._failure:
                    raise self._failure
                left = deadline - time.monotonic()
                if left <= 0:
                    raise self._core.timed_out(what, timeout)
                self._changed.wait(left)

    def command(self, name: str, timeout: Optional[float] = None, **members: Any) -> Mapping[str, Any]:
        """Performs a command of docs/json.md, and returns its answer.

        If there is no answer in time, the command is cancelled. An observer cannot call it.
        """
        limit = self.timeout if timeout is None else timeout
        if threading.current_thread() is self._reader:
            raise _core.Error("an observer cannot give commands: it would wait for itself")
        with self._commands:
            number, line = self._core.command(name, members)
            self._send(line, limit)
            try:
                answer = self._wait(lambda: self._core.answers.pop(number, None), limit, f"the answer to {name}")
            except BaseException:
                self._core.forget(number)
                if not self._failure:
                    # A program that does not read is killed by close().
                    with contextlib.suppress(_core.Error):
                        self._send(b'{"command": "cancel"}\n', 0)
                raise
        return _core.result(name, answer)

    def _send(self, line: bytes, timeout: Optional[float] = None) -> None:
        """Writes a line to the program, which may not read it. After a part of a line, the session is over."""
        assert self._process.stdin
        limit = self.timeout if timeout is None else timeout
        deadline = time.monotonic() + limit
        try:
            descriptor = self._process.stdin.fileno()
            ready = select.poll()
            ready.register(descriptor, select.POLLOUT)
            while line:
                try:
                    line = line[os.write(descriptor, line):]
                except BlockingIOError:
                    left = deadline - time.monotonic()
                    if left <= 0:
                        with self._changed:
                            self._failure = self._failure or Closed("the program does not read its input")
                        raise self._core.timed_out("the program to read its input", limit) from None
                    ready.poll(left * 1000)
        except (OSError, ValueError):
            # The reason is known when the reader has seen the end.
            self._wait(lambda: None, self.timeout, "the end of the program")

    # Bytes

    def write(self, data: Text, timeout: Optional[float] = None) -> None:
        """Sends text or bytes exactly, and returns when the driver has sent them."""
        for members in _core.pieces(data):
            with self._changed:
                self._core.note(">", bytes.fromhex(members["hex"]))
            self.command("send", timeout, **members)

    def expect(self, pattern: Union[Text, Pattern[bytes]], timeout: Optional[float] = None) -> Match:
        """Waits until what was received and not read contains a regular expression of the module `re`.

        It reads up to the end of the match. The error `Timeout` has the last lines received. `^` and `$` are the start
        and the end of a line, and `.` is any byte of it: CR, LF and CR LF end a line. A compiled expression is used as
        it is.
        """
        expression = _core.compiled(pattern)
        limit = self.timeout if timeout is None else timeout
        return Match(self._wait(lambda: self._core.received.search(expression), limit,
                                _core.shown(pattern)))

    def read(self, size: Optional[int] = None, timeout: Optional[float] = None) -> bytes:
        """Reads exactly `size` bytes, and waits for them. Without `size`, it returns what there is."""
        received = self._core.received
        if size is None:
            with self._changed:
                return received.take()
        limit = self.timeout if timeout is None else timeout
        return self._wait(
            lambda: received.take(size) if received.end - received.position >= size else None, limit, f"{size} bytes")

    def lines(self, timeout: Optional[float] = None) -> Iterator[str]:
        """The next lines, without their ends: CR, LF or CR LF. It ends with `Timeout` if none arrives in time."""
        limit = self.timeout if timeout is None else timeout
        while True:
            yield self._wait(self._core.received.take_line, limit, "a line").decode("utf-8", "backslashreplace")

    def frames(self, timeout: Optional[float] = None) -> Iterator[Frame]:
        """The next frames, of a session with `frames=`."""
        limit = self.timeout if timeout is None else timeout
        while True:
            yield self._wait(lambda: self._core.frames.popleft() if self._core.frames else None, limit, "a frame")

    @property
    def lost(self) -> int:
        """The number of bytes that were dropped because they were not read."""
        return self._core.received.lost

    @property
    def transcript(self) -> str:
        """What was received (`<`), sent (`>`) and what happened (`!`), without control characters."""
        with self._changed:
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
        """Calls a function with each event, on the reading thread: it must be quick."""
        self._observers.append(observer)

    def events(self, timeout: Optional[float] = None) -> Iterator[Event]:
        """The events since the start or the last call."""
        limit = self.timeout if timeout is None else timeout
        while True:
            yield self._wait(lambda: self._core.events.popleft() if self._core.events else None, limit, "an event")

    def wait_for(self, kind: str, timeout: Optional[float] = None) -> Event:
        """Waits for an event of a kind, and skips others: `board.wait_for("unplugged")`."""
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        while True:
            event = next(self.events(max(0.0, deadline - time.monotonic())))
            if event.kind == kind:
                return event

    # The commands

    def commands(self, timeout: Optional[float] = None) -> Mapping[str, Mapping[str, Any]]:
        """What the session says of each command now, by name: the event `commands` of docs/json.md.

        A record has `enabled`, or else the `reason` and its `code`, and the `arguments` with their `choices`.
        """
        watched = self._core.watched
        events = sorted({*watched.get("events", []), "commands"})
        self.command("watch", timeout, **{**watched, "events": events})
        limit = self.timeout if timeout is None else timeout
        return self._wait(lambda: dict(self._core.commands) or None, limit, "the commands")

    # The line

    def set_line(self, *, dtr: Optional[bool] = None, rts: Optional[bool] = None) -> None:
        """Asserts or deasserts DTR and RTS."""
        lines = {"dtr": dtr, "rts": rts}
        self.command("set", **{name: value for name, value in lines.items() if value is not None})

    def set(self, **settings: Union[int, str]) -> None:
        """Changes `baud`, `data_bits`, `parity`, `stop_bits` or `flow`."""
        members: dict[str, Any] = {name.replace("_", "-"): value for name, value in settings.items()}
        self.command("set", **members)

    def pulse(self, line: str) -> None:
        """Toggles `dtr` or `rts` for a short time."""
        self.command("pulse-line", argument=line)

    def break_(self, milliseconds: int = 250) -> None:
        """Sends a break."""
        self.command("break", milliseconds=milliseconds)

    def start_log(self, path: Union[str, os.PathLike[str]], append: bool = False) -> None:
        """Logs to a file. Its suffix chooses the format."""
        self.command("start-log", path=os.path.abspath(path), append=append)

    def stop_log(self) -> None:
        """Ends the log."""
        self.command("stop-log")

    def read_log(self, timeout: Optional[float] = None) -> bytes:
        """Returns what the log has now. `timeout` is the limit of each piece of 16 KiB."""
        log = bytearray()
        while True:
            piece = self.command("read-log", timeout, offset=len(log))
            log += base64.b64decode(piece["data"])
            if len(log) >= piece["size"]:
                return bytes(log)

    @contextlib.contextmanager
    def released(self, timeout: Optional[float] = None) -> Iterator[Optional[str]]:
        """Lends the port to another program, such as a flasher, and reopens it at the end."""
        node = self.node
        self.command("release", timeout)
        try:
            yield node
        finally:
            self.command("take-back", timeout)
            limit = self.timeout if timeout is None else timeout
            self._wait(lambda: self._core.state == "open" or None, limit, f"{self.target} to open")

    # Files

    def send_file(self, path: Union[str, os.PathLike[str]], protocol: str = "raw", timeout: float = 600) -> None:
        """Sends a file, as it is or by a protocol: a choice of `commands()["send-file"]`."""
        self.command("send-file", timeout, path=os.path.abspath(path), protocol=protocol)

    def receive_files(self, into: Union[str, os.PathLike[str]] = ".", protocol: str = "zmodem",
                      name: Optional[str] = None, timeout: float = 600) -> None:
        """Receives files into a folder, by a choice of `commands()["receive-files"]`. XMODEM needs a `name`."""
        named = {} if name is None else {"name": name}
        self.command("receive-files", timeout, into=os.path.abspath(into), protocol=protocol, **named)

    # The end

    def close(self) -> None:
        """Closes the port and ends the program. A program that does not answer is killed after 2 s."""
        if self._process.stdout is None or self._process.stdout.closed:
            return
        self._closing = True
        assert self._process.stdin
        try:
            os.write(self._process.stdin.fileno(), b'{"command": "cancel"}\n{"command": "close"}\n')
        except (OSError, ValueError):
            pass
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(5)
        self._process.stdout.close()
        self._errors.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()


def open(target: str, baud: Optional[int] = None, *, frames: Optional[str] = None, timeout: float = 10,
         program: Optional[str] = None, **options: Option) -> Session:
    """Opens a port.

    `target` is a TARGET of serialterm: `/dev/ttyUSB0`, `usb:0403:6001`, `rfc2217://lab:4001`, `loopback:board`.
    `timeout` in seconds is the limit of every wait that names none. `options` are long options of
    `serialterm connect`: `data_bits=7`, `wait=True`, `log="board.txt"`. `program` is serialterm, else
    `$SERIALTERM`, else the one of the PATH.
    """
    return Session(target, baud, frames=frames, timeout=timeout, program=program, **options)
