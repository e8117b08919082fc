import ArgumentParser
import Configuration
import DeviceWatch
import SessionKit
import SystemPackage

extension Target {
  /// The completions of a TARGET: the present nodes, the simulations and the profiles.
  static let completion = CompletionKind.custom { _, _, _ in
    let devices = DeviceCatalog()
    // An error message would disturb the command line.
    let targets = LinkProviders.standard.completions { (try? devices.current()) ?? [] }
    // In zsh the text after a colon is a description: see _describe in zshcompsys(1).
    let isColonTaken = CompletionShell.requesting == .zsh
    return (targets + profileNames).map { candidate in
      isColonTaken
        ? candidate.split(separator: ":", omittingEmptySubsequences: false)
          .joined(separator: "\\:") : candidate
    }
  }

  /// The names of profiles; none if the configuration cannot be read.
  static var profileNames: [String] {
    (try? ProfileFile(nil))?.contents.profiles.map(\.name) ?? []
  }
}
