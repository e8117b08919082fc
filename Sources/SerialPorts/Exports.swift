// A program that imports SerialPorts needs these for its arguments: settings, framings,
// patterns, devices, paths.
@_exported public import DeviceWatch
@_exported public import Framing
@_exported public import Patterns
@_exported public import SerialCore
@_exported public import SystemPackage
