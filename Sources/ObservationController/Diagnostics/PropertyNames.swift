/// What the properties are called that subjects belong to, as numbers that fit into a gap of the subject.
///
/// A number stands for a printed key path, which `KeyPathNames` makes readable when somebody reads it: the
/// names of its properties may be found out later. There are as many as there are properties in the
/// source of a program; should they not suffice, the rest goes without a name.
enum PropertyNames {
  typealias Number = UInt16

  private static let table = Locked((texts: [""], numbers: [String: Number]()))

  /// Set in the number of a subject whose getter is known.
  private static let read: Number = 1 << 15

  /// The number of a printed key path; 0 if there are no more.
  static func number(of text: String) -> Number {
    table.withLock { table in
      if let number = table.numbers[text] { return number }
      guard table.texts.count < read else { return 0 }
      let number = Number(table.texts.count)
      table.texts.append(text)
      table.numbers[text] = number
      return number
    }
  }

  /// The number of a property; 0 if it has no name yet.
  static func number(of subject: Subject) -> Number {
    subject.name.load(ordering: .relaxed) & ~read
  }

  /// The printed key paths by their numbers; an empty one for 0.
  static var texts: [String] { table.withLock { $0.texts } }

  /// Whether it is known by which getter a property is read.
  static func isRead(_ subject: Subject) -> Bool {
    subject.name.load(ordering: .relaxed) & read != 0
  }

  /// Learns by which key path a property is read.
  static func learn(_ keyPath: AnyKeyPath?, for subject: Subject) {
    guard let keyPath else { return }
    let printed = String(reflecting: keyPath)
    var known = number(of: subject)
    if known == 0 {
      known = number(of: printed)
    } else if case let text = texts[Int(known)], !KeyPathNames.hasComputed(text),
      let name = text.split(separator: ".").last
    {
      KeyPathNames.learn(String(name), forPrinted: printed)
    }
    subject.name.store(known | read, ordering: .relaxed)
  }

  /// Learns what a property is called.
  static func learn(_ name: String, of owner: AnyObject, for subject: Subject) {
    let known = number(of: subject)
    guard known == 0 else { return KeyPathNames.learn(name, forPrinted: texts[Int(known)]) }
    subject.name.store(number(of: "\\\(type(of: owner)).\(name)"), ordering: .relaxed)
  }
}
