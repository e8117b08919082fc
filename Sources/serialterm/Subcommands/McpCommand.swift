import Options
import Posix
import Sessions
import TextTools

/// `serialterm mcp`: a server for agents.
struct McpCommand: Subcommand {
  private static let allow = Parameter<[Target]>.list(
    "allow", "TARGET", "Let the agent open only this port; can be repeated.",
    details: """
      Without it, all ports of this computer and all sessions of yours. Ports over the network always \
      need it.
      """, completion: Target.completion, parse: { try Target(parsing: $0) })
  private static let write = Parameter.flag(
    "write", "Let the agent write, lend ports, and set the line. Without it, it only reads.")
  private static let ask = Parameter.flag(
    "ask", "Let the agent write in sessions that you have open, and confirm each write.",
    details: """
      The agent asks for the pen, the right to write, with what it will send; ctrl-t w gives it, for this one write. Ports \
      that only the agent has open, the settings of the line, breaks and lending stay as without --write.
      """)

  static let description = CommandDescription(
    "mcp", "Serve agents by the Model Context Protocol.",
    """
    An agent starts it, writes requests to its standard input, and reads the answers from its standard \
    output. It opens ports, or joins the sessions that you have open: there you see who has joined and \
    what is written, and you give and take the pen with ctrl-t w. 'serialterm attach' shows you a port \
    that the agent has opened. What a device sends reaches the agent as marked data. The end of the input \
    closes all ports.
    """,
    example: "serialterm mcp --allow /dev/ttyUSB0 --write",
    sections: [
      ParameterSection("AGENT", [allow, write, ask, SharingParameters.name]),
      LogParameters.section,
    ])

  private let rules: AgentRules

  init(_ values: Values) throws(UsageError) {
    try values.checkLogs()
    var rules = AgentRules()
    rules.allowed = values[Self.allow]
    rules.asks = values[Self.ask]
    rules.mayWrite = values[Self.write] || rules.asks
    rules.name = values.userName
    rules.log = values.logConfiguration
    self.rules = rules
  }

  func execute(in context: CommandContext) throws -> ExitStatus {
    try AgentInterface(under: rules, among: context.devices).run()
  }
}
