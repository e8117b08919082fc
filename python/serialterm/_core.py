"""The protocol of `serialterm connect --json` and the received bytes, without input or output.

Both shells, the blocking one and the one of asyncio, feed a `Core` with what the program prints, and write to the
program what the core gives them.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from re import Pattern
from typing import Any, Optional, Union

VERSION = 1
"""The version of the protocol that this package speaks."""

LINE_LIMIT = 8_388_608
"""The longest line of the program in bytes. A longer one is an error."""

PIECE = 65_536
"""The maximum number of bytes that one command sends."""


class Error(Exception):
    """The base of this package's errors."""


class Timeout(Error):
    """The expected text did not arrive in time.

    The message has the last lines that the device sent, which are also in `last_lines`.
    """

    def __init__(self, message: str, last_lines: Sequence[str] = ()) -> None:
        self.last_lines = list(last_lines)
        if self.last_lines:
            message += "\nThe last lines received:\n" + "\n".join(f"  {line}" for line in self.last_lines)
        super().__init__(message)


class CommandFailed(Error):
    """The program refused or could not perform a command. `reason` says why.

    `code` is a word for the reason that never changes, such as `no-device`, if the state of the session does not allow
    the command; otherwise None.
    """

    def __init__(self, command: str, reason: str, code: Optional[str] = None) -> None:
        self.command, self.reason, self.code = command, reason, code
        super().__init__(f"{command}: {reason}")


class Closed(Error):
    """The session has ended. `status` is the exit status of the program, if it is known."""

    def __init__(self, message: str, status: Optional[int] = None) -> None:
        self.status = status
        super().__init__(message)


@dataclass(frozen=True)
class Event:
    """Something that happened.

    `kind` is `open`, `waiting`, `unplugged`, `back`, `settings`, `released`, `closed`, `line-errors`, `message`, `progress`, `file`
    or `repetition-ended`.
    `members` are those of the event of the program.
    """

    kind: str
    members: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Frame:
    """A frame of a session that was opened with `frames=`.

    `check` is `good`, `bad`, `stray` or `none`.
    """

    time: str
    data: bytes
    check: str
    direction: Optional[str] = None
    content: Optional[bytes] = None
    reason: Optional[str] = None
    meaning: Optional[str] = None


def harmless(data: bytes) -> str:
    """Text for a person: UTF-8, with control characters and other bytes as escapes."""
    text = data.decode("utf-8", "backslashreplace")
    return "".join(
        c if c.isprintable() or c == "\t" else c.encode("unicode_escape").decode("ascii") for c in text)


_CRS = re.compile(rb"\r*")
_TEXT = re.compile(rb"[^\r\n]*")


class Received:
    """The last received bytes, at most `limit` of them. Positions count from the start of the session."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.data = bytearray()
        self.start = 0
        """The position of the first kept byte."""
        self.position = 0
        """The position up to which bytes were read or matched."""
        self.lost = 0
        """The number of bytes that were dropped before they were read or matched."""
        # Whether all was read up to the CR that ended a line. Its LF may follow.
        self._awaits_lf = False
        # The next line: the position that it was searched from, where its text begins, and up to where there is no end.
        self._line = -1
        self._text = 0
        self._searched = 0
        # Whether CRs, and one LF, before the text belong to the end before it.
        self._skips_crs = False
        self._skips_lf = False

    @property
    def end(self) -> int:
        """The number of bytes received."""
        return self.start + len(self.data)

    def add(self, piece: bytes) -> None:
        """Adds bytes, and drops the oldest ones above the limit."""
        self.data += piece
        self._skip_lf()
        # Half of the limit more, so that not each piece moves all bytes.
        if len(self.data) > self.limit + self.limit // 2:
            count = len(self.data) - self.limit
            del self.data[:count]
            self.start += count
            if self.start > self.position:
                self.lost += self.start - self.position
                self.position = self.start

    def unread(self) -> bytes:
        """The bytes that were not read or matched yet."""
        return bytes(self.data[self.position - self.start:])

    def take(self, size: Optional[int] = None) -> bytes:
        """Reads at most `size` bytes; all without a size."""
        piece = self.unread() if size is None else self.unread()[:size]
        self.position += len(piece)
        return piece

    def take_line(self) -> Optional[bytes]:
        """Reads a line without its end; None if there is no whole line.

        CR ends a line at once, as LF does. CR LF, LF CR and CR CR LF are one end, also if they arrive in pieces: a CR
        in an empty line is nothing, as in the program. Of what follows the end, only the LF of a CR LF is read too: the
        next bytes may be no text.
        """
        if self._line != self.position:
            self._begin_line()
        if self._skips_crs and self._searched == self._text:
            self._skip_to_text()
        offset = self._end_of(_TEXT, self._searched - self.start)
        self._searched = self.start + offset
        if offset == len(self.data):
            return None
        line = bytes(self.data[self._text - self.start:offset])
        self._awaits_lf = self.data[offset] == 0x0D
        self.position = self._searched + 1
        self._skip_lf()
        return line

    def _begin_line(self) -> None:
        """The byte before a line says what of its start belongs to the end before it."""
        self._line = self._text = self._searched = self.position
        before = self.data[self.position - self.start - 1] if self.position > self.start else 0x0A
        self._skips_crs = before in b"\r\n"
        self._skips_lf = before == 0x0D

    def _skip_to_text(self) -> None:
        offset = self._end_of(_CRS, self._text - self.start)
        if self._skips_lf and self.data[offset:offset + 1] == b"\n":
            self._skips_lf = False
            offset = self._end_of(_CRS, offset + 1)
        self._text = self._searched = self.start + offset

    def _end_of(self, pattern: Pattern[bytes], offset: int) -> int:
        """Where a match at an offset ends; the pattern also matches nothing."""
        match = pattern.match(self.data, offset)
        return match.end() if match else offset

    def _skip_lf(self) -> None:
        """Reads the LF after the CR that ended a line."""
        if self._awaits_lf and self.position < self.end:
            self._awaits_lf = False
            if self.data[self.position - self.start] == 0x0A:
                self.position += 1

    def search(self, pattern: Pattern[bytes]) -> Optional[re.Match[bytes]]:
        """Searches in what was not read yet, and reads up to the end of the match."""
        match = pattern.search(self.unread())
        if match:
            self.position += match.end()
        return match

    def last_lines(self, count: int = 10) -> list[str]:
        """The last lines for a person, at most 200 characters of each."""
        lines = re.split(rb"[\r\n]+", self.data[-8192:].strip(b"\r\n"))
        return [harmless(line[-200:]) for line in lines[-count:] if line]


class Core:
    """The protocol as a value: lines of the program go in, answers, events and received bytes are kept.

    Nothing in it grows without a limit: bytes above `limit`, and the oldest of 10,000 events and frames are dropped
    and counted.
    """

    def __init__(self, limit: int = 4_194_304) -> None:
        self.received = Received(limit)
        self.events: deque[Event] = deque(maxlen=10_000)
        self.frames: deque[Frame] = deque(maxlen=10_000)
        self.dropped_events = 0
        self.dropped_frames = 0
        self.answers: dict[int, dict[str, Any]] = {}
        self.commands: dict[str, Mapping[str, Any]] = {}
        """The records of the commands that the program has published since the last `watch`."""
        self.watched: dict[str, Any] = {}
        """The members of the last `watch`."""
        self._watches: set[int] = set()
        self.state = "starting"
        self.node: Optional[str] = None
        self.settings: Optional[str] = None
        self.version: Optional[int] = None
        self.transcript: deque[tuple[str, bytes]] = deque()
        self._transcript_size = 0
        self._rest = bytearray()
        self._awaited: set[int] = set()
        self._number = 0
        self._was_open = False

    def command(self, name: str, members: Mapping[str, Any]) -> tuple[int, bytes]:
        """The number and the line of a command."""
        self._number += 1
        self._awaited.add(self._number)
        if name == "watch":
            self.watched = dict(members)
            self._watches.add(self._number)
        return self._number, json.dumps({"id": self._number, "command": name, **members}).encode() + b"\n"

    def forget(self, number: int) -> None:
        """Ignores the answer of a command."""
        self._awaited.discard(number)
        self.answers.pop(number, None)

    def feed(self, data: bytes) -> list[Event]:
        """Handles output of the program, and returns the new events."""
        self._rest += data
        *lines, rest = bytes(self._rest).split(b"\n") if b"\n" in data else [bytes(self._rest)]
        if len(rest) > LINE_LIMIT:
            raise Error("the program printed a line that is too long")
        if lines:
            self._rest = bytearray(rest)
        new: list[Event] = []
        for line in lines:
            try:
                event = json.loads(line)
                kind = event["event"]
            except (ValueError, TypeError, KeyError):
                raise Error(f"the program printed no event: {harmless(line[:200])}") from None
            found = self._handle(kind, event)
            if found:
                if len(self.events) == self.events.maxlen:
                    self.dropped_events += 1
                self.events.append(found)
                new.append(found)
        return new

    def _handle(self, kind: str, event: dict[str, Any]) -> Optional[Event]:
        if kind == "received":
            data = event["text"].encode() if "text" in event else bytes.fromhex(event["hex"])
            self.received.add(data)
            self.note("<", data)
        elif kind in ("done", "failed"):
            if event.get("id") in self._watches:
                # All records follow, and then those that change.
                self._watches.discard(event["id"])
                self.commands = {}
            if event.get("id") in self._awaited:
                self._awaited.discard(event["id"])
                self.answers[event["id"]] = event
        elif kind == "hello":
            self.version = event["version"]
            if self.version != VERSION:
                raise Error(f"the program speaks version {self.version} of the protocol, this package {VERSION}")
        elif kind == "frame":
            if len(self.frames) == self.frames.maxlen:
                self.dropped_frames += 1
            content = event.get("content")
            self.frames.append(Frame(
                event["time"], bytes.fromhex(event["hex"]), event["check"], event.get("direction"),
                None if content is None else bytes.fromhex(content), event.get("reason"), event.get("meaning")))
        elif kind == "state":
            before, self.state = self.state, event["state"]
            self.node, self.settings = event.get("node"), event.get("settings")
            if self.state == "open":
                name = "settings" if before == "open" else "back" if self._was_open else "open"
                self._was_open = True
            elif self.state == before:
                return None
            else:
                name = "unplugged" if self.state == "waiting" and self._was_open else self.state
            self.note("!", name.encode())
            return Event(name, event)
        elif kind == "commands":
            self.commands.update((record["name"], record) for record in event["commands"])
        elif kind in ("line-errors", "message", "progress", "file", "repetition-ended"):
            return Event(kind, event)
        return None

    def note(self, mark: str, data: bytes) -> None:
        """Adds to the transcript: `<` is received, `>` is sent, `!` is an event. It keeps the last 256 KiB."""
        if self.transcript and self.transcript[-1][0] == mark != "!" and len(self.transcript[-1][1]) < 4096:
            before = self.transcript.pop()[1]
            self._transcript_size -= len(before)
            data = before + data
        data = data[-65_536:]
        self.transcript.append((mark, data))
        self._transcript_size += len(data)
        while self._transcript_size > 262_144 and len(self.transcript) > 1:
            self._transcript_size -= len(self.transcript.popleft()[1])

    def written_transcript(self) -> str:
        """The transcript for a person, without control characters."""
        lines = []
        for mark, data in self.transcript:
            for line in re.split(rb"\r\n|\n|\r", data):
                if line:
                    lines.append(f"{mark} {harmless(line)}")
        return "\n".join(lines)

    def timed_out(self, what: str, timeout: float) -> Timeout:
        """The error of a wait."""
        return Timeout(f"Timed out after {timeout:g} s waiting for {what}.", self.received.last_lines())


def result(command: str, answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """The answer of a command, or its error."""
    if answer["event"] == "failed":
        raise CommandFailed(command, str(answer.get("reason")), answer.get("code"))
    return answer


Text = Union[str, bytes]


def pieces(data: Text) -> list[dict[str, str]]:
    """The members of the commands that send data."""
    whole = data.encode() if isinstance(data, str) else bytes(data)
    return [{"hex": whole[i:i + PIECE].hex()} for i in range(0, len(whole), PIECE)]


# The parts of an expression: an escape sequence, a class, a comment, flags, other groups, and what is replaced.
_TOKEN = re.compile(
    rb"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?#[^)]*\)|\(\?([aiLmsux]*)(?:-([imsx]+))?([:)])|[()^$.]", re.DOTALL)

_START = rb"(?:\A|(?<=\n)|(?<=\r)(?!\n))"
_END = rb"(?:\Z|(?=\r)|(?<!\r)(?=\n))"


def compiled(pattern: Union[Text, Pattern[bytes]]) -> Pattern[bytes]:
    """A pattern over bytes. A compiled one is as it is.

    In others `^`, `$` and `.` have their meaning of the program: CR, LF and CR LF end a line.
    """
    if not isinstance(pattern, (str, bytes)):
        return pattern
    # Whether `.` is any byte, in each of the open groups.
    dots = [False]

    def replaced(token: re.Match[bytes]) -> bytes:
        text = token[0]
        if token[3]:
            is_dot_any = (dots[-1] or b"s" in token[1]) and b"s" not in (token[2] or b"")
            dots[-1:] = [dots[-1], is_dot_any] if token[3] == b":" else [is_dot_any]
        elif text == b"(":
            dots.append(dots[-1])
        elif text == b")" and len(dots) > 1:
            dots.pop()
        elif text == b".":
            return text if dots[-1] else rb"[^\r\n]"
        return _START if text == b"^" else _END if text == b"$" else text

    source = pattern.encode() if isinstance(pattern, str) else pattern
    # An error names the place in the pattern as it was written.
    re.compile(source)
    return re.compile(_TOKEN.sub(replaced, source))


def shown(pattern: Union[Text, Pattern[bytes]]) -> str:
    """A pattern for a person."""
    text = pattern if isinstance(pattern, (str, bytes)) else pattern.pattern
    return f"/{harmless(text.encode() if isinstance(text, str) else text)}/"


class Match:
    """A match of `expect`. Groups are text; `data` has the bytes."""

    def __init__(self, match: re.Match[bytes]) -> None:
        self.data = match
        """The match of the module `re`, over bytes."""

    def group(self, *groups: Union[int, str]) -> Any:
        """The text of groups, as of `re.Match`. Bytes that are not UTF-8 become `\\xNN`."""
        found = [self._text(self.data.group(g)) for g in groups or (0,)]
        return found[0] if len(found) == 1 else tuple(found)

    def groups(self) -> tuple[Optional[str], ...]:
        """The text of all groups."""
        return tuple(self._text(g) for g in self.data.groups())

    def __getitem__(self, group: Union[int, str]) -> Any:
        return self.group(group)

    @staticmethod
    def _text(data: Optional[bytes]) -> Optional[str]:
        return None if data is None else data.decode("utf-8", "backslashreplace")

    def __repr__(self) -> str:
        return f"<Match {self.group()!r}>"


def command_line(program: str, target: str, baud: Optional[int], frames: Optional[str],
                 options: Mapping[str, Union[str, int, float, bool, None]]) -> list[str]:
    """The command that opens a session. An option `data_bits=7` becomes `--data-bits 7`, `wait=True` `--wait`."""
    words = [program, "connect", target, "--json"]
    for name, value in [("baud", baud), ("frames", frames), *options.items()]:
        if value is None or value is False:
            continue
        words.append(f"--{name.replace('_', '-')}")
        if value is not True:
            words[-1] += f"={value}"
    return words


def find_program() -> str:
    """The program: $SERIALTERM, else `serialterm` of the PATH."""
    import os
    return os.environ.get("SERIALTERM") or "serialterm"


def not_started(program: str, error: OSError) -> Error:
    """The error for a program that cannot be started."""
    if isinstance(error, FileNotFoundError):
        return Error(f"{program}: there is no such program. Install serialterm, or name it with $SERIALTERM")
    return Error(f"{program}: {error.strerror}")
