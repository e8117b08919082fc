"""A terminal's settings, to the last bit."""

import fcntl
import struct
import termios
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


def cooked(port):
    """Sets a port up as no terminal program leaves it: 9600 baud, echo, lines."""
    modes = termios.tcgetattr(port)
    modes[0] |= termios.ICRNL | termios.IXON
    modes[1] |= termios.OPOST
    modes[3] |= termios.ECHO | termios.ICANON | termios.ISIG
    modes[4] = modes[5] = termios.B9600
    termios.tcsetattr(port, termios.TCSANOW, modes)
