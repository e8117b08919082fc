"""The faults of `scripts/compare-faults` with serialterm alone: its results in the table of
docs/reliability.md are promises."""

import unittest

from Tests.endtoend.faults import record
from Tests.endtoend.faults.programs import programs
from Tests.endtoend.faults.scenarios import FAULTS, PROMISED, put
from Tests.endtoend.harness import TIMEOUT, slow


@slow
class ComparedTests(unittest.TestCase):
    def test_every_fault_is_met_as_promised(self):
        ours = programs()[0]._replace(patience=TIMEOUT)
        for name, fault in FAULTS.items():
            with self.subTest(name):
                outcome = put(ours, name)
                self.assertTrue(outcome.is_right, outcome.text)
                if outcome.seconds is not None:
                    record("comparison", fault.title, 1000 * outcome.seconds, "ms", at_most=1000 * PROMISED)
