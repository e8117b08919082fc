import Glibc
import Posix
import SystemPackage
import TestSupport

@testable import DeviceWatch

/// A computer that umockdev simulates, with USB adapters that are plugged in and
/// unplugged; see umockdev(1).
///
/// umockdev intercepts the system calls of a process from its start. So the test binary runs itself
/// again under umockdev, with the tests for this computer.
enum MockMachine {
  /// Whether this process runs on the simulated computer.
  static var isHere: Bool { paceTaker != nil }

  /// The pipe by which the test controls the computer. It writes a byte when it is ready, and for
  /// every adapter that was unplugged.
  static var paceTaker: FilePath? {
    getenv("DEVICE_WATCH_PACE").map { FilePath(platformString: $0) }
  }

  /// Whether the required packages are installed: Debian's umockdev,
  /// gir1.2-umockdev-1.0 and python3-gi.
  static var isInstalled: Bool {
    let probe = "import gi; gi.require_version('UMockdev', '1.0')"
    return access("/usr/bin/umockdev-wrapper", X_OK) == 0
      && (try? Subprocess.run(["/usr/bin/python3", "-c", probe], within: .seconds(120)))?
        .hasSucceeded == true
  }

  /// Runs tests of this binary on the simulated computer.
  ///
  /// - Parameters:
  ///   - filter: a regular expression that selects the tests.
  ///   - plugCount: the number of adapters that are plugged in and unplugged.
  static func run(_ filter: String, plugCount: Int) throws -> Subprocess.Outcome {
    let folder = try TemporaryFolder()
    let binary = FilePath("/proc/self/exe").realPath ?? ""
    return try Subprocess.run(
      [
        "umockdev-wrapper", "/usr/bin/python3", "-c", script, "\(plugCount)", binary.string,
        "--testing-library", "swift-testing", "--filter", filter,
      ],
      adding: ["DEVICE_WATCH_PACE=\(folder("pace"))"], within: .seconds(120))
  }

  /// One adapter is present at the start. Then adapters appear, change and disappear immediately,
  /// so that they may be gone before the test examines them. Two stay: `ttyUSB2`, and `ttyACM0`,
  /// which is the last one.
  ///
  /// The next adapter waits for the test, because umockdev's sender fails if ten events are queued.
  private static let script = """
    import gi, os, subprocess, sys
    gi.require_version('UMockdev', '1.0')
    from gi.repository import UMockdev

    bed = UMockdev.Testbed.new()

    def plug(name, number, port):
        serial = f'A{number:04d}'
        usb = bed.add_device(
            'usb', f'usb1-{number}', None,
            ['idVendor', '0403', 'idProduct', '6001', 'serial', serial,
             'manufacturer', 'FTDI', 'product', 'FT232R USB UART'],
            ['DEVTYPE', 'usb_device'])
        interface = bed.add_device(
            'usb', f'1-{number}:1.0', usb, ['bInterfaceNumber', '00'], ['DEVTYPE', 'usb_interface'])
        return bed.add_device(
            'tty', name, interface, ['dev', f'188:{port}'],
            ['DEVNAME', f'/dev/{name}', 'ID_BUS', 'usb', 'ID_VENDOR_ID', '0403',
             'ID_MODEL_ID', '6001', 'ID_SERIAL_SHORT', serial, 'ID_USB_INTERFACE_NUM', '00',
             'ID_PATH', f'pci-0000:00:14.0-usb-0:{number}:1.0', 'ID_USB_DRIVER', 'ftdi_sio',
             'DEVLINKS', f'/dev/serial/by-id/usb-FTDI_{serial}-if00-port0 /dev/board{port}',
             'MAJOR', '188', 'MINOR', str(port)])

    count = int(sys.argv[1])
    os.mkfifo(os.environ['DEVICE_WATCH_PACE'])
    plug('ttyUSB0', 0, 0)
    test = subprocess.Popen(sys.argv[2:])
    pace = open(os.environ['DEVICE_WATCH_PACE'], 'rb', buffering=0)
    for number in range(1, count + 1):
        pace.read(1)
        path = plug('ttyUSB1', number, 1)
        bed.uevent(path, 'change')
        bed.uevent(path, 'remove')
        bed.remove_device(path)
    pace.read(1)
    path = plug('ttyUSB2', count + 1, 2)
    bed.uevent(path, 'change')
    plug('ttyACM0', count + 2, 3)
    sys.exit(test.wait())
    """
}
