import Patterns
import TestSupport
import Testing

@testable import Plotting

@Suite(.timeLimit(.minutes(30))) struct SampleReaderTests {
  // MARK: Forms

  @Test(
    arguments: [
      // Values.
      ("1\n2\n3\n", ["value=1", "value=2", "value=3"]),
      ("1 2\n3 4\n5 6\n", ["value 1=1 value 2=2", "value 1=3 value 2=4", "value 1=5 value 2=6"]),
      (
        " 1, 2 \n3 ,4\n5,\t6\n",
        ["value 1=1 value 2=2", "value 1=3 value 2=4", "value 1=5 value 2=6"]
      ),
      ("1;2\n3;4\n5;6\n", ["value 1=1 value 2=2", "value 1=3 value 2=4", "value 1=5 value 2=6"]),
      (
        "1\t2\t\n3\t4\t\n5\t6\t\n",
        ["value 1=1 value 2=2", "value 1=3 value 2=4", "value 1=5 value 2=6"]
      ),
      (
        "1\t2 3\n4\t5 6\n7 8\t9\n",
        [
          "value 1=1 value 2=2 value 3=3", "value 1=4 value 2=5 value 3=6",
          "value 1=7 value 2=8 value 3=9",
        ]
      ),
      (
        "1,,3\n,5,6\n7,8,\n",
        [
          "value 1=1 value 2= value 3=3", "value 1= value 2=5 value 3=6",
          "value 1=7 value 2=8 value 3=",
        ]
      ),
      // The names of Arduino's plotter: labels without values, before or between the values.
      ("A:\tB:\n1\t2\n3\t4\n", ["A=1 B=2", "A=3 B=4"]),
      ("Label 1 :, Label 2:\nhello\n1,2\n3,4\n", ["Label 1=1 Label 2=2", "Label 1=3 Label 2=4"]),
      ("Label 1:\n10\n11\n", ["Label 1=10", "Label 1=11"]),
      (
        "1 2\n3 4\n5 6\nA: B:\n7 8\n",
        [
          "value 1=1 value 2=2", "value 1=3 value 2=4", "value 1=5 value 2=6", "A=7 B=8",
        ]
      ),
      // The names of CSV.
      ("a,b\n1,2\n3,4\n", ["a=1 b=2", "a=3 b=4"]), ("a\tb\n1\t2\n3\t4\n", ["a=1 b=2", "a=3 b=4"]),
      ("a b\n1 2\n3 4\n", ["a=1 b=2", "a=3 b=4"]),
      ("Start\n\"air temp\";b [m/s]\n1;2\n3;4\n", ["air temp=1 b[m/s]=2", "air temp=3 b[m/s]=4"]),
      ("t (°C),n (2)\n1,2\n3,4\n", ["t[°C]=1 n (2)=2", "t[°C]=3 n (2)=4"]),
      (",x\n0,1\n1,2\n", ["value 1=0 x=1", "value 1=1 x=2"]),
      ("x,x\n0,1\n1,2\n", ["x=0 x 2=1", "x=1 x 2=2"]),
      ("a,b,\n1,2,\n3,4,\n", ["a=1 b=2", "a=3 b=4"]),
      ("a,b\n1,\n2,\n3,4\n", ["a=1 b=", "a=2 b=", "a=3 b=4"]),
      (
        "1,2\n3,4\n5,6\na,b\n7,8\n",
        ["value 1=1 value 2=2", "value 1=3 value 2=4", "value 1=5 value 2=6", "a=7 b=8"]
      ),
      ("a,b\n1,2\n3,4\nToo hot, stopping\n5,6\n", ["a=1 b=2", "a=3 b=4", "a=5 b=6"]),
      // Labels.
      ("a:1,b:2\na:3,b:4\n", ["a=1 b=2", "a=3 b=4"]),
      ("a: 1\tb: 2\na:\t3\tb: 4\n", ["a=1 b=2", "a=3 b=4"]),
      ("A1: 5\nA1: 6\n", ["A1=5", "A1=6"]), ("a:1 b:2\na:3 b:4\n", ["a=1 b=2", "a=3 b=4"]),
      (
        "Label 1:1 Label 2:2\nLabel 1:3 Label 2:4\n",
        ["Label 1=1 Label 2=2", "Label 1=3 Label 2=4"]
      ),
      (
        "t:25.3C,h : 40.00 %\nt:25.4C,h : 41.00 %\n",
        ["t[C]=25.3 h[%]=40.00", "t[C]=25.4 h[%]=41.00"]
      ),
      (
        "T: 25.3°C; v: 3 m/s2\nT: 25°C\nT: 26 ; v: 4\n",
        ["T[°C]=25.3 v[m/s2]=3", "T[°C]=25", "T[°C]=26 v[m/s2]=4"]
      ),
      ("t:1\nh:2\nt:3\nh:4\n", ["t=1", "h=2", "t=3", "h=4"]),
      (
        "Hum: 40.00 % Temp: 25.00 *C\nHum: 41.00 % Temp: 26.00 *C\n",
        ["Hum[%]=40.00 Temp[*C]=25.00", "Hum[%]=41.00 Temp[*C]=26.00"]
      ),
      (
        "t: 1 C  5V rail: 2 V\nt: 3 C  5V rail: 4 V\n",
        ["t[C]=1 5V rail[V]=2", "t[C]=3 5V rail[V]=4"]
      ),
      // Teleplot.
      (">a:1\nlog a:2\n>b:-3e2|g\n", ["a=1", "b=-3e2"]),
      (">a:1§km²\n>a:2§km²|np\n", ["a[km²]=1", "a[km²]=2"]),
      (">a:5000:1\n>a:6000:2\n", ["a=1@0", "a=2@1"]), (">a:1;2;\n", ["a=1", "a=2"]),
      (">a:5000:1;6000:2;6500:3§rad\n", ["a[rad]=1@-1.5", "a[rad]=2@-0.5", "a[rad]=3@0"]),
      (
        ">a:x|t\n>a:1|t\n>a:1:2|xy\n>a:1:2|np,xy\n>:log\n>5:log\n>a:1:m/s\n>> x:1\n>a|b:1\n>a:\n> x:1\n>a:7\n",
        ["a=7"]
      ),
      // Pairs.
      ("t=1 h=2\nt=3 h=4\n", ["t=1 h=2", "t=3 h=4"]),
      ("I (312) app: t=1.5C, n=3;\nt=2C n=4\n", ["t[C]=1.5 n=3", "t[C]=2 n=4"]),
      ("level=info msg=\"a=1 b=2\" t=1\nlevel=warn msg=\"\" t=2\n", ["t=1", "t=2"]),
      ("x = 1\nx = 2\n", ["x=1", "x=2"]), ("[t=1] (h=2)\n[t=3] (h=4)\n", ["t=1 h=2", "t=3 h=4"]),
      ("a[0]=1|b.c=2\na[0]=3|b.c=4\n", ["a[0]=1 b.c=2", "a[0]=3 b.c=4"]),
      // JSON.
      (
        #"{"t":1,"imu":{"x":-2,"a":[3,[4.5]]},"s":"x","n":null,"b":true}"# + "\n{}\n"
          + #"{"t":5,"imu":{"x":6,"a":[7,[8]]}}"# + "\n",
        ["t=1 imu.x=-2 imu.a.0=3 imu.a.1.0=4.5", "t=5 imu.x=6 imu.a.0=7 imu.a.1.0=8"]
      ),
      (
        #" { "a\u00b0\"" : 1e3 , "b" : [ ] , "c" : NaN } "# + "\n" + #"{"a°\"":2,"c":3}"# + "\n",
        ["a°\"=1e3 c=NaN", "a°\"=2 c=3"]
      ),
    ] as [(String, [String])])
  func formsAreFound(_ text: String, _ rows: [String]) {
    #expect(Readings(text).rows == rows)
  }

  @Test(arguments: [
    ("ADC analog value = 1842", "ADC analog value=1842"),
    ("ADC millivolts value = 1610", "ADC millivolts value=1610"),
    ("ADC value= 1", "ADC value=1"), ("ADC value =1", "ADC value=1"),
    ("sensor = 512\t output = 127", "sensor=512 output=127"),
    ("Channel 1 = 5, Channel 2 = 6", "Channel 1=5 Channel 2=6"),
    ("5V = 5.1; 3.3V = 3.2", "5V=5.1 3.3V=3.2"),
    ("Sensor value = 512   voltage = 2.50", "Sensor value=512 voltage=2.50"),
    ("Supply = 3.3 V Current = 0.5 A", "Supply[V]=3.3 Current[A]=0.5"),
    ("U = 1 V = 2", "U=1 V=2"), ("a = 1   b  = 2", "a=1 b=2"),
    ("air = 40 % water level = 3 % (full)", "air[%]=40 water level[%]=3"),
    ("ADC (raw) = 512 ADC (mV) = 300", "ADC (raw)=512 ADC (mV)=300"),
    ("max temp = 5 min temp = 3", "max temp=5 min temp=3"),
    // Values that are no numbers are no part of the next name.
    ("state = idle temp = 5", "temp=5"), ("addr = 0x1F size = 5", "size=5"),
    ("msg = \"a b = 1\" temp = 5", "temp=5"), ("x = y=3", "y=3"), ("5 = 3 temp = 7", "temp=7"),
    // The word before is the key if no blank is beside the sign.
    ("wifi connected rssi=-60 channel=6", "rssi=-60 channel=6"),
    ("power on battery=1V, load level = 2", "battery[V]=1 load level=2"),
    // What logs have before their messages is no name.
    ("[12.3] I (345) tag: x = 1", "x=1"), ("[12.3] I (345) x = 1", "x=1"),
    ("12:34:56.789 -> ADC value = 1", "ADC value=1"), ("12:34:56.789 ADC value = 1", "ADC value=1"),
    ("1234 ADC value = 1", "ADC value=1"), ("[ 1234][I][main.cpp:12] loop(): x = 1", "x=1"),
    ("[INFO] ADC value = 1", "ADC value=1"), ("I (345) tag: ADC 1 = 1 ok", "ADC 1=1"),
    ("<inf> main: a = 1 - b = 2", "a=1 b=2"), ("%CPU = 1", "%CPU=1"), ("1.5s x = 1", "x=1"),
    ("INFO temp = 5", "temp=5"), ("2024-01-01 12:00:01 INFO temp = 5", "temp=5"),
    ("app WARNING air temp = 5", "air temp=5"), ("INFO = 5", "INFO=5"),
    ("error count = 5", "error count=5"), ("12:00:01 W temp = 5", "temp=5"),
    ("[12] E air temp = 5", "air temp=5"), ("(7) D x = 5", "x=5"), ("I load = 5", "I load=5"),
    ("the V in = 5", "the V in=5"), ("12:00:01 A phase = 5", "A phase=5"),
    // Neither is what counts lines.
    ("Packet 17 received rssi = -45", "received rssi=-45"), ("Sample 1 temp = 20.5", "temp=20.5"),
    ("Loop #17 x = 5", "x=5"), ("I (325) main: Loop 17 x = 5", "x=5"),
    ("After 5 min temp = 20.5", "min temp=20.5"), ("t12 alt = 5", "alt=5"), ("t1 alt = 5", "alt=5"),
    ("12ms alt = 5", "alt=5"), ("0x1a2b reg = 5", "reg=5"), ("Loop17 x = 5", "x=5"),
    ("5V rail = 5.1", "rail=5.1"), ("PM2.5 level = 3", "level=3"), ("a_1b level = 3", "level=3"),
    ("Loop 17 channel 1 = 5", "channel 1=5"),
    ("ADC1 value = 5 ADC2 value = 6", "ADC1 value=5 ADC2 value=6"),
    ("Room CO2 level = 5", "Room CO2 level=5"),
    // A word after a number is a unit if it is known as one.
    ("Temp is = 5 now", "Temp is=5"), ("Temp is = 5 now, x = 1", "Temp is=5 x=1"),
    ("Temp = 5 degC", "Temp[degC]=5"), ("T = 5 °C now", "T[°C]=5"), ("T = 5 ms (x)", "T[ms]=5"),
  ])
  func namesBeforeAnEqualsSign(_ line: String, _ row: String) {
    #expect(Readings(line + "\n", form: .pairs).rows == [row])
    #expect(Readings(line + "\n" + line + "\n").rows == [row, row])
  }

  @Test(
    arguments: [
      (nil, "Strom = 11,25 mA\n", ["Strom[mA]=11,25"]),
      (nil, "Strom: 11,25 mA\n", ["Strom[mA]=11,25"]),
      (nil, "Temp: 21,5 °C\n", ["Temp[°C]=21,5"]),
      (nil, "t: 21,5 C, h: 40 %\n", ["t[C]=21,5 h[%]=40"]),
      (nil, "t: 21,5, h: -0,25\n", ["t=21,5 h=-0,25"]),
      (nil, "24.12.2025 12:00:01.5 v1.2 I = 0,5 A\n", ["I[A]=0,5"]),
      (nil, "11,25;3,5\n", ["value 1=11,25 value 2=3,5"]),
      (nil, "1,5;;2,5\n", ["value 1=1,5 value 2= value 3=2,5"]),
      (nil, "1,250;-3,125\n", ["value 1=1,250 value 2=-3,125"]),
      (nil, "1,250\t3\n", ["value 1=1,250 value 2=3"]),
      (nil, "11,25\t3,5\n", ["value 1=11,25 value 2=3,5"]),
      (nil, "11,25 3\n", ["value 1=11,25 value 2=3"]),
      (nil, "1,5\t2,5\t\n", ["value 1=1,5 value 2=2,5"]),
      (nil, "1,5e3 -2,5E-1\n", ["value 1=1,5e3 value 2=-2,5E-1"]),
      // Where a comma can separate, it does.
      (nil, "1,2\n", ["value 1=1 value 2=2"]),
      (nil, "1,5,2,5\n", ["value 1=1 value 2=5 value 3=2 value 4=5"]),
      (nil, "t:1,5V rail:2\n", ["t=1 5V rail=2"]), (nil, "t=1,5V=2\n", ["t=1 5V=2"]),
      (nil, "pos=120,45 z=3\n", ["pos=120 z=3"]), (nil, "CSQ=17,99\n", ["CSQ=17"]),
      (nil, "t=21,5C h=40,25\n", ["t=21 h=40"]), (nil, "pos:120,45 z:3\n", []),
      (nil, "Temperatur:21,5\n", ["Temperatur=21,5"]),
      // Where it may separate thousands, there is no number.
      (nil, "heap = 1,000 free = 5\n", ["free=5"]), (.pairs, "a = -999,999,999\n", []),
      (.pairs, "a = 1,234.5\n", []), (nil, "heap: 1,000\n", []), (nil, "100,200 300,400\n", []),
      (nil, "U = 0,125 V\n", ["U[V]=0,125"]), (nil, "a = 1234,567\n", ["a=1234,567"]),
      (nil, "a = 1,2345\n", ["a=1,2345"]),
      // Points are decimal points, and commas are not.
      (nil, "a = 1,25 b = 2.5\n", ["a=1 b=2.5"]), (nil, "a: 1,25 b: 2.5\n", []),
      (nil, "1,5;;2.5\n", []), (nil, "1,5 2.5\n", []),
      (nil, "a=1,b=2\n", ["a=1 b=2"]), (nil, "a=1,2,3 b=2\n", ["a=1 b=2"]),
      (nil, "(1,2)\n", ["value 1=1 value 2=2"]),
      (nil, "1,2,3 4\n", []),
      (nil, "1.234,5 1\n", []), (nil, "a: 1,2,3\n", []), (nil, "a: 1,234.5\n", []),
      (.json, "{\"a\":1,5}\n", []),
    ] as [(SampleForm?, String, [String])])
  func aCommaThatCannotSeparateIsADecimalPoint(
    _ form: SampleForm?, _ line: String, _ rows: [String]
  ) {
    let readings = Readings(line + line + line, form: form)
    #expect(readings.rows == rows + rows + rows)
    for (text, value) in zip(readings.digits.joined(), readings.values) where !text.isEmpty {
      #expect(Double(text.replacing(",", with: "."))?.bitPattern == value.bitPattern)
    }
  }

  @Test func aNumberThatGrowsBeyondAThousand_isNotReadAsAFraction() {
    #expect(
      Readings("heap = 999\nheap = 1,000\nheap = 998\n", form: .pairs).rows == [
        "heap=999", "heap=998",
      ])
  }

  @Test func aCount_isNoSeriesOfItsOwn() {
    let lines = (1...40).map { "Packet \($0) received rssi = -\($0)\n" }
    let readings = Readings(lines.joined())
    #expect(readings.rows.count == 40 && readings.reader.series.map(\.name) == ["received rssi"])
  }

  @Test func aNumberWithAComma_amongNumbersThatAreAlone_isNoNumber() {
    #expect(
      Readings("1\n2\n3\n4,5\n6\n").rows.map { $0 } == ["value=1", "value=2", "value=3", "value=6"])
  }

  @Test func aLongNumberWithACommaIsThatOfItsDigits() {
    #expect(
      Readings("a = 0,12345678901234567891\n", form: .pairs).values == [0.12345678901234567891])
  }

  @Test(arguments: [
    ("(1.0, -2.0)", "value 1=1.0 value 2=-2.0"), ("(1, 2, 3)", "value 1=1 value 2=2 value 3=3"),
    ("[5]", "value=5"), ("(5,)", "value=5"), ("[1, 2]", "value 1=1 value 2=2"),
    ("[ 1.  2.]", "value 1=1. value 2=2."), ("((1, 2), [3])", "value 1=1 value 2=2 value 3=3"),
    ("(0.1, 9.8) (1, 2)", "value 1=0.1 value 2=9.8 value 3=1 value 4=2"),
    ("25.3 (1, 2)", "value 1=25.3 value 2=1 value 3=2"),
    ("12, [1,2]", "value 1=12 value 2=1 value 3=2"),
    ("[1];[2]", "value 1=1 value 2=2"),
    ("Accel: (0.1, 9.8, 0.3)", "Accel.0=0.1 Accel.1=9.8 Accel.2=0.3"),
    ("t: 25.3 Accel: (0.1, 9.8) m/s2", "t=25.3 Accel.0[m/s2]=0.1 Accel.1[m/s2]=9.8"),
    ("x:[5], y:[1,2]", "x=5 y.0=1 y.1=2"), ("x=1 acc=(1, -2) y=3", "x=1 acc.0=1 acc.1=-2 y=3"),
    ("Euler angle = [1 2] deg", "Euler angle.0[deg]=1 Euler angle.1[deg]=2"),
    ("Point(x=1, y=2)", "x=1 y=2"),
  ])
  func listsOfPython(_ line: String, _ row: String) {
    #expect(Readings("\(line)\n\(line)\n\(line)\n").rows == [row, row, row])
  }

  @Test(arguments: [
    "(1, 2", "1, 2)", "[1, 2)", "(1)2", "1(2)", "[]", "()", "(1,,2)", "(,1)", "(None, 1)", "a: []",
    "a: (1", "a=(x)",
    "a: (1)2", "[1, 2] ok",
    String(repeating: "[", count: 9) + "1" + String(repeating: "]", count: 9),
  ])
  func otherBracketsAreNoLists(_ line: String) {
    for form in [nil, .labels, .pairs] as [SampleForm?] {
      #expect(Readings("\(line)\n\(line)\n\(line)\n", form: form).rows == [])
    }
  }

  @Test(
    arguments: [
      (.values, "1\n", ["value=1"]),
      (.values, "x: 1\n2,3\n4,5\n", ["value 1=2 value 2=3", "value 1=4 value 2=5"]),
      (.labels, "t: 1\n2\nx t: 3\n5 t: 4\n", ["t=1", "x t=3"]), (.teleplot, "a:1\n>a:2", ["a=2"]),
      (.pairs, "t=1\nt:2\n{\"t\":3}\n", ["t=1"]), (.json, "t=1\n{\"t\":3}", ["t=3"]),
    ] as [(SampleForm, String, [String])])
  func aChosenFormCountsFromTheFirstLine(_ form: SampleForm, _ text: String, _ rows: [String]) {
    #expect(Readings(text, form: form).rows == rows)
  }

  @Test(
    arguments: [
      (
        #"T(?<t>\S+) H(?<h>\S+)"#, "T1 H2\nTx H3\n- T4.5C H5 T6 H7\n",
        ["t[C]=1 h=2", "h=3", "t[C]=4.5 h=5"]
      ),
      (#"(?<t>[^,]*),(x)"#, " 1 ,x\n", ["t=1"]), (#"T=(\S+)"#, "T=1\nU=2\n", ["value=1"]),
      (#"\d+"#, "a 12 b 3\n", ["value=12"]),
      (#"T=[-0-9.]+"#, "x T=-4.5 y 3\n", ["value=-4.5"]),
      (#"CH1: \S+"#, "CH1: 25C\n", ["value[C]=25"]), (#"\d+/\d+"#, "1/2\n", []),
      (#"t=(?<t>\d+)|h=(?<h>\d+)"#, "t=1\nh=2\n", ["t=1", "h=2"]),
    ])
  func groupsOfAnExpressionAreSeries(_ regex: String, _ text: String, _ rows: [String]) throws {
    let form = SampleForm.pattern(try Pattern(parsing: regex, capturing: true))
    #expect(Readings(text, form: form).rows == rows)
  }

  @Test(
    arguments: [
      "1", "+1", "-1", ".5", "-.5", "5.", "1e5", "1E-5", "1e308", "1.5e+3", "0", "-0.0", "007",
      "123456789012345678901234567890", "0.1", "2.2250738585072014e-308", "5e-324", "1e400",
      "9007199254740993",
      "179769313486231570000000000000000000000", "0.000000000000000000000000000001",
      "3.14159265358979323846", "1e-400",
    ])
  func numbersAreThoseOfSwift(_ text: String) throws {
    let bytes = Array("\(text) ".utf8)
    let found = try #require(bytes.withUnsafeBytes { NumberText.number(in: $0, from: 0) })
    #expect(found.end == text.utf8.count)
    #expect(found.value.bitPattern == Double(text)?.bitPattern)
  }

  @Test(arguments: [
    ("nan", "nan"), ("NaN", "nan"), ("-nan", "nan"), ("inf", "inf"), ("+INF", "inf"),
    ("-Infinity", "-inf"),
  ])
  func wordsForNumbers(_ text: String, _ value: String) throws {
    let bytes = Array("\(text),".utf8)
    let found = try #require(bytes.withUnsafeBytes { NumberText.number(in: $0, from: 0) })
    #expect("\(found.value)" == value && found.end == text.utf8.count)
  }

  @Test(arguments: [
    "", "-", ".", "+.", "e5", "0x1F", "0X1", "info", "nano", "inf_1", "--1", "+-1", "x",
    String(repeating: "1", count: 600),
  ])
  func wordsThatAreNoNumbers(_ text: String) {
    let found = Array(text.utf8).withUnsafeBytes { NumberText.number(in: $0, from: 0) }
    #expect(found == nil)
  }

  @Test(arguments: [
    ("t=12ab34", "pairs"), ("t=1x2x3", "pairs"), ("12:30:45", "labels"), ("a:1.2.3", "labels"),
    ("v=1.2.3", "pairs"),
    ("a:1-2", "labels"), ("a:1,a:2", "labels"), ("a=1 a=2", "pairs"), ("a:1,b", "labels"),
    ("t: 24.0°C 75.2°F  h: 23.9°C", "labels"),
    ("3 t:1", "labels"),
    ("[1.5] t:1", "labels"), ("http://h/?a=1&b=2", "pairs"), ("x==3", "pairs"), ("=3", "pairs"),
    ("5=3", "pairs"),
    (#"{"a":1"#, "json"), (#"{"a":1}x"#, "json"), (#"{"a":1,}"#, "json"),
    (#"{"a":1 "b":2}"#, "json"),
    (#"{"a":1,"a":2}"#, "json"), (#"{"a":"b"}"#, "json"), (#"{"a":01x}"#, "json"),
    ("[1,2]", "json"), (#"{"a\x":1}"#, "json"),
    (#"{"a":"#, "json"), (#"{"a"#, "json"),
    ("{\"a\":" + String(repeating: "[", count: 100), "json"),
  ])
  func linesThatDoNotFitAreSkipped(_ line: String, _ form: String) {
    let forms: [String: SampleForm] = ["labels": .labels, "pairs": .pairs, "json": .json]
    let readings = Readings(line + "\n" + line + "\n", form: forms[form])
    #expect(readings.rows == [])
    #expect(readings.reader.skippedLineCount == 2)
  }

  // MARK: Finding the form

  @Test(arguments: [Logs.esp32, Logs.uBoot, Logs.linux, Logs.shell])
  func bootLogsGiveNothing(_ log: String) {
    let readings = Readings(log)
    #expect(readings.rows == [])
    #expect(readings.reader.form == nil && readings.reader.inWords == nil)
    #expect(readings.reader.skippedLineCount > 5)
  }

  @Test func numbersAfterABootLogAreFoundWithTheirFirstLine() {
    let readings = Readings(Logs.esp32 + "t:1,h:2\nt:3,h:4\nt:5,h:\nt:7,h:8\n")
    #expect(readings.rows == ["t=1 h=2", "t=3 h=4", "t=7 h=8"])
    #expect(readings.times == [13, 14, 16])
  }

  @Test func aPartOfALineAtTheBeginningIsNoSeries() {
    #expect(
      Readings("mp:25,hum:40\ntemp:25,hum:41\ntemp:26,hum:42\n").rows == [
        "temp=25 hum=41", "temp=26 hum=42",
      ])
    #expect(Readings("5\n1,2\n3,4\n5,6\n").rows.first == "value 1=1 value 2=2")
  }

  @Test(arguments: [
    "1\n2\n", "a,b\n1,2\n", "1,2\n3\n4,5\n", "1,2\n3;4\n5 6\n", "a=1\n", "a:1\nb:1\n",
  ])
  func fewLinesGiveNothing(_ text: String) {
    #expect(Readings(text).reader.form == nil)
  }

  @Test(arguments: [
    (#""a,b","say ""hi""""#, ["a,b", #"say "hi""#]), (#" "a;b" , c"#, ["a;b", "c"]),
    (#""x: y [V]",b"#, ["x: y", "b"]), ("A: temp,B: temp [C]", ["A: temp", "B: temp"]),
    ("/dev/a: x,b", nil), ("a: 1,b: 2", nil), ("a:,b:c", nil), (#""1","2""#, nil),
    (#""a",b""#, nil), (#""a,b"#, nil), (#""a"b,c"#, nil), (#""a": x,"b""#, nil),
    (#""",b"#, ["", "b"]),
  ])
  func namesOfColumns_areQuoted_orHaveThatOfThePort(_ header: String, _ names: [String]?) {
    let columns = Array(header.utf8).withUnsafeBytes {
      LineFields.columnHeader($0)?.columns.map { String(decoding: $0.name, as: UTF8.self) }
    }
    #expect(columns == names)
  }

  @Test func aTableOfSerialterm_isReadWithItsNames() {
    let text = "A: t [C],\"B: x,y\"\n1,\n,2\n3,\n"
    let reader = Readings(text, form: .values).reader
    #expect(reader.series == [SeriesName("A: t", unit: "C"), SeriesName("B: x,y")])
  }

  @Test func textBetweenValuesIsNoHeader() {
    #expect(Readings("a,b\n1,2\n3,4\nError,restart\n5,6\n").rows.last == "a=5 b=6")
    #expect(Readings("1,2\n3,4\n5,6\nToo hot, stopping\n7,8\n").rows.last == "value 1=7 value 2=8")
    #expect(Readings("1 2\n3 4\n5 6\nToo hot\n7 8\n").rows.last == "value 1=7 value 2=8")
  }

  @Test func aNameThatIsThereTwiceDoesNotFit() {
    #expect(Readings("a:1\na:2,a:3\nb:4,b:5\na:6\n", form: .labels).rows == ["a=1", "a=6"])
  }

  @Test func textBetweenPairsNeedsAThirdLine() {
    #expect(Readings("t=1\nx\nt=2\n").rows == [])
    #expect(Readings("t=1\nx\nt=2\nx\nt=3\n").rows == ["t=1", "t=2", "t=3"])
    #expect(Readings("t=1\nh=1\nt=2\n").rows == ["t=1", "h=1", "t=2"])
  }

  @Test func aFormThatDoesNotFitAnyMoreIsReplaced() {
    var text = "a=1\na=2\n"
    for number in 0..<25 { text += "\(number),\(number)\n" }
    let readings = Readings(text)
    #expect(readings.rows.prefix(3) == ["a=1", "a=2", "value 1=0 value 2=0"])
    #expect(readings.rows.count == 27)
    #expect(readings.reader.form == .values)
    #expect(readings.reader.series.map(\.name) == ["a", "value 1", "value 2"])
    // A chosen form stays.
    #expect(Readings(text, form: .pairs).rows == ["a=1", "a=2"])
  }

  @Test func aFormThatStillFitsIsNotReplaced() {
    var text = "a=1\na=2\n"
    for number in 0..<100 { text += number % 19 == 18 ? "a=3\n" : "\(number),\(number)\n" }
    let readings = Readings(text)
    #expect(readings.reader.form == .pairs)
    #expect(readings.reader.skippedLineCount == 95)
  }

  @Test(
    arguments: [
      ("a,b\n1,2\n3,4\n", "CSV with header, 2 series"), ("1,2\n3,4\n5,6\n", "CSV, 2 series"),
      ("a\n1\n2\n", "one value a line with header, 1 series"),
      ("1\t2\n1\t2\n1\t2\n", "values separated by tabs, 2 series"),
      ("a=1\na=1\n", "key=value, 1 series"),
      ("a:1\na:1\n", "label:value, 1 series"), (">a:1\n", "Teleplot, 1 series"),
      ("{\"a\":1}\n{\"a\":1}\n", "JSON, 1 series"),
      ("x\n", nil),
    ] as [(String, String?)])
  func whatWasFoundIsSaidInWords(_ text: String, _ words: String?) {
    #expect(Readings(text).reader.inWords == words)
  }

  // MARK: Lines

  @Test(arguments: ["\n", "\r", "\r\n"])
  func lineEnds_inPiecesOfAnyLength(_ end: String) {
    let text = ["Boot", "t,h", "1,2", "", "3,4", "x", "5,6"].map { $0 + end }.joined()
    for length in [1, 2, 3, 5, 1_000] {
      let readings = Readings(text, pieces: length)
      #expect(readings.rows == ["t=1 h=2", "t=3 h=4", "t=5 h=6"])
      // A CR in an empty line ends none.
      let isReturn = end == "\r"
      #expect(readings.reader.lineCount == (isReturn ? 6 : 7))
      #expect(readings.reader.skippedLineCount == 2)
      #expect(readings.times == (isReturn ? [2, 3, 5] : [2, 4, 6]))
    }
  }

  @Test func escapeSequencesAreRemoved() {
    let readings = Readings("\u{1B}[32mt=1\u{1B}[0m h=\u{07}2\n\u{1B}]0;x=9\u{07}t=3 h=4\n")
    #expect(readings.rows == ["t=1 h=2", "t=3 h=4"])
  }

  @Test func theLastLineCountsWhenTheFileEnds() {
    #expect(Readings("t=1\nt=2\nt=3").rows == ["t=1", "t=2", "t=3"])
  }

  @Test func aLostPortDoesNotJoinLines() {
    var reader = SampleReader(.pairs)
    var values: [Double] = []
    for piece in ["a=1\na=2", "5\na=6\n"] {
      Array(piece.utf8).withUnsafeBytes {
        reader.read($0, at: 0) { values += $0.samples.map(\.value) }
      }
      reader.forgetLine()
    }
    #expect(values == [1, 6])
  }

  @Test func longLinesAreSkipped_inBoundedMemory() {
    let most = String(repeating: "x", count: SampleReader.maximalLineLength - 4)
    let text = "t=1\n\(most) t=2\n\(most)xx t=3\n\(String(repeating: most, count: 16)) t=4\nt=5\n"
    for length in [100, 10_000_000] {
      let readings = Readings(text, form: .pairs, pieces: length)
      #expect(readings.digits == [["1"], ["2"], ["5"]])
      #expect(readings.reader.lineCount == 5 && readings.reader.skippedLineCount == 2)
    }
  }

  @Test func tooManyNamesAreCounted() {
    var text = ""
    for number in 0..<10_000 { text += "n\(number)=1 a=\(number)\n" }
    let readings = Readings(text, form: .pairs, limit: 8)
    #expect(readings.reader.series.map(\.name) == ["n0", "a", "n1", "n2", "n3", "n4", "n5", "n6"])
    #expect(readings.rows.count == 10_000)
    #expect(readings.reader.omittedValueCount == 10_000 - 7)
  }

  @Test func tooManyColumnsAreCounted() {
    let line = (0..<40).map { "\($0)" }.joined(separator: ",") + "\n"
    let readings = Readings(line + line + line)
    #expect(readings.reader.series.count == 32 && readings.reader.omittedValueCount == 24)
    #expect(readings.rows.count == 3)
  }

  @Test func namesOfADeviceAreHarmless() {
    let readings = Readings("{\"a\\u001b[2J\":1}\n", form: .json)
    #expect(readings.reader.series.map(\.name) == ["a\u{FFFD}[2J"])
  }

  @Test func oneNameWithTwoUnitsIsTwoSeries() {
    let readings = Readings("m=900kB\nm=1MB\nm=950kB\nm=2\n", form: .pairs)
    #expect(readings.reader.series == [SeriesName("m", unit: "kB"), SeriesName("m", unit: "MB")])
    #expect(readings.rows == ["m[kB]=900", "m[MB]=1", "m[kB]=950", "m[kB]=2"])
  }

  @Test func aUnitMayComeLater() {
    #expect(Readings("m=900\nm=1V\n", form: .pairs).reader.series == [SeriesName("m", unit: "V")])
  }

  // MARK: Times of the device

  @Test func timesOfTheDeviceAreMappedToOurs() {
    let text = ">a:1000:1\n>b:1100:1\n>a:1200:2\n>a:100:3\n>b:300:2\n>a:1e308:4\n"
    var reader = SampleReader()
    var times: [Double] = []
    for (number, line) in text.split(separator: "\n").enumerated() {
      Array("\(line)\n".utf8).withUnsafeBytes {
        reader.read($0, at: 50 + Double(number)) { times.append($0.time) }
      }
    }
    #expect(times.prefix(5).map { ($0 * 10).rounded() } == [500, 501, 502, 530, 532])
    #expect(times[5].isFinite)
  }

  // MARK: Decimal commas

  @Test(
    arguments: [
      ("1,2", 1.2), ("1,2,", 1.2), ("1,2.", 1.2), ("1,2;3", 1.2), ("1,", 1), ("1,x", 1),
      ("1,2,3", 1), ("1,2.3", 1),
    ] as [(String, Double)])
  func aCommaIsDecimalUnlessAnotherFollows(_ text: String, _ value: Double) {
    let number = Array(text.utf8).withUnsafeBytes {
      NumberText.number(in: $0, from: 0, decimalComma: .always)
    }
    #expect(number?.value == value)
  }

  // MARK: Random lines

  @Test(arguments: 0..<20 as Range<UInt64>)
  func digitsComeBackAsTheyWereSent(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for (form, line) in Generated.forms {
      let names = (0..<Int.random(in: 1...6, using: &random)).map { "n\($0)" }
      var (text, expected) = ("", [[String]]())
      for _ in 0..<50 {
        let numbers = names.map { _ in Generated.number(&random) }
        expected.append(numbers)
        text += line(zip(names, numbers).map { ($0, $1) }) + "\n"
      }
      let readings = Readings(text, form: form, pieces: Int.random(in: 1...100, using: &random))
      // A line of Teleplot's has one number.
      let found =
        form == .teleplot
        ? readings.digits.flatMap { $0 } == expected.flatMap { $0 } : readings.digits == expected
      #expect(found, "\(form), seed \(seed)")
      for (text, value) in zip(readings.digits.joined(), readings.values) {
        #expect(Double(text)?.bitPattern == value.bitPattern, "\(text)")
      }
    }
  }
}

/// What a reader finds in a text.
private struct Readings {
  var reader: SampleReader
  /// The rows as "name[unit]=digits", with the time of the device if the row has another time
  /// than its line.
  var rows: [String] = []
  var times: [Double] = []
  var digits: [[String]] = []
  var values: [Double] = []

  init(_ text: String, form: SampleForm? = nil, pieces length: Int = .max, limit: Int = 32) {
    reader = SampleReader(form, seriesLimit: limit)
    var found: [(time: Double, digits: [String], samples: [Sample])] = []
    func take(_ row: SampleRow) {
      found.append(
        (
          row.time, row.samples.map { String(decoding: row.line[$0.text], as: UTF8.self) },
          row.samples
        ))
    }
    let bytes = Array(text.utf8)
    let isTimed = text.contains(">")
    var start = 0
    while start < bytes.count {
      let end = length < bytes.count - start ? start + length : bytes.count
      bytes[start..<end].withUnsafeBytes { reader.read($0, at: isTimed ? 0 : nil, take) }
      start = end
    }
    reader.finish(take)
    times = found.map(\.time)
    digits = found.map(\.digits)
    values = found.flatMap { $0.samples.map(\.value) }
    rows = found.map { row in
      zip(row.samples, row.digits).map { sample, digits in
        let name = reader.series[sample.series]
        return name.name + (name.unit.map { "[\($0)]" } ?? "") + "=\(digits)"
      }.joined(separator: " ")
    }
    if text.contains(":5000:") {
      for index in rows.indices {
        let time = times[index]
        rows[index] += "@" + (time == time.rounded() ? "\(Int(time))" : "\(time)")
      }
    }
  }
}

private enum Generated {
  static let forms: [(SampleForm, @Sendable ([(String, String)]) -> String)] = [
    (.values, { $0.map(\.1).joined(separator: ",") }),
    (.values, { $0.map(\.1).joined(separator: " ") }),
    (.values, { $0.map(\.1).joined(separator: " \t") }),
    (.labels, { $0.map { "\($0):\($1)" }.joined(separator: "\t") }),
    (.labels, { $0.map { "\($0) : \($1)V" }.joined(separator: ", ") }),
    (.teleplot, { $0.map { ">\($0):\($1)" }.joined(separator: "\n") }),
    (.pairs, { "I: " + $0.map { "\($0)=\($1)" }.joined(separator: " and ") }),
    (.json, { "{" + $0.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}" }),
    (.json, { "{\"a\":[" + $0.map { "{\"\($0)\":\($1)}" }.joined(separator: ",") + "]}" }),
  ]

  static func number(_ random: inout SplitMix64) -> String {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return "\(Int.random(in: -1_000...1_000, using: &random))"
    case 1: return "\(Int64.random(in: .min ... .max, using: &random))"
    case 2: return "\(Double.random(in: -1...1, using: &random))"
    case 3:
      let value = Double(bitPattern: UInt64.random(in: 0...UInt64.max, using: &random))
      return value.isFinite ? "\(value)" : "0"
    case 4:
      let digits = (0..<Int.random(in: 1...40, using: &random)).map { _ in
        "\(Int.random(in: 0...9, using: &random))"
      }
      return digits.joined() + ["", ".", ".0", ".5e3", "E-7", "e+30"].randomElement(using: &random)!
    default:
      return ["-0.0", "+5", ".25", "5.", "1e400", "25.30", "007"].randomElement(using: &random)!
    }
  }
}

private enum Logs {
  static let esp32 = """
    ets Jul 29 2019 12:21:46

    rst:0x1 (POWERON_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)
    configsip: 0, SPIWP:0xee
    mode:DIO, clock div:2
    load:0x3fff0030,len:1184
    load:0x40078000,len:13104
    ho 0 tail 12 room 4
    entry 0x400805e4
    I (27) boot: ESP-IDF v5.1.2 2nd stage bootloader
    I (312) cpu_start: Pro cpu up.
    I (325) heap_init: At 3FFAE6E0 len 00001920 (6 KiB): DRAM
    Connecting to wifi...

    """

  static let uBoot = """
    U-Boot 2023.01+dfsg-2 (Jan 09 2023 - 12:00:00 +0000)

    CPU:   Freescale i.MX6Q rev1.5 996 MHz (running at 792 MHz)
    Reset cause: POR
    DRAM:  1 GiB
    Core:  78 devices, 19 uclasses, devicetree: separate
    MMC:   FSL_SDHC: 2, FSL_SDHC: 3
    Loading Environment from MMC... *** Warning - bad CRC, using default environment
    In:    serial
    Net:   eth0: ethernet@2188000
    Hit any key to stop autoboot:  2 \u{8}\u{8}\u{8} 1 \u{8}\u{8}\u{8} 0
    =>

    """

  static let linux = """
    [    0.000000] Linux version 6.1.0-18-armmp (debian-kernel@lists.debian.org) #1 SMP
    [    0.000000] Kernel command line: console=ttymxc0,115200 root=/dev/mmcblk1p2 loglevel=7
    [    0.000000] Dentry cache hash table entries: 131072 (order: 7, 524288 bytes, linear)
    [    0.000000] Inode-cache hash table entries: 65536 (order: 6, 262144 bytes, linear)
    [    0.000000] SLUB: HWalign=64, Order=0-3, MinObjects=0, CPUs=4, Nodes=1
    [    0.000000] rcu: RCU restricting CPUs from NR_CPUS=8 to nr_cpu_ids=4.
    [    0.001540] Calibrating delay loop (skipped), value calculated using timer frequency.. 6.00 BogoMIPS (lpj=12000)
    [    1.901234] usb usb1: New USB device found, idVendor=1d6b, idProduct=0002, bcdDevice= 6.01
    [    1.901240] usb usb1: New USB device strings: Mfr=3, Product=2, SerialNumber=1
    [    1.901250] usb usb1: Product: EHCI Host Controller
    [    1.961234] usb usb2: New USB device found, idVendor=1d6b, idProduct=0002, bcdDevice= 6.01
    [    1.961240] usb usb2: New USB device strings: Mfr=3, Product=2, SerialNumber=1
    [    1.961250] usb usb2: Product: EHCI Host Controller

    """

  static let shell = """
    root@board:~# ls -l
    total 8
    -rw-r--r-- 1 root root  123 Jan  1 00:00 a
    drwxr-xr-x 2 root root 4096 Jan  1 00:00 b
    root@board:~# uptime
     12:00:00 up 1 min,  load average: 0.10, 0.05, 0.01
    root@board:~# cat a
    PATH=/bin
    HOME=/root
    root@board:~# date
    Mon Jan  1 00:00:00 UTC 2024

    """
}
