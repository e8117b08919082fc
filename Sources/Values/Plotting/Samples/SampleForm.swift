public import Patterns

/// What a line with numbers looks like.
///
/// Arduino's forms are those of its plotter's protocol
/// (https://github.com/arduino/Arduino/blob/master/build/shared/ArduinoSerialPlotterProtocol.md),
/// and Teleplot's are those of https://github.com/nesnes/teleplot. In all forms, a number is
/// decimal, with an optional sign, point and exponent; "nan" and "inf" are numbers too.
///
/// In values, labels, pairs and patterns, a comma that cannot separate is a decimal point. In the
/// first three, a tuple or a list of Python stands for its numbers.
public enum SampleForm: Hashable, Sendable {
  /// Numbers, separated by blanks, tabs, commas or semicolons. A line before them may have the
  /// names: those of CSV, or Arduino's labels without values.
  case values
  /// Arduino's labels: `a:1,b:2`. Blanks may follow the colon, and a unit the digits.
  case labels
  /// Teleplot: `>name:value`, `>name:ms:value;ms:value§unit|flags`.
  case teleplot
  /// Words `key=value`, or names of several words `the name = value`, anywhere in the line. A
  /// unit may follow the digits.
  case pairs
  /// A JSON object. The names of nested objects and the indices of arrays are joined with
  /// points: `imu.x`, `imu.0`.
  case json
  /// The named groups of a regular expression, each of which is a series. Without named groups, its
  /// first group, or the whole match, is the series "value".
  case pattern(Pattern)
}
