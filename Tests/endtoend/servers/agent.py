"""An agent: a client of `serialterm mcp` that writes requests as raw lines."""

import json
import os
import re
import subprocess
import threading

from Tests.endtoend.harness import TIMEOUT, serialterm_binary
from Tests.endtoend.harness.program import Program
from Tests.endtoend.harness.transcript import Transcript

NEW = "2026-07-28"
HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")


class Agent(Program):
    """A server with `options`, after the handshake of the old protocol unless `greets` is false. `lines` has
    the lines of the server, and `notifications` those that answer nothing."""

    def __init__(self, *options, greets=True, name="probe", variables=None):
        super().__init__(
            [serialterm_binary(), "mcp", *options], variables, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.stderr = Transcript(self.process.stderr.fileno())
        self.lines = []
        self.notifications = []
        self._answers = {}
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._last = 0
        if greets:
            self.request(
                "initialize", protocolVersion="2025-11-25", capabilities={},
                clientInfo={"name": name, "version": "1"})
            self.notify("notifications/initialized")

    def _read(self):
        with open(os.dup(self.process.stdout.fileno()), "rb") as stream:
            for line in stream:
                value = json.loads(line)
                with self._changed:
                    self.lines.append(line)
                    if "method" in value:
                        self.notifications.append(value)
                    else:
                        self._answers[value["id"]] = value
                    self._changed.notify_all()

    def close(self):
        super().close()
        self._reader.join()
        self.stderr.stop()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()

    def seen(self):
        return f"it wrote {self.lines[-3:]!r} and {self.stderr.data[-2000:]!r}"

    def catch_up(self):
        self._reader.join()
        self.stderr.catch_up()

    def send_line(self, line):
        self.send_bytes(line.encode() + b"\n")

    def send_bytes(self, line):
        rest = memoryview(line)
        while rest:
            rest = rest[self.process.stdin.write(rest):]

    def notify(self, method, **parameters):
        self.send_line(json.dumps({"jsonrpc": "2.0", "method": method, "params": parameters}))

    def ask(self, method, **parameters):
        """Sends a request; returns its id."""
        self._last += 1
        self.send_line(json.dumps(
            {"jsonrpc": "2.0", "id": self._last, "method": method, "params": parameters}))
        return self._last

    def answer(self, number):
        """Waits for the answer to a request; None stands for lines that are no requests."""
        with self._changed:
            if not self._changed.wait_for(lambda: number in self._answers, TIMEOUT):
                raise AssertionError(f"no answer to request {number}: {self.seen()}")
            return self._answers.pop(number)

    def has_answered(self, number):
        """Whether there is an answer to a request that nobody has read."""
        return number in self._answers

    def request(self, method, **parameters):
        """Sends a request, and returns the whole answer."""
        return self.answer(self.ask(method, **parameters))

    def start(self, tool, **arguments):
        """Calls a tool; returns the id."""
        return self.ask("tools/call", name=tool, arguments=arguments)

    def outcome(self, number):
        """The result of a call, which must be one."""
        answer = self.answer(number)
        assert "result" in answer, answer
        return answer["result"]

    def call(self, tool, **arguments):
        """Calls a tool that succeeds; returns the members of its result."""
        result = self.outcome(self.start(tool, **arguments))
        assert not result["isError"], result
        return result["structuredContent"]

    def failure(self, tool, **arguments):
        """Calls a tool that fails; returns the reason."""
        result = self.outcome(self.start(tool, **arguments))
        assert result["isError"], result
        return result["content"][0]["text"]

    def open(self, target, **arguments):
        """Opens or joins a port; returns the session."""
        return self.call("open", target=target, **arguments)["session"]

    def leave(self):
        """Ends the input, as a client does; returns the exit status."""
        self.process.stdin.close()
        return self.wait()


def descriptors(pid):
    """The number of open descriptors of a process."""
    return len(os.listdir(f"/proc/{pid}/fd"))


def peak_memory(pid):
    """The largest memory of a process so far, in KiB."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return int(re.search(r"VmHWM:\s+(\d+)", status.read()).group(1))
