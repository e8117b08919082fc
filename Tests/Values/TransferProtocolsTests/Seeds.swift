import Glibc

/// The number of seeds in SERIALTERM_TRANSFER_SEEDS; nil if it is not set.
func seedCountOfEnvironment() -> UInt64? {
  getenv("SERIALTERM_TRANSFER_SEEDS").flatMap { UInt64(String(cString: $0)) }
}
