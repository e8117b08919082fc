"""Makes system calls fail with the libraries in ../preload: faults.c is for those on a device."""

import atexit
import functools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "preload" / "faults.c"
COMPILER = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
HAS_COMPILER = COMPILER is not None


@functools.cache
def library(source=SOURCE.name):
    """The path of a library, which is built once per run."""
    folder = tempfile.mkdtemp(prefix="serialterm-faults-")
    atexit.register(shutil.rmtree, folder)
    os.chmod(folder, 0o755)  # For programs that run as another user.
    path = Path(folder) / "faults.so"
    subprocess.run(
        [COMPILER, "-Wall", "-O2", "-shared", "-fPIC", "-o", path, SOURCE.with_name(source), "-ldl"],
        check=True)
    return str(path)


def faulty(node, **faults):
    """The environment variables for faults on the device at `node`: `write=1` sets FAULT_WRITE,
    and so on."""
    named = {f"FAULT_{name.upper()}": str(value) for name, value in faults.items()}
    return {"LD_PRELOAD": library(), "FAULT_NODE": node, **named}
