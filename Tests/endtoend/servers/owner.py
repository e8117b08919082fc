"""The owner of a port, in place of a serialterm that serves it: it says what its port has and why something is off, in
words of its own."""

import contextlib
import socket
import struct
import threading

from Tests.endtoend.servers.clients import BINARY, COM_PORT, IAC, SB, SE, SUPPRESS_GO_AHEAD, Telnet

SHARING = 91
# The messages of docs/sharing.md, and what they are about.
JOINED, PEN, PORT, FEATURES, REFUSAL = 64, 68, 72, 75, 77
SENDING, BREAKS, MODEM_LINES = 2, 4, 5
ALL_FEATURES = 15
# The answers to what the client asks of the flow control, DTR and RTS: none, and both asserted.
CONTROLS = {0: 1, 4: 6, 7: 8, 10: 11}


class Owner:
    """A server of RFC 2217 that calls itself serialterm. Clients get the pen."""

    def __init__(self):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.target = f"rfc2217://127.0.0.1:{self._listener.getsockname()[1]}"
        self._lock = threading.Lock()
        self._clients = []
        self._refusals = {}

    def __enter__(self):
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()
        for client in self._clients:
            with contextlib.suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)

    def refuse(self, subject, code, text):
        """Says from now on why something is off; an empty code: it is on."""
        with self._lock:
            self._refusals[subject] = (code, text)
            for client in self._clients:
                self._say(client, self._refusal(subject))

    def _refusal(self, subject):
        code, text = (word.encode() for word in self._refusals[subject])
        return bytes([REFUSAL, subject, len(code)]) + code + text

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client = self._listener.accept()[0]
                threading.Thread(target=self._serve, args=[client], daemon=True).start()

    @staticmethod
    def _message(client, code, value):
        parameters = bytes([COM_PORT, 100 + code]) + value
        client.sendall(bytes([IAC, SB]) + parameters.replace(b"\xff", b"\xff\xff") + bytes([IAC, SE]))

    def _say(self, client, message):
        self._message(client, SHARING, message)

    def _serve(self, client):
        telnet = Telnet({BINARY, SUPPRESS_GO_AHEAD, COM_PORT})
        is_named = False
        with client, contextlib.suppress(OSError):
            while data := client.recv(65_536):
                telnet.receive(data)
                client.sendall(telnet.replies)
                telnet.replies = b""
                # The client reads messages once the option is agreed.
                if telnet.messages and not is_named:
                    is_named = True
                    self._message(client, 0, b"serialterm of a test")
                for message in telnet.messages:
                    self._answer(client, message[1], bytes(message[2:]))
                telnet.messages = []

    def _answer(self, client, code, value):
        if code == SHARING:
            if value[0] == 1:
                self._introduce(client)
        elif code == 1:
            self._message(client, code, value if any(value) else struct.pack(">I", 115_200))
        elif code in (2, 3, 4):
            self._message(client, code, value if any(value) else bytes([{2: 8, 3: 1, 4: 1}[code]]))
        elif code == 5:
            self._message(client, code, bytes([CONTROLS.get(value[0], value[0])]))
        elif code in (10, 11):
            self._message(client, code, value)

    def _introduce(self, client):
        with self._lock:
            self._say(client, struct.pack(">BIBB", JOINED, 1, 1, 0))
            self._say(client, struct.pack(">BIB", PEN, 1, 0))
            self._say(client, bytes([FEATURES, ALL_FEATURES]))
            for subject in self._refusals:
                self._say(client, self._refusal(subject))
            self._say(client, bytes([PORT, 0]) + b"/dev/ttyFAR")
            self._clients.append(client)
