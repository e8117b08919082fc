import Configuration
import DeviceWatch
import Options
import SessionKit

extension Target {
  /// The completions of a TARGET: the present nodes, the simulations and the profiles.
  static let completion = Completion.found { _ in
    let devices = DeviceCatalog()
    // An error message would disturb the command line.
    let targets = LinkProviders.standard.completions { (try? devices.current()) ?? [] }
    return profiles + targets.map { Completion.Candidate($0) }
  }

  /// The profiles; none if the configuration cannot be read.
  static var profiles: [Completion.Candidate] {
    ((try? ProfileFile(nil))?.contents.profiles ?? []).map {
      Completion.Candidate($0.name, "profile")
    }
  }
}
