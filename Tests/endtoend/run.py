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
    "test_package", "test_examples", "test_transfer_faults", "test_faults_bytes", "test_faults_leaving",
    "test_serve_clients", "test_faults_pressure", "test_faults_killed", "test_causes", "test_send",
    "test_faults_plugged", "test_transfer_lrzsz", "test_replay", "test_log_faults", "test_faults_compared",
    "test_faults_plot", "test_interop", "test_transfer_uboot", "test_alerts", "test_labs", "test_labgrid",
    "test_labs_uboot", "test_soak")

if __name__ == "__main__":
    main(FOLDER, "test_*.py", __doc__, SLOWEST)
