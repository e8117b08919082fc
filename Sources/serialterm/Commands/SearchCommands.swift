/// The commands for the scrollback.
extension Command {
  static let search = Command(
    "/", "search", "search the scrollback",
    or: ["find", "grep", "less", "pager", "history", "scroll back", "page up"],
    needs: [.screen, .scrollback]
  ) { call, user in
    user.openSearch()
    call.answer(.done)
  }

  static let writeText = Command(
    nil, "write-text", "write scrollback to file",
    or: ["save text", "export", "scrollback", "save output", "dump"],
    needs: [.screen, .scrollback]
  ) { call, user in
    user.askWhatToWrite()
    call.answer(.done)
  }
}
