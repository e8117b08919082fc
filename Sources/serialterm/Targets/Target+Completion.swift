import ArgumentParser
import Configuration
import DeviceWatch
import SessionKit
import SystemPackage

extension Target {
  /// The completions of a TARGET: the present nodes, the profiles and the simulations.
  static let completion = CompletionKind.custom { _, _, _ in
    let nodes = presentDevices.filter(\.hasHardware).map(\.node.string)
    let simulations = Simulation.allCases.map { "loopback:\($0.rawValue)" }
    // In zsh the text after a colon is a description: see _describe in zshcompsys(1).
    let isColonTaken = CompletionShell.requesting == .zsh
    return (nodes + profileNames + simulations).map { candidate in
      isColonTaken
        ? candidate.split(separator: ":", omittingEmptySubsequences: false)
          .joined(separator: "\\:") : candidate
    }
  }

  /// The names of profiles; none if the configuration cannot be read.
  static var profileNames: [String] {
    (try? ProfileFile(nil))?.contents.profiles.map(\.name) ?? []
  }

  /// None if udev is not available: an error message would disturb the command line.
  private static var presentDevices: [Device] {
    (try? DeviceCatalog().current()) ?? []
  }
}
