/// What has the pen of a port instead of the user, because the user wants it: a file transfer, a script, a program.
struct SessionExchanges {
  let transfers: SessionTransfers
  let scripts: SessionScripts
  let programs: SessionPrograms
}
