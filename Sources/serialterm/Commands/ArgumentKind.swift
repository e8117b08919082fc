import Options
import SerialCore
import SystemPackage
import Terminal
import TerminalWidgets
import TextTools

/// A kind of argument, with its parser and the way to ask a user for it.
struct ArgumentKind<Value: Sendable>: Sendable {
  /// The argument as programs see it.
  let form: ArgumentForm
  /// Parses a text; nil if it is invalid.
  let parse: @Sendable (String) -> Value?
  /// The default value; nil if a user must be asked.
  let standard: Value?
  /// Asks the user, and calls back if the user chose a value.
  let ask: @Sendable (ArgumentRequest, @escaping (Value) -> Void) -> Void

  init(
    _ form: ArgumentForm, parse: @escaping @Sendable (String) -> Value?, standard: Value? = nil,
    ask: @escaping @Sendable (ArgumentRequest, @escaping (Value) -> Void) -> Void = { _, _ in }
  ) {
    self.form = standard == nil ? form : form.with { $0.isOptional = true }
    (self.parse, self.standard, self.ask) = (parse, standard, ask)
  }

  /// The expected form, for messages: "one of none, odd, even".
  var expected: String { form.expected }
}

extension ArgumentKind {
  /// The same kind for another value that is made from this one.
  func map<Other: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Other
  ) -> ArgumentKind<Other> {
    ArgumentKind<Other>(
      form, parse: { [parse] in parse($0).map(transform) }, standard: standard.map(transform),
      ask: { [ask] request, then in ask(request) { then(transform($0)) } })
  }
}

/// A request for the argument of a command.
struct ArgumentRequest {
  let call: CommandCall
  let user: any CommandUser
  /// The conditions of the command.
  let needs: [Need]

  var model: TerminalStateModel { call.port.model }

  /// Asks the user. While the command is unavailable, so are all choices.
  func ask<Answer>(_ question: Question<Answer>) { user.ask(question.whileMet(needs, in: model)) }
}

extension ArgumentKind where Value: Hashable {
  /// One of a few values.
  ///
  /// - Parameters:
  ///   - title: the question.
  ///   - values: the values and their names.
  ///   - now: the present value.
  static func oneOf(
    _ title: String, _ values: [(name: String, value: Value)],
    now: @escaping @Sendable (TerminalState) -> Value
  ) -> ArgumentKind {
    ArgumentKind(
      .choice(of: values.map(\.name)) { state in
        let now = now(state)
        return values.first { $0.value == now }?.name
      },
      parse: { text in values.first { $0.name == text }?.value },
      ask: { $0.ask(title, values, now: now, then: $1) })
  }
}

extension ArgumentKind
where
  Value: Hashable & CaseIterable & RawRepresentable, Value.RawValue: CustomStringConvertible
{
  /// One of the values of an option.
  ///
  /// - Parameters:
  ///   - title: the question; nil for the option's name.
  ///   - now: the present value.
  static func choice(
    _ option: Parameter<Value>, _ title: String? = nil,
    now: @escaping @Sendable (TerminalState) -> Value
  ) -> ArgumentKind {
    ArgumentKind(
      .choice(of: Value.allCases.map(\.rawValue.description), option.declaration.expected) {
        now($0).rawValue.description
      },
      parse: { try? option.value(of: $0) },
      ask: { request, then in
        request.ask(
          title ?? option.name.replacing(text: "-", with: " "),
          Value.allCases.map { ($0.rawValue.description, $0) }, now: now, then: then)
      })
  }
}

/// A text that a user can choose instead of typing it.
struct Suggestion: Hashable, Sendable {
  let text: String
  let detail: String
  /// Whether the text is only the start of an argument, so that the user goes on typing.
  var isStart = false
}

extension ArgumentKind {
  /// A text that is parsed, with texts to choose from.
  ///
  /// - Parameters:
  ///   - title: the question.
  ///   - expected: the expected form, for messages.
  ///   - own: the texts that the session adds.
  ///   - now: the present value as text; nil for none.
  ///   - check: finds mistakes in a value that depend on the state. A user sees its error.
  ///   - parse: reads the text. A user sees its error.
  static func text(
    _ title: String, expected: String, _ suggestions: [Suggestion] = [],
    own: @escaping @Sendable (TerminalState) -> [Suggestion] = { _ in [] },
    now: @escaping @Sendable (TerminalState) -> String? = { _ in nil },
    check: @escaping @Sendable (Value, TerminalState) throws -> Void = { _, _ in },
    parse: @escaping @Sendable (String) throws -> Value
  ) -> ArgumentKind {
    ArgumentKind(
      ArgumentForm(expected, value: now).with {
        $0.choices = { state in
          let texts = own(state).map(\.text)
          return texts.isEmpty ? nil : texts
        }
      }, parse: { try? parse($0) },
      ask: { request, then in
        request.ask(
          Question<String>(
            title: title, enter: "takes it", typing: "type a text", expected: expected,
            choices: { [model = request.model] typed in
              let now = now(model.state)
              let suggestions = suggestions + own(model.state)
              let listed = suggestions.map {
                let isCurrent = $0.text == now
                return Choice(
                  id: $0.text, title: $0.text, detail: isCurrent ? "now" : $0.detail,
                  isCurrent: isCurrent)
              }
              if typed.isEmpty || suggestions.contains(where: { $0.text == typed && !$0.isStart }) {
                return listed
              }
              var complaint: String?
              do {
                try check(parse(typed), model.state)
              } catch {
                complaint = "\(error)"
              }
              return [.typed(typed, complaint: complaint)] + listed.filter { $0.id != typed }
            },
            continuation: { text in
              suggestions.first { $0.text == text }?.isStart == true ? text : nil
            },
            answer: { $0.isEmpty ? nil : $0 },
            onAnswer: { text in
              do {
                then(try parse(text))
              } catch {
                request.call.answer(.failed("\(title): \(error)".sentence))
              }
            }))
      })
  }
}

extension ArgumentRequest {
  /// Asks for one of a few values.
  fileprivate func ask<Value: Hashable>(
    _ title: String, _ values: [(name: String, value: Value)],
    now: @escaping (TerminalState) -> Value, then: @escaping (Value) -> Void
  ) {
    ask(
      Question(
        title: title,
        choices: { [model] _ in
          let now = now(model.state)
          return values.map { Choice($0.value, $0.name, isCurrent: $0.value == now) }
        },
        onAnswer: then))
  }
}

extension ArgumentKind where Value == Duration {
  /// A time in milliseconds.
  ///
  /// - Parameters:
  ///   - range: in milliseconds.
  ///   - standard: the time if none is given.
  static func milliseconds(_ range: ClosedRange<Int>, unlessGiven standard: Duration) -> Self {
    ArgumentKind(
      .number(range, unit: "ms"),
      parse: { text in
        WrittenTime(text, unit: 0.001)?.wholeMilliseconds.flatMap {
          range.contains($0) ? .milliseconds($0) : nil
        }
      },
      standard: standard)
  }
}

extension ArgumentKind where Value == FilePath {
  /// A file, by its path.
  ///
  /// - Parameter title: the question.
  static func file(_ title: String) -> Self {
    ArgumentKind(
      .file, parse: { $0.isEmpty ? nil : FileChoices.path(of: $0) },
      ask: { request, then in
        request.ask(.file(title, for: request.user, onAnswer: then))
      })
  }
}

extension Question {
  /// The question, with all its choices unavailable for the same reason while a condition
  /// is not met.
  fileprivate func whileMet(_ needs: [Need], in model: TerminalStateModel) -> Question {
    mapChoices { [unowned model] choices in
      guard let reason = needs.unmet(in: model.state) else { return choices }
      return choices.map { choice in
        var choice = choice
        choice.refusal = reason.text
        choice.isTyped = false
        return choice
      }
    }
  }
}
