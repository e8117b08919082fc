"""What processes have open. See proc(5)."""

import contextlib
import os
from pathlib import Path


def files_of(pid):
    """The open files of a process, by the kernel's names."""
    files = Path(f"/proc/{pid}/fd")
    found = []
    for file in files.iterdir():
        with contextlib.suppress(FileNotFoundError):  # Closed in the meantime.
            found.append(os.readlink(file))
    return found
