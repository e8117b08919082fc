"""What the tests inside the stage use to plug and unplug adapters."""

import functools
import json
import os

from Tests.endtoend.harness import wait_until
from Tests.endtoend.harness.wires import Wire


@functools.cache
def monitor():
    """The one monitor: QEMU greets once, and takes one conversation."""
    return Monitor()


class Monitor:
    """QEMU's monitor (QMP), reached from inside the guest. Its replies come within milliseconds or
    QEMU is gone, and the guest with it: nothing here needs a deadline of its own."""

    def __init__(self):
        self._port = open("/dev/virtio-ports/stage.qmp", "r+b", buffering=0)
        self._execute("qmp_capabilities")

    def plug(self, number, serial):
        """Plugs an FTDI adapter whose serial number is `serial` into USB port `number`."""
        self._execute(
            "device_add", driver="usb-serial", id=f"usb{number}", bus="xhci.0",
            port=str(number + 1), chardev=f"usb{number}", serial=serial,
            **{"always-plugged": True})

    def unplug(self, number):
        """Pulls the adapter out, whoever may be using it."""
        self._execute("device_del", id=f"usb{number}")
        # Until this event its wire counts as in use, and plugging it in again would be refused.
        while self._event("DEVICE_DELETED").get("device") != f"usb{number}":
            pass

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
