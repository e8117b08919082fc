import Configuration
import SystemPackage
import Terminal
import TerminalWidgets

/// The command that saves the changed settings of a session to the configuration file.
extension Command {
  static let saveProfile = Command(
    nil, "save-profile", "save as a profile",
    or: ["save", "save settings", "write profile", "keep settings", "remember", "store"],
    needs: [.untapped, .boundDevice]
  ) { call, user in
    do throws(Failure) {
      guard let path = call.state.origin.file ?? ProfileFile.standardPath else {
        throw Failure(.usage, ProfileFile.noFolder)
      }
      let profiles = try ProfileFile.contents(toChangeAt: path).profiles
      user.ask(
        Question(
          title: "save as profile",
          choices: { [model = call.port.model] typed in
            names(typed: typed, among: profiles, own: model.state.origin.profile)
          },
          onAnswer: { name in
            // The state may have changed while the question was open.
            call.when([.boundDevice]) { confirm(name, call, user) }
          }))
    } catch {
      call.answer(.failed(error.message))
    }
  }

  /// The names of the profiles, the session's own first, and the typed name.
  private static func names(
    typed: String, among profiles: [ConfigurationFile.Profile], own: String?
  ) -> [Choice<String>] {
    let ownFirst = profiles.filter { $0.name == own } + profiles.filter { $0.name != own }
    let present = ownFirst.map { profile in
      Choice(
        id: profile.name, title: profile.name,
        detail: profile.name == own ? "of this session" : profile.target ?? "",
        isCurrent: profile.name == own)
    }
    guard !typed.isEmpty, !profiles.contains(where: { $0.name == typed }) else { return present }
    let complaint = ProfileFile.complaint(aboutNewName: typed)
    return [Choice(id: typed, title: typed, detail: "a new profile", refusal: complaint)] + present
  }

  /// Shows the changes to the file, and asks whether to write them.
  private static func confirm(_ name: String, _ call: CommandCall, _ user: any CommandUser) {
    let plan: ProfilePlan
    do throws(Failure) {
      plan = try ProfilePlan(saving: call.state, as: name)
    } catch {
      return call.answer(.failed(error.message))
    }
    guard !plan.isEmpty else {
      return call.answer(.done("No change: the profile \(name) already has these settings."))
    }
    user.show(["\(plan.path), the profile \(name):"] + plan.lines)
    let question = Question(
      title: "write these lines",
      choices: { _ in
        [
          Choice(id: false, title: "no", detail: "change nothing"),
          Choice(
            id: true, title: "yes", detail: "write to \(plan.path.lastComponent?.string ?? "")"),
        ]
      },
      onAnswer: { isConfirmed in
        call.answer(isConfirmed ? outcome(of: plan) : .done("Nothing was written."))
      },
      onCancel: { call.answer(.done("Nothing was written.")) })
    user.ask(question)
  }

  private static func outcome(of plan: ProfilePlan) -> CommandOutcome {
    do throws(Failure) {
      try plan.write()
      return .done("The profile \(plan.name) is in \(plan.path).")
    } catch {
      return .failed(error.message)
    }
  }
}
