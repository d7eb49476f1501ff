#if os(Linux) || os(macOS)
  /// Declarations that the examples in comments assume, by file.
  ///
  /// Computed, since they follow the examples, which may declare the types that they name.
  enum ExampleSurroundings {
    private static let person = """
      final class Company { @Observed var name = "" }
      final class Person {
        @Observed var name = ""
        @Observed var age = 0
        @Observed var employer: Company?
      }
      var person: Person { fatalError() }

      """

    private static let personViewModel = """
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

    private static let school = """
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

    private static let schoolClass =
      "final class School { @Observed var students: ObservableArray<Student> = [] }\n"

    private static let names = """
      final class Index {
        func update(_ difference: CollectionDifference<String>) {}
        func animate(_ difference: CollectionDifference<String>) {}
      }
      final class School { @Observed var names: ObservableArray<String> = [] }
      var school: School { fatalError() }
      var indexing: DispatchQueue { .main }

      """ + observations(of: "Index")

    private static let progressBar =
      observations(of: "View")
      + object("download", "Download", "@Observed var progress = 0.0")
      + object("bar", "Bar", "var progress = 0.0") + "final class View { let bar = Bar() }"

    private static let expression =
      object("cart", "Cart", "@Observed var price = 0")
      + object("delivery", "Delivery", "@Observed var price = 0")
      + "final class View { func show(_ price: Int) {}; func close() {} }\n"
    private static let label = """
      final class Label { var text: String? }
      var label: Label { fatalError() }

      """

    private static func observations(of observer: String) -> String {
      "var observations: ObservationController<\(observer)> { fatalError() }\n"
    }

    private static func object(_ name: String, _ type: String, _ body: String) -> String {
      "final class \(type) { \(body) }\nvar \(name): \(type) { fatalError() }\n"
    }

    /// Declarations that the snippets of the README assume.
    static let readme =
      observations(of: "View") + """
        final class View {
          var progress = 0
          var isEnabled = false
          init(_ cart: Cart) {}
          func show<Value>(_ value: Value) {}
          func animate(_ difference: CollectionDifference<Message>) {}
          func update(_ change: SectionChange<String, ToDo>) {}
          func save() {}
        }
        final class Message {
          @Observed var text = ""
          @Observed var date = 0
        }
        final class ToDo {
          @Observed var title = ""
          @Observed var state = "open"
        }
        var order: Order { fatalError() }
        var messages: ObservableArray<Message> { fatalError() }
        var todos: ObservableArray<ToDo> { fatalError() }

        """
      + object("cart", "Cart", "@Observed var price = 0")
      + object("delivery", "Delivery", "@Observed var price = 0")
      + object("search", "Search", "@Observed var text = \"\"")
      + object("label", "Label", "var text = \"\"")
      + object("settings", "Settings", "@Observed var volume = 0")
      + object("slider", "Slider", "@Observed var value = 0")
      + object("button", "Button", "let tapped = ObservableEvent<Void>()")

    private static let panel = """
      final class Panel {
        func show(_ value: String?, for key: String) {}
        func use(_ theme: String?) {}
      }

      """

    private static let settings =
      panel + observations(of: "Panel")
      + object(
        "settings", "Settings", "@Observed var values: ObservableDictionary<String, String> = [:]")

    private static let tags = "@Observed var tags: ObservableSet<String> = []"

    private static let indexedSettings =
      observations(of: "Index")
      + object(
        "settings", "Settings", "@Observed var values: ObservableDictionary<String, String> = [:]")
        + """
        final class Index { func update(_ entries: [DictionaryChange<String, String>.Entry]) {} }
        var indexing: DispatchQueue { .main }

        """

    private static let sections =
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

    private static let indexedSections =
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

    private static let indexedTags =
      observations(of: "Index")
      + object("library", "Library", "@Observed var tags: ObservableSet<String> = []")
        + """
        final class Index { func update(_ tags: Set<String>) {} }
        var indexing: DispatchQueue { .main }

        """

    private static let tagList =
      observations(of: "TagList") + """
        final class TagList {
          func add(_ tags: Set<String>) {}
          func remove(_ tags: Set<String>) {}
        }

        """

    static let byFile: [String: String] = [
      "ArrayChange.swift": school + schoolClass,
      "LeakCheck.swift": person + """
        final class PersonViewModel {
          init(person: Person) {}
          func rename() {}
          func load() async {}
        }
        class XCTestCase {
          func invokeTest() {}
          func setUp() {}
          func tearDown() {}
        }
        func XCTFail(_ message: String) {}
        """,
      "AtomicObserved.swift": observations(of: "Log")
        + object("account", "Account", "@AtomicObserved var balance = 0") + """
          final class Log { func add(_ count: Int) {} }
          var counter: Counter { fatalError() }
          var downloads: Downloads { fatalError() }
          var price: Int { 1 }
          """,
      "Derived.swift": "",
      "DictionaryChange.swift": settings,
      "ObservableArray+Aggregates.swift": school + schoolClass + """
        final class Badge { @Observed var number = 0 }
        final class Order { @Observed var cents = 0 }
        final class Leg { @Observed var kilometres = 0.0 }
        let todos: ObservableArray<Todo> = []
        let orders: ObservableArray<Order> = []
        let legs: ObservableArray<Leg> = []
        let badge = Badge()
        """,
      "ObservableArray+Sections.swift": sections,
      "ObservableArray+SectionsWithParameter.swift": sections + """
        final class Settings { @Observed var week = 0..<7 }
        struct Order { func precedes(_ left: File, _ right: File) -> Bool { left.name < right.name }
          static let bySize = Order() }
        final class File {
          @Observed var folder = ""
          @Observed var name = ""
          @Observed var size = 0
        }
        final class Table { @Observed var order = Order() }
        let (settings, table) = (Settings(), Table())
        let files: ObservableArray<File> = []
        """,
      "SectionChange.swift": sections + "let sections = todos.sections(on: [\\.due]) { $0.due }",
      "ObservationController+ObserveSections.swift": sections,
      "ObservationController+ObserveSectionsElsewhere.swift": indexedSections,
      "ObservationSectionChanges.swift": indexedSections,
      "ObservableArray+Batch.swift": school + schoolClass + """
        var list: ObservableArray<Todo> { [] }
        var arrived: [Todo] { [] }
        """,
      "ObservableArray+Editing.swift":
        "let people = ObservableArray<Int>()\nlet (ada, grace) = (1, 2)",
      "ObservableArray+Following.swift": schoolClass + """
        final class Student {}
        final class Room { @Observed var unread = 0 }
        final class Chat { @Observed var rooms: ObservableArray<Room> = [] }
        final class ViewModel { @Observed var school: School? }
        let (chat, otherRooms, viewModel) = (Chat(), ObservableArray<Room>(), ViewModel())
        """,
      "FlattenedView.swift": """
      final class Student {}
      final class Course { let students: ObservableArray<Student> = [] }
      var classes: ObservableArray<Course> { [] }
      """,
      "ObservableArray+ParameterViews.swift": """
      final class Message { @Observed var text = "" }
      final class File { @Observed var name = ""; @Observed var size = 0 }
      final class Item { @Observed var price = 0 }
      enum Order { case bySize; func precedes(_ a: File, _ b: File) -> Bool { a.size < b.size } }
      struct Currency { func format(_ price: Int) -> String { "" } }
      var messages: ObservableArray<Message> { [] }
      var files: ObservableArray<File> { [] }
      var items: ObservableArray<Item> { [] }

      """
        + object("search", "Search", "@Observed var text = \"\"")
        + object("table", "Table", "@Observed var order = Order.bySize")
        + object("shop", "Shop", "@Observed var currency = Currency()"),
      "ObservableArray+Parts.swift": """
      final class Score { @Observed var points = 0 }
      final class Message { @Observed var sender = "" }
      var scores: ObservableArray<Score> { [] }
      var results: ObservableArray<Score> { [] }
      var messages: ObservableArray<Message> { [] }
      var (records, shown, row) = (ObservableArray([1]), ObservableArray([1]), 0)

      """ + object("pager", "Pager", "@Observed var range = 0..<20"),
      "ObservableArray+Views.swift": person + "var people: ObservableArray<Person> { [] }",
      "ObservableArray.swift": school + """
        struct Job { mutating func finish(in todos: ObservableArray<Job>) {} }
        let groups: ObservableArray<[Int]> = [[]]
        let todos: ObservableArray<Job> = []
        """,
      "ObservableDictionary.swift": panel + observations(of: "Panel")
        + "let settings = Settings()",
      "ObservableDictionary+Editing.swift": settings + """
        final class Todo {}
        let (todo, word) = (Todo(), "a")
        let groups: ObservableDictionary<String, [Todo]> = [:]
        let counts: ObservableDictionary<String, Int> = [:]
        """,
      "ObservableDictionary+Views.swift": settings + """
        final class Message { @Observed var date = Date() }
        let messages: ObservableDictionary<Int, Message> = [:]
        """,
      "ObservableSet.swift": tagList + "let library = Library()",
      "SetChange.swift": tagList + object("library", "Library", tags),
      "ObservableEvent.swift": observations(of: "SettingsViewModel")
        + object("download", "Download", "let finished = ObservableEvent<String>()") + """
          var saveButton: Button { fatalError() }
          extension SettingsViewModel { func show(_ file: String) {} }
          """,
      "ObservableHook.swift": observations(of: "Editor") + """
        extension Document { var isEdited: Bool { true } }
        var document: Document { fatalError() }
        final class Editor { func asksToDiscard(_ document: Document) -> Bool { true } }
        """,
      "ObservationController+Action.swift": person + personViewModel,
      "ObservationController+Bindings.swift": person + personViewModel + label
        + object("settings", "Settings", "@Observed var volume = 0")
        + object("slider", "Slider", "@Observed var value = 0")
        + object("thermometer", "Thermometer", "@Observed var celsius = 0")
        + object("display", "Display", "@Observed var fahrenheit = 0")
        + object("order", "Order", "@Observed var count = 0")
        + object(
          "field", "Field",
          "@Observed var text = \"\"; func show(_ text: String, animated: Bool) {}"),
      "ObservationController+Notifications.swift": observations(of: "ViewModel")
        + object("account", "Account", "") + """
          extension Notification.Name { static let accountDidChange = Self("accountDidChange") }
          final class ViewModel { func reload(_ values: [AnyHashable: Any]?) {} }
          var indexing: DispatchQueue { .main }
          """,
      "ObservationController+Observe.swift": observations(of: "View")
        + object("clock", "Clock", "@Observed var date = Date()")
        + "final class View { func show(_ date: Date) {} }",
      "ObservationController+ObserveArray.swift": school + schoolClass
        + object("viewModel", "ViewModel", "@Observed var school: School?")
        + "var todos: ObservableArray<Todo> { [] }",
      "ArrayChange+ByHand.swift": """
      final class Student {}
      final class StudentList { func studentsDidChange(_ change: ArrayChange<Student>) {} }
      let (list, ada) = (StudentList(), Student())
      """,
      "ObservationController+ObserveArrayOnQueue.swift": names,
      "ObservationController+ObserveArrayOnMainActor.swift": names,
      "ObservationArrayChanges.swift": names + "let index = Index()",
      "ObservationController+EventsOnQueue.swift": observations(of: "Index")
        + object("download", "Download", "let finished = ObservableEvent<String>()") + """
          final class Index { func add(_ file: String) {}; func show(_ file: String) {} }
          var indexing: DispatchQueue { .main }
          """,
      "ObservableArray+Updating.swift": """
      struct Headline: Hashable { let number: Int; let title: String }
      let headlines: ObservableArray<Headline> = []
      var loaded: [Headline] { [] }
      final class Student {
        let number: Int
        @Observed var name: String
        init(number: Int, name: String) { (self.number, self.name) = (number, name) }
      }
      struct Record { let number: Int; let name: String }
      final class School { @Observed var students: ObservableArray<Student> = [] }
      let (school, records) = (School(), [Record]())
      """,
      "ObservationController+ObserveDictionary.swift": settings
        + object("cart", "Cart", "@Observed var amounts: [String: Int] = [:]")
        + "extension Panel { func show(_ entries: [DictionaryChange<String, Int>.Entry]) {} }",
      "ObservationController+ObserveSet.swift": tagList
        + object("library", "Library", tags + "; @Observed var authors: Set<String> = []"),
      "ObservationController+ObserveDictionaryOnQueue.swift": indexedSettings,
      "ObservationController+ObserveDictionaryOnMainActor.swift": indexedSettings,
      "ObservationController+ObserveSetOnQueue.swift": indexedTags,
      "ObservationController+ObserveSetOnMainActor.swift": indexedTags,
      "ObservationDictionaryChanges.swift": indexedSettings + "let cache = Index()",
      "ObservationSetChanges.swift": indexedTags + "let (cache, index) = (Index(), Index())",
      "ObservationController+ObserveEach.swift": person + personViewModel,
      "ObservationController+Queue.swift": progressBar + "\n"
        + object("document", "Document", "@Observed var text = \"\"") + """
          extension View { func update(_ text: String) {} }
          var indexing: DispatchQueue { .main }
          """,
      "ObservationController+TextBinding.swift": person + personViewModel + label
        + object("basket", "Basket", "@Observed var count = 0"),
      "TrackedReader.swift": observations(of: "Window") + """
        import Observation
        @MainActor @Observable final class Document { var title = "" }
        @MainActor final class Window { var title = "" }
        var window: Window { fatalError() }
        var document: Document { fatalError() }
        """,
      "ObservationController.swift": person + observations(of: "PersonViewModel"),
      "ObservedChange+ByHand.swift": """
      final class NameViewModel { func nameDidChange(_ change: ObservedChange<String>) {} }
      var viewModel: NameViewModel { fatalError() }
      """,
      "ObservationController+Expressions.swift": observations(of: "View") + expression
        + object("download", "Download", "@Observed var isComplete = false"),
      "ObservableValue.swift": observations(of: "View") + expression
        + object("document", "Document", "@Observed var text = \"\"")
        + object("clock", "Clock", "@Observed var time = 0")
        + "extension View { func show(_ text: String, savedAt time: Int) {} }",
      "ObservationSource.swift": """
      final class Defaults {
        func integer(forKey key: String) -> Int { 0 }
        func set(_ value: Int, forKey key: String) {}
      }
      """,
      "ObservationSequences+Alone.swift": person
        + object("account", "Account", "@Observed var balance = 0") + """
          var ledger: [Int] { get { [] } set {} }
          var title: String { get { "" } set {} }
          """,
      "ObservationSequences.swift": person + personViewModel
        + object("account", "Account", "@Observed var balance = 0; @Observed var unread = 0") + """
          var ledger: [Int] { get { [] } set {} }
          var title: String { get { "" } set {} }
          extension Badge {
            var observations: ObservationController<Badge> { fatalError() }
            var task: Task<Void, Never>? { get { nil } set {} }
            func show(_ count: Int) {}
          }
          """,
      "ObservedChange.swift": person + """
        extension Table {
          var header: String? { get { nil } set {} }
          func reload() {}
        }
        """,
      "ObservationDescription.swift": person + personViewModel,
      "ObservationDispatcher.swift": person,
      "ObservationGraph.swift": object("editor", "Editor", "") + object("clock", "Clock", "")
        + "final class Person { var fullName: String { \"\" } }",
      "ObservationOptions.swift": person + progressBar
        + "\nextension View { var lines: [String] { get { [] } set {} } }\n"
        + "extension View { var header: String { get { \"\" } set {} } }\n"
        + "extension View { var footer: String { get { \"\" } set {} } }",
      "ObservationTrace+Export.swift": """
      let trace = ObservationTrace()
      var token: ObservationToken { fatalError() }
      """,
      "ObservationTrace.swift": object("clock", "Clock", "@Observed var date = Date()")
        + "var token: ObservationToken { fatalError() }",
      "ObservationTransaction.swift": object(
        "rectangle", "Rectangle", "@Observed var width = 0; @Observed var height = 0"),
      "Observed.swift": "",
      "TrackedObserved.swift": "import Observation",
    ]
  }
#endif
