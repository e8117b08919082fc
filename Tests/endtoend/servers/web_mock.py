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
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src blob:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'")

TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript"}

COMMANDS = (
    {"name": "send-file", "title": "send a file", "reason": "there is no user", "argument": "the path of a file"},
    {"name": "repeat", "title": "send a text at intervals", "argument": "an interval and a text: 1s status"},
    {"name": "stop", "title": "stop what is running", "reason": "nothing runs"},
    {"name": "break", "title": "send a break", "value": "250 ms", "argument": "1 to 10000"},
    {"name": "toggle-line", "title": "toggle DTR or RTS", "argument": "one of dtr, rts", "choices": ["dtr", "rts"]},
    {"name": "lines", "title": "show the modem lines"},
    {"name": "local-echo", "title": "show what you type", "reason": "there is no user"},
    {"name": "baud", "title": "set the baud rate", "value": "115200", "argument": "50 to 4000000"},
    {"name": "parity", "title": "set the parity", "value": "none", "argument": "one of none, odd, even",
     "choices": ["none", "odd", "even"]},
    {"name": "mark", "title": "mark this moment", "argument": "a text"},
    {"name": "pen", "title": "ask for or give the pen", "reason": "nobody else is here"},
    {"name": "take-pen", "title": "take the pen, unasked", "reason": "nobody else is here"},
    {"name": "release", "title": "lend the port"},
    {"name": "statistics", "title": "show the counters"},
    {"name": "snippet: reset", "title": "send \"reset\""},
)

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
        """Says who is in the session: `others` are numbers and names, or whole members."""
        self.pen = pen
        others = [
            each if isinstance(each, dict)
            else {"id": each[0], "name": each[1], "program": False, "asks": False} for each in others]
        holder = {"mine": 3, "other": others[0]["id"] if others else None}.get(pen)
        self.send("people", **self._people(pen, holder, others, asking))

    def say_commands(self, *changed):
        self.send("commands", commands=list(changed))

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
        await send("commands", commands=list(COMMANDS))
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
