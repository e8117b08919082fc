import Posix
import SerialCore
import Sessions
import SystemPackage
import Testing

@testable import serialterm

/// The effect of a port's session on the outcome of the program.
@Suite(.timeLimit(.minutes(30))) struct PortTests {
  private let bench: PortBench
  private var sending: Sending { bench.port.controller.sending }

  init() throws { bench = try PortBench() }

  private func status(
    of outcome: Result<serialterm.ExitStatus, Failure> = .success(.done)
  ) -> serialterm.ExitStatus {
    switch bench.port.verdict(on: outcome) {
    case .success(let status): status
    case .failure(let failure): failure.status
    }
  }

  @Test func goodEnd_staysOne_whenAllWasSent() {
    sending.reportUnsent(0)
    #expect(status() == .done)
  }

  @Test func unsentBytes_areNoGoodEnd_andChangeNoOtherEnd() {
    sending.reportUnsent(5)
    #expect(status() == .otherFailure)
    #expect(status(of: .success(.signal(15))) == .signal(15))
    #expect(status(of: .success(.command(3))) == .command(3))
    #expect(status(of: .failure(Failure(.deviceLost, "gone"))) == .deviceLost)
    #expect(status(of: .failure(Failure(.timedOut, "late"))) == .timedOut)
  }

  @Test func cutFile_outweighsALostDevice_andUnsentBytes() {
    sending.reportUnsent(5)
    sending.reportUnsent(PlainFile("boot.bin", size: 9), .cutOff)
    #expect(status() == .transferFailed)
    #expect(status(of: .failure(Failure(.deviceLost, "gone"))) == .transferFailed)
    #expect(status(of: .success(.signal(15))) == .signal(15))
  }
}
