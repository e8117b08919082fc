"""The faults of `scripts/compare-faults`, put to serialterm alone: what the table in
docs/reliability.md says of it is a promise."""

import unittest

from Tests.endtoend.faults.programs import programs
from Tests.endtoend.faults.scenarios import FAULTS, put
from Tests.endtoend.harness import slow


@slow
class ComparedTests(unittest.TestCase):
    def test_every_fault_is_met_as_promised(self):
        ours = programs()[0]
        for name in FAULTS:
            with self.subTest(name):
                outcome = put(ours, name)
                self.assertTrue(outcome.good, outcome.text)
