/// An argument that the demo can't follow, in one line.
struct OptionsError: Error, Equatable, CustomStringConvertible {
  /// The exit status of `sysexits.h` for wrong usage of a command.
  static let exitStatus: Int32 = 64

  let description: String

  init(_ name: String, needs expected: String, not value: String? = nil) {
    let found = value.map { ", not '\(PrintableText.escaping($0))'" } ?? ""
    description = "\(name) needs \(expected)\(found)"
  }

  init(unknown argument: String) {
    let kind = argument.hasPrefix("-") ? "unknown option" : "unexpected argument"
    description = "\(kind) '\(PrintableText.escaping(argument))'; see --help"
  }
}
