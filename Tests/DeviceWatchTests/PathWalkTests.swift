import SystemPackage
import TestSupport
import Testing

@testable import DeviceWatch

@Suite(.timeLimit(.minutes(30))) struct PathWalkTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The names looked up within the test's folder.
  private func names(_ walk: PathWalk) -> [String] {
    let base = folder.path
    return walk.steps.filter { $0.directory.starts(with: base) }.map { step in
      var place = step.directory
      _ = place.removePrefix(base)
      return place.appending(step.name).string
    }
  }

  @Test func everyNameOnTheWay_isAStep_fromTheRoot() throws {
    try folder.makeFolder("a")
    let walk = PathWalk(try folder.makeFile("a/b"))
    #expect(walk.destination != nil)
    #expect(names(walk) == ["a", "a/b"])
    #expect(walk.steps.first?.directory == "/")
    #expect(walk.steps.count == folder.path.components.count + 2)
  }

  @Test func walk_endsAtTheFirstNameThatIsMissing() throws {
    try folder.makeFolder("a")
    let walk = PathWalk(folder("a/b/c"))
    #expect(walk.destination == nil)
    #expect(names(walk) == ["a", "a/b"])
  }

  @Test func links_areFollowed_relativeAndAbsolute_withTheirOwnNamesAsSteps() throws {
    try folder.makeFolder("a")
    try folder.makeFolder("b")
    try folder.makeFile("b/node")
    try folder.link("a/down", to: "../b/./up")
    try folder.link("b/up", to: folder("b/node"))
    let walk = PathWalk(folder("a/down"))
    #expect(walk.destination != nil)
    #expect(names(walk) == ["a", "a/down", "b", "b/up", "b", "b/node"])
  }

  @Test func linkToAFolder_isPassedThrough() throws {
    try folder.makeFolder("a")
    try folder.makeFile("a/node")
    try folder.link("link", to: "a")
    let walk = PathWalk(folder("link/node"))
    #expect(walk.destination != nil)
    #expect(names(walk) == ["link", "a", "a/node"])
  }

  @Test func danglingLink_leadsNowhere_andItsTargetIsAStep() throws {
    let walk = PathWalk(try folder.link("link", to: "none"))
    #expect(walk.destination == nil)
    #expect(names(walk) == ["link", "none"])
  }

  @Test func loop_leadsNowhere() throws {
    try folder.link("a", to: "b")
    try folder.link("b", to: "a")
    #expect(PathWalk(folder("a")).destination == nil)
  }

  @Test func fileInPlaceOfAFolder_leadsNowhere() throws {
    try folder.makeFile("a")
    let walk = PathWalk(folder("a/node"))
    #expect(walk.destination == nil)
    #expect(names(walk) == ["a", "a/node"])
  }

  @Test func replacedLink_isAnotherDestination_evenIfItLeadsToTheSame() throws {
    try folder.makeFile("node")
    try folder.link("link", to: "node")
    let before = PathWalk(folder("link"))
    #expect(PathWalk(folder("link")) == before)
    try folder.link("new", to: "node")
    try folder.rename("new", to: "link")
    #expect(PathWalk(folder("link")).destination != before.destination)
    #expect(PathWalk(folder("link")).steps == before.steps)
  }

  @Test func root_isThere() { #expect(PathWalk("/").destination != nil) }
}
