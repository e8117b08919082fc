import Configuration
import DeviceWatch
import Options
import Reconnecting
import Sessions

extension Target {
  /// The completions of a TARGET: the present devices, the profiles, and the simulations. A TARGET
  /// can also be any path.
  static let completion = Completion.found { request in
    let catalog = DeviceCatalog()
    // Without udev there are no devices to suggest. An error message would disturb
    // the command line.
    let targets = LinkProviders.standard.completions(of: request.text) {
      (try? catalog.current()) ?? []
    }
    return Completion.Proposal(
      candidates(targets, profiles: profiles(for: request)), filesAfter: 0)
  }

  /// The name of a profile.
  static let profileCompletion = Completion.found { Completion.Proposal(profiles(for: $0)) }

  /// Targets and profiles with descriptions, sorted so that those of devices come first. Devices
  /// that look alike have the same selector, which is suggested once.
  static func candidates(
    _ targets: [TargetCompletion], profiles: [Completion.Candidate]
  ) -> [Completion.Candidate] {
    var devices: [Completion.Candidate] = []
    for target in targets {
      guard let device = target.device, !devices.contains(where: { $0.word == target.text }) else {
        continue
      }
      let alike = targets.count { $0.text == target.text }
      devices.append(
        Completion.Candidate(target.text, alike > 1 ? "\(alike) devices" : device.summary))
    }
    let others = targets.filter { $0.device == nil }
    return devices + profiles
      + others.map { Completion.Candidate($0.text, descriptions[$0.text] ?? "") }
  }

  private static let descriptions = [
    "latest": "the device that was plugged in last",
    "new": "the next device that is plugged in",
    "loopback:": "a simulated device that echoes",
    "loopback:board": "a simulated board",
  ]

  /// The profiles in the configuration that the command line names; none if it cannot be read.
  private static func profiles(for request: Completion.Request) -> [Completion.Candidate] {
    let path = request.given["config"]?.last.map { FileChoices.path(of: $0) }
    guard let file = try? ProfileFile(path) else { return [] }
    return file.contents.profiles.map { profile in
      guard let target = profile.target else {
        return Completion.Candidate(profile.name, "profile")
      }
      return Completion.Candidate(profile.name, "profile for \(target)")
    }
  }
}
