"""Test data, and parsing of messages."""

import random
import re
import string

# The message about bytes that were written and not sent.
NOT_SENT = re.compile(rb"serialterm: ([\d,]+) bytes? (?:was|were) not sent\.")


def text(count, seed=0):
    """`count` random letters and digits: nothing that a terminal or a program interprets."""
    letters = (string.ascii_letters + string.digits).encode()
    return random.Random(seed).randbytes(count).translate((letters * 5)[:256])


def number(digits):
    """Parses a number with commas."""
    return int(digits.replace(b",", b""))
