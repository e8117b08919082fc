/// The meaning of an event of udev or the kernel.
///
/// The kernel's actions are listed in `kobject_actions` of lib/kobject_uevent.c.
enum UdevAction: Hashable {
  case add, remove, change, move

  /// Parses an action. Binding and unbinding a driver, taking a device offline and online, and unknown actions
  /// of future kernels are changes: the device is present before and after.
  init(_ action: String?) {
    switch action {
    case "add": self = .add
    case "remove": self = .remove
    case "move": self = .move
    default: self = .change
    }
  }
}
