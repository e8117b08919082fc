import DeviceWatch
import Posix
import Reconnecting
import SystemPackage
import TextTools

/// The groups whose members may use the serial ports of this computer.
enum PortGroups {
  /// The message that there is no such group, with those that the user may mean.
  ///
  /// - Parameter groups: the groups of the nodes.
  static func unknown(_ name: String, among groups: [String] = present) -> String {
    let advice =
      groups.isEmpty
      ? "" : " The serial ports of this computer belong to \(groups.joined(separator: ", "))."
    return "there is no group \(name.harmless).\(advice)"
  }

  /// The groups of the nodes that there are, besides that of root.
  private static var present: [String] {
    let devices = (try? DeviceCatalog().current()) ?? []
    let groups = devices.compactMap { try? $0.node.stat().groupID }
    return Set(groups).compactMap(AccountName.of).filter { $0 != "root" }.sorted()
  }
}
