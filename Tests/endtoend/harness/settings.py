"""The complete settings of a terminal."""

import fcntl
import struct
import termios
from typing import NamedTuple

# From <asm/termbits.h>, because Python's termios module has no termios2, which also contains the
# line discipline and any baud rate. For a pty's master it returns the settings of the slave.
TCGETS2 = 0x802C542A


class Settings(NamedTuple):
    """`struct termios2`, compared bit by bit."""

    input_modes: int
    output_modes: int
    control_modes: int
    local_modes: int
    line_discipline: int
    control_characters: bytes
    input_baud: int
    output_baud: int


def settings_of(descriptor):
    """The settings of the terminal that `descriptor` refers to."""
    return Settings(*struct.unpack("=4IB19s2I", fcntl.ioctl(descriptor, TCGETS2, bytes(44))))


def cooked(port):
    """Sets up a port unlike any terminal program does: 9600 baud, echo, canonical mode."""
    modes = termios.tcgetattr(port)
    modes[0] |= termios.ICRNL | termios.IXON
    modes[1] |= termios.OPOST
    modes[3] |= termios.ECHO | termios.ICANON | termios.ISIG
    modes[4] = modes[5] = termios.B9600
    termios.tcsetattr(port, termios.TCSANOW, modes)
