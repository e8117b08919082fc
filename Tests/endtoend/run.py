#!/usr/bin/env python3
"""Tests the built program from outside: run.py [--quick | --soak] [PATTERN]. See harness/ for how."""

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parents[1]))

from Tests.endtoend.runner import main  # noqa: E402  (only found through the path set above)

if __name__ == "__main__":
    main(FOLDER, "test_*.py", __doc__)
