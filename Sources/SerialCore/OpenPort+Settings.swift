import Posix
import SystemPackage

extension OpenPort {
  /// Applies settings and reads them back; after an error the old ones are in effect.
  ///
  /// - Returns: the settings that the driver reports.
  /// - Throws: ``SerialError``: `settingRefused`, with the setting if one alone is
  ///   refused, or `lost`.
  func set(_ requested: LineSettings, options: LinkOptions) throws(SerialError) -> LineSettings {
    try requested.checkBaudRate(at: .tty(path))
    let old: TerminalAttributes
    do { old = try TerminalAttributes(of: descriptor) } catch {
      throw SerialError(using: .tty(path), error, in: "TCGETS2")
    }
    var attributes = old
    attributes.makeRaw(markingErrors: options.marksErrors)
    if let hangsUp = options.hangsUpOnClose { attributes.hangsUpOnClose = hangsUp }
    attributes.lineSettings = requested
    do {
      try attributes.set(on: descriptor)
      return try TerminalAttributes(of: descriptor).lineSettings
    } catch {
      let loss = SerialError(using: .tty(path), error, in: "TCSETS2")
      if loss.code == .lost { throw loss }
      let setting = refusedSetting(of: requested, from: attributes, instead: old.lineSettings)
      // Some drivers apply some settings before they refuse the rest.
      _ = try? old.set(on: descriptor)
      throw SerialError(.settingRefused, in: "TCSETS2", at: path, errno: error, subject: setting)
    }
  }

  /// The baud rate that the port has; nil if it is none that can be set.
  var baudRate: UInt32? {
    guard let rate = (try? TerminalAttributes(of: descriptor))?.lineSettings.baudRate,
      LineSettings.baudRates.contains(rate)
    else { return nil }
    return rate
  }

  /// The setting that the driver refuses, in words. The error does not say it, so each
  /// is tried alone.
  private func refusedSetting(
    of requested: LineSettings, from refused: TerminalAttributes, instead old: LineSettings
  ) -> String? {
    for (change, name) in requested.singleChanges(from: old) {
      var attributes = refused
      attributes.lineSettings = change
      do { try attributes.set(on: descriptor) } catch { return name }
    }
    return nil
  }
}
