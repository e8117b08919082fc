import DeviceWatch
import SerialCore
import SystemPackage

/// What was found out about the machine, before anything is made of it: see ``Diagnosis``.
struct Facts: Hashable {
  var machine = Machine()
  var scope = Scope.machine
  /// The ports that were asked about: the target's, or all.
  var ports: [Port] = []
  /// USB serial chips of which the kernel has made no port.
  var strays: [Stray] = []
  /// Whether a missing port's node is there all the same: made by hand, or given to a container.
  var hasLeftOverNode = false
  /// The target, as the user gave it, if several devices fit it.
  var ambiguousTarget: String?

  /// What was asked about.
  enum Scope: Hashable {
    /// All that there is.
    case machine
    /// What fits a target.
    case target
    /// A path or a description that no device fits, as the user gave it.
    case missing(String)
    /// The target means one of the present devices, and none of them fits: the reason.
    case noneToChoose(String)
  }

  /// What holds for all ports.
  struct Machine: Hashable {
    var user = User()
    var processes: [Process] = []
    /// USB devices that brltty's udev rules take for braille displays, whoever made them.
    var brailleClaims: Set<USBID> = []
    /// The consoles that the kernel writes to, as in `console=ttyS0`.
    var consoles: Set<String> = []
    var hasUdevd = true
    var isContainer = false
    var isRaspberryPi = false
    /// The last that the kernel said of serial adapters, the oldest first; nil if it may not be read.
    var kernelMessages: [String]?
  }

  /// Who runs this.
  struct User: Hashable {
    var name = "root"
    /// The groups of this process: those of the time of the login.
    var groupIDs: Set<UInt32> = []
  }

  /// A running process.
  struct Process: Hashable {
    var pid: Int32
    /// At most 15 bytes: see proc(5), `comm`.
    var command: String
    var arguments: [String] = []
    /// The number of its controlling terminal, if it has one.
    var terminal: DeviceID?
  }
}

/// The numbers by which a kind of USB device is known.
struct USBID: Hashable {
  let vendor: UInt16
  let product: UInt16
}

extension USBID: CustomStringConvertible {
  /// `0403:6001`, as lsusb(8) writes it.
  var description: String { "\(vendor.hex):\(product.hex)" }
}

extension Facts {
  /// A serial port that is there.
  struct Port: Hashable {
    /// What the user calls it.
    var path: FilePath
    /// Its node's name below /dev, where links lead to: `ttyUSB0`, `pts/3`.
    var name: String
    /// Its node's device number, where there is a node.
    var number: DeviceID?
    /// What udev or the kernel says of it; nil for a pseudo-terminal.
    var device: Device?
    var node = Node.present(.init())
    /// The processes that have the port.
    var occupants = Occupants()
    /// The state of the lock file of the port, if it matters.
    var lock: LockFile?
    /// Whether udev has marked it as none of ModemManager's business.
    var isIgnoredByModemManager = false
    /// The file that lets the adapter sleep, if it does.
    var autosuspend: FilePath?
  }

  /// What is at the port's path.
  enum Node: Hashable {
    case present(Permissions)
    /// The kernel has the port, and /dev has no node for it; its numbers are as sysfs has them,
    /// `188:0`.
    case absent(numbers: String?)
    /// Something that is no terminal.
    case notATerminal
    /// A directory on the path may not be searched.
    case closedOff
  }

  /// Who may use a node.
  struct Permissions: Hashable {
    var isAccessible = true
    var owner: String?
    var group: String?
    var groupID: UInt32 = 0
    /// Whether the group may read and write.
    var isForGroup = true
    /// Whether /etc/group has the user in that group.
    var listsUser = false
    /// Whether logind lets the person at the seat in: udev's tag `uaccess`, which sets an ACL.
    var isForSeat = false
  }

  /// The processes that have a port.
  struct Occupants: Hashable {
    /// The process that keeps others from opening the port: by a lock or exclusive mode.
    var holder: PortHolder?
    /// The other processes that have the port open.
    var sharers: [PortHolder] = []
  }

  /// A lock file that does not name a running process.
  struct LockFile: Hashable {
    var file: FilePath
    var state: State

    /// What is wrong with a lock file.
    enum State: Hashable {
      /// Its process has ended; nil if an empty file was left behind.
      case stale(pid: Int32?)
      /// It is empty, and so new that a program may be creating it.
      case inCreation
      /// It names no process, or cannot be read.
      case unusable(Errno?)
    }
  }

  /// A USB serial chip of which the kernel has made no port.
  struct Stray: Hashable {
    var id: USBID
    /// The kernel's driver for it.
    var module: String
    /// Its place on the bus, for example `1-1.2`.
    var place: String
    /// Who has its interface instead: `usbfs` is a program, through libusb.
    var driver: String?
    var isModuleLoaded = false
  }
}
