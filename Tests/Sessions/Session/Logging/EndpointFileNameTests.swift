import SerialCore
import SystemPackage
import Testing

@testable import Sessions

@Suite(.timeLimit(.minutes(30))) struct EndpointFileNameTests {
  @Test(arguments: [
    (Endpoint.tty("/dev/serial/by-id/usb-A"), "usb-A"), (.tty("./my port"), "my port"),
    (Endpoint(.loopback, "loopback:board", at: "/dev/pts/7"), "board"),
    (Endpoint(.loopback, "loopback:", at: "/dev/pts/7"), "loopback"),
    (.tty("/dev/pts/7"), "pts-7"),
    (Endpoint(.tcp, "tcp://lab:4001"), "lab-4001"),
    (Endpoint(.tcp, "tcp://192.0.2.7:23/"), "192.0.2.7-23"),
    (Endpoint(.rfc2217, "rfc2217://[2001:db8::7]:4001"), "2001-db8-7-4001"),
    (Endpoint(.rfc2217, "rfc2217:///run/board.rfc2217"), "board.rfc2217"),
    (Endpoint(.ssh, "ssh://me@lab/usb:0403:6001"), "me-lab-usb-0403-6001"),
    (Endpoint(.labgrid, "labgrid:board/main"), "board-main"),
    (Endpoint(.unix, "unix:/run/qemu/board.sock"), "board.sock"),
    (Endpoint(.unix, "unix:my board\u{1B}[2J\n"), "my-board-2J"),
    (Endpoint(.unix, "unix:/run/.."), "session"), (Endpoint(.unix, "unix:/run/.hidden"), "hidden"),
    (Endpoint(.unresolved, "usb:0403:6001"), "session"),
  ])
  func
    `A log is called like its port, without characters that a path or a terminal takes otherwise`(
      endpoint: Endpoint, name: String
    )
  {
    #expect(endpoint.fileName == name)
  }
}
