"""Files to transfer: sizes at the edges of blocks, and contents that could be mistaken for a protocol."""

import random
from pathlib import Path
from typing import NamedTuple

SIZES = (0, 1, 127, 128, 129, 1023, 1024, 1025, 65_537)
PAD = b"\x1a"
ALL_BYTES = bytes(range(256))
ZMODEM_START = b"rz\r**\x18B00000000000000\r\x8a\x11"
MEBIBYTE = 1 << 20


class Content(NamedTuple):
    """The contents of a file. `name` is also the file's name."""

    name: str
    data: bytes

    def write(self, folder):
        path = Path(folder) / self.name
        path.write_bytes(self.data)
        return path


def of_size(size):
    """A file with all byte values, if there is room for them."""
    return Content(f"{size}.bin", (ALL_BYTES * (size // 256 + 1))[:size])


def random_bytes(size, seed=1):
    return random.Random(seed).randbytes(size)


BY_SIZE = [of_size(size) for size in SIZES]
STRANGE = [
    Content("ff.bin", b"\xff" * 2_000),
    Content("pads.bin", PAD * 2_000),
    Content("text.txt", b"A line of text.\r\n" * 100 + PAD),
    Content("zmodem.txt", b"login: " + ZMODEM_START * 50),
    # The control characters of lines, of terminals and of the protocols, one after the other.
    Content("controls.bin", b"\x11\x13\x91\x93\x18\x10\x90\r@\r\x8d\x7f\x1b\x03\x04\x00" * 100),
    Content("cancels.bin", b"\x18" * 2_000),
]
NAMED = [
    Content("two words.txt", b"spaces\n"),
    Content("gr\u00fc\u00dfe \u4f60\u597d.bin", b"UTF-8\n" * 30),
    Content("-v", b"a name like an option\n"),
    Content("a'b\"c$d.txt", b"quotes\n"),
]
ALL = BY_SIZE + STRANGE + NAMED
LARGE = Content("large.bin", random_bytes(10 * MEBIBYTE))


def is_padded(received, sent, block=1_024):
    """Whether `received` is `sent`, filled up to the length of a block by XMODEM."""
    rest = received[len(sent):]
    return (
        received[:len(sent)] == sent and rest == PAD * len(rest) and len(rest) <= block
        and len(received) % 128 == 0)
