import TextTools

/// A declared parameter with the type of its value. It is the key of the value in ``Values``.
public struct Parameter<Value: Sendable>: Declared {
  public private(set) var declaration: Declaration
  /// The value if the parameter is not given.
  public let standard: Value
  private let parse: @Sendable ([String]) throws -> Value

  private init(
    _ name: String, _ letter: Character?, _ shape: Declaration.Shape, placeholder: String = "",
    _ summary: String, details: String = "", shown: String? = nil,
    isConfigurable: Bool = true, kind: Declaration.Kind = .text, expected: String = "",
    completion: Completion = .nothing, secondCompletion: Completion = .nothing, standard: Value,
    parse: @escaping @Sendable ([String]) throws -> Value
  ) {
    self.standard = standard
    self.parse = parse
    declaration = Declaration(
      name: name, letter: letter, shape: shape, placeholder: placeholder, summary: summary,
      details: details, standard: shown, isConfigurable: isConfigurable,
      kind: kind,
      expected: expected, completion: completion, secondCompletion: secondCompletion,
      check: { _ = try parse($0) })
  }

  /// The same option, but required.
  public func required() -> Self {
    var required = self
    required.declaration.isRequired = true
    return required
  }

  /// Parses a text.
  ///
  /// - Throws: an error whose description explains the mistake.
  public func value(of text: String) throws -> Value { try parse([text]) }

  /// Parses texts that ``Values`` has checked.
  func value(of texts: [String]) -> Value { (try? parse(texts)) ?? standard }
}

// MARK: Flags

extension Parameter<Bool> {
  /// A flag: `--name`.
  public static func flag(
    _ name: String, letter: Character? = nil, _ summary: String,
    details: String = "", isConfigurable: Bool = true
  ) -> Self {
    Self(
      name, letter, .flag, summary, details: details,
      isConfigurable: isConfigurable,
      standard: false, parse: { $0.last == "true" })
  }

  /// A flag that is on unless its opposite is given: `--reconnect`, `--no-reconnect`.
  public static func pair(
    _ name: String, off: String, offLetter: Character? = nil, _ summary: String
  ) -> Self {
    Self(
      name, nil, .pair(off: off, offLetter: offLetter), summary,
      shown: "--\(name)",
      standard: true, parse: { $0.last == "true" })
  }
}

extension Parameter<Bool?> {
  /// A flag and its opposite. The value is nil if neither is given.
  public static func pair(_ name: String, off: String, _ summary: String) -> Self {
    Self(
      name, nil, .pair(off: off, offLetter: nil), summary, standard: nil,
      parse: { $0.last == "true" })
  }
}

// MARK: Options with a value

extension Parameter {
  /// An option with a value: `--name VALUE`.
  ///
  /// - Parameters:
  ///   - shown: the default value as text, for help.
  ///   - parse: throws an error whose description explains the mistake and the expected form.
  public static func option(
    _ name: String, letter: Character? = nil, _ placeholder: String, _ summary: String,
    details: String = "", standard: Value, shown: String? = nil,
    isConfigurable: Bool = true, kind: Declaration.Kind = .text, expected: String = "",
    completion: Completion = .nothing, parse: @escaping @Sendable (String) throws -> Value
  ) -> Self {
    Self(
      name, letter, .value, placeholder: placeholder, summary,
      details: details, shown: shown, isConfigurable: isConfigurable, kind: kind,
      expected: expected, completion: completion, standard: standard,
      parse: { try parse($0.last ?? "") })
  }

  /// An option with a value. The value is nil if the option is not given.
  public static func option<Wrapped: Sendable>(
    _ name: String, letter: Character? = nil, _ placeholder: String, _ summary: String,
    details: String = "", isConfigurable: Bool = true,
    kind: Declaration.Kind = .text,
    completion: Completion = .nothing, parse: @escaping @Sendable (String) throws -> Wrapped
  ) -> Self where Value == Wrapped? {
    .option(
      name, letter: letter, placeholder, summary, details: details,
      standard: nil,
      isConfigurable: isConfigurable, kind: kind, completion: completion, parse: parse)
  }

  /// An option that can be given several times.
  public static func list<Element: Sendable>(
    _ name: String, letter: Character? = nil, _ placeholder: String, _ summary: String,
    details: String = "", isConfigurable: Bool = true,
    completion: Completion = .nothing, parse: @escaping @Sendable (String) throws -> Element
  ) -> Self where Value == [Element] {
    Self(
      name, letter, .list, placeholder: placeholder, summary,
      details: details,
      isConfigurable: isConfigurable, completion: completion, standard: [],
      parse: { try $0.map(parse) })
  }

  /// An option with two values that can be given several times: `--name FIRST SECOND`. A
  /// configuration file cannot set it.
  ///
  /// - Parameters:
  ///   - placeholder: the placeholder for both values: `REGEX COMMAND`.
  ///   - second: the second values that a shell completes.
  public static func pairs<Element: Sendable>(
    _ name: String, _ placeholder: String, _ summary: String, details: String = "",
    completion: Completion = .nothing, second: Completion = .nothing,
    parse: @escaping @Sendable (_ first: String, _ second: String) throws -> Element
  ) -> Self where Value == [Element] {
    Self(
      name, nil, .pairs, placeholder: placeholder, summary, details: details,
      isConfigurable: false, completion: completion, secondCompletion: second, standard: [],
      parse: { texts in
        try stride(from: 0, to: texts.count - 1, by: 2).map { try parse(texts[$0], texts[$0 + 1]) }
      })
  }

  /// An option with an optional value: `--name [VALUE]`.
  ///
  /// - Parameter implied: the value that applies if none is given.
  public static func option<Wrapped: Sendable>(
    _ name: String, letter: Character? = nil, _ placeholder: String, implied: String,
    _ summary: String, completion: Completion = .nothing,
    parse: @escaping @Sendable (String) throws -> Wrapped
  ) -> Self where Value == Wrapped? {
    Self(
      name, letter, .optionalValue(implied), placeholder: placeholder, summary,
      completion: completion, standard: nil,
      parse: { try parse($0.last ?? "") })
  }
}

extension Parameter
where Value: CaseIterable & RawRepresentable, Value.RawValue: LosslessStringConvertible {
  /// An option with one of a few values.
  ///
  /// - Parameter values: the values; by default all of the type.
  public static func choice(
    _ name: String, letter: Character? = nil, _ placeholder: String, _ summary: String,
    among values: [Value] = Array(Value.allCases), standard: Value
  ) -> Self {
    .option(
      name, letter: letter, placeholder, summary, standard: standard,
      shown: "\(standard.rawValue)", kind: Value.kindOfChoice, expected: values.expectedChoice,
      completion: .words(values.choices), parse: { try values.choice($0) })
  }
}

extension Parameter {
  /// An option with one of a few values. The value is nil if the option is not given.
  public static func choice<Wrapped: Sendable & CaseIterable & RawRepresentable>(
    _ name: String, letter: Character? = nil, _ placeholder: String, _ summary: String
  ) -> Self where Value == Wrapped?, Wrapped.RawValue: LosslessStringConvertible {
    .option(
      name, letter: letter, placeholder, summary, kind: Wrapped.kindOfChoice,
      completion: .words(Array(Wrapped.allCases).choices),
      parse: { try Array(Wrapped.allCases).choice($0) })
  }
}

extension RawRepresentable where RawValue: LosslessStringConvertible {
  fileprivate static var kindOfChoice: Declaration.Kind {
    RawValue.self == Int.self ? .wholeNumber : .text
  }
}

extension Array where Element: RawRepresentable, Element.RawValue: LosslessStringConvertible {
  /// The values in the form in which users write them.
  fileprivate var choices: [String] { map { "\($0.rawValue)" } }

  fileprivate var expectedChoice: String { "one of \(choices.joined(separator: ", "))" }

  fileprivate func choice(_ text: String) throws(ValueError) -> Element {
    guard let value = first(where: { "\($0.rawValue)" == text }) else {
      throw ValueError(text, expected: expectedChoice)
    }
    return value
  }
}

extension Parameter<Double> {
  /// A length of time in seconds: `2`, `500ms`, `5min`.
  ///
  /// - Parameter range: in seconds.
  public static func time(
    _ name: String, _ summary: String, _ range: ClosedRange<Double>, standard: Double
  ) -> Self {
    .option(
      name, "TIME", summary, details: timeForms, standard: standard,
      shown: "\(standard.shortText)s", kind: .time, parse: { try .seconds($0, in: range) })
  }
}

extension Parameter<Double?> {
  /// A length of time in seconds; nil if the option is not given.
  ///
  /// - Parameter range: in seconds.
  public static func time(
    _ name: String, _ summary: String, _ range: ClosedRange<Double>, isConfigurable: Bool = true
  ) -> Self {
    .option(
      name, "TIME", summary, details: timeForms, isConfigurable: isConfigurable, kind: .time,
      parse: { try Double.seconds($0, in: range) })
  }
}

/// What help says about the value of an option for a length of time.
private let timeForms = "As 500ms, 2s, 5min or 1h; a number alone is seconds."

extension Parameter<Int> {
  /// A length of time in milliseconds: `20`, `500ms`, `2s`.
  ///
  /// - Parameter range: in milliseconds.
  public static func milliseconds(
    _ name: String, letter: Character? = nil, _ summary: String, _ range: ClosedRange<Int>,
    standard: Int
  ) -> Self {
    .option(
      name, letter: letter, "MS", summary, standard: standard, shown: "\(standard)", kind: .time,
      parse: { text throws(ValueError) in
        let time = WrittenTime(text, unit: 0.001)
        guard let number = time?.wholeMilliseconds, range.contains(number) else {
          throw ValueError(
            text,
            expected: "milliseconds from \(range.lowerBound) to \(range.upperBound), or a time "
              + "such as 20ms or 2s")
        }
        return number
      })
  }
}

extension Double {
  /// Parses a number within a range.
  ///
  /// - Parameter what: the unit that it counts, for the message.
  /// - Throws: ``ValueError``.
  public static func number(
    _ text: String, of what: String, in range: ClosedRange<Double>
  ) throws(ValueError) -> Double {
    guard let number = Double(text), range.contains(number) else {
      let bounds = "\(range.lowerBound.shortText) to \(range.upperBound.shortText)"
      throw ValueError(text, expected: "\(what) from \(bounds)")
    }
    return number
  }

  /// Parses a length of time within a range of seconds.
  fileprivate static func seconds(
    _ text: String, in range: ClosedRange<Double>
  ) throws(ValueError) -> Double {
    guard let time = WrittenTime(text), range.contains(time.seconds) else {
      throw ValueError(
        text,
        expected: "seconds from \(range.lowerBound.shortText) to \(range.upperBound.shortText), or "
          + "a time such as \(WrittenTime.examples)")
    }
    return time.seconds
  }

  /// The number without an unnecessary fraction: `5`, `0.2`.
  fileprivate var shortText: String {
    Int(exactly: self).map { "\($0)" } ?? "\(self)"
  }
}

extension Int {
  /// Parses a whole number within a range.
  ///
  /// - Parameter what: the unit that it counts, for the message.
  /// - Throws: ``ValueError``.
  public static func number(
    _ text: String, of what: String, in range: ClosedRange<Int>
  ) throws(ValueError) -> Int {
    guard let number = Int(text), range.contains(number) else {
      let expected =
        range.upperBound == .max
        ? "\(range.lowerBound) or more \(what)"
        : "a whole number of \(what) from \(range.lowerBound) to \(range.upperBound)"
      throw ValueError(text, expected: expected)
    }
    return number
  }
}

// MARK: Arguments

extension Parameter {
  /// A required argument.
  ///
  /// - Parameter standard: a value that is never read.
  public static func argument(
    _ name: String, _ summary: String, completion: Completion = .nothing, standard: Value,
    parse: @escaping @Sendable (String) throws -> Value
  ) -> Self {
    Self(
      name, nil, .argument(isOptional: false), placeholder: name.uppercased(), summary,
      isConfigurable: false, completion: completion, standard: standard,
      parse: { try parse($0.last ?? "") })
  }

  /// An optional argument.
  public static func argument<Wrapped: Sendable>(
    _ name: String, _ summary: String, completion: Completion = .nothing,
    parse: @escaping @Sendable (String) throws -> Wrapped
  ) -> Self where Value == Wrapped? {
    Self(
      name, nil, .argument(isOptional: true), placeholder: name.uppercased(), summary,
      isConfigurable: false, completion: completion, standard: nil,
      parse: { try parse($0.last ?? "") })
  }

  /// All remaining arguments.
  public static func arguments<Element: Sendable>(
    _ name: String, atLeast count: Int = 0, _ summary: String, completion: Completion = .nothing,
    parse: @escaping @Sendable (String) throws -> Element
  ) -> Self where Value == [Element] {
    Self(
      name, nil, .arguments(atLeast: count), placeholder: name.uppercased(), summary,
      isConfigurable: false, completion: completion, standard: [], parse: { try $0.map(parse) })
  }
}

extension Parameter<[String]> {
  /// The words after `--`.
  public static func wordsAfterDashes(_ name: String, _ summary: String) -> Self {
    Self(
      name, nil, .wordsAfterDashes, placeholder: name.uppercased(), summary,
      isConfigurable: false, standard: [], parse: { $0 })
  }
}

/// The error for a value that a parameter does not accept.
public struct ValueError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The mistake, and the expected form.
  public let description: String

  /// Creates an error about a text.
  public init(_ text: String, expected: String) { description = "'\(text)': expected \(expected)" }

  /// Creates an error.
  public init(_ description: String) { self.description = description }
}
