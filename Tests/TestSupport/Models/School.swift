import ObservationController

/// An element: properties of its own, a computed one, a link, and a plain property.
package class Student: CustomStringConvertible {
  @Observed package var name: String
  @Observed package var age = 20
  @Observed package var address: Address?
  package let number = 7

  package init(_ name: String, city: String? = nil) {
    self.name = name
    address = city.map(Address.init)
  }

  /// Reads two properties.
  package var label: String { "\(name)\(age)" }

  /// Reads no observable property.
  package var doubled: Int { number * 2 }

  package var description: String { name }
}

/// An element of a subclass.
package final class Pupil: Student {
  package override init(_ name: String, city: String? = nil) {
    super.init(name, city: city)
  }
}

package final class Address {
  @Observed package var city: String

  package init(_ city: String) {
    self.city = city
  }
}

/// Holds arrays: one that can be replaced, one that can't, and an optional one.
package final class School {
  @Observed package var students: ObservableArray<Student>
  @Observed package var guests: ObservableArray<Student>?
  package let teachers: ObservableArray<Student> = []

  package init(_ students: [Student] = []) {
    self.students = ObservableArray(students)
  }
}

/// Holds plain arrays, and one that is computed of two properties.
package final class Cart {
  @Observed package var numbers: [Int] = []
  @Observed package var students: [Student] = []
  @Observed package var guests: [Student]?
  @Observed package var opaque: [Opaque] = []
  @Observed package var isReversed = false

  package init() {}

  package var shown: [Int] { isReversed ? numbers.reversed() : numbers }
}

/// Leads to an array by a link that may be missing.
package final class Town {
  @Observed package var school: School?

  package init(_ school: School? = nil) {
    self.school = school
  }
}

/// Students named by the letters of a text: a repeated letter is one student.
package func students(_ names: String) -> [Student] {
  var known: [Character: Student] = [:]
  return names.map { name in
    if let student = known[name] { return student }
    let student = Student(String(name), city: String(name).uppercased())
    known[name] = student
    return student
  }
}
