"""A server of RFC 2217 with pyserial's PortManager, for one client after the other: NODE PORT."""

import socket
import sys
import threading
import time

import serial
import serial.rfc2217


class Connection:
    """The output of a PortManager. Two threads use it."""

    def __init__(self, client):
        self._client = client
        self._lock = threading.Lock()

    def write(self, data):
        with self._lock:
            self._client.sendall(data)


def to_network(port, manager, connection, ended):
    """Sends the bytes of the device, and once a second the modem lines."""
    checked = time.monotonic()
    try:
        while not ended.is_set():
            data = port.read(port.in_waiting or 1)
            if data:
                connection.write(b"".join(manager.escape(data)))
            if time.monotonic() - checked > 1:
                manager.check_modem_lines()
                checked = time.monotonic()
    except OSError:
        pass  # The client has gone.


def serve(client, node):
    with serial.Serial(node, 115200, timeout=0.1) as port:
        connection = Connection(client)
        manager = serial.rfc2217.PortManager(port, connection)
        ended = threading.Event()
        thread = threading.Thread(
            target=to_network, args=(port, manager, connection, ended), daemon=True)
        thread.start()
        try:
            while data := client.recv(4096):
                port.write(b"".join(manager.filter(data)))
        except ConnectionError:
            pass
        finally:
            ended.set()
            thread.join()


def main():
    node, number = sys.argv[1], int(sys.argv[2])
    with socket.create_server(("127.0.0.1", number)) as listener:
        while True:
            client, _ = listener.accept()
            with client:
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                serve(client, node)


if __name__ == "__main__":
    main()
