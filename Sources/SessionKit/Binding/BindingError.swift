package import DeviceWatch
package import SerialCore
package import SystemPackage

/// Why a session could not be bound to its target.
package enum BindingError: Error, Hashable {
  /// No target was given, and there is no user to ask.
  case noTarget
  /// No present device matches the query.
  case none(DeviceQuery, among: [Device])
  /// Several devices match the query, and there is no user to ask.
  case several(DeviceQuery, [Device])
  /// The port could not be opened.
  case port(SerialError)
  /// The devices could not be listed, or the far end could not be prepared.
  case system(Errno)
}
