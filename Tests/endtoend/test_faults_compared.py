"""The faults of `scripts/compare-faults` with serialterm alone: its results in the table of
docs/reliability.md are promises."""

import unittest

from Tests.endtoend.faults.programs import programs
from Tests.endtoend.faults.scenarios import FAULTS, put
from Tests.endtoend.harness import alone, slow


@slow
@alone
class ComparedTests(unittest.TestCase):
    def test_every_fault_is_met_as_promised(self):
        ours = programs()[0]
        for name in FAULTS:
            with self.subTest(name):
                outcome = put(ours, name)
                self.assertTrue(outcome.good, outcome.text)
