"""What `serialterm doctor` says of a machine without any serial device. To be run within
umockdev-wrapper; run.py does."""

import unittest

from Tests.endtoend.test_doctor import findings
from Tests.stage.mock_devices import Bed


class DoctorTests(unittest.TestCase):
    def test_nothing_is_plugged_in(self):
        bed = Bed()
        self.assertIn("no-device", findings())
        bed.plug(0, "AAA")
        self.assertNotIn("no-device", findings())
