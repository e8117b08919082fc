"""The packages xmodem and ymodem of PyPI as a program on its standard input and output:

    python_peer.py xmodem send FILE [--1k]
    python_peer.py xmodem receive FILE [--checksum]
    python_peer.py ymodem send FILE...
    python_peer.py ymodem receive FOLDER

It runs in the virtual environment that has them.
"""

import os
import select
import sys
import time


def getc(size, timeout=1):
    """Up to `size` bytes; None if nothing came in time."""
    deadline, data = time.monotonic() + (timeout or 0), b""
    while len(data) < size:
        left = max(0, deadline - time.monotonic())
        if not select.select([0], [], [], left)[0]:
            break
        data += os.read(0, size - len(data))
    return data or None


def putc(data, timeout=1):
    view = memoryview(data)
    while view:
        view = view[os.write(1, view):]
    return len(data)


def xmodem(way, path, *options):
    from xmodem import XMODEM

    modem = XMODEM(getc, putc, "xmodem1k" if "--1k" in options else "xmodem")
    if way == "send":
        with open(path, "rb") as file:
            return modem.send(file, timeout=10)
    with open(path, "wb") as file:
        return modem.recv(file, crc_mode=0 if "--checksum" in options else 1, timeout=10) is not None


def ymodem(way, *paths):
    from ymodem.Socket import ModemSocket

    modem = ModemSocket(getc, putc)
    return modem.send(paths) if way == "send" else modem.recv(paths[0])


if __name__ == "__main__":
    sys.exit(0 if {"xmodem": xmodem, "ymodem": ymodem}[sys.argv[1]](*sys.argv[2:]) else 1)
