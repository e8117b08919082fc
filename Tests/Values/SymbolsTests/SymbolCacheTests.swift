import Symbols
import Testing

@Suite struct SymbolCacheTests {
  private let frames = [SourceFrame(function: "main", place: "main.c:1")]

  @Test func whatIsKeptIsFound() {
    var cache = SymbolCache()
    #expect(cache.frames(at: 1) == nil)
    cache.keep(frames, at: 1)
    cache.keep([], at: 2)
    #expect(cache.frames(at: 1) == frames)
    #expect(cache.frames(at: 2) == [])
  }

  @Test func itIsBounded_andWhatIsUsedStays() {
    var cache = SymbolCache(capacity: 100)
    for address in UInt64(0)..<10_000 {
      cache.keep(frames, at: address)
      #expect(cache.frames(at: 0) == frames)
      #expect(cache.count <= 100)
    }
    #expect(cache.frames(at: 1) == nil)
    #expect(cache.frames(at: 9_999) == frames)
  }

  @Test func aNewAnswerReplacesTheOld() {
    var cache = SymbolCache(capacity: 4)
    for address in UInt64(0)..<3 { cache.keep(frames, at: address) }
    cache.keep([], at: 0)
    #expect(cache.frames(at: 0) == [])
  }
}
