#!/usr/bin/env python3
"""Tests the built program from outside: run.py [--quick | --soak] [--jobs N] [--slowest N] [PATTERN]. Each file runs in
a process with a /tmp and a network of its own (isolation.py). See harness/ for how the tests work."""

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parents[1]))

from Tests.endtoend.runner import main  # noqa: E402  (only found through the path set above)

# The order for a fresh clone. Later runs know the durations of the last one.
SLOWEST = (
    "test_transfer_faults", "test_package", "test_examples", "test_serve_clients", "test_web_page", "test_web",
    "test_interop", "test_faults_pressure", "test_transfer_lrzsz", "test_labs", "test_faults_shared",
    "test_transfer_hostile", "test_transfer_uboot", "test_faults_compared", "test_labs_uboot", "test_causes",
    "test_install", "test_mcp", "test_symbols", "test_faults_streams", "test_plot", "test_send", "test_soak",
    "test_log_faults", "test_serving", "test_run", "test_faults_network", "test_replay")

if __name__ == "__main__":
    main(FOLDER, "test_*.py", __doc__, SLOWEST)
