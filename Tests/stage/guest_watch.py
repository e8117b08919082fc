"""The cost and delay of detecting a change of a modem line, measured with the system calls
themselves: figures for docs/line-control.md. Each is printed as a line that starts with
"figure:"."""

import fcntl
import os
import statistics
import termios
import threading
import time
import unittest

from Tests.endtoend.harness import wait_until
from Tests.stage.chip import Chip
from Tests.stage.gadget import AcmGadget

TIOCMIWAIT, TIOCGICOUNT = 0x545C, 0x545D
INPUTS = termios.TIOCM_CTS | termios.TIOCM_DSR | termios.TIOCM_CD | termios.TIOCM_RI
REPETITIONS = 200
CHANGES = 20
# The polling interval in seconds.
INTERVAL = 0.1


def figure(*words):
    print("figure:", *words, flush=True)


def milliseconds(seconds):
    return f"{1000 * seconds:.3f} ms"


class WatchTests(unittest.TestCase):
    def opened(self, node):
        port = os.open(node, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        self.addCleanup(os.close, port)
        return port

    @staticmethod
    def lines(port):
        return int.from_bytes(fcntl.ioctl(port, termios.TIOCMGET, bytes(4)), "little")

    def measure(self, name, port):
        """Measures the cost of each of the two requests."""
        for request, size, word in (
                (termios.TIOCMGET, 4, "TIOCMGET"), (TIOCGICOUNT, 80, "TIOCGICOUNT")):
            answer = bytearray(size)
            started, busy = time.monotonic(), time.process_time()
            for _ in range(REPETITIONS):
                fcntl.ioctl(port, request, answer)
            figure(name, word, milliseconds((time.monotonic() - started) / REPETITIONS), "of it",
                   milliseconds((time.process_time() - busy) / REPETITIONS), "of a processor")

    def test_16550(self):
        self.measure("16550", self.opened("/dev/ttyS1"))

    def test_acm(self):
        with AcmGadget("0x2341", "0x0043", "WATCH42") as gadget:
            port = os.open(gadget.nodes[0], os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
            try:
                self.measure("CDC-ACM", port)
                before = self.lines(port)
                # The gadget asserts DSR and DCD while its side is open.
                with gadget.far_end(0):
                    wait_until(lambda: self.lines(port) != before, "the lines have changed")
                    figure("CDC-ACM", f"{before:#x} became {self.lines(port):#x}")
            finally:
                os.close(port)

    def test_ftdi(self):
        with Chip("WATCH0") as chip:
            port = self.opened(chip.node)
            self.measure("FTDI", port)
            self.wait_for_changes(chip, port)
            self.poll_for_changes(chip, port)

    def wait_for_changes(self, chip, port):
        """Measures a thread that waits in TIOCMIWAIT."""
        woken = []

        def wait():
            for _ in range(CHANGES):
                fcntl.ioctl(port, TIOCMIWAIT, INPUTS)
                woken.append(time.monotonic())

        thread = threading.Thread(target=wait, daemon=True)
        thread.start()
        delays = []
        for count in range(CHANGES):
            time.sleep(INTERVAL)  # Until it waits again; there is no event for that.
            started = time.monotonic()
            chip.set("cts", count % 2)
            wait_until(lambda expected=count + 1: len(woken) == expected, "TIOCMIWAIT returns")
            delays.append(woken[-1] - started)
        thread.join()
        figure("FTDI TIOCMIWAIT", milliseconds(statistics.median(delays)), "median",
               milliseconds(max(delays)), "worst")

    def poll_for_changes(self, chip, port):
        """Measures polling with a timer."""
        delays, busy, began = [], time.process_time(), time.monotonic()
        for count in range(CHANGES):
            before = self.lines(port)
            # The phase of the timer is arbitrary: tries twenty of them.
            chip.set("dsr", count % 2)
            started = time.monotonic()
            time.sleep(INTERVAL * (count + 1) / CHANGES)
            while self.lines(port) == before:
                time.sleep(INTERVAL)
            delays.append(time.monotonic() - started)
        share = (time.process_time() - busy) / (time.monotonic() - began)
        figure("FTDI TIOCMGET every", milliseconds(INTERVAL),
               milliseconds(statistics.median(delays)), "median", milliseconds(max(delays)),
               f"worst, {100 * share:.1f} % of a processor")
