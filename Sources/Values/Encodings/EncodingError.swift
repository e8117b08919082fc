import TextTools

/// The reason why text cannot be converted.
public enum EncodingError: Error, Hashable, Sendable {
  /// The word cannot be the name of an encoding.
  case notName(String)
  /// The C library does not know the name. The value is the nearest common name; nil if there
  /// is none.
  case unknown(String, nearest: String?)
  /// The encoding exists, and this system's C library has no file with its converter.
  case missing(String)
  /// The C library's converter of the encoding has errors.
  case broken(String)
  /// Another error of iconv_open(3): the value is errno.
  case system(String, CInt)
}

extension EncodingError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notName(let name): "'\(name.harmless)' cannot be the name of an encoding"
    case .unknown(let name, let nearest?): "unknown encoding \(name); did you mean \(nearest)?"
    case .unknown(let name, nil): "unknown encoding \(name); iconv -l lists those of this system"
    case .missing(let name):
      "this system's C library has no converter for \(name) (Debian, Ubuntu: apt install "
        + "libc-gconv-modules-extra; Fedora: dnf install glibc-gconv-extra)"
    case .broken(let name):
      "\(name) is not supported: the C library's converter has errors"
    case .system(let name, let number): "cannot convert \(name): error \(number) of iconv_open"
    }
  }
}
