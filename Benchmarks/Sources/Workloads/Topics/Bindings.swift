import ObservationController
import OpenCombine

/// A property that follows another one.
enum BindingsTopic {
  static var comparisons: [Comparison] {
    [
      Comparison("bind-one-way", [didSetOneWay, observedOneWay, publishedOneWay]),
      Comparison("bind-two-way", [didSetTwoWay, observedTwoWay]),
      Comparison("bind-text-whole", count: 5_000, [didSetText(.whole), observedText(.whole)]),
      Comparison("bind-text-number", count: 5_000, [didSetText(.number), observedText(.number)]),
    ]
  }

  private static var didSetOneWay: Workload {
    Workload(.didSet) { count in
      let source = DidSetModel()
      let target = DidSetModel()
      source.numberHandlers.append { _, new in target.number = new }
      return numbers(from: source, to: target, count)
    }
  }

  private static var observedOneWay: Workload {
    Workload(.observed) { count in
      let source = ObservedModel()
      let target = ObservedModel()
      let controller = ObservationController(observer: target)
      controller.bind(source, \.number, to: target, \.number)
      return numbers(from: source, to: target, count, keeping: controller)
    }
  }

  private static var publishedOneWay: Workload {
    Workload(.published) { count in
      let source = PublishedModel()
      let target = PublishedModel()
      let sink = source.$number.sink { target.number = $0 }
      return numbers(from: source, to: target, count, keeping: sink)
    }
  }

  private static var didSetTwoWay: Workload {
    Workload(.didSet) { count in
      let source = DidSetModel()
      let target = DidSetModel()
      source.numberHandlers.append { _, new in
        if target.number != new { target.number = new }
      }
      target.numberHandlers.append { [unowned source] _, new in
        if source.number != new { source.number = new }
      }
      return numbers(from: source, to: target, count)
    }
  }

  private static var observedTwoWay: Workload {
    Workload(.observed) { count in
      let source = ObservedModel()
      let target = ObservedModel()
      let controller = ObservationController(observer: target)
      controller.bindTwoWay(source, \.number, with: target, \.number)
      return numbers(from: source, to: target, count, keeping: controller)
    }
  }

  private static func didSetText(_ replacement: TextReplacement) -> Workload {
    Workload(.didSet) { count in
      let source = DidSetModel()
      let label = DidSetModel()
      label.text = "Items: 0"
      source.numberHandlers.append { _, new in
        label.text =
          switch replacement {
          case .whole: "\(new)"
          case .number: label.text.prefix { !$0.isNumber } + "\(new)"
          }
      }
      return texts(from: source, to: label, replacement, count)
    }
  }

  private static func observedText(_ replacement: TextReplacement) -> Workload {
    Workload(.observed) { count in
      let source = ObservedModel()
      let label = ObservedModel()
      label.text = "Items: 0"
      let controller = ObservationController(observer: label)
      controller.bindText(source, \.number, to: label, \.text, replacing: replacement)
      return texts(from: source, to: label, replacement, count, keeping: controller)
    }
  }

  private static func numbers<M: Model>(
    from source: M, to target: M, _ count: Int, keeping kept: AnyObject? = nil
  ) -> Run {
    Run {
      setNumbers(of: source, count)
    } isRight: {
      withExtendedLifetime(kept) { target.number == count }
    }
  }

  private static func texts<M: Model>(
    from source: M, to label: M, _ replacement: TextReplacement, _ count: Int,
    keeping kept: AnyObject? = nil
  ) -> Run {
    Run {
      setNumbers(of: source, count)
    } isRight: {
      withExtendedLifetime(kept) {
        label.text == (replacement == .whole ? "\(count)" : "Items: \(count)")
      }
    }
  }
}
