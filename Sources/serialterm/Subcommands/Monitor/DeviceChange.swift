import DeviceWatch
import SystemPackage
import TextTools

/// A property of a device that has changed.
struct DeviceChange {
  /// The name of the property in JSON.
  let key: String
  let old: JSON
  let new: JSON
  /// The change in words.
  let text: String

  /// The properties that have changed.
  ///
  /// - Parameters:
  ///   - old: the former device, and whether it was accessible; nil if that is unknown.
  ///   - new: the present device.
  static func changes(
    from old: (device: Device, isAccessible: Bool?), to new: (device: Device, isAccessible: Bool)
  ) -> [DeviceChange] {
    let (from, to) = (old.device, new.device)
    let texts: [(String, String?, String?)] = [
      ("node", from.node.string, to.node.string),
      ("kind", from.kind.rawValue, to.kind.rawValue),
      ("driver", from.driver, to.driver),
      ("vendorID", from.vendorID?.hex, to.vendorID?.hex),
      ("productID", from.productID?.hex, to.productID?.hex),
      ("serialNumber", from.serialNumber, to.serialNumber),
      ("manufacturer", from.manufacturer, to.manufacturer),
      ("product", from.product, to.product),
      ("physicalPath", from.physicalPath, to.physicalPath),
    ]
    var changes = texts.compactMap { key, old, new in DeviceChange(key, old, new) }
    if from.interfaceNumber != to.interfaceNumber {
      changes.append(DeviceChange("interfaceNumber", from.interfaceNumber, to.interfaceNumber))
    }
    if from.links != to.links { changes.append(DeviceChange(links: from.links, to.links)) }
    if let wasAccessible = old.isAccessible, wasAccessible != new.isAccessible {
      changes.append(
        DeviceChange(
          key: "accessible", old: .bool(wasAccessible), new: .bool(new.isAccessible),
          text: new.isAccessible ? "accessible now" : "no longer accessible"))
    }
    return changes
  }

  private init(key: String, old: JSON, new: JSON, text: String) {
    self.key = key
    self.old = old
    self.new = new
    self.text = text
  }

  private init?(_ key: String, _ old: String?, _ new: String?) {
    guard old != new else { return nil }
    self.init(
      key: key, old: JSON(old), new: JSON(new),
      text: "\(key): \(old ?? "none") -> \(new ?? "none")")
  }

  private init(_ key: String, _ old: Int?, _ new: Int?) {
    func text(_ number: Int?) -> String { number.map { "\($0)" } ?? "none" }
    self.init(
      key: key, old: old.map(JSON.integer) ?? .null, new: new.map(JSON.integer) ?? .null,
      text: "\(key): \(text(old)) -> \(text(new))")
  }

  private init(links old: [FilePath], _ new: [FilePath]) {
    func json(_ links: [FilePath]) -> JSON { .array(links.map { .string($0.string) }) }
    let come = new.filter { !old.contains($0) }.map { "+\($0.string)" }
    let gone = old.filter { !new.contains($0) }.map { "-\($0.string)" }
    self.init(
      key: "links", old: json(old), new: json(new),
      text: "links: \((come + gone).joined(separator: " "))")
  }
}

extension [DeviceChange] {
  /// An object with one member for each property: `{"links":{"old":[…],"new":[…]}}`.
  var json: JSON {
    .object(map { ($0.key, .object([("old", $0.old), ("new", $0.new)])) })
  }

  /// The changes as text. The system also reports changes of properties that are not shown.
  var text: String {
    isEmpty ? "no visible change" : map(\.text).joined(separator: ", ").harmless
  }
}
