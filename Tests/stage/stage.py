"""What the tests inside the stage use to plug and unplug adapters."""

import functools
import glob
import json
import os
import select

from Tests.endtoend.harness import TIMEOUT, wait_until
from Tests.endtoend.harness.wires import Wire


@functools.cache
def monitor():
    """The one monitor: QEMU greets once, and takes one conversation."""
    return Monitor()


class Monitor:
    """QEMU's monitor (QMP), reached from inside the guest. Its replies come within milliseconds or
    something is wrong; then it is said where, rather than waited for."""

    def __init__(self):
        self._port = open("/dev/virtio-ports/stage.qmp", "r+b", buffering=0)
        self._execute("qmp_capabilities")

    def plug(self, number, serial):
        """Plugs an FTDI adapter whose serial number is `serial` into USB port `number`."""
        self._plug(f"usb{number}", str(number + 1), f"usb{number}", serial)

    def plug_hub(self, number, ports, serials):
        """Plugs a hub into USB port `number`, with adapters that nobody is at the other end of."""
        self._execute("device_add", driver="usb-hub", id=f"hub{number}", bus="xhci.0",
                      port=str(number + 1), ports=ports)
        for port, serial in enumerate(serials, 1):
            name = f"hub{number}-{port}"
            self._execute("chardev-add", id=name, backend={"type": "null", "data": {}})
            self._plug(name, f"{number + 1}.{port}", name, serial)

    def unplug_hub(self, number, count):
        """Pulls out a hub and its adapters."""
        for port in range(1, count + 1):
            self._unplug(f"hub{number}-{port}")
            self._execute("chardev-remove", id=f"hub{number}-{port}")
        self._unplug(f"hub{number}")

    def _plug(self, name, port, wire, serial):
        self._execute(
            "device_add", driver="usb-serial", id=name, bus="xhci.0", port=port, chardev=wire,
            serial=serial, **{"always-plugged": True})

    def unplug(self, number):
        """Pulls the adapter out, whoever may be using it."""
        self._unplug(f"usb{number}")

    def _unplug(self, name):
        self._execute("device_del", id=name)
        # Until this event its wire counts as in use, and plugging it in again would be refused.
        while self._event("DEVICE_DELETED").get("device") != name:
            pass

    def send_break(self, name):
        """Sends a break to the port whose wire has this name."""
        self._execute("chardev-send-break", id=name)

    def _execute(self, command, **arguments):
        self._events = []
        request = {"execute": command, "arguments": arguments}
        self._port.write(json.dumps(request).encode() + b"\n")
        while True:
            message = self._message()
            if "error" in message:
                raise RuntimeError(f"{command}: {message['error']['desc']}")
            if "return" in message:
                return
            self._events.append(message)

    def _event(self, name):
        while True:
            message = self._events.pop(0) if self._events else self._message()
            if message.get("event") == name:
                return message.get("data", {})

    def _message(self):
        line = bytearray()
        while not line.endswith(b"\n"):
            if not select.select([self._port], [], [], TIMEOUT)[0]:
                raise AssertionError(f"QEMU says nothing for {TIMEOUT} s, after {bytes(line)}")
            line += self._port.read(1)
        return json.loads(line)


class Adapter(Wire):
    """An FTDI adapter, plugged in while the context lasts. It is its far end: what is written to
    it arrives at its port."""

    def __init__(self, number, serial):
        self._number = number
        self._plugged = False
        self.serial = serial
        self.link = f"/dev/serial/by-id/usb-QEMU_QEMU_USB_SERIAL_{serial}-if00-port0"
        self.descriptor = os.open(f"/dev/virtio-ports/usb{number}", os.O_RDWR | os.O_NONBLOCK)
        self.plug()

    @property
    def node(self):
        return os.path.realpath(self.link)

    def plug(self):
        """Plugs it in; returns when udev has named it."""
        monitor().plug(self._number, self.serial)
        self._plugged = True
        wait_until(lambda: os.path.exists(self.link), f"{self.link} is there")

    def unplug(self):
        """Pulls it out; returns when udev has noticed."""
        monitor().unplug(self._number)
        self._plugged = False
        wait_until(lambda: not os.path.lexists(self.link), f"{self.link} is gone")

    def close(self):
        if self._plugged:
            self.unplug()
        super().close()


class Twin(Adapter):
    """An adapter with the number that its chip's data sheet has as an example, like thousands."""

    def __init__(self, number):
        super().__init__(number, "0001")

    def plug(self):
        # The link of whatever was there before goes a moment after that.
        wait_until(lambda: not os.path.lexists(self.link), f"{self.link} is gone")
        super().plug()

    @property
    def link(self):
        """The links of its number lead to any of them; that of its place is its own."""
        found = glob.glob(f"/dev/serial/by-path/*-usb-0:{self._number + 1}:1.0-port0")
        return found[0] if found else "/dev/serial/by-path/none"

    @link.setter
    def link(self, link):
        pass
