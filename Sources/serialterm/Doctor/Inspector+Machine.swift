import Glibc
import Posix
import Sessions
import SystemPackage
import TextTools

extension Inspector {
  var machine: Inspection.Machine {
    Inspection.Machine(
      user: user, processes: processes, brailleClaims: brailleClaims,
      consoles: KernelConsoles(below: root).names,
      // Tests for its control socket, as libudev does.
      hasUdevd: exists("/run/udev/control"),
      isContainer: isContainer,
      isRaspberryPi: text("/proc/device-tree/model")?.contains(text: "Raspberry") == true,
      kernelMessages: kernelMessages)
  }

  var isContainer: Bool {
    exists("/.dockerenv") || exists("/run/.containerenv") || exists("/run/systemd/container")
  }

  func exists(_ path: FilePath) -> Bool { (try? at(path).stat()) != nil }

  private var processes: [Inspection.Process] {
    at("/proc").entryNames().compactMap { Int32($0) }.sorted().compactMap { pid in
      guard let command = text(FilePath("/proc/\(pid)/comm")) else { return nil }
      let line = (try? at(FilePath("/proc/\(pid)/cmdline")).contents()) ?? []
      let arguments = line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
      return Inspection.Process(
        pid: pid, command: command, arguments: arguments,
        terminal: ProcessStatus(in: at(FilePath("/proc/\(pid)")))?.terminal)
    }
  }

  /// The latest kernel messages about serial adapters. See Documentation/ABI/testing/dev-kmsg:
  /// each read returns one record, with a header, the message, and further lines that begin
  /// with a space.
  private var kernelMessages: [String]? {
    guard let file = try? OwnedDescriptor.open(at("/dev/kmsg"), O_RDONLY | O_NONBLOCK) else {
      return nil
    }
    var messages: [String] = []
    withUnsafeTemporaryAllocation(byteCount: 8_192, alignment: 1) { room in
      while true {
        do throws(Errno) {
          let count = try systemCall { read(file.borrowed.rawValue, room.baseAddress, room.count) }
          guard count > 0 else { return }
          let record = String(decoding: room[..<count], as: UTF8.self)
          messages += record.split(separator: "\n").compactMap(Self.serialMessage)
        } catch {
          // EPIPE: the record was overwritten, and the next read returns the next one. EAGAIN:
          // there are no more records.
          guard error == .brokenPipe else { return }
        }
      }
    }
    return messages.suffix(3)
  }

  private static func serialMessage(_ line: Substring) -> String? {
    guard line.first != " ", let semicolon = line.firstIndex(of: ";") else { return nil }
    let message = line[semicolon...].dropFirst()
    // Includes errors and disconnects of any USB device, because the name of its port is
    // no longer known.
    let isMeant =
      ["ttyUSB", "ttyACM", "cdc_acm", "converter"].contains(where: message.contains(text:))
      || (message.hasPrefix("usb ")
        && ["disconnect", "error", "over-current", "unable"].contains(
          where: message.contains(text:)))
    return isMeant ? String(message).harmless : nil
  }
}
