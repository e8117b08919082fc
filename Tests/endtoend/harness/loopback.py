"""`serialterm loopback` as a context manager."""

import re

from .pipes import Pipes
from .program import serialterm_binary


class Loopback(Pipes):
    """Runs `serialterm loopback` with `options`, and reads the paths of its nodes."""

    def __init__(self, *options):
        super().__init__(serialterm_binary(), "loopback", *options)
        count = 2 if "--pair" in options else 1
        try:
            self.nodes = [
                self.stdout.expect(re.compile(rb"(/\S+)")).group(1).decode() for _ in range(count)]
        except AssertionError as error:
            errors = self.stderr.data
            self.close()
            raise AssertionError(f"{error}; on stderr {errors!r}") from None

    @property
    def node(self):
        return self.nodes[0]
