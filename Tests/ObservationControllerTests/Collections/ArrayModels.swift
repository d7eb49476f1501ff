import ObservationController

/// An element: properties of its own, a computed one, a link, and what nobody can observe.
class Student: CustomStringConvertible {
  @Observed var name: String
  @Observed var age = 20
  @Observed var address: Address?
  let number = 7

  init(_ name: String, city: String? = nil) {
    self.name = name
    address = city.map(Address.init)
  }

  /// Reads two properties.
  var label: String { "\(name)\(age)" }

  /// Reads nothing that can be observed.
  var doubled: Int { number * 2 }

  var description: String { name }
}

/// An element of a subclass.
final class Pupil: Student {}

final class Address {
  @Observed var city: String

  init(_ city: String) {
    self.city = city
  }
}

/// Holds arrays: one that can be replaced, one that can't, and one that may not be there.
final class School {
  @Observed var students: ObservableArray<Student>
  @Observed var guests: ObservableArray<Student>?
  let teachers: ObservableArray<Student> = []

  init(_ students: [Student] = []) {
    self.students = ObservableArray(students)
  }
}

/// Leads to an array by a link that may be missing.
final class Town {
  @Observed var school: School?

  init(_ school: School? = nil) {
    self.school = school
  }
}

extension ArrayChange {
  /// All that the change says of the array: `insertion +b1: a b c (was a c)`.
  ///
  /// Of an entry its element and where it came (`+b1`), left (`-b1`), moved (`b1→2`) or is (`b@1`).
  var line: String {
    let places = entries.map { entry in
      switch (entry.oldIndex, entry.newIndex) {
      case (nil, let new?): "+\(entry.element)\(new)"
      case (let old?, nil): "-\(entry.element)\(old)"
      case (let old?, let new?) where old == new: "\(entry.element)@\(new)"
      case (let old?, let new?): "\(entry.element)\(old)→\(new)"
      case (nil, nil): "\(entry.element)?"
      }
    }
    let old = oldElements.map { " (was \(Self.list($0)))" } ?? ""
    let value = elementChange.map { " \($0)" } ?? ""
    return ([String(describing: kind)] + places).joined(separator: " ")
      + ": \(Self.list(elements))\(old)\(value)"
  }

  private static func list(_ elements: [Element]) -> String {
    elements.map { "\($0)" }.joined(separator: " ")
  }
}

extension Witness {
  func write<Element>(_ change: ArrayChange<Element>) {
    write(change.line)
  }

  /// The lines so far, which are forgotten.
  func takeLines() -> [String] {
    defer { clear() }
    return lines
  }
}

/// Students named by the letters of a text: the same letter is the same student.
func students(_ names: String) -> [Student] {
  var known: [Character: Student] = [:]
  return names.map { name in
    if let student = known[name] { return student }
    let student = Student(String(name), city: String(name).uppercased())
    known[name] = student
    return student
  }
}
