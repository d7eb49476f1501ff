/// A program, run by the library and by the model.
struct Comparison {
  let actual: [Entry]
  let expected: [Entry]
  let model: Model

  init(_ program: Program, fault: Model.Fault? = nil) {
    model = Model(program, fault: fault)
    model.run()
    expected = model.history
    // The library would end, but there is no history to compare with.
    actual = model.hasGivenUp ? expected : Interpreter.run(program)
  }

  var isEqual: Bool { actual == expected }

  /// The first difference of the histories.
  var difference: String {
    let common = zip(actual, expected).prefix { $0 == $1 }.count
    func part(_ entries: [Entry]) -> String {
      entries[common...].prefix(3).map { "    \($0)" }.joined(separator: "\n")
    }
    let before = actual[..<common].suffix(3).map { "    \($0)" }.joined(separator: "\n")
    return """
        after
      \(before)
        the library has
      \(part(actual))
        and the model
      \(part(expected))
      """
  }
}
