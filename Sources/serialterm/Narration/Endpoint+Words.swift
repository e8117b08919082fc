import SerialCore

extension Endpoint {
  /// The endpoint for a message: its address, or the device that a session waits for.
  var inWords: String {
    switch (kind, description) {
    case (.unresolved, "new"): "the next device to be plugged in"
    case (.unresolved, "latest"): "a device to be plugged in"
    default: description
    }
  }
}
