"""A simulated FT232R: a USB gadget (FunctionFS) on a loopback controller (dummy_hcd), so that the
same kernel's ftdi_sio drives it. chip.py runs it as a program.

    ftdi_model.py SERIAL

It prints a line for each request of the driver, and reads commands from standard input:

    set cts|dsr|ri|dcd 0|1      a modem input
    send HEX [parity|framing|overrun|break]...    received bytes, with these errors
    send-at RATE HEX [...]      the same, unless the driver has set another rate by now
    quit
"""

import errno
import os
import queue
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

CONFIGFS = Path("/sys/kernel/config")
GADGET = CONFIGFS / "usb_gadget" / "ftdi"
ENDPOINTS = Path("/dev/ffs-ftdi")

# The chip's requests, and the bits of its two status bytes: see drivers/usb/serial/ftdi_sio.h.
RESET, MODEM_CONTROL, FLOW_CONTROL, BAUD_RATE, DATA, LATENCY = 0, 1, 2, 3, 4, 9
GET_MODEM_STATUS, GET_LATENCY, READ_EEPROM = 5, 10, 0x90
INPUTS = {"cts": 0x10, "dsr": 0x20, "ri": 0x40, "dcd": 0x80}
ERRORS = {"overrun": 0x02, "parity": 0x04, "framing": 0x08, "break": 0x10}
TRANSMITTER_EMPTY = 0x60
# Seconds after which the chip reports its status, even if it has not changed.
LATENCY_TIMER = 0.016
PACKET = 62
# The eighths of the baud rate divisor, by the code in the request.
EIGHTHS = [0, 4, 2, 1, 3, 5, 6, 7]

SETUP_EVENT = 4


def log(*words):
    print(f"{time.monotonic():.6f}", *words, flush=True)


def write(attribute, value):
    (GADGET / attribute).write_text(value, encoding="ascii")


def make_gadget(serial):
    """Creates the gadget with its descriptors, except those of the endpoints."""
    if not (CONFIGFS / "usb_gadget").exists():
        subprocess.run(["mount", "-t", "configfs", "none", CONFIGFS], check=True)
    for folder in ("strings/0x409", "configs/c.1", "functions/ffs.ftdi"):
        (GADGET / folder).mkdir(parents=True, exist_ok=True)
    for attribute, value in {
            "idVendor": "0x0403", "idProduct": "0x6001", "bcdDevice": "0x0600",
            "strings/0x409/serialnumber": serial, "strings/0x409/manufacturer": "FTDI",
            "strings/0x409/product": "FT232R USB UART"}.items():
        write(attribute, value)
    function = GADGET / "configs/c.1/ffs.ftdi"
    if not function.is_symlink():
        function.symlink_to(GADGET / "functions/ffs.ftdi")


def open_endpoints():
    """Describes the interface; returns descriptors of the control, in and out endpoints."""
    ENDPOINTS.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "functionfs", "ftdi", ENDPOINTS], check=True)
    control = os.open(ENDPOINTS / "ep0", os.O_RDWR)

    def descriptors(packet_size):
        interface = struct.pack("<9B", 9, 4, 0, 0, 2, 255, 255, 255, 1)
        bulk = [struct.pack("<BBBBHB", 7, 5, address, 2, packet_size, 0) for address in (0x81, 2)]
        return interface + b"".join(bulk)

    body = struct.pack("<II", 3, 3) + descriptors(64) + descriptors(512)
    os.write(control, struct.pack("<III", 3, 12 + len(body), 1 | 2 | 64) + body)
    name = b"FT232R USB UART\0"
    os.write(
        control, struct.pack("<IIII", 2, 16 + 2 + len(name), 1, 1) + struct.pack("<H", 0x409)
        + name)
    return control, os.open(ENDPOINTS / "ep1", os.O_RDWR), os.open(ENDPOINTS / "ep2", os.O_RDWR)


def baud_rate(value, index):
    """The baud rate of a divisor: 3 MHz divided by a number with eighths."""
    divisor, code = value & 0x3FFF, value >> 14 & 3 | (index & 1) << 2
    if code == 0 and divisor < 2:
        return (3_000_000, 2_000_000)[divisor]
    return round(3_000_000 * 8 / (divisor * 8 + EIGHTHS[code]))


def described(request, value, index):
    """Describes what a request programs."""
    if request == RESET:
        return f"reset {value}"
    if request == MODEM_CONTROL:
        lines = (("dtr", 0), ("rts", 1))
        return "modem " + " ".join(
            f"{name}={value >> bit & 1}" for name, bit in lines if value >> 8 + bit & 1)
    if request == FLOW_CONTROL:
        return "flow " + {0: "none", 1: "rts/cts", 2: "dtr/dsr", 4: "xon/xoff"}[index >> 8]
    if request == BAUD_RATE:
        return f"baud {baud_rate(value, index)}"
    if request == DATA:
        stop = {0: "1", 1: "1.5", 2: "2"}[value >> 11 & 3]
        return f"data {value & 15}{'NOEMS'[value >> 8 & 7]}{stop} break={value >> 14 & 1}"
    if request == LATENCY:
        return f"latency {value}"
    return f"request {request:#x} {value:#x} {index:#x}"


class Chip:
    """The chip's side of the three endpoints. A thread serves each."""

    def __init__(self, endpoints):
        self._control, self._in, self._out = endpoints
        self._rate = 9600
        self._modem = INPUTS["cts"] | INPUTS["dsr"] | INPUTS["dcd"]
        self._outgoing = queue.SimpleQueue()
        for serve in (self._serve_control, self._serve_in, self._serve_out):
            threading.Thread(target=serve, daemon=True).start()

    def set_input(self, name, asserted):
        self._modem = self._modem | INPUTS[name] if asserted else self._modem & ~INPUTS[name]
        self._outgoing.put((b"", 0, None))

    def send(self, data, errors, rate=None):
        self._outgoing.put((data, sum(ERRORS[error] for error in errors), rate))

    def _status(self, errors=0):
        return bytes([1 | self._modem, TRANSMITTER_EMPTY | errors])

    def _serve_control(self):
        while True:
            try:
                self._serve_event(os.read(self._control, 12))
            except OSError as error:
                # FunctionFS reports with EIDRM that the host has cancelled a request, but also when
                # a request arrives just as the last one completes: read that one next.
                if error.errno != errno.EIDRM:
                    raise

    def _serve_event(self, event):
        if event[8] != SETUP_EVENT:
            return
        kind, request, value, index, length = struct.unpack("<BBHHH", event[:8])
        if kind & 0x80:
            answers = {GET_MODEM_STATUS: self._status(), GET_LATENCY: b"\x10",
                       READ_EEPROM: b"\xff\xff"}
            if request == GET_MODEM_STATUS:
                log("asked")
            os.write(self._control, answers.get(request, bytes(length))[:length])
        else:
            if request == BAUD_RATE:
                self._rate = baud_rate(value, index)
            os.read(self._control, length)
            log(described(request, value, index))

    def _serve_in(self):
        while True:
            try:
                data, errors, rate = self._outgoing.get(timeout=LATENCY_TIMER)
            except queue.Empty:
                data, errors, rate = b"", 0, None
            if rate not in (None, self._rate):
                continue
            # Without data, one empty packet reports the modem inputs.
            for start in range(0, len(data) or 1, PACKET):
                self._answer(self._status(errors) + data[start:start + PACKET])

    def _answer(self, packet):
        try:
            os.write(self._in, packet)
        except OSError as error:
            if error.errno != errno.ESHUTDOWN:
                raise
            time.sleep(LATENCY_TIMER)  # The host has not configured the device yet.

    def _serve_out(self):
        while True:
            try:
                data = os.read(self._out, 4096)
            except OSError:
                time.sleep(LATENCY_TIMER)
                continue
            log("sent", data.hex())


def main(serial):
    make_gadget(serial)
    chip = Chip(open_endpoints())
    write("UDC", os.listdir("/sys/class/udc")[0])
    log("plugged")
    for line in sys.stdin:
        words = line.split()
        if words[0] == "set":
            chip.set_input(words[1], words[2] == "1")
        elif words[0] == "send":
            chip.send(bytes.fromhex(words[1]), words[2:])
        elif words[0] == "send-at":
            chip.send(bytes.fromhex(words[2]), words[3:], int(words[1]))
        elif words[0] == "quit":
            break
    write("UDC", "\n")
    log("unplugged")
    # Exits at once: the threads are blocked in the kernel.
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
