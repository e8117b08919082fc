"""Processor time, which a busy machine hardly changes."""

import contextlib
import resource
from types import SimpleNamespace


def seconds_of_children():
    """The processor time of all started programs that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@contextlib.contextmanager
def measured():
    """`seconds` is then the processor time of the programs that have ended within it."""
    used, before = SimpleNamespace(), seconds_of_children()
    yield used
    used.seconds = seconds_of_children() - before
