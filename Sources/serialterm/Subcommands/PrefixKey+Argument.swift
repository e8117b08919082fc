import ArgumentParser
import TerminalFrontEnd

extension PrefixKey: ExpressibleByArgument {
  init?(argument: String) { self.init(parsing: argument) }

  var defaultValueDescription: String { description }
}
