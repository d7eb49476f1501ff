#if os(Linux) || os(macOS)
  extension ExampleSurroundings {
    /// Declarations that the examples in the comments of a file assume.
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
