"""How long programs wait for nothing but time: what a promise of a time means on a machine of any load."""

import sys
from pathlib import Path

from . import preload


def counted(folder, variables=None):
    """The environment variables, besides `variables`, with which a program counts its waits in a folder. Without a C
    compiler, only `variables`."""
    variables = dict(variables or {})
    if preload.HAS_COMPILER:
        libraries = (variables.get("LD_PRELOAD"), preload.library("waits.c"))
        variables.update(LD_PRELOAD=" ".join(filter(None, libraries)), WAITS_FOLDER=str(folder))
    return variables


def milliseconds(folder, pid):
    """The sum of a program's waits that ended because their time was over, also after its end. Waits that an event
    has ended count nothing."""
    try:
        return int.from_bytes((Path(folder) / str(pid)).read_bytes(), sys.byteorder)
    except FileNotFoundError:
        return 0
