"""Hot-plug with a real kernel and a real udevd: how long it takes, and what is lost."""

import json
import os
import random
import re
import statistics
import threading
import time

from Tests.endtoend.faults import processes, record
from Tests.endtoend.harness import (
    Pipes, Terminal, files_of, serialterm, serialterm_binary, slow, wait_until, wrapped)
from Tests.stage.gadget import AcmGadget
from Tests.stage.guest_list import LINE, StageCase, listed
from Tests.stage.stage import Adapter, Twin, monitor
from Tests.stage.udev_events import UdevEvents

# Part of the figures' names, because the processor is emulated.
HERE = "emulated machine"


def words(start, count):
    """Text of `count` different words."""
    return b"".join(b"<%05d>" % number for number in range(start, start + count))


class Row12And13ReplugTests(StageCase):
    def replug(self, times):
        """Replugs a CDC-ACM device with two ports, which sends before a program can open it. A
        session follows the second port, whose node changes every fourth time, because the old one
        is kept open. Records the milliseconds from udevd's event to the first byte."""
        delays = []
        gadget = self.enterContext(AcmGadget("0x2341", "0x0043", "REPLUG", ports=2))
        events = self.enterContext(UdevEvents())
        target = "usb:2341:0043:REPLUG"
        self.assertEqual(serialterm("connect", target).status, 2)
        session = self.enterContext(Pipes(serialterm_binary(), "connect", gadget.nodes[1]))
        session.send(b"x")
        with gadget.far_end(1) as far_end:
            self.assertEqual(far_end.read_exactly(1), b"x")
        descriptors, before = len(files_of(session.pid)), processes.memory(session.pid)[0]
        for index in range(times):
            holder = None
            if index % 4 == 0:
                holder = os.open(gadget.nodes[1], os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
            gadget.unplug()
            session.stderr.expect(b"is gone, waiting")
            said = words(index * 100, 100)
            seen = len(session.stdout.data)
            with gadget.far_end(1) as far_end:
                # The gadget accepts data as soon as it is configured, before udevd knows about it.
                speaker = threading.Thread(target=far_end.write, args=(said,))
                speaker.start()
                gadget.plug()
                self.assertEqual(session.stdout.read_exactly(len(said)), said)
                speaker.join()
                node = gadget.nodes[1]
                delays.append(1000 * (session.stdout.arrival(seen) - events.added[node]))
                session.stderr.expect(re.compile(re.escape(node.encode()) + rb" is back after"))
                session.send(b"!")
                # Between the open and the first settings the kernel echoes, as for a login.
                answer = far_end.read_exactly(1)
                while not answer.endswith(b"!"):
                    answer += far_end.read_exactly(1)
            if holder is not None:
                os.close(holder)
        # The search for other programs has descriptors for a moment.
        wait_until(
            lambda: len(files_of(session.pid)) <= descriptors, "no descriptor is left")
        record(12, f"udev's event to the first byte, {HERE}", delays, "ms")
        record(13, f"bytes lost of those said before it was opened, {HERE}", [0] * times, "bytes")
        record(12, f"memory grown after {times} replugs, {HERE}",
               processes.memory(session.pid)[0] - before, "MiB")
        print(f"figure: replug, median {statistics.median(delays):.1f} ms, worst of {times} "
              f"{sorted(delays)[-3:]} ms", flush=True)
        session.close_stdin()
        self.assertEqual(session.wait(), 0)

    def test_port_of_a_device_is_followed_and_its_first_words_are_heard(self):
        self.replug(8)

    @slow
    def test_port_of_a_device_is_followed_a_hundred_times(self):
        self.replug(100)

    def test_adapter_loses_nothing_once_it_is_back(self):
        """An FTDI chip discards bytes received before the open: see ftdi_open of the kernel."""
        adapter = self.adapter(0, "GAPLESS")
        session = self.enterContext(Pipes(serialterm_binary(), "connect", adapter.node))
        session.send(b"x")
        adapter.read_exactly(1)
        for _ in range(4):
            adapter.unplug()
            session.stderr.expect(b"is gone, waiting")
            adapter.plug()
            session.stderr.expect(b"is back after")
            said = words(0, 500)
            adapter.write(said)
            self.assertEqual(session.stdout.read_exactly(len(said)), said)
        record(13, f"bytes lost of those said after it was opened, FTDI, {HERE}", [0] * 4, "bytes")


class Row14TwinTests(StageCase):
    def twin(self, number):
        return self.enterContext(Twin(number))

    def session(self, target):
        terminal = self.enterContext(Terminal(serialterm_binary(), "connect", target))
        terminal.expect(re.compile(rb"115200 8N1[^\n]*ctrl-t q"))
        return terminal

    def test_twins_are_told_apart_by_their_ports(self):
        ours, other = self.twin(0), self.twin(1)
        terminal = self.session(ours.node)
        chance = random.Random(14)
        for index in range(4):
            for twin in chance.sample([ours, other], 2):
                twin.unplug()
            terminal.expect(b"is gone, waiting")
            for twin in chance.sample([ours, other], 2):
                twin.plug()
            terminal.expect(re.compile(re.escape(ours.node.encode()) + rb" is back"))
            terminal.send(b"%d" % index)
            self.assertEqual(ours.read_exactly(1), b"%d" % index)
        # Nothing was sent to the other one: what is sent now comes first.
        self.session(other.node).send(b"$")
        self.assertEqual(other.read_exactly(1), b"$")
        record(14, f"wrong device taken, {HERE}", [0] * 4, "times")

    def test_user_is_asked_when_it_comes_back_in_another_port(self):
        ours = self.twin(0)
        terminal = self.session(ours.node)
        ours.unplug()
        terminal.expect(b"is gone, waiting")
        moved = self.twin(2)
        terminal.expect(b"none, keep waiting")
        terminal.send(b"ttyUSB\r")
        terminal.expect(b"is back")
        terminal.send(b"word")
        self.assertEqual(moved.read_exactly(4), b"word")

    def test_script_is_told(self):
        ours = self.twin(0)
        with Pipes(serialterm_binary(), "connect", ours.node) as session:
            session.send(b"x")
            ours.read_exactly(1)
            ours.unplug()
            session.stderr.expect(b"is gone, waiting")
            self.twin(2)
            session.stderr.expect(b"not reopened, because it may be another device")
            ours.plug()
            session.stderr.expect(b"is back")


class TargetTests(StageCase):
    def waiting(self, *arguments):
        terminal = self.enterContext(Terminal(serialterm_binary(), "connect", *arguments))
        terminal.expect(b"waiting for")
        return terminal

    def test_new_is_the_next_one_and_then_the_same_one(self):
        self.adapter(0, "OLD0")
        terminal = self.waiting("new")
        adapter = self.adapter(1, "NEW1")
        terminal.expect(adapter.node.encode() + b" at 115200 8N1. ctrl-t q quits")
        adapter.unplug()
        terminal.expect(b"is gone")
        self.adapter(2, "LATER2")
        adapter.plug()
        terminal.expect(re.compile(re.escape(adapter.node.encode()) + rb" is back"))

    def test_latest_is_the_one_that_was_plugged_in_last(self):
        first, last = self.adapter(0, "FIRST0"), self.adapter(1, "LAST1")
        for adapter in (last, first):
            with Terminal(serialterm_binary(), "connect", "latest") as terminal:
                terminal.expect(adapter.node.encode())
                self.assertEqual(terminal.leave()[0], 0)
            first.unplug()
            first.plug()

    def test_port_is_whatever_is_plugged_in_there(self):
        adapter = self.adapter(0, "ONE0")
        place = listed()[adapter.node]["physicalPath"]
        adapter.unplug()
        terminal = self.waiting("--wait", f"port:{place}")
        adapter.close()
        for serial, said in (("TWO0", b" at 115200 8N1."), ("THREE0", b" is back")):
            with Adapter(0, serial) as other:
                terminal.expect(other.node.encode() + said)
                terminal.send(b"?")
                self.assertEqual(other.read_exactly(1), b"?")
            terminal.expect(b"is gone")

    def test_link_by_identity_is_waited_for(self):
        adapter = self.adapter(0, "LINK0")
        adapter.unplug()
        terminal = self.waiting("--wait", adapter.link)
        adapter.plug()
        terminal.expect(wrapped(b" at 115200 8N1."))
        adapter.unplug()
        terminal.expect(wrapped(b"is gone"))
        self.adapter(1, "LINK1")
        adapter.plug()
        terminal.expect(wrapped(b"is back"))
        terminal.send(b"word")
        self.assertEqual(adapter.read_exactly(4), b"word")


class StormTests(StageCase):
    HUBS, PORTS = (6, 7, 8, 9), 8

    def events(self, told, count):
        """The next `count` events of adapters."""
        found = []
        while len(found) < count:
            event = json.loads(told.stdout.expect(LINE).group(1))
            if event["device"]["kind"] == "usb":
                found.append((event["event"], event["device"]["serialNumber"]))
        return found

    def test_32_ports_at_once_are_told_once_each(self):
        serials = {hub: [f"HUB{hub}P{port}" for port in range(self.PORTS)] for hub in self.HUBS}
        every = sorted(serial for group in serials.values() for serial in group)
        with Pipes(serialterm_binary(), "monitor", "--json") as told:
            told.stdout.expect(re.compile(rb"/dev/ttyS1[^\n]*\n"))
            started = time.monotonic()
            for hub in self.HUBS:
                monitor().plug_hub(hub, self.PORTS, serials[hub])
            try:
                came = self.events(told, len(every))
                print(f"figure: 32 ports told after {time.monotonic() - started:.1f} s", flush=True)
                self.assertEqual(sorted(came), [("appeared", serial) for serial in every])
                self.assertEqual(
                    sorted(device["serialNumber"] for device in listed().values()
                           if device["kind"] == "usb"), every)
            finally:
                for hub in self.HUBS:
                    monitor().unplug_hub(hub, self.PORTS)
            self.assertEqual(
                sorted(self.events(told, len(every))), [("disappeared", serial) for serial in every])

    def test_list_is_right_after_events_were_lost(self):
        """Row 17: netlink drops events that do not fit in the socket buffer, real ones included."""
        here, gone = self.adapter(0, "HERE0"), self.adapter(1, "GONE1")
        events = self.enterContext(UdevEvents())
        with Pipes(serialterm_binary(), "monitor", "--json") as told:
            self.events(told, 2)
            with processes.stopped(told.pid):
                events.storm(8_000)
                gone.unplug()
                come = self.adapter(2, "COME2")
                continued = time.monotonic()
            self.assertEqual(
                self.events(told, 2), [("disappeared", "GONE1"), ("appeared", "COME2")])
            record(17, f"events lost to the right list, {HERE}",
                   1000 * (time.monotonic() - continued), "ms", at_most=1000)
            self.assertEqual({come.node, here.node} - listed().keys(), set())
            here.unplug()
            self.assertEqual(self.events(told, 1), [("disappeared", "HERE0")])
