"""The protocols byte by byte, for senders and receivers that misbehave. They use a `Wire`: the device's end."""

import struct
import zlib

SOH, STX, EOT, ACK, NAK, CAN, SUB = b"\x01", b"\x02", b"\x04", b"\x06", b"\x15", b"\x18", b"\x1a"
CRC_MODE = b"C"
CANCEL = CAN * 5

ZRQINIT, ZRINIT, ZSINIT, ZACK, ZFILE, ZSKIP, ZNAK, ZABORT, ZFIN, ZRPOS, ZDATA, ZEOF, ZFERR, ZCRC = range(14)
ZCOMPL, ZCOMMAND = 15, 18
ZCRCE, ZCRCG, ZCRCQ, ZCRCW = b"h", b"i", b"j", b"k"
CANFDX, CANOVIO, CANFC32 = 1, 2, 32


def crc16(data):
    crc = 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc


# MARK: XMODEM and YMODEM


def block(number, data, size=128, pad=SUB, with_crc=True):
    """A block of 128 or 1,024 bytes."""
    data = data.ljust(size, pad)
    check = struct.pack(">H", crc16(data)) if with_crc else bytes([sum(data) & 0xFF])
    number &= 0xFF
    return (SOH if size == 128 else STX) + bytes([number, 0xFF - number]) + data + check


def header_block(name, *fields):
    """Block 0 of YMODEM: the name as bytes, and numbers or texts after it."""
    data = name + b"\0" + " ".join(map(str, fields)).encode()
    return block(0, data, 128 if len(data) <= 128 else 1_024, b"\0")


def read_block(wire, with_crc=True, timeout=None):
    """The number and the data of the block that comes, or an EOT or a CAN."""
    start = wire.read_exactly(1, timeout)
    if start not in (SOH, STX):
        return start
    size = 128 if start == SOH else 1_024
    number, inverse = wire.read_exactly(2, timeout)
    data = wire.read_exactly(size, timeout)
    check = wire.read_exactly(2 if with_crc else 1, timeout)
    expected = struct.pack(">H", crc16(data)) if with_crc else bytes([sum(data) & 0xFF])
    if inverse != 0xFF - number or check != expected:
        raise AssertionError(f"a wrong block: number {number}, {inverse}, check {check!r}")
    return number, data


def expect_one_of(wire, *wanted, timeout=None):
    """Reads up to one of these bytes, and returns it."""
    while (byte := wire.read_exactly(1, timeout)) not in wanted:
        pass
    return byte


def send_ymodem(wire, header, data, end_batch=True):
    """Sends one file after a header. Returns the result: "took it", "cancelled" or "skipped"."""
    expect_one_of(wire, CRC_MODE, CAN)
    wire.write(header)
    answer = expect_one_of(wire, ACK, NAK, CAN)
    if answer != ACK:
        return "cancelled"
    if expect_one_of(wire, CRC_MODE, CAN) == CAN:
        return "cancelled"
    for number, start in enumerate(range(0, len(data), 1_024), 1):
        wire.write(block(number, data[start:start + 1_024], 1_024))
        if expect_one_of(wire, ACK, CAN) == CAN:
            return "cancelled"
    wire.write(EOT)
    while (answer := expect_one_of(wire, ACK, NAK, CAN)) == NAK:
        wire.write(EOT)
    if answer == CAN:
        return "cancelled"
    # A receiver that could not keep the file cancels.
    if end_batch and expect_one_of(wire, CRC_MODE, CAN) == CRC_MODE:
        wire.write(header_block(b""))
        expect_one_of(wire, ACK, CAN)
    return "took it"


# MARK: ZMODEM


def hex_header(kind, value=0):
    """A header with a position, or with flags as a number whose lowest byte is ZP0 (ZF3)."""
    data = bytes([kind]) + struct.pack("<I", value)
    end = b"\r\x8a" + (b"" if kind in (ZFIN, ZACK) else b"\x11")
    return b"**\x18B" + (data + struct.pack(">H", crc16(data))).hex().encode() + end


def escaped(data):
    """Data in their escaped form with ZDLE."""
    special = b"\x18\x10\x90\x11\x91\x13\x93\x0d\x8d"
    return b"".join(
        b"\x18" + bytes([byte ^ 0x40]) if byte in special else bytes([byte]) for byte in data)


def binary_header(kind, value=0):
    """A header with a CRC of 32 bits."""
    data = bytes([kind]) + struct.pack("<I", value)
    return b"*\x18C" + escaped(data + struct.pack("<I", zlib.crc32(data)))


def packet(data, end):
    """A subpacket with a CRC of 32 bits."""
    return escaped(data) + b"\x18" + end + escaped(struct.pack("<I", zlib.crc32(data + end)))


def packets(data):
    """All of the data in subpackets of 1,024 bytes, the last of which ends the frame."""
    pieces = [data[start:start + 1_024] for start in range(0, len(data), 1_024)] or [b""]
    return b"".join(packet(piece, ZCRCG) for piece in pieces[:-1]) + packet(pieces[-1], ZCRCE)


def read_header(wire, timeout=None):
    """The kind and the value of the next hexadecimal header; CAN and 0 after five CANs."""
    seen = b""
    while not seen.endswith(b"**\x18B"):
        if seen.endswith(CANCEL):
            return CAN, 0
        seen += wire.read_exactly(1, timeout)
    data = bytes.fromhex(wire.read_exactly(14, timeout).decode())
    if crc16(data[:5]) != int.from_bytes(data[5:], "big"):
        raise AssertionError(f"a wrong header: {data!r}")
    return data[0], int.from_bytes(data[1:5], "little")


def expect_header(wire, *kinds, timeout=None):
    """Reads up to a header of one of these kinds; returns its kind and value."""
    while (header := read_header(wire, timeout))[0] not in kinds:
        pass
    return header


def file_packet(name, *fields):
    """What follows ZFILE: the name as bytes, and numbers or texts after it."""
    return packet(name + b"\0" + " ".join(map(str, fields)).encode() + b"\0", ZCRCW)


def send_zmodem(wire, description, data, flags=0):
    """Sends one file with this description. Returns what the receiver did: "took it", "skipped" or
    "cancelled"."""
    wire.write(hex_header(ZRQINIT))
    if expect_header(wire, ZRINIT, CAN)[0] == CAN:
        return "cancelled"
    wire.write(binary_header(ZFILE, flags) + description)
    kind, position = expect_header(wire, ZRPOS, ZSKIP, ZFERR, ZABORT, ZFIN, CAN)
    if kind == ZRPOS:
        wire.write(
            binary_header(ZDATA, position) + packets(data[position:])
            + binary_header(ZEOF, len(data)))
        kind, _ = expect_header(wire, ZRINIT, ZSKIP, ZFERR, ZABORT, ZFIN, CAN)
    if kind == ZRINIT or kind == ZSKIP:
        wire.write(hex_header(ZFIN))
        if expect_header(wire, ZFIN, CAN)[0] == ZFIN:
            wire.write(b"OO")
        return "took it" if kind == ZRINIT else "skipped"
    if kind in (ZFERR, ZABORT, ZFIN):
        wire.write(hex_header(ZFIN))
    return "cancelled"
