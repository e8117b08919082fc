import DeviceWatch
import SerialCore
import SystemPackage

/// The state of the computer and its ports, without a judgement: see ``Diagnosis``.
struct Inspection: Hashable {
  var machine = Machine()
  var scope = Scope.machine
  /// The ports to examine: those of the target, or all.
  var ports: [Port] = []
  /// USB serial chips for which the kernel has created no port.
  var strays: [Stray] = []
  /// Whether the node of a missing port exists: a user created it, or it was passed
  /// into a container.
  var hasLeftOverNode = false
  /// The target, as the user gave it, if several devices match it.
  var ambiguousTarget: String?

  /// The object of the examination.
  enum Scope: Hashable {
    /// All devices.
    case machine
    /// The devices that match a target.
    case target
    /// A path or a description, as the user gave it, that no device matches.
    case missing(String)
    /// The target stands for one of the present devices, but none of them qualifies,
    /// for this reason.
    case noneToChoose(String)
  }

  /// The state that concerns all ports.
  struct Machine: Hashable {
    var user = User()
    var processes: [Process] = []
    /// USB devices that brltty's udev rules claim as braille displays by their numbers alone.
    var brailleClaims: Set<USBID> = []
    /// The consoles that the kernel writes to, as in `console=ttyS0`.
    var consoles: Set<String> = []
    var hasUdevd = true
    var isContainer = false
    var isRaspberryPi = false
    /// The latest kernel messages about serial adapters, the oldest first; nil if the user may
    /// not read them.
    var kernelMessages: [String]?
  }

  /// The user of this process.
  struct User: Hashable {
    var name = "root"
    /// The groups of this process, which were assigned at login.
    var groupIDs: Set<UInt32> = []
  }

  /// A running process.
  struct Process: Hashable {
    var pid: Int32
    /// At most 15 bytes: see proc(5), `comm`.
    var command: String
    var arguments: [String] = []
    /// The number of its controlling terminal; nil if it has none.
    var terminal: DeviceID?
  }
}

/// The vendor and product numbers of a kind of USB device.
struct USBID: Hashable {
  let vendor: UInt16
  let product: UInt16
}

extension USBID: CustomStringConvertible {
  /// `0403:6001`, as lsusb(8) writes it.
  var description: String { "\(vendor.hex):\(product.hex)" }
}

extension Inspection {
  /// A serial port that is present.
  struct Port: Hashable {
    /// The path that the user gave.
    var path: FilePath
    /// The name of its node below /dev, with links resolved: `ttyUSB0`, `pts/3`.
    var name: String
    /// The device number of its node, if there is one.
    var number: DeviceID?
    /// The device as udev or the kernel describes it; nil for a pseudo-terminal.
    var device: Device?
    var node = Node.present(.init())
    /// The processes that have the port open.
    var occupants = Occupants()
    /// The lock file of the port, if there is a problem with it.
    var lock: LockFile?
    /// Whether a udev rule makes ModemManager ignore the port.
    var isIgnoredByModemManager = false
    /// The file that enables autosuspend of the adapter, if it is enabled.
    var autosuspend: FilePath?
  }

  /// The file at the path of the port.
  enum Node: Hashable {
    case present(Permissions)
    /// The kernel has the port, but /dev contains no node for it. The numbers are those
    /// of sysfs: `188:0`.
    case absent(numbers: String?)
    /// A file that is not a terminal.
    case notATerminal
    /// The user may not search a directory on the path.
    case closedOff
  }

  /// The permissions of a node.
  struct Permissions: Hashable {
    var isAccessible = true
    var owner: String?
    var group: String?
    var groupID: UInt32 = 0
    /// Whether the group may read and write.
    var isForGroup = true
    /// Whether the user is a member of that group in /etc/group.
    var listsUser = false
    /// Whether logind gives the user at the seat access: udev's tag `uaccess`, which sets an ACL.
    var isForSeat = false
  }

  /// The processes that have a port open.
  struct Occupants: Hashable {
    /// The process that prevents others from opening the port, by a lock or exclusive mode.
    var holder: PortHolder?
    /// The other processes that have the port open.
    var sharers: [PortHolder] = []
    /// The IDs of those processes that have a session that this user can join.
    var sessions: Set<Int32> = []
    /// The IDs of those processes that have other ports open too.
    var withOtherPorts: Set<Int32> = []
  }

  /// A lock file that does not name a running process.
  struct LockFile: Hashable {
    var file: FilePath
    var state: State

    /// The problem of a lock file.
    enum State: Hashable {
      /// Its process has ended. The ID is nil if the file is empty.
      case stale(pid: Int32?)
      /// It is empty, but so new that a program may still be writing it.
      case inCreation
      /// It names no process, or cannot be read.
      case unusable(Errno?)
    }
  }

  /// A USB serial chip for which the kernel has created no port.
  struct Stray: Hashable {
    var id: USBID
    /// The kernel's driver for it.
    var module: String
    /// Its place on the bus, for example `1-1.2`.
    var place: String
    /// The driver that uses its interface instead. `usbfs` stands for a program with libusb.
    var driver: String?
    var isModuleLoaded = false
  }
}
