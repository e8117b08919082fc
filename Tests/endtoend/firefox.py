"""A second browser for tests of pages: headless Firefox, driven by WebDriver BiDi, which needs no program beside it.

    with Firefox() as browser:
        browser.open(address)
        browser.wait_for_text("#state", "open")

https://www.w3.org/TR/webdriver-bidi/"""

import asyncio
import contextlib
import json
import queue
import re
import shutil
import subprocess
import tempfile
import threading

from Tests.endtoend.browser import BrowserPage
from Tests.endtoend.harness import TIMEOUT, Deadline


def why_no_firefox():
    """Why there is no Firefox for tests; None if there is one."""
    try:
        import websockets  # noqa: F401  (only whether it is there)
    except ImportError:
        return "needs python3-websockets"
    return None if shutil.which("firefox-esr") else "needs firefox-esr"


class Firefox(BrowserPage):
    """Firefox with a profile of its own. It is a context manager."""

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
            program = subprocess.Popen(
                ["firefox-esr", "--headless", "--no-remote", "--profile", folder, "--remote-debugging-port", "0"],
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            stack.callback(self._end, program)
            said = queue.Queue()
            threading.Thread(target=self._pass_on, args=(program.stderr, said), daemon=True).start()
            loop = asyncio.new_event_loop()
            stack.callback(loop.close)
            thread = threading.Thread(target=loop.run_forever, daemon=True)
            thread.start()
            stack.callback(thread.join)
            stack.callback(lambda: loop.call_soon_threadsafe(loop.stop))
            address = self._address(said)
            self._loop, self._answers, self._count, self._complaints = loop, {}, 0, []
            self._socket = self._await(self._connect(f"{address}/session"))
            stack.callback(lambda: self._await(self._socket.close()))
            self._call("session.new", capabilities={})
            self._call("session.subscribe", events=["log.entryAdded"])
            self._context = self._call("browsingContext.create", type="tab")["context"]
            self.resize(1280, 800)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error):
        return self._stack.__exit__(*error)

    @staticmethod
    def _end(program):
        program.terminate()
        try:
            program.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait()

    @staticmethod
    def _pass_on(stream, said):
        """Reads what Firefox says, all the time: a full pipe would stop it."""
        for line in stream:
            said.put(line)
        said.put("")

    @staticmethod
    def _address(said):
        """Where Firefox listens."""
        deadline = Deadline(TIMEOUT)
        while line := said.get(timeout=deadline.left):
            if match := re.search(r"BiDi listening on (ws://\S+)", line):
                return match[1]
        raise AssertionError("Firefox has ended")

    def _await(self, work):
        return asyncio.run_coroutine_threadsafe(asyncio.wait_for(work, TIMEOUT), self._loop).result()

    async def _connect(self, address):
        import websockets

        connection = await websockets.connect(address, max_size=None, ping_interval=None)
        self._reader = self._loop.create_task(self._read(connection))
        return connection

    async def _read(self, connection):
        async for message in connection:
            message = json.loads(message)
            if message["type"] == "event":
                if message["params"].get("level") in ("error", "warn"):
                    self._complaints.append(message["params"].get("text") or "an error without a text")
            elif (answer := self._answers.pop(message.get("id"), None)) and not answer.done():
                answer.set_result(message)
        # Firefox has ended.
        for answer in self._answers.values():
            answer.cancel()

    async def _ask(self, method, parameters):
        self._count += 1
        answer = self._answers[self._count] = self._loop.create_future()
        await self._socket.send(json.dumps({"id": self._count, "method": method, "params": parameters}))
        return await answer

    def _call(self, method, **parameters):
        answer = self._await(self._ask(method, parameters))
        if answer["type"] == "error":
            raise AssertionError(f"{method}: {answer['message']}")
        return answer["result"]

    # The page

    def open(self, address):
        self._call("browsingContext.navigate", context=self._context, url=address, wait="complete")

    def resize(self, width, height):
        self._call("browsingContext.setViewport", context=self._context, viewport={"width": width, "height": height})

    def run(self, script, *arguments):
        """Runs the body of a function in the page, and returns its result."""
        return self.run_async(f"return (function () {{ {script} }})(...arguments_);", *arguments)

    def run_async(self, script, *arguments):
        """Runs the body of an async function in the page, and returns its result."""
        result = self._call(
            "script.callFunction", target={"context": self._context}, awaitPromise=True,
            arguments=[{"type": "string", "value": json.dumps(arguments)}], functionDeclaration=f"""async (text) => {{
              const arguments_ = JSON.parse(text);
              return JSON.stringify((await (async () => {{ {script} }})()) ?? null);
            }}""")
        if result["type"] == "exception":
            raise AssertionError(result["exceptionDetails"]["text"])
        return json.loads(result["result"]["value"])

    def complaints(self):
        """The errors and warnings of the page since the last call. A lost connection is not one of them."""
        complaints, self._complaints = self._complaints, []
        return [each for each in complaints if "can’t establish a connection" not in each and "was interrupted" not in each]

    def click(self, selector):
        self.find(selector)
        x, y = self.run("""
            const element = document.querySelector(arguments[0]);
            element.scrollIntoView({ block: "center" });
            const { left, top, width, height } = element.getBoundingClientRect();
            return [Math.round(left + width / 2), Math.round(top + height / 2)];""", selector)
        self._act({"type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "x": x, "y": y}, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]})

    def type(self, *keys):
        """Types where the focus is."""
        self._keys([action for key in "".join(keys) for action in (("keyDown", key), ("keyUp", key))])

    def chord(self, modifier, key):
        """Presses a key while a modifier is held."""
        self._keys([("keyDown", modifier), ("keyDown", key), ("keyUp", key), ("keyUp", modifier)])

    def _keys(self, actions):
        self._act({"type": "key", "id": "keyboard", "actions": [{"type": kind, "value": key} for kind, key in actions]})

    def _act(self, actions):
        self._call("input.performActions", context=self._context, actions=[actions])
