import Glibc

/// The difference between bytes and the expected ones: their counts and the first difference. A
/// failure that prints a megabyte would hide the cause.
///
/// - Returns: nil if they are the same.
public func difference(_ actual: some Collection<UInt8>, from expected: some Collection<UInt8>)
  -> String?
{
  // Most are the same, and comparing them one by one takes long.
  let (actual, expected) = ([UInt8](actual), [UInt8](expected))
  if actual.count == expected.count, memcmp(actual, expected, actual.count) == 0 { return nil }
  let pairs = zip(actual, expected).enumerated()
  if let (offset, pair) = pairs.first(where: { $1.0 != $1.1 }) {
    return
      "\(actual.count) bytes instead of \(expected.count); byte \(offset) is \(pair.0) instead of \(pair.1)"
  }
  return actual.count == expected.count
    ? nil : "\(actual.count) bytes instead of \(expected.count); those that there are agree"
}
