"""Clients of a shared port, with sockets: bytes alone, telnet, RFC 2217."""

import contextlib
import os
import re
import select
import socket
import struct
import threading

from Tests.endtoend.faults import processes
from Tests.endtoend.harness import unread, wait_until
from Tests.endtoend.harness.deadline import TIMEOUT, Deadline

IAC, DONT, DO, WONT, WILL, SB, NOP, SE = 255, 254, 253, 252, 251, 250, 241, 240
BINARY, SUPPRESS_GO_AHEAD, COM_PORT = 0, 3, 44
ANSWERS = {WILL: DO, DO: WILL, WONT: DONT, DONT: WONT}


def subnegotiation(code, value=b""):
    """A message of RFC 2217 from a client."""
    parameters = bytes([COM_PORT, code]) + value
    return bytes([IAC, SB]) + parameters.replace(b"\xff", b"\xff\xff") + bytes([IAC, SE])


class Telnet:
    """Decodes telnet: separates the data from the commands."""

    def __init__(self, options):
        self.options = options
        self.messages = []
        self.replies = b""
        self._agreed = set()
        self._rest = b""

    def receive(self, data):
        """Returns the data of the device."""
        data, self._rest = self._rest + data, b""
        found = bytearray()
        place = 0
        while place < len(data):
            at = data.find(IAC, place)
            if at < 0:
                found += data[place:]
                break
            found += data[place:at]
            place = self._command(data, at, found)
            if place is None:
                self._rest = data[at:]
                break
        return bytes(found)

    def _command(self, data, at, found):
        """Takes a command; returns where it ends, or None if its end is missing."""
        if at + 1 >= len(data):
            return None
        command = data[at + 1]
        if command == IAC:
            found.append(IAC)
        elif command in ANSWERS:
            if at + 2 >= len(data):
                return None
            self._answer(command, data[at + 2])
            return at + 3
        elif command == SB:
            end = at
            while True:
                end = data.find(IAC, end + 2)
                if end < 0 or end + 1 >= len(data):
                    return None
                if data[end + 1] == SE:
                    break
            self.messages.append(data[at + 2:end].replace(b"\xff\xff", b"\xff"))
            return end + 2
        return at + 2

    def _answer(self, command, option):
        if (command, option) in self._agreed:
            return
        self._agreed.add((command, option))
        accepted = option in self.options and command in (WILL, DO)
        answer = ANSWERS[command] if accepted else {WILL: DONT, DO: WONT}.get(command)
        if answer:
            self.replies += bytes([IAC, answer, option])


class Client:
    """A client of a protocol."""

    OPTIONS = {
        "raw": None, "telnet": {BINARY, SUPPRESS_GO_AHEAD},
        "rfc2217": {BINARY, SUPPRESS_GO_AHEAD, COM_PORT}}

    def __init__(self, address, speech="raw"):
        """`address` is a port of this computer, or the path of a socket."""
        self.speech = speech
        self.telnet = None if speech == "raw" else Telnet(self.OPTIONS[speech])
        if isinstance(address, int):
            self.socket = socket.create_connection(("127.0.0.1", address), TIMEOUT)
        else:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(TIMEOUT)
            self.socket.connect(str(address))
        self.data = bytearray()
        self.ended = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def reset(self):
        """Closes the connection without ending the protocol."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()
        self.ended = True

    def send(self, data):
        """Sends data to the device."""
        self.socket.sendall(data if self.telnet is None else data.replace(b"\xff", b"\xff\xff"))

    def say(self, message):
        """Sends bytes that are not data."""
        self.socket.sendall(message)

    def read(self, timeout=0):
        """Reads the available bytes. Returns whether there were any."""
        if self.ended or not select.select([self.socket], [], [], timeout)[0]:
            return False
        try:
            data = self.socket.recv(1 << 16)
        except ConnectionResetError:
            data = b""
        if not data:
            self.ended = True
            return False
        if self.telnet:
            data = self.telnet.receive(data)
            if self.telnet.replies:
                replies, self.telnet.replies = self.telnet.replies, b""
                with contextlib.suppress(OSError):
                    self.socket.sendall(replies)
        self.data += data
        return True

    def expect(self, data):
        """Reads until the data has come."""
        while bytes(data) not in self.data:
            if not self.read(TIMEOUT):
                raise AssertionError(f"expected {data!r}; {bytes(self.data[-500:])!r} came")

    def expect_end(self):
        """Reads until the end of the connection."""
        while self.read(TIMEOUT):
            pass
        if not self.ended:
            raise AssertionError(f"no end; {bytes(self.data[-500:])!r} came")


class Crowd:
    """Reads many clients in a thread, so that none of them stalls."""

    def __init__(self, clients):
        self.clients = clients
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._read, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._end.set()
        self._thread.join()

    def _read(self):
        poll = select.poll()
        known = {}
        for client in self.clients:
            known[client.socket.fileno()] = client
            poll.register(client.socket, select.POLLIN)
        while not self._end.is_set():
            for descriptor, events in poll.poll(50):
                client = known[descriptor]
                # A client that was closed meanwhile has no descriptor.
                with contextlib.suppress(OSError, ValueError):
                    if events & select.POLLNVAL or not client.read():
                        if client.ended or events & select.POLLNVAL:
                            poll.unregister(descriptor)


def stand_still(*pids):
    """Waits until programs wait for events: all of their threads sleep, and none has run between two looks. Everything
    that they wait for has been handled then: the kernel would have woken them."""
    before = []

    def are_still():
        now = []
        for pid in pids:
            for text in processes.of_threads(pid, "status"):
                now.append(re.findall(r"(?m)^(?:State|\w*voluntary_ctxt_switches):\s+(\w+)", text))
        still = now == before and all(state == "S" for state, *_ in now)
        before[:] = now
        return still

    wait_until(are_still, "the programs wait")


def fill(descriptor, data, pid, port=None):
    """Writes `data` until a program takes no more of it; returns the number of bytes that were taken. `port` is the
    program's end of a pseudo-terminal: the kernel passes bytes on to it later, when it finds the time."""
    os.set_blocking(descriptor, False)
    sent, deadline = 0, Deadline()
    while sent < len(data):
        try:
            sent += os.write(descriptor, data[sent:sent + 4_096])
            continue
        except BlockingIOError:
            pass
        if not deadline.left:
            raise AssertionError(f"a pipe takes no more of {len(data)} bytes after {sent}, and says that it has room")
        stand_still(pid)
        if (port is None or unread(port) > 0) and not select.select([], [descriptor], [], 0)[1]:
            break
    os.set_blocking(descriptor, True)
    return sent


def sockets_of(pid):
    """The number of sockets that a process has."""
    count = 0
    for entry in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(OSError):
            count += os.readlink(f"/proc/{pid}/fd/{entry}").startswith("socket:")
    return count
