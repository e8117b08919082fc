import Glibc

/// A signal that releases or reopens the port of a session: one of the two signals without
/// a fixed meaning.
enum ReleaseSignal: String, CaseIterable {
  case usr1 = "USR1"
  case usr2 = "USR2"

  var number: CInt {
    switch self {
    case .usr1: SIGUSR1
    case .usr2: SIGUSR2
    }
  }
}
