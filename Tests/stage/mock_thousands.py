"""A thousand plugs and unplugs of devices mocked by umockdev: row 15 of the fault matrix."""

import random
import time

from Tests.endtoend.faults import processes, record
from Tests.endtoend.harness import files_of, slow, wait_until
from Tests.stage.mock_devices import MockTests, listed

THOUSAND = 1_000


class Row15PlugTests(MockTests):
    def descriptors(self, monitor):
        """The number of open descriptors while the monitor waits: examining a device opens more."""
        wait_until(lambda: processes.state_of(monitor.pid) == "S", "the monitor waits")
        return len(files_of(monitor.pid))

    def test_plugs_leave_the_right_list_and_nothing_else(self):
        self.check_plugs(100)

    @slow
    def test_thousand_plugs_leave_the_right_list_and_nothing_else(self):
        more, grown = self.check_plugs(THOUSAND)
        record(15, "plugs and unplugs not told, or told twice", [0] * THOUSAND, "times")
        record(15, "descriptors more after 1,000 of them", more, "")
        record(15, "memory grown by 1,000 of them", grown, "MiB")

    def check_plugs(self, times):
        """Returns how many descriptors there are more after many plugs and unplugs, and how many MiB."""
        chance = random.Random(15)
        self.bed.plug(1_000)
        monitor = self.monitor()
        told = self.events(monitor, 1)
        plugged, expected = {}, [("present", "/dev/ttyUSB1000")]

        def step():
            number = chance.randrange(40)
            if number in plugged:
                self.bed.unplug(plugged.pop(number))
                expected.append(("disappeared", f"/dev/ttyUSB{number}"))
            else:
                plugged[number] = self.bed.plug(number)
                expected.append(("appeared", f"/dev/ttyUSB{number}"))
            # umockdev fails when more than 10 of its events are unread; a plug is three.
            told.extend(self.events(monitor, max(0, len(expected) - len(told) - 2)))

        for _ in range(100):  # For memory that is allocated only once.
            step()
        told.extend(self.events(monitor, len(expected) - len(told)))
        descriptors = self.descriptors(monitor)
        before = processes.memory(monitor.pid)[0]
        for _ in range(times):
            step()
        told += self.events(monitor, len(expected) - len(told))
        self.assertEqual(told, expected)
        self.assertEqual(
            listed().keys(), {f"/dev/ttyUSB{number}" for number in [1_000, *plugged]})
        grown = processes.memory(monitor.pid)[0] - before
        more = self.descriptors(monitor) - descriptors
        self.assertEqual(more, 0)
        self.assertLessEqual(grown, 1)
        return more, grown

    def test_monitor_that_waits_is_not_woken(self):
        self.bed.plug(0)
        monitor = self.monitor()
        self.events(monitor, 1)
        woken = []

        def slept():
            before = processes.switches(monitor.pid)
            time.sleep(2)  # The idle time to measure.
            woken.append(processes.switches(monitor.pid) - before)
            # A page fault that has to wait counts as one.
            return woken[-1] <= 1
        wait_until(slept, "it is not woken")
        record(15, "wake-ups of an idle monitor in 2 s", woken[-1], "")
