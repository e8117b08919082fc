import EventLoop
import Foundation
import Framing
import Reconnecting
import SerialCore
import SerialPorts
import SystemPackage

/// A way to use a port, which is compared with the others.
protocol Contender: Sendable {
  var name: String { get }
  /// The most allocations for a piece.
  var allocationGoal: Double { get }
  /// Receives what the far end sends for an order; nil if it is not right.
  func receive(_ order: Order, at path: FilePath) async throws -> Costs?
  /// Sends requests one after the other; nil if an answer is not right.
  func request(at path: FilePath) async throws -> Costs?
}

extension Contender {
  var allocationGoal: Double { 1 }
}

/// A session with an observer, on an event loop.
struct Callbacks: Contender {
  let name = "callbacks"

  private final class Port {
    let session = Session(settings: LineSettings(), waitsForLostDevice: false)
    let loop: IOLoop
    private let driver: SessionDriver
    private let observation: AnyObject

    init(_ path: FilePath, _ onBytes: @escaping (UnsafeRawBufferPointer) -> Void) throws {
      loop = try IOLoop()
      driver = SessionDriver(session, on: loop)
      observation = session.observe(.received, onBytes)
      try session.open(.tty(path))
    }

    deinit { _ = session.close() }
  }

  func receive(_ order: Order, at path: FilePath) async throws -> Costs? {
    try await onThread {
      let reception = Reception(of: order)
      let port = try Port(path) { reception.take($0) }
      try port.session.write([order.rawValue].span.bytes)
      while !reception.isComplete { try port.loop.turn() }
      return reception.costs
    }
  }

  func request(at path: FilePath) async throws -> Costs? {
    try await onThread {
      var received: [UInt8] = []
      let port = try Port(path) { received.append(contentsOf: $0) }
      var log = RequestLog()
      while !log.isComplete {
        try port.session.write(FarEnd.request.utf8.span.bytes)
        while received.last != 0x0A { try port.loop.turn() }
        log.note(String(decoding: received.dropLast(), as: UTF8.self))
        received.removeAll(keepingCapacity: true)
      }
      return log.costs
    }
  }
}

/// A `BlockingPort`.
struct Blocking: Contender {
  let name = "BlockingPort"

  func receive(_ order: Order, at path: FilePath) async throws -> Costs? {
    try await onThread {
      let port = try BlockingPort(path)
      let reception = Reception(of: order)
      try port.write([order.rawValue])
      while !reception.isComplete { reception.take(try port.read()) }
      return reception.costs
    }
  }

  func request(at path: FilePath) async throws -> Costs? {
    try await onThread {
      let port = try BlockingPort(path)
      var log = RequestLog()
      while !log.isComplete {
        log.note(try port.request(FarEnd.request, until: .lines(), timeout: .seconds(1)))
      }
      return log.costs
    }
  }
}

/// A `SerialPort`, from a task.
struct Tasks: Contender {
  /// Whether the task runs on the port's executor, or on the default one.
  let isOnPortExecutor: Bool
  /// Whether it calls `read()` in a loop instead of following `bytes`. Requests are the same for
  /// both, and measured for `bytes` only.
  let callsRead: Bool

  var name: String {
    (isOnPortExecutor ? "port's executor" : "default executor")
      + (callsRead ? ", read()" : ", bytes")
  }

  var allocationGoal: Double { isOnPortExecutor ? 1 : 3 }

  func receive(_ order: Order, at path: FilePath) async throws -> Costs? {
    try await use(path) { port in
      let reception = Reception(of: order)
      try await port.write([order.rawValue])
      if callsRead {
        while !reception.isComplete { reception.take(try await port.read()) }
      } else {
        for try await piece in port.bytes {
          reception.take(piece)
          if reception.isComplete { break }
        }
      }
      return reception.costs
    }
  }

  func request(at path: FilePath) async throws -> Costs? {
    if callsRead { return Costs(seconds: .nan, allocations: .nan) }
    return try await use(path) { port in
      var log = RequestLog()
      while !log.isComplete {
        log.note(try await port.request(FarEnd.request, until: .lines(), timeout: .seconds(1)))
      }
      return log.costs
    }
  }

  private func use(
    _ path: FilePath, _ work: (SerialPort) async throws -> Costs?
  ) async throws -> Costs? {
    let port = try await SerialPort.open(path)
    let costs =
      isOnPortExecutor
      ? try await withTaskExecutorPreference(port.executor) { try await work(port) }
      : try await work(port)
    await port.close()
    return costs
  }
}

/// Another program. Its arguments are the node, and the number of bytes to receive or `requests`
/// and their number. It prints the seconds for all bytes, or for the median request.
struct OtherProgram: Contender {
  let program: URL

  var name: String { program.lastPathComponent }

  func receive(_ order: Order, at path: FilePath) async throws -> Costs? {
    try await run([path.string, "receive", "\(order.length)"])
  }

  func request(at path: FilePath) async throws -> Costs? {
    try await run([path.string, "request", "\(RequestLog.count)"])
  }

  private func run(_ arguments: [String]) async throws -> Costs? {
    try await onThread {
      let process = Process()
      let output = Pipe()
      process.executableURL = program
      process.arguments = arguments
      process.standardOutput = output
      try process.run()
      let printed = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      let text = String(decoding: printed, as: UTF8.self)
      guard process.terminationStatus == 0,
        let seconds = Double(text.trimmingCharacters(in: .whitespacesAndNewlines))
      else { return nil }
      return Costs(seconds: seconds, allocations: .nan)
    }
  }
}

/// Runs work on a new thread.
private func onThread(_ work: @escaping @Sendable () throws -> Costs?) async throws -> Costs? {
  try await withCheckedThrowingContinuation { continuation in
    let thread = Thread { continuation.resume(with: Result { try work() }) }
    thread.start()
  }
}
