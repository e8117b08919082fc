"""What is typed in tests of faults, and what is read from messages."""

import random
import string


def text(count, seed=0):
    """As many random letters and digits: nothing that a terminal or a program takes for a key."""
    letters = (string.ascii_letters + string.digits).encode()
    return random.Random(seed).randbytes(count).translate((letters * 5)[:256])


def number(digits):
    """The number that a message shows with commas."""
    return int(digits.replace(b",", b""))
