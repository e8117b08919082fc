"""The boot loader in the ROM of an ESP32, as far as `esptool chip-id` and a change of the rate need it, on a
pseudo-terminal. The messages are SLIP frames (RFC 1055); esptool documents them as "serial protocol"."""

import os
import select
import struct
import threading

from Tests.endtoend.harness import Device


SYNC, WRITE_REGISTER, READ_REGISTER, CHANGE_RATE = 0x08, 0x09, 0x0A, 0x0F

# The registers that esptool reads, by address. Others are 0.
REGISTERS = {
    0x40001000: 0x00F01D83,  # The value that distinguishes an ESP32 from other chips.
    0x3FF40014: 347,  # The divider of the UART's clock: 40 MHz at 115200 baud.
    0x3FF5A004: 0xC4004A61, 0x3FF5A008: 0x0000240A,  # The MAC address below, in fuses.
}
MAC = b"24:0a:c4:00:4a:61"


def frame(message):
    """A message as a SLIP frame."""
    escaped = message.replace(b"\xdb", b"\xdb\xdd").replace(b"\xc0", b"\xdb\xdc")
    return b"\xc0" + escaped + b"\xc0"


def messages(data):
    """The messages in the whole frames of some bytes, and the bytes after them."""
    *whole, rest = data.split(b"\xc0")
    found = [part.replace(b"\xdb\xdc", b"\xc0").replace(b"\xdb\xdd", b"\xdb") for part in whole]
    return [message for message in found if message], rest


class EspROM(Device):
    """It answers in a thread, once `may_answer` is set."""

    def __init__(self):
        super().__init__()
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.commands = []
        self._stop_reading, self._stop = os.pipe()
        self._thread = threading.Thread(target=self._serve)

    def __enter__(self):
        result = super().__enter__()
        self._thread.start()
        return result

    def __exit__(self, *error):
        os.write(self._stop, b"x")
        self._thread.join()
        os.close(self._stop)
        os.close(self._stop_reading)
        return super().__exit__(*error)

    def _serve(self):
        data = b""
        while True:
            ready = select.select([self.descriptor, self._stop_reading], [], [])[0]
            if self._stop_reading in ready:
                return
            found, data = messages(data + os.read(self.descriptor, 4096))
            for message in found:
                if self.may_answer.is_set():
                    self._answer(message)

    def _answer(self, message):
        direction, command, size = struct.unpack("<BBH", message[:4])
        words = message[8:]
        if direction != 0 or len(words) != size:
            return
        self.commands.append(command)
        value, status = 0, b"\0\0\0\0"
        if command == SYNC:
            # A ROM sends the answer eight times, with a value other than 0.
            for _ in range(8):
                self.write(frame(struct.pack("<BBHI", 1, command, 4, 0x20120707) + status))
            return
        if command == READ_REGISTER:
            value = REGISTERS.get(struct.unpack("<I", words)[0], 0)
        elif command not in (WRITE_REGISTER, CHANGE_RATE):
            status = b"\1\5\0\0"  # Unknown.
        self.write(frame(struct.pack("<BBHI", 1, command, 4, value) + status))
