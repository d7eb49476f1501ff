#if os(Linux) || os(macOS)
  /// Declarations that the examples in comments assume, by file.
  ///
  /// Computed, since they follow the examples, which may declare the types that they name.
  enum ExampleSurroundings {
    static let person = """
      final class Company { @Observed var name = "" }
      final class Person {
        @Observed var name = ""
        @Observed var age = 0
        @Observed var employer: Company?
      }
      var person: Person { fatalError() }

      """

    static let personViewModel = """
      final class PersonViewModel: ObservationDelegate {
        func note(_ keyPath: AnyKeyPath, _ value: Any) {}
        func reload() {}
        func employerDidChange(_ change: ObservedChange<String?>) {}
        func ageDidChange(_ change: ObservedChange<Int>) {}
        func ageDidChangeOf(_ change: ObservedChange<Int>, _ person: Person) {}
        func observeValue(
          at keyPath: AnyKeyPath, of object: AnyObject, change: ObservedChange<Any>,
          context: ObservationContext?) {}
      }

      """ + observations(of: "PersonViewModel")

    static let school = """
      final class Student {
        @Observed var name: String
        init(_ name: String) { self.name = name }
      }
      final class List {
        func reload(_ students: [Student]) {}
        func redraw(_ rows: [Int]) {}
        func animate(_ difference: CollectionDifference<Student>) {}
        func show(_ difference: CollectionDifference<Todo>, of count: Int) {}
      }
      final class Todo { @Observed var isDone = false }
      final class Item {}
      var school: School { fatalError() }

      """ + observations(of: "List")

    static let schoolClass =
      "final class School { @Observed var students: ObservableArray<Student> = [] }\n"

    static let names = """
      final class Index {
        func update(_ difference: CollectionDifference<String>) {}
        func animate(_ difference: CollectionDifference<String>) {}
      }
      final class School { @Observed var names: ObservableArray<String> = [] }
      var school: School { fatalError() }
      var indexing: DispatchQueue { .main }

      """ + observations(of: "Index")

    static let progressBar =
      observations(of: "View")
      + object("download", "Download", "@Observed var progress = 0.0")
      + object("bar", "Bar", "var progress = 0.0") + "final class View { let bar = Bar() }"

    static let expression =
      object("cart", "Cart", "@Observed var price = 0")
      + object("delivery", "Delivery", "@Observed var price = 0")
      + "final class View { func show(_ price: Int) {}; func close() {} }\n"
    static let label = """
      final class Label { var text: String? }
      var label: Label { fatalError() }

      """

    static func observations(of observer: String) -> String {
      "var observations: ObservationController<\(observer)> { fatalError() }\n"
    }

    static func object(_ name: String, _ type: String, _ body: String) -> String {
      "final class \(type) { \(body) }\nvar \(name): \(type) { fatalError() }\n"
    }

    static let panel = """
      final class Panel {
        func show(_ value: String?, for key: String) {}
        func use(_ theme: String?) {}
      }

      """

    static let settings =
      panel + observations(of: "Panel")
      + object(
        "settings", "Settings", "@Observed var values: ObservableDictionary<String, String> = [:]")

    static let tags = "@Observed var tags: ObservableSet<String> = []"

    static let indexedSettings =
      observations(of: "Index")
      + object(
        "settings", "Settings", "@Observed var values: ObservableDictionary<String, String> = [:]")
        + """
        final class Index { func update(_ entries: [DictionaryChange<String, String>.Entry]) {} }
        var indexing: DispatchQueue { .main }

        """

    static let sections =
      observations(of: "TodoList") + """
        enum State: Int, Comparable {
          case open, underWay, done
          static func < (left: State, right: State) -> Bool { left.rawValue < right.rawValue }
        }
        final class Owner { let name = "" }
        final class Todo {
          @Observed var due = 0
          @Observed var title = ""
          @Observed var state = State.open
          @Observed var owner = Owner()
        }
        final class TodoList {
          func beginUpdates() {}
          func deleteSections(_ sections: [Int]) {}
          func insertSections(_ sections: [Int]) {}
          func deleteRows(_ rows: [SectionChange<Int, Todo>.Index]) {}
          func insertRows(_ rows: [SectionChange<Int, Todo>.Index]) {}
          func redraw(_ rows: [SectionChange<Int, Todo>.Index]) {}
          func moveRow(
            from row: SectionChange<Int, Todo>.Index, to other: SectionChange<Int, Todo>.Index) {}
          func endUpdates() {}
          func apply(_ change: SectionChange<Int, Todo>) {}
        }
        let todos: ObservableArray<Todo> = []

        """

    static let indexedSections =
      observations(of: "Index") + """
        final class Note: @unchecked Sendable { @Observed var day = 0 }
        final class Index {
          func update(
            _ rows: [SectionChange<Int, Note>.Index], of sections: [(key: Int, elements: [Note])]) {}
          func apply(_ change: SectionChange<Int, Note>) {}
        }
        var indexing: DispatchQueue { .main }
        let index = Index()
        let sections = ObservableArray<Note>().sections(on: [\\.day]) { $0.day }

        """

    static let indexedTags =
      observations(of: "Index")
      + object("library", "Library", "@Observed var tags: ObservableSet<String> = []")
        + """
        final class Index { func update(_ tags: Set<String>) {} }
        var indexing: DispatchQueue { .main }

        """

    static let tagList =
      observations(of: "TagList") + """
        final class TagList {
          func add(_ tags: Set<String>) {}
          func remove(_ tags: Set<String>) {}
        }

        """
  }
#endif
