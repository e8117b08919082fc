import Testing

@testable import DeviceWatch

@Suite(.timeLimit(.minutes(30))) struct UdevActionTests {
  @Test(arguments: [
    ("add" as String?, UdevAction.add), ("remove", .remove), ("change", .change), ("move", .move),
    ("bind", .change), ("unbind", .change), ("online", .change), ("offline", .change),
    ("something of the future", .change), (nil as String?, .change),
  ])
  func everyAction_hasAMeaning(text: String?, action: UdevAction) {
    #expect(UdevAction(text) == action)
  }
}
