import Glibc

/// The number of seeds that SERIALTERM_TRANSFER_SEEDS asks for; nil if it does not.
func seedCountOfEnvironment() -> UInt64? {
  getenv("SERIALTERM_TRANSFER_SEEDS").flatMap { UInt64(String(cString: $0)) }
}
