import Testing

@testable import Loopback

@Suite(.timeLimit(.minutes(30))) struct LineStreamTests {
  @Test(arguments: [
    (0, 1, "0.0"), (5, 1, "0.5"), (-5, 1, "-0.5"), (253, 1, "25.3"), (-1_000, 3, "-1.000"),
    (7, 3, "0.007"), (-125, 3, "-0.125"),
  ])
  func decimal_putsThePoint(number: Int, places: Int, text: String) {
    #expect(decimal(number, places: places) == text)
  }

  @Test("a sensor has drift, noise, steps, values that are missing, and other lines in between")
  func sensor() {
    let readings = (0..<3_000).map(SensorReading.init)
    let temperatures = readings.map(\.temperature)
    #expect(temperatures.min()! < 2_210 && temperatures.max()! > 2_790)
    #expect(zip(temperatures, temperatures.dropFirst()).allSatisfy { abs($0 - $1) <= 20 })
    #expect(Set(readings[0..<5].map(\.temperature)).count > 2)
    let steps = [readings[0..<200], readings[200..<400]].map { $0.compactMap(\.humidity) }
    #expect(steps[0].allSatisfy { 407...413 ~= $0 } && steps[1].allSatisfy { 447...453 ~= $0 })
    #expect(60...180 ~= readings.count { $0.humidity == nil })
    #expect(readings.count { $0.notice != nil } == 20)
    #expect(readings == (0..<3_000).map(SensorReading.init))
  }

  @Test("a reading is one line of labels, without a value that is missing")
  func readings() {
    let texts = (0..<300).map { SensorReading($0).text }
    #expect(texts[0] == "temp:25.01\thumidity:41.2\r\n")
    #expect(texts[149] == "# wifi: reconnected\r\ntemp:28.08\thumidity:40.7\r\n")
    #expect(texts[13] == "temp:25.40\r\n")
    #expect(texts.allSatisfy { $0.hasSuffix("\r\n") && $0.contains("temp:2") })
  }
}
