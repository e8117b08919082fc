/// What sends for the user: a file transfer, a script and a program, which have the pen of the port
/// meanwhile, and a repetition, which sends as the user does.
struct SessionExchanges {
  let transfers: SessionTransfers
  let scripts: SessionScripts
  let programs: SessionPrograms
  let repetition: SessionRepetition
}
