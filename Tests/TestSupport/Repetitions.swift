import Glibc

/// How often a test repeats random cases: a tenth of `count`, at least once. All of them if
/// $SERIALTERM_THOROUGH is set, as `scripts/test --soak` does.
///
/// A case that fails comes from its seed, so it fails in every run: the many find new ones.
public func repetitions(_ count: Int) -> Int {
  isThorough ? count : max(1, count / 10)
}

/// Whether tests have all of their cases: in `scripts/test --soak`, and where their figures are recorded.
public let isThorough = getenv("SERIALTERM_THOROUGH") != nil || getenv("SERIALTERM_FIGURES") != nil
