import Testing

@testable import serialterm

@Suite(.timeLimit(.minutes(5))) struct JoinedValuesTests {
  @Test(arguments: [
    (["-b9600", "port"], ["-b=9600", "port"]),
    (["-xb9600"], ["-x", "-b=9600"]),
    (["-b-1"], ["-b=-1"]),
    (["-Lout.txt", "-tiso", "-mICRNL"], ["-L=out.txt", "-t=iso", "-m=ICRNL"]),
    (["-b", "9600"], ["-b", "9600"]),
    (["-b=9600"], ["-b=9600"]),
    (["-nq", "-xet", "-xteq"], ["-nq", "-xet", "-xt", "-eq"]),
    (["-Zb9600", "-", "--baud9600"], ["-Zb9600", "-", "--baud9600"]),
    (["-b", "-1", "--timeout", "-2", "-o", "-3ms"], ["-b=-1", "--timeout=-2", "-o=-3ms"]),
    (["-xb", "-1", "-q", "-4", "port", "-5"], ["-x", "-b=-1", "-q", "-4", "port", "-5"]),
    (["-b=9600", "-1", "-x", "--", "-b", "-1"], ["-b=9600", "-1", "-x", "--", "-b", "-1"]),
    (["release", "port", "--", "tool", "-b9600"], ["release", "port", "--", "tool", "-b9600"]),
  ])
  func value_isTakenFromItsLetter(given: [String], expected: [String]) {
    #expect(JoinedValues.split(given) == expected)
  }
}
