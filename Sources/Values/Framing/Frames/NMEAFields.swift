import TextTools

/// The fields of sentences of NMEA 0183 with their names.
///
/// Source: E. S. Raymond, "NMEA Revealed" (https://gpsd.gitlab.io/gpsd/NMEA.html), which has the
/// fields that NMEA 2.3, 4.10 and 4.11 have appended.
enum NMEAFields {
  /// The fields of a sentence with their names, without those that are empty; nil if the kind of
  /// sentence is not known.
  static func meaning(of body: ArraySlice<UInt8>) -> String? {
    let fields = String(decoding: body, as: UTF8.self).harmless
      .split(separator: ",", omittingEmptySubsequences: false)
    guard let address = fields.first, address.count == 5, !isOfMaker(address),
      let names = names(of: address.suffix(3), fields.dropFirst())
    else { return nil }
    var words = ["\(address)"]
    var hasNumber = false
    for (name, field) in zip(names, fields.dropFirst()) {
      // The letter of a hemisphere or a unit belongs to the number before it.
      if name.isEmpty {
        if hasNumber { words[words.count - 1] += field }
      } else {
        hasNumber = !field.isEmpty
        if hasNumber { words.append("\(name) \(field)") }
      }
    }
    return words.joined(separator: " ")
  }

  /// Whether an address is that of a maker's own sentence, such as Garmin's PGRMC. Quectel has a
  /// talker PQ.
  private static func isOfMaker(_ address: Substring) -> Bool {
    address.hasPrefix("P") && !address.hasPrefix("PQ")
  }

  private static func names(of kind: Substring, _ fields: ArraySlice<Substring>) -> [String]? {
    let names = names["\(kind)"]
    // Before NMEA 3.01, VTG had no units.
    if kind == "VTG", fields.count == 4, fields.dropFirst().first != "T" {
      return ["course", "magnetic", "knots", "km/h"]
    }
    guard kind == "GSV", let names, fields.count > names.count else { return names }
    // Four fields for each satellite. Then come the signal, since NMEA 4.10, and the system, from
    // Quectel; or the last satellite has no field for its SNR.
    let satellite = ["satellite", "elevation", "azimuth", "SNR"]
    let (count, rest) = (fields.count - names.count).quotientAndRemainder(dividingBy: 4)
    return names + Array(repeating: satellite, count: count).joined()
      + (rest < 3 ? ["signal", "system"] : satellite)
  }

  /// The names of the fields, by the kind of sentence. An empty name continues the field before.
  private static let names: [String: [String]] = [
    "GGA": [
      "time", "latitude", "", "longitude", "", "quality", "satellites", "HDOP", "altitude", "",
      "geoid", "", "age", "station",
    ],
    "GLL": ["latitude", "", "longitude", "", "time", "status", "mode"],
    "GNS": [
      "time", "latitude", "", "longitude", "", "mode", "satellites", "HDOP", "altitude", "geoid",
      "age", "station", "navigational status",
    ],
    "GSA": ["mode", "fix"] + Array(repeating: "satellite", count: 12)
      + ["PDOP", "HDOP", "VDOP", "system"],
    "GSV": ["messages", "number", "satellites"],
    "HDT": ["heading", ""],
    "RMC": [
      "time", "status", "latitude", "", "longitude", "", "speed", "course", "date", "variation", "",
      "mode", "navigational status",
    ],
    "VTG": ["course", "", "magnetic", "", "speed", "", "speed", "", "mode"],
    "ZDA": ["time", "day", "month", "year", "zone", "minutes"],
  ]
}
