/// A value that is true now, and that announces its changes with the old and the new value.
///
/// ``Observable`` says what happened; `Observed` says what is true. It is the key-value observing
/// of the classic frameworks, in types:
///
/// ```swift
/// final class Recorder {
///   @Observed private(set) var file: String?
/// }
///
/// let token = recorder.$file.observe { change in
///   print("was \(change.old ?? "off"), is \(change.new ?? "off")")
/// }
/// ```
///
/// ## Principles of operation
///
/// - **A change is announced when it has happened**: an observer that reads the value gets the new
///   one, or a later one.
/// - **Only changes are announced.** If the value is `Equatable`, setting an equal
///   value does nothing.
/// - **Only the owner sets it.** The projection (`$file`) can be read and observed, not set.
/// - **One order for all.** A change that an observer makes is announced when all observers have
///   received the present one, as with ``Observable``.
/// - **Bindings compose.** A value can have parts that follow other values: see ``bind(_:to:)``.
///
/// An observer that draws can receive many changes in one turn of an event loop. It asks a
/// coalescer for one drawing, and reads the value when it draws.
///
/// A value belongs to one thread. It is not `Sendable`: the compiler refuses to share it.
@propertyWrapper
public final class Observed<Value> {
  private var value: Value
  private let isEqual: (Value, Value) -> Bool
  fileprivate let changes = Observable<Change<Value>>()
  /// The tokens of the bindings, which last as long as this object.
  private var bindings: [AnyObject] = []

  /// Creates a value every assignment of which is a change.
  public init(wrappedValue: Value) {
    value = wrappedValue
    isEqual = { _, _ in false }
  }

  /// Creates a value whose changes are those to a value that is not equal.
  public init(wrappedValue: Value) where Value: Equatable {
    value = wrappedValue
    isEqual = { $0 == $1 }
  }

  /// The present value. Setting it announces the change.
  public var wrappedValue: Value {
    get { value }
    set { set(newValue) }
  }

  /// What others see of the value: they can read and observe it.
  public var projectedValue: Projection { Projection(observed: self) }

  /// Changes several parts of the value, and announces them as one change.
  ///
  /// - Parameter change: changes the value. It must not set this value in another way.
  /// - Returns: the result of `change`.
  @discardableResult
  public func update<Result>(_ change: (inout Value) -> Result) -> Result {
    var new = value
    let result = change(&new)
    set(new)
    return result
  }

  private func set(_ new: Value) {
    let old = value
    guard !isEqual(old, new) else { return }
    value = new
    changes.notify(Change(from: old, to: new))
  }

  /// Makes a part of this value follow another value: now, and with every change, for as long as
  /// this object exists.
  ///
  /// - Parameters:
  ///   - part: the part of this value.
  ///   - source: the value that it follows.
  public func bind<Part>(
    _ part: WritableKeyPath<Value, Part>, to source: Observed<Part>.Projection
  ) {
    bind(part, to: source) { $0 }
  }

  /// Makes a part of this value follow another value, converted.
  ///
  /// - Parameters:
  ///   - part: the part of this value.
  ///   - source: the value that it follows.
  ///   - convert: returns the part for a value of the source.
  public func bind<Source, Part>(
    _ part: WritableKeyPath<Value, Part>, to source: Observed<Source>.Projection,
    by convert: @escaping (Source) -> Part
  ) {
    update { $0[keyPath: part] = convert(source.value) }
    bindings.append(
      source.observe { [unowned self] change in
        update { $0[keyPath: part] = convert(change.new) }
      })
  }

  /// A value as others see it.
  public struct Projection {
    fileprivate let observed: Observed<Value>

    /// The present value.
    public var value: Value { observed.value }

    /// Calls a closure with every change.
    ///
    /// - Parameters:
    ///   - rank: the place in the order of the observers;
    ///     see ``Observable/add(_:rank:kinds:deliver:)``.
    ///   - handler: called with the old and the new value. It lives as long as the token.
    /// - Returns: the token, which the caller keeps. Releasing it ends the observation.
    public func observe(
      rank: Int = 0, _ handler: @escaping (Change<Value>) -> Void
    ) -> ObservationToken<Change<Value>> {
      observed.changes.observe(rank: rank, handler)
    }

    /// Calls a closure with the changes of a part of the value.
    ///
    /// - Parameters:
    ///   - part: the part. A change that leaves it equal is not reported.
    ///   - rank: the place in the order of the observers.
    ///   - handler: called with the old and the new part.
    /// - Returns: the token, which the caller keeps. Releasing it ends the observation.
    public func observe<Part: Equatable>(
      _ part: KeyPath<Value, Part>, rank: Int = 0, _ handler: @escaping (Change<Part>) -> Void
    ) -> ObservationToken<Change<Value>> {
      observe(rank: rank) { change in
        let (old, new) = (change.old[keyPath: part], change.new[keyPath: part])
        if old != new { handler(Change(from: old, to: new)) }
      }
    }
  }
}

@available(*, unavailable)
extension Observed: Sendable {}

@available(*, unavailable)
extension Observed.Projection: Sendable {}
