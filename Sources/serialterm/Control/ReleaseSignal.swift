import ArgumentParser
import Glibc

/// A signal that toggles whether a session has its port: one of the two that mean nothing else.
enum ReleaseSignal: String, NamedChoice {
  case usr1 = "USR1"
  case usr2 = "USR2"

  var number: CInt {
    switch self {
    case .usr1: SIGUSR1
    case .usr2: SIGUSR2
    }
  }
}
