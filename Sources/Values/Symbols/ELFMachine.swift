/// The machine that an ELF file is for.
public enum ELFMachine: Hashable, Sendable {
  case arm, aarch64, riscv, xtensa, avr, x86
  case other(UInt16)

  /// A machine by its number in the header.
  public init(number: UInt16) {
    self =
      switch number {
      case 3, 62: .x86
      case 40: .arm
      case 83: .avr
      case 94: .xtensa
      case 183: .aarch64
      case 243: .riscv
      default: .other(number)
      }
  }

  /// The names of addr2line in the toolchains for this machine, the most likely one first.
  public var programs: [String] {
    let own: [String] =
      switch self {
      case .arm: ["arm-none-eabi", "arm-zephyr-eabi", "arm-linux-gnueabihf"]
      case .aarch64: ["aarch64-none-elf", "aarch64-zephyr-elf", "aarch64-linux-gnu"]
      case .riscv:
        ["riscv32-esp-elf", "riscv64-unknown-elf", "riscv64-zephyr-elf", "riscv-none-elf"]
      case .xtensa:
        [
          "xtensa-esp-elf", "xtensa-esp32-elf", "xtensa-esp32s2-elf", "xtensa-esp32s3-elf",
          "xtensa-lx106-elf",
        ]
      case .avr: ["avr"]
      case .x86, .other: []
      }
    return own.map { $0 + "-addr2line" } + ["addr2line", "llvm-addr2line"]
  }

  /// The Debian package that has such a program.
  public var package: String {
    switch self {
    case .arm: "binutils-arm-none-eabi"
    case .riscv: "binutils-riscv64-unknown-elf"
    case .xtensa: "binutils-xtensa-lx106"
    case .avr: "binutils-avr"
    case .aarch64: "binutils-aarch64-linux-gnu"
    case .x86, .other: "binutils"
    }
  }
}
