import DeviceWatch
import Options
import Testing

@testable import serialterm

/// Reads a command line for a command with a TARGET.
func reading(
  _ words: [String], among devices: [Device] = []
) throws -> CommandLineReader.Reading {
  guard case .command(let command, let rest) = Invocation(words) else {
    throw UsageError("\(words) is no command")
  }
  let given = try command.given(by: rest)
  guard let profiled = command.profiled(for: given) else {
    throw UsageError("\(words) has no TARGET")
  }
  return try CommandLineReader(devices: { devices }).read(profiled, given)
}
