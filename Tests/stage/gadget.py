"""A CDC-ACM device with any identity: a USB gadget of the guest on a loopback controller
(dummy_hcd)."""

import glob
import os
import subprocess
from pathlib import Path

from Tests.endtoend.harness import wait_until
from Tests.endtoend.harness.wires import Wire

CONFIGFS = Path("/sys/kernel/config")


class AcmGadget:
    """The device, plugged in until the context is left. `far_end(N)` is the far end of port N."""

    def __init__(self, vendor, product, serial, ports=1):
        if not (CONFIGFS / "usb_gadget").exists():
            subprocess.run(["mount", "-t", "configfs", "none", CONFIGFS], check=True)
        self._ports = ports
        self._is_plugged = False
        self._gadget = CONFIGFS / "usb_gadget" / "acm"
        self._configuration = self._gadget / "configs" / "c.1"
        self._strings = self._gadget / "strings" / "0x409"
        self._functions = [self._gadget / "functions" / f"acm.{port}" for port in range(ports)]
        for folder in (self._strings, self._configuration, *self._functions):
            folder.mkdir(parents=True)
        self._write("idVendor", vendor)
        self._write("idProduct", product)
        self._write("strings/0x409/serialnumber", serial)
        self._write("strings/0x409/manufacturer", "Arduino (www.arduino.cc)")
        self._write("strings/0x409/product", "Uno R3")
        for function in self._functions:
            (self._configuration / function.name).symlink_to(function)

    def __enter__(self):
        self.plug()
        return self

    def plug(self):
        """Plugs it in; returns when udev has created the links of its ports."""
        self._write("UDC", os.listdir("/sys/class/udc")[0])
        self._is_plugged = True
        wait_until(lambda: len(self._links) == self._ports, "the gadget's ports exist")

    def unplug(self):
        """Unplugs it; returns when udev has removed the links."""
        self._write("UDC", "")
        self._is_plugged = False
        wait_until(lambda: not self._links, "the gadget's ports are gone")

    def __exit__(self, *_):
        if self._is_plugged:
            self.unplug()
        # Folder by folder: the kernel creates and removes most files in there itself.
        for function in self._functions:
            (self._configuration / function.name).unlink()
        for folder in (self._configuration, *self._functions, self._strings, self._gadget):
            folder.rmdir()

    @property
    def nodes(self):
        """The nodes of its ports, in the order of their links."""
        return [os.path.realpath(link) for link in self._links]

    @property
    def _links(self):
        # The folder exists only while it contains links.
        return sorted(glob.glob("/dev/serial/by-id/*Arduino*"))

    def far_end(self, port):
        """The far end of a port."""
        return FarEnd(port)

    def _write(self, attribute, value):
        (self._gadget / attribute).write_text(f"{value}\n", encoding="ascii")


class FarEnd(Wire):
    """The gadget's side of a port."""

    def __init__(self, port):
        self.descriptor = os.open(f"/dev/ttyGS{port}", os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        subprocess.run(["stty", "-F", f"/dev/ttyGS{port}", "raw", "-echo"], check=True)
