import DeviceWatch
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TerminalWidgets

/// The commands for several ports in one program.
extension Command {
  static let nextPort = Command(
    "N", "next-port", "type to the next port", or: ["switch port", "focus", "window", "tab"],
    needs: [.severalPorts], value: { $0.program.focus }
  ) { call, user in
    user.moveFocus(to: nil)
    call.answer(.done("What you type goes to \(user.focusName)."))
  }

  static let port = CommandWithArgument(
    nil, "port", "choose a port to type to", or: ["select port", "focus", "go to"],
    users: [.person], needs: [.severalPorts], value: { $0.program.focus },
    argument: .port("port to type to")
  ) { name, call in
    call.user?.moveFocus(to: name)
    call.answer(.done("What you type goes to \(name)."))
  }

  static let sendToAll = Command(
    nil, "send-to-all", "type to all ports", or: ["broadcast", "synchronize", "all ports"],
    needs: [.severalPorts, .sending], value: { $0.program.sendsToAll.onOff }
  ) { call, user in
    user.toggleSendToAll()
    call.answer(
      .done(
        call.state.program.sendsToAll
          ? "What you type goes to all ports." : "What you type goes to \(user.focusName)."))
  }

  static let connectTo = CommandWithArgument(
    nil, "connect-to", "open one more port",
    or: ["connect", "open port", "add port", "new port", "another device", "split"],
    users: [.person], needs: [.screen, .untapped, .anotherDevice],
    argument: .device("device to connect to")
  ) { endpoint, call in
    guard let user = call.user else { return call.answer(.withoutUser) }
    do throws(Failure) {
      try user.connect(to: endpoint)
      call.answer(.done)
    } catch {
      call.answer(.failed(error.message))
    }
  }
}

extension ArgumentKind where Value == String {
  /// The name of one of the ports.
  fileprivate static func port(_ title: String) -> Self {
    ArgumentKind(
      ArgumentForm("the name of a port"), parse: { $0.isEmpty ? nil : $0 },
      ask: { request, then in
        request.ask(
          Question(
            title: title,
            choices: { [model = request.model] _ in
              let program = model.state.program
              return program.ports.map { Choice($0, $0, isCurrent: $0 == program.focus) }
            },
            onAnswer: then))
      })
  }
}

extension ArgumentKind where Value == Endpoint {
  /// A device that is present and not open.
  fileprivate static func device(_ title: String) -> Self {
    ArgumentKind(
      ArgumentForm("a device"), parse: { $0.isEmpty ? nil : .tty(FilePath($0)) },
      ask: { request, then in
        request.ask(
          Question(
            title: title, enter: "connects",
            choices: { [model = request.model] _ in
              DeviceChooser.choices(model.state.program.otherDevices)
            },
            onAnswer: { target in
              if case .endpoint(let endpoint) = target { then(endpoint) }
            }))
      })
  }
}
