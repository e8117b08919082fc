// Measures a port that is used from tasks, beside the same session with callbacks: bytes per
// second, the time of a request, and allocations. All of them have the same pseudo-terminal and the
// same far end, in interleaved rounds. The arguments are programs to measure beside them. Exits
// with 1 if tasks receive less than half of the bytes per second of callbacks, if a request takes
// more than 1.5 times as long, or if a piece costs more than one allocation, which is its array. On
// the default executor it costs two more: Dispatch allocates them to change the thread.
import Foundation

/// A contender, and its costs in each round.
struct Row {
  let contender: any Contender
  var streams: [Costs] = []
  var requests: [Costs] = []
  var pieces = Costs(seconds: .nan, allocations: .nan)

  /// The median of the ratios to another contender in the same rounds: other work of the
  /// machine changes both.
  func ratio(to other: Row, _ costs: KeyPath<Row, [Costs]>) -> Double {
    median(zip(self[keyPath: costs], other[keyPath: costs]).map { $0.seconds / $1.seconds })
  }
}

func right(_ costs: Costs?, _ row: Row) -> Costs {
  if let costs { return costs }
  print("\(row.contender.name): bytes were wrong or missing")
  exit(1)
}

let farEnd = try FarEnd()
var rows = [Row(contender: Callbacks()), Row(contender: Blocking())]
for isOnPortExecutor in [true, false] {
  for callsRead in [false, true] {
    rows.append(
      Row(contender: Tasks(isOnPortExecutor: isOnPortExecutor, callsRead: callsRead)))
  }
}
let ownCount = rows.count
for program in CommandLine.arguments.dropFirst() {
  rows.append(Row(contender: OtherProgram(program: URL(fileURLWithPath: program))))
}

let roundCount = 7
// The first round is the warm-up.
for round in 0...roundCount {
  for index in rows.indices {
    let contender = rows[index].contender
    let stream = right(try await contender.receive(.stream, at: farEnd.path), rows[index])
    let request = right(try await contender.request(at: farEnd.path), rows[index])
    guard round > 0 else { continue }
    rows[index].streams.append(stream)
    rows[index].requests.append(request)
  }
}
for index in rows.indices.prefix(ownCount) {
  let costs = try await rows[index].contender.receive(.pieces, at: farEnd.path)
  rows[index].pieces = right(costs, rows[index])
}

func column(_ number: Double, _ format: String) -> String {
  let text = number.isNaN ? "" : String(format: format, number)
  return String(repeating: " ", count: max(0, 9 - text.count)) + text
}

/// What a row must reach beside the first one.
func missed(_ row: Row, speed: Double, time: Double) -> [String] {
  [
    speed < 0.5 ? "MB/s" : nil, time > 1.5 ? "time of a request" : nil,
    row.pieces.allocations > row.contender.allocationGoal + 0.05 ? "allocations for a piece" : nil,
  ].compactMap(\.self).map { "\(row.contender.name): \($0)" }
}

print("                                      MB/s    ratio   allocs       µs    ratio   allocs")
var allMissed: [String] = []
for (index, row) in rows.enumerated() {
  let speed = 1 / row.ratio(to: rows[0], \.streams)
  let time = row.ratio(to: rows[0], \.requests)
  let seconds = median(row.streams.map(\.seconds))
  print(
    row.contender.name.padding(toLength: 33, withPad: " ", startingAt: 0)
      + column(Double(Order.stream.length) / seconds / 1e6, "%.1f") + column(speed, "%.2f")
      + column(row.pieces.allocations, "%.2f")
      + column(median(row.requests.map(\.seconds)) * 1e6, "%.1f") + column(time, "%.2f")
      + column(row.requests.map(\.allocations).min() ?? .nan, "%.2f"))
  if (1..<ownCount).contains(index) { allMissed += missed(row, speed: speed, time: time) }
}
for goal in allMissed { print("missed: \(goal)") }
exit(allMissed.isEmpty ? 0 : 1)
