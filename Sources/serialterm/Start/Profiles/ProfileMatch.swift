import Configuration
import DeviceWatch

/// The `match` of a profile: the devices that it applies to.
struct ProfileMatch: Hashable {
  let selectors: [DeviceSelector]

  /// Reads the `match` of a profile; nil if it has none. Invalid values must have
  /// been refused before.
  init?(_ profile: ConfigurationFile.Profile) {
    guard let value = profile["match"]?.value else { return nil }
    selectors = Self.texts(of: value)?.compactMap { try? DeviceSelector(parsing: $0) } ?? []
  }

  /// Whether the profile applies to a device.
  func fits(_ device: Device) -> Bool {
    selectors.contains { !$0.matches(among: [device]).isEmpty }
  }

  /// Describes the mistake in the value of a `match`; nil if there is none.
  static func complaint(about value: Value) -> String? {
    guard let texts = texts(of: value) else {
      return "'match' is \(value.kindName): expected a string, or an array of strings"
    }
    for text in texts {
      do {
        guard try DeviceSelector(parsing: text) != nil else {
          return "'\(text)': expected usb:VID:PID, usb:VID:PID:SERIAL, serial:TEXT or port:ID_PATH"
        }
      } catch {
        return "\(error)"
      }
    }
    return nil
  }

  private static func texts(of value: Value) -> [String]? {
    switch value {
    case .string(let text): return [text]
    case .array(let values):
      let texts = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
      return texts.count == values.count ? texts : nil
    default: return nil
    }
  }
}
