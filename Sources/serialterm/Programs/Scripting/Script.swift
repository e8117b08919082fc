import Dialogues
import Sessions
import SystemPackage
import TextTools
import Time

/// A script that was read and is free of mistakes.
struct Script {
  /// The name of its file, for messages.
  let name: String
  let dialogue: Dialogue

  /// The default time limit of an expectation, if neither the script nor an option sets one.
  static let timeout = Duration.seconds(5)

  /// Reads a file, or standard input (`-`), to its end, and checks it. It may wait for a pipe.
  ///
  /// - Parameters:
  ///   - deadline: the time by which it must have been read; nil for none.
  ///   - followsTarget: whether the command line has the script after the target, so that a user
  ///     can swap them.
  /// - Throws: ``Failure``.
  init(
    reading path: String, by deadline: MonotonicTime? = nil, followsTarget: Bool = false
  ) throws(Failure) {
    let name = path == "-" ? "standard input" : path.harmless
    let bytes: [UInt8]
    do throws(InputFile.Problem) {
      bytes = try InputFile.read(path, atMost: Dialogue.largestScript, by: deadline)
    } catch {
      switch error {
      case .system(let error):
        throw Failure(.usage, "\(name): the script cannot be read (\(error)).")
      case .timedOut:
        throw Failure(.timedOut, "\(name): the script was not read to its end by the deadline.")
      case .tooLarge: throw Failure(.usage, "\(name) \(error.words): write several scripts.")
      case .device, .folder, .socket, .pipe:
        let advice = followsTarget ? " Did you swap SCRIPT and TARGET?" : ""
        throw Failure(.usage, "\(name) \(error.words), not a script.\(advice)")
      }
    }
    try self.init(name, bytes)
  }

  /// Checks that there are frames if the script expects any.
  ///
  /// - Throws: ``Failure``.
  func checkFrames(isFramed: Bool) throws(Failure) {
    guard let line = dialogue.frameLine, !isFramed else { return }
    throw Failure(
      .usage,
      "\(name):\(line): 'expect frame' needs a form of frames: --frames FORM, or 'frames' in a session."
    )
  }

  /// Reads a regular file without waiting, and checks it.
  ///
  /// - Throws: ``Failure``.
  init(ofUser path: FilePath) throws(Failure) {
    let source = try FileSource(ofUser: path)
    var bytes: [UInt8] = []
    do throws(Errno) {
      while bytes.count <= Dialogue.largestScript,
        case .bytes(let more) = try source.read(atMost: Dialogue.largestScript)
      {
        bytes += more
      }
    } catch {
      throw Failure(.otherFailure, "\(path): the script cannot be read (\(error)).")
    }
    try self.init(path.lastComponent?.string ?? path.string, bytes)
  }

  private init(_ name: String, _ bytes: [UInt8]) throws(Failure) {
    do throws(DialogueError) {
      dialogue = try Dialogue(parsing: bytes)
    } catch {
      throw Failure(.usage, "\(name):\(error)")
    }
    self.name = name
  }

  /// The file name without the folder.
  var shortName: String { FilePath(name).lastComponent?.string ?? name }
}
