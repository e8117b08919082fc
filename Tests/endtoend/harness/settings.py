"""A terminal's settings, to the last bit."""

import fcntl
import struct
from typing import NamedTuple

# From <asm/termbits.h>, which Python's termios module lacks: termios2 also holds the line
# discipline and any baud rate. Asked of a pty's master, it answers for the slave.
TCGETS2 = 0x802C542A


class Settings(NamedTuple):
    """`struct termios2`. Two of them are equal when every bit is."""

    input_modes: int
    output_modes: int
    control_modes: int
    local_modes: int
    line_discipline: int
    control_characters: bytes
    input_baud: int
    output_baud: int


def settings_of(descriptor):
    """The settings of the terminal behind `descriptor`."""
    return Settings(*struct.unpack("=4IB19s2I", fcntl.ioctl(descriptor, TCGETS2, bytes(44))))
