public import SerialCore

/// Options of a port, besides its line settings.
public struct PortOptions: Hashable, Sendable {
  /// Options for opening the port.
  public var link = LinkOptions()
  /// Whether the port waits for its device when it is lost, finds it again by its identity wherever
  /// it is plugged in, and opens it. Otherwise the loss is an error of every operation.
  public var reconnects = false
  /// The number of received bytes that wait for a reader, at least 1. When it is reached, reading
  /// from the driver stops, which stops the device if there is flow control. A frame may be longer.
  public var readCapacity = 65_536
  /// The number of written bytes that wait for the driver, at least 1.
  public var writeCapacity = 65_536

  /// Creates options that lock the port, do not reconnect, and change nothing else.
  public init() {}

  /// Options of a port that waits for its lost device.
  public static var reconnecting: PortOptions {
    var options = PortOptions()
    options.reconnects = true
    return options
  }
}
