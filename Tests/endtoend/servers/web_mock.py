"""A server for the page of a session, without serialterm: it serves the files of the page, and speaks the other side
of its WebSocket. A test says what happens in the session, and reads what the page has sent."""

import asyncio
import http
import json
import threading
from pathlib import Path

import websockets

from Tests.endtoend.harness import TIMEOUT, wait_until

PAGE = Path(__file__).resolve().parents[3] / "Web/Sources/serialterm-web/Page"

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'")

TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}

EVERYONE = ("person", "script", "page", "agent")
PROGRAMS = ("script", "page")


def record(name, title=None, *arguments, users=EVERYONE, **members):
    """The whole record of a command. `members`: those that not every record has, such as `reason` and `code`; one that
    is None is left out."""
    members = {key: value for key, value in members.items() if value is not None}
    if "reason" in members:
        members.setdefault("code", "busy")
    else:
        members.pop("code", None)
    return {
        "name": name, "title": title or name, "enabled": "reason" not in members, "users": list(users),
        "arguments": list(arguments), **members}


def argument(kind, expected, name="argument", optional=False, **members):
    return {"name": name, "kind": kind, "expected": expected, "optional": optional, **members}


def choice(*choices, **members):
    return argument("choice", f"one of {', '.join(choices)}", choices=list(choices), **members)


ALONE = {"reason": "nobody else is here", "code": "alone"}

COMMANDS = (
    record("repeat", "send a text at intervals", argument("text", "an interval and a text: 1s status")),
    record("stop", "stop what is running", reason="nothing runs", code="nothing-runs", synonyms=["cancel", "abort"]),
    record("break", "send a break",
           argument("number", "1 to 10000", optional=True, unit="ms", minimum=1, maximum=10_000),
           synonyms=["sysrq", "attention"]),
    record("toggle-line", "toggle DTR or RTS", choice("dtr", "rts")),
    record("lines", "show the modem lines", synonyms=["carrier"]),
    record("local-echo", "show what you type", users=["person"]),
    record("baud", "set the baud rate",
           argument("number", "a rate", unit="Bd", minimum=1, value="115200", choices=["9600", "115200", "921600"]),
           value="115200"),
    record("parity", "set the parity", choice("none", "odd", "even", value="none"), value="none"),
    record("mark", "mark this moment", argument("text", "a text", optional=True)),
    record("name", "change your name", argument("text", "a name")),
    record("take-pen", "take the pen, unasked", **ALONE),
    record("statistics", "show the counters"),
    record("snippet: reset", "send \"reset\"", users=["person"]),
    record("send", "send text or bytes",
           argument("text", "a text", "text", True), argument("text", "hexadecimal numbers", "hex", True), users=PROGRAMS),
    record("send-file", "send a file",
           argument("file", "the path of a file", "path"),
           choice("raw", "xmodem", "zmodem", name="protocol", optional=True, value="raw",
                  titles=["as it is", "XMODEM", "ZMODEM"]),
           users=PROGRAMS),
    record("read-log", "read the session's log", argument("number", "a whole number of bytes", "offset", True, unit="B"),
           users=PROGRAMS, reason="the session's log is not shared", code="log-not-shared"),
    record("plot", "draw the numbers", *(
        argument("number", "100 to 4000", name, True, unit="px", minimum=100, maximum=4000) for name in ("width", "height")),
        users=PROGRAMS),
    record("ask-pen", "ask for the pen", users=PROGRAMS, **ALONE),
    record("give-pen", "give the pen away", argument("number", "the id of a member", "to"), users=PROGRAMS, **ALONE),
    record("keep-pen", "keep the pen", users=PROGRAMS, **ALONE),
    record("return-pen", "give the pen back", users=PROGRAMS, **ALONE),
    record("release", "lend the port", users=["script"]),
)

SENDING = ("send", "send-file")
OF_THE_PEN = ("ask-pen", "give-pen", "keep-pen", "return-pen", "take-pen")

LINES = {"dtr": True, "rts": True, "cts": True, "dsr": False, "dcd": False, "ri": False}

SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="240"><rect width="640" height="240" fill="#888"/></svg>')


class WebMock:
    """The server. It is a context manager; `address` is what a user opens.

    `token`: the one that pages must know. `answers`: by the name of a command, a function of the message that returns
    the members of the answer, or None for no answer yet. `history`: what the device sent before a page joins."""

    def __init__(self, token="secret", port=0):
        self.token = token
        self.history = ""
        self.pen = "mine"
        self.answers = {}
        self.commands = {each["name"]: each for each in COMMANDS}
        self.messages = []
        self.file = b""
        self.sessions = [self.session("4711:0", "/dev/ttyUSB0")]
        self._port = port
        self._pages = set()
        self._upload = None

    @staticmethod
    def session(name, port, people=(), pen=None):
        return {"session": name, "port": port, "state": "open", "people": list(people), "pen": pen}

    def __enter__(self):
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = self._call(self._start())
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends the server, and with it all connections."""
        if self._loop.is_closed():
            return
        self._call(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _call(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(TIMEOUT)

    async def _start(self):
        # Without its questions whether the page is still there, which a page that is busy answers too late.
        return await websockets.serve(
            self._talk, "127.0.0.1", self._port, process_request=self._page, max_size=1 << 20, compression=None,
            ping_interval=None)

    async def _stop(self):
        self._server.close()
        await self._server.wait_closed()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}/#{self.token}"

    # For tests

    def send(self, event, **members):
        """Sends an event to all pages."""
        self._call(self._send_all({"event": event, **members}))

    def receive(self, text):
        """The device sends a text."""
        self.send("received", time="2026-11-21T06:31:00.123456Z", text=text)

    def say_people(self, pen="mine", others=(), asking=False):
        """Says who is in the session, and what follows for the commands about the pen: `others` are numbers and names,
        or whole members. Of them, the first has the pen that is another's."""
        self.pen = pen
        others = [
            each if isinstance(each, dict)
            else {"id": each[0], "name": each[1], "program": False, "asks": False} for each in others]
        holder = {"mine": 3, "other": others[0]["id"] if others else None}.get(pen)
        self.send("people", **self._people(pen, holder, others, asking))
        reasons = self._reasons_of_the_pen(pen, others, asking)
        self.say_commands(*({"name": name, "reason": None} | reasons.get(name, {}) for name in (*SENDING, *OF_THE_PEN)))

    @staticmethod
    def _reasons_of_the_pen(pen, others, asking):
        """Why commands are off, by their names."""
        def off(names, reason, code):
            return {name: {"reason": reason, "code": code} for name in names}

        without = ("give-pen", "keep-pen", "return-pen")
        if pen == "nobody":
            return off((*SENDING, *OF_THE_PEN), "you only watch", "nobody-writes")
        if pen == "everyone":
            return off(OF_THE_PEN, "everyone writes", "everyone-writes")
        if pen == "mine":
            if not others:
                return off(OF_THE_PEN, **ALONE)
            asked = any(each["asks"] for each in others)
            return off(("ask-pen", "take-pen"), "you have the pen", "has-pen") | (
                {} if asked else off(("keep-pen",), "nobody asks for the pen", "not-asked"))
        watching = ("you are only watching", "pen-free") if pen == "free" else (f"{others[0]['name']} has the pen", "pen-held")
        return off((*SENDING, *without), *watching) | (
            off(("ask-pen",), "you have asked, and wait for an answer", "asking") if asking else {})

    def say_commands(self, *changed):
        """Says what has changed of commands: the members are added to those that are known. With the reason None, a
        command is on."""
        for each in changed:
            known = dict(self.commands.get(each["name"], record(each["name"])))
            if "reason" in each:
                known.pop("code", None)
            known |= each
            title, arguments, _ = known.pop("title"), known.pop("arguments"), known.pop("enabled")
            self.commands[each["name"]] = record(known.pop("name"), title, *arguments, **known)
        self.send("commands", commands=[self.commands[each["name"]] for each in changed])

    def list_sessions(self, *sessions):
        self.sessions = list(sessions)
        self.send("sessions", sessions=self.sessions)

    def drop(self):
        """Breaks all connections of pages."""
        self._call(self._drop())

    def sent(self, command):
        """The messages with a command, in their order."""
        return [each for each in list(self.messages) if each.get("command") == command]

    def wait_for(self, command, condition=lambda message: True):
        """Waits for a message of a page, and returns it."""
        return wait_until(
            lambda: next((each for each in self.sent(command) if condition(each)), None), f"{command} of the page")

    @property
    def typed(self):
        """What the page has sent to the device."""
        return "".join(each["text"] for each in self.sent("send"))

    # The protocol

    async def _page(self, path, _headers):
        path = path.split("?")[0].split("#")[0]
        if path.endswith("/socket"):
            return None
        file = PAGE / {"/": "page.html"}.get(path, path[1:])
        if file.parent != PAGE or not file.is_file():
            return http.HTTPStatus.NOT_FOUND, [], b"not found\n"
        return http.HTTPStatus.OK, [
            ("Content-Type", TYPES[file.suffix]), ("Content-Security-Policy", POLICY),
            ("X-Content-Type-Options", "nosniff"), ("Cache-Control", "no-store")], file.read_bytes()

    @staticmethod
    def _people(pen, holder, others, asking=False):
        return {"you": 3, "pen": pen, "holder": holder, "others": others, "asking": asking, "may-take": True}

    async def _send_all(self, event):
        for page in list(self._pages):
            await page.send(json.dumps(event))

    async def _drop(self):
        for page in list(self._pages):
            page.transport.abort()

    async def _talk(self, page, _path=None):
        async def send(event, **members):
            await page.send(json.dumps({"event": event, **members}))

        hello = json.loads(await page.recv())
        self.messages.append(hello)
        if hello["token"] != self.token:
            await send("refused", reason="This link is not valid.")
            await page.close(1008)
            return
        await send("welcome", version=1, page="serialterm 1.2.3")
        await send("sessions", sessions=self.sessions)
        self._pages.add(page)
        try:
            async for message in page:
                await self._handle(message, send)
        except websockets.ConnectionClosed:
            pass
        finally:
            self._pages.discard(page)

    async def _handle(self, message, send):
        if isinstance(message, bytes):
            self.messages.append({"piece": len(message)})
            self.file += message
            if self._upload and len(self.file) == self._upload["size"]:
                await self._answer(self._upload, send)
            return
        message = json.loads(message)
        self.messages.append(message)
        if message["command"] == "join":
            await self._join(message["session"], send)
        elif message["command"] == "upload":
            self._upload, self.file = message, b""
        else:
            await self._answer(message, send)

    async def _join(self, name, send):
        if not any(each["session"] == name for each in self.sessions):
            await send("left", session=name, reason="no such session is running")
            return
        await send("joined", session=name)
        await send("hello", version=1)
        await send("done")
        await send("state", state="open", node="/dev/ttyUSB0", settings="115200 8N1")
        await send("people", **self._people(self.pen, 3 if self.pen == "mine" else None, []))
        await send("commands", commands=list(self.commands.values()))
        await send("lines", **LINES)
        if self.history:
            await send("received", time="2026-11-21T06:30:00.000000Z", text=self.history, history=True)

    async def _answer(self, message, send):
        members = {"plot": {"svg": SVG}}.get(message["command"], {})
        if message["command"] in self.answers:
            members = self.answers[message["command"]](message)
        if members is None:
            return
        await send("failed" if "reason" in members else "done", id=message["id"], **members)
