"""Plugs and unplugs adapters from inside the virtual machine."""

import functools
import glob
import json
import os
import select

from Tests.endtoend.harness import TIMEOUT, wait_until
from Tests.endtoend.harness.wires import Wire


@functools.cache
def monitor():
    """The only connection to QEMU's monitor, which accepts one and sends its greeting once."""
    return Monitor()


class Monitor:
    """QEMU's monitor (QMP), accessed from inside the guest. Its replies take only milliseconds;
    after TIMEOUT, an error shows what was received."""

    def __init__(self):
        self._port = open("/dev/virtio-ports/stage.qmp", "r+b", buffering=0)
        self._execute("qmp_capabilities")

    def plug(self, number, serial):
        """Plugs an FTDI adapter with serial number `serial` into USB port `number`."""
        self._plug(f"usb{number}", str(number + 1), f"usb{number}", serial)

    def plug_hub(self, number, ports, serials):
        """Plugs a hub into USB port `number`, with adapters whose far ends are not connected."""
        self._execute("device_add", driver="usb-hub", id=f"hub{number}", bus="xhci.0",
                      port=str(number + 1), ports=ports)
        for port, serial in enumerate(serials, 1):
            name = f"hub{number}-{port}"
            self._execute("chardev-add", id=name, backend={"type": "null", "data": {}})
            self._plug(name, f"{number + 1}.{port}", name, serial)

    def unplug_hub(self, number, count):
        """Unplugs a hub and its adapters."""
        for port in range(1, count + 1):
            self._unplug(f"hub{number}-{port}")
            self._execute("chardev-remove", id=f"hub{number}-{port}")
        self._unplug(f"hub{number}")

    def _plug(self, name, port, wire, serial):
        self._execute(
            "device_add", driver="usb-serial", id=name, bus="xhci.0", port=port, chardev=wire,
            serial=serial, **{"always-plugged": True})

    def unplug(self, number):
        """Unplugs an adapter, even if it is in use."""
        self._unplug(f"usb{number}")

    def _unplug(self, name):
        self._execute("device_del", id=name)
        # Until this event its chardev is in use, and QEMU refuses to plug it in again.
        while self._event("DEVICE_DELETED").get("device") != name:
            pass

    def send_break(self, name):
        """Sends a break to the port whose chardev has this name."""
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
                raise AssertionError(f"no reply from QEMU within {TIMEOUT} s after {bytes(line)}")
            line += self._port.read(1)
        return json.loads(line)


class Adapter(Wire):
    """The far end of an FTDI adapter: bytes written to it arrive at the port. The adapter is
    plugged in until the context is left."""

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
        """Plugs it in; returns when udev has created its link."""
        monitor().plug(self._number, self.serial)
        self._plugged = True
        wait_until(lambda: os.path.exists(self.link), f"{self.link} exists")

    def unplug(self):
        """Unplugs it; returns when udev has removed its link."""
        monitor().unplug(self._number)
        self._plugged = False
        wait_until(lambda: not os.path.lexists(self.link), f"{self.link} is gone")

    def close(self):
        if self._plugged:
            self.unplug()
        super().close()


class Twin(Adapter):
    """An adapter with a common serial number: the example in the data sheet of its chip."""

    def __init__(self, number):
        super().__init__(number, "0001")

    def plug(self):
        # The link of an earlier adapter may still exist for a moment.
        wait_until(lambda: not os.path.lexists(self.link), f"{self.link} is gone")
        super().plug()

    @property
    def link(self):
        """The link by port: a link by serial number may point to any adapter with that number."""
        found = glob.glob(f"/dev/serial/by-path/*-usb-0:{self._number + 1}:1.0-port0")
        return found[0] if found else "/dev/serial/by-path/none"

    @link.setter
    def link(self, link):
        pass
