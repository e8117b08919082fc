import SerialCore
import Sessions

extension Endpoint {
  /// The endpoint for a message: its address, or the device that a session waits for.
  var inWords: String {
    switch (kind, description) {
    case (.unresolved, "new"): "the next device that is plugged in"
    case (.unresolved, "latest"): "a device that is plugged in"
    case (.tapTerminal, let path): "a program to open \(path)"
    default: description
    }
  }
}
