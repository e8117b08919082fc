/// What an event of udev or the kernel means here.
///
/// The kernel's words are in `kobject_actions` of its lib/kobject_uevent.c.
enum UdevAction: Hashable {
  case add, remove, change, move

  /// Reads an action. A driver that is bound or let go, a device that is taken off and on line, and
  /// what future kernels may say, are changes: the device is there before and after.
  init(_ action: String?) {
    switch action {
    case "add": self = .add
    case "remove": self = .remove
    case "move": self = .move
    default: self = .change
    }
  }
}
