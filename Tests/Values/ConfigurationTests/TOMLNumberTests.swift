import Testing

@testable import Configuration

@Suite("Numbers", .timeLimit(.minutes(30)))
struct TOMLNumberTests {
  @Test(
    "numbers are those of TOML",
    arguments: [
      ("0", Value.integer(0)), ("+0", .integer(0)), ("-0", .integer(0)), ("-5", .integer(-5)),
      ("115_200", .integer(115_200)), ("1_2_3", .integer(123)), ("+99", .integer(99)),
      ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
      ("0x1F", .integer(31)), ("0xdead_BEEF", .integer(0xDEAD_BEEF)), ("0o17", .integer(15)),
      ("0b1_0", .integer(2)), ("0x00", .integer(0)), ("0x7fffffffffffffff", .integer(.max)),
      ("0.25", .number(0.25)), ("-0.0", .number(-0.0)), ("+1.5", .number(1.5)),
      ("1e3", .number(1_000)), ("1E+03", .number(1_000)), ("6.5e-1", .number(0.65)),
      ("1_0.2_5e1_0", .number(10.25e10)), ("0e0", .number(0)), ("1e400", .number(.infinity)),
      ("inf", .number(.infinity)), ("+inf", .number(.infinity)), ("-inf", .number(-.infinity)),
    ])
  func reads(_ text: String, _ value: Value) throws {
    #expect(TOMLNumber(Array(text.utf8)[...])?.value == value)
  }

  @Test("nan is a number with or without a sign", arguments: ["nan", "+nan", "-nan"])
  func notANumber(_ text: String) {
    guard case .number(let number) = TOMLNumber(Array(text.utf8)[...])?.value else {
      Issue.record("not read")
      return
    }
    #expect(number.isNaN)
  }

  @Test(
    "other words are not numbers",
    arguments: [
      "", "+", "-", "01", "-01", "00", "1_", "_1", "1__2", "1.", ".1", "1.e2", "1._5", "1_.5", "1e",
      "1e+", "1e_1", "1e1.5", "1.2.3", "01.5", "0_1", "0x", "0x_1", "0x1_", "0xg", "0X1", "0o8",
      "0b2", "+0x1", "-0b1", "99999999999999999999", "9223372036854775808", "-9223372036854775809",
      "0x8000000000000000", "Inf", "NaN", "infinity", "++1", "1f", "0x1.8p1",
    ])
  func refuses(_ text: String) {
    #expect(TOMLNumber(Array(text.utf8)[...])?.value == nil)
  }
}
