"""A WebSocket client that can also break the rules of the protocol (RFC 6455)."""

import base64
import json
import os
import socket
import struct
import threading

from Tests.endtoend.harness.deadline import TIMEOUT, Deadline

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


def request(port, head, timeout=TIMEOUT):
    """The whole answer to a request, which is bytes, or the lines of its head."""
    if isinstance(head, (list, tuple)):
        head = "".join(f"{line}\r\n" for line in head).encode() + b"\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout) as connection:
        connection.sendall(head)
        answer = b""
        while piece := connection.recv(65_536):
            answer += piece
        return answer


def frame(opcode, payload=b"", fin=True, masked=True, reserved=0):
    """A frame of a client."""
    head = bytes([fin << 7 | reserved << 4 | opcode])
    size, bit = len(payload), masked << 7
    if size < 126:
        head += bytes([bit | size])
    elif size < 65_536:
        head += struct.pack(">BH", bit | 126, size)
    else:
        head += struct.pack(">BQ", bit | 127, size)
    if not masked:
        return head + payload
    mask = os.urandom(4)
    repeated = mask * (size // 4 + 1)
    return head + mask + bytes(a ^ b for a, b in zip(payload, repeated))


class WebSocket:
    """A page of `serialterm-web` without a browser: events come on a thread, unless `reads` is false.

    `origin`: the origin of the page; True for the server's own, None for a program that is no browser."""

    def __init__(
            self, port, token="", name="", path="/socket", headers=(), origin=True, hello=True, reads=True):
        self.connection = socket.socket()
        self.connection.settimeout(TIMEOUT)
        if not reads:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        self.connection.connect(("127.0.0.1", port))
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [
            f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Upgrade: websocket", "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", *headers]
        if origin:
            lines.append(f"Origin: {f'http://127.0.0.1:{port}' if origin is True else origin}")
        self.connection.sendall("".join(f"{line}\r\n" for line in lines).encode() + b"\r\n")
        self._data = b""
        while b"\r\n\r\n" not in self._data:
            piece = self.connection.recv(65_536)
            if not piece:
                raise ConnectionError(self._data)
            self._data += piece
        self.head, self._data = self._data.split(b"\r\n\r\n", 1)
        if not self.head.startswith(b"HTTP/1.1 101"):
            raise ConnectionError(self.head)
        self.events, self.close_code, self.ended = [], None, False
        self.drained, self._drains = 0, False
        self._position = 0
        # The end of what the device has sent.
        self._newest = ""
        self._changed = threading.Condition()
        self.connection.settimeout(None)
        if reads:
            self.read()
        if hello:
            self.send("hello", token=token, name=name)

    def read(self):
        """Begins to read."""
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def drain(self):
        """From now on, what comes is counted and not looked at."""
        self._drains = True

    def send(self, command, **members):
        self.write(frame(TEXT, json.dumps({"command": command, **members}).encode()))

    def write(self, data):
        self.connection.sendall(data)

    def expect(self, event, timeout=None, **members):
        """Waits for an event after the last one that was waited for, and returns it."""
        def fits(candidate):
            return candidate["event"] == event and all(
                value(candidate.get(name)) if callable(value) else candidate.get(name) == value
                for name, value in members.items())
        return self._wait(fits, f"{event} {members}", timeout)

    def expect_text(self, text, timeout=None):
        """Waits for a text among what the device has sent."""
        deadline = Deadline(timeout)
        with self._changed:
            while text not in self._newest:
                if self.ended or not self._changed.wait(deadline.left):
                    raise AssertionError(f"expected {text!r}, the text ends with {self._newest[-500:]!r}")

    def expect_end(self, timeout=None):
        deadline = Deadline(timeout)
        with self._changed:
            while not self.ended:
                if not self._changed.wait(deadline.left):
                    raise AssertionError("expected the end of the connection")

    def close(self):
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _wait(self, fits, what, timeout):
        deadline = Deadline(timeout)
        with self._changed:
            while True:
                for index in range(self._position, len(self.events)):
                    if fits(self.events[index]):
                        self._position = index + 1
                        return self.events[index]
                if self.ended or not self._changed.wait(deadline.left):
                    raise AssertionError(f"expected {what}; events were {self.events[-20:]}")

    def _take(self, count):
        while len(self._data) < count:
            piece = self.connection.recv(65_536)
            if not piece:
                raise ConnectionError
            self._data += piece
        taken, self._data = self._data[:count], self._data[count:]
        return taken

    def _read(self):
        try:
            while True:
                while self._drains:
                    piece = self.connection.recv(65_536)
                    if not piece:
                        raise ConnectionError
                    self.drained += len(piece)
                first, second = self._take(2)
                size = second & 0x7F
                if size == 126:
                    size, = struct.unpack(">H", self._take(2))
                elif size == 127:
                    size, = struct.unpack(">Q", self._take(8))
                payload = self._take(size)
                opcode = first & 0xF
                if opcode == PING:
                    self.write(frame(PONG, payload))
                with self._changed:
                    if opcode == TEXT:
                        event = json.loads(payload)
                        if event["event"] == "received":
                            self._newest = (self._newest + event["text"])[-10_000:]
                        else:
                            self.events.append(event)
                    elif opcode == CLOSE:
                        self.close_code = struct.unpack(">H", payload[:2])[0] if payload else None
                    self._changed.notify_all()
        except (OSError, ConnectionError, ValueError):
            pass
        with self._changed:
            self.ended = True
            self._changed.notify_all()
