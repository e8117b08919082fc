import SerialCore

extension Endpoint {
  /// The endpoint in a message: its address, or what a session waits for.
  var inWords: String {
    switch (kind, description) {
    case (.unresolved, "new"): "the next device to be plugged in"
    case (.unresolved, "latest"): "a device to be plugged in"
    default: description
    }
  }
}
