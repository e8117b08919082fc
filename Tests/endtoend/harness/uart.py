"""Simulates what a UART receives from another one with a different rate, 8N1, and a device on a pty that
sends at its own rate, independent of the port's settings."""

import bisect
import threading

from .wires import Device


def received(data, sender, receiver):
    """The bytes that the receiver makes of the sender's bits. A missing stop bit is taken for the next
    start bit, as a 16550 does; after a break the receiver waits for the line to be high."""
    edges, low = [], False
    for number, byte in enumerate(data):
        for position, level in enumerate([0] + [byte >> bit & 1 for bit in range(8)] + [1]):
            if low == bool(level):
                low = not low
                edges.append(10 * number + position)
    bit, found, time = sender / receiver, [], -1.0

    def is_low(moment):
        return bisect.bisect_right(edges, moment) % 2 == 1

    for start in edges[::2]:
        if start < time or not is_low(start + bit / 2):
            continue
        while True:
            byte = sum(
                1 << place for place in range(8) if not is_low(start + (1.5 + place) * bit))
            time = start + 9.5 * bit
            found.append(byte)
            if not is_low(time) or byte == 0:
                break
            start = time - bit / 2
    return bytes(found)


class TalkingDevice(Device):
    """A device that sends a line every 20 ms at its own rate, in a thread."""

    def __init__(self, rate, lines, **how):
        super().__init__(**how)
        self._rate, self._lines = rate, lines
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._talk)

    def __enter__(self):
        result = super().__enter__()
        self._thread.start()
        return result

    def __exit__(self, *error):
        self._stop.set()
        self._thread.join()
        return super().__exit__(*error)

    def _talk(self):
        number = 0
        while not self._stop.wait(0.02):
            line = self._lines[number % len(self._lines)]
            rate = self.settings.output_baud
            self.write(line if rate == self._rate else received(line, self._rate, rate))
            number += 1
