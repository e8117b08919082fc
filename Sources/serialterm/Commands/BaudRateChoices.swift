import SerialCore
import TerminalFrontEnd
import TerminalUI

/// The choice of a baud rate: the usual rates, or any typed number.
enum BaudRateChoices {
  static let usual: [UInt32] = [
    115_200, 9_600, 300, 600, 1_200, 2_400, 4_800, 19_200, 38_400, 57_600, 230_400, 250_000,
    460_800, 500_000, 921_600, 1_000_000, 1_500_000, 2_000_000, 3_000_000, 4_000_000,
  ]

  /// The rates, with the present one marked. If the typed text is not a rate, it becomes a choice without a value.
  static func choices(typed: String, now: UInt32) -> [Choice<UInt32?>] {
    let rates = usual.contains(now) ? usual : [now] + usual
    let listed = rates.map { Choice<UInt32?>($0, "\($0)", isCurrent: $0 == now) }
    guard !typed.isEmpty, !rates.contains(where: { "\($0)" == typed }) else { return listed }
    do throws(LineSettings.ParsingError) {
      let rate = try LineSettings.baudRate(parsing: typed)
      return [Choice<UInt32?>(id: rate, title: typed, detail: "if the driver takes it")] + listed
    } catch {
      return listed + [Choice(id: nil, title: typed, refusal: "\(error)")]
    }
  }
}
