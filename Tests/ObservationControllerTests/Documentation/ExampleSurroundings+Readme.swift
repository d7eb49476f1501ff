#if os(Linux) || os(macOS)
  extension ExampleSurroundings {
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
  }
#endif
