"""Messages are broken at spaces to fit on the user's terminal."""

import re

SPACE = rb"(?: |\r*\n +)"


def wrapped(message):
    """A regular expression for a message, or for a regular expression, each space of which may be the end
    of a line."""
    if isinstance(message, bytes):
        return re.compile(re.escape(message).replace(rb"\ ", SPACE))
    return re.compile(message.pattern.replace(b" ", SPACE))
