import ObservationController

/// Replays an array from its changes alone, and records each that does not fit.
///
/// Deliberately without a lock, for arrays that several threads change: ThreadSanitizer sees two
/// deliveries at once, or in no order.
package final class ArrayReplay<Element: Equatable>: @unchecked Sendable {
  package typealias Change = ArrayChange<Element>

  // Unchecked because its state is accessed only by deliveries, of which there is one at a time,
  // and afterwards.

  /// The array after all changes so far.
  package private(set) var elements: [Element]

  /// The changes since they were last taken.
  package private(set) var changes: [Change] = []

  package private(set) var flaws: [String] = []
  private let hasOld: Bool
  private var hasBegun = false

  package init(_ elements: [Element] = [], hasOld: Bool = false) {
    self.elements = elements
    self.hasOld = hasOld
  }

  package func receive(_ change: Change) {
    defer { hasBegun = true }
    if change.kind == .initial {
      if hasBegun { flaws.append("initially \(change.elements), late") }
      elements = change.elements
      changes.append(change)
      return
    }
    let after = change.applying(to: elements)
    for flaw in change.flaws(leadingFrom: elements, hasOld: hasOld) {
      flaws.append("\(flaw): \(elements) → \(change.elements) by \(change)")
    }
    elements = after
    changes.append(change)
  }

  package func takeChanges() -> [Change] {
    defer { changes.removeAll(keepingCapacity: true) }
    return changes
  }
}

extension ArrayReplay where Element: Hashable {
  /// Has `observations` receive the changes of `array` from now on.
  @discardableResult
  package func follow<Observer>(
    _ array: ObservableArray<Element>, elements: [PartialKeyPath<Element>] = [],
    by observations: ObservationController<Observer>, context: ObservationContext? = nil,
    then act: @escaping (Change) -> Void = { _ in }
  ) -> ObservationToken {
    observations.observeArray(
      array, elements: elements, options: hasOld ? .old : [], context: context
    ) { [unowned self] _, _, change in
      receive(change)
      act(change)
    }
  }
}

extension ArrayChange where Element: Equatable {
  /// The flaws of a change of an array that was `before`; none if the change is consistent.
  package func flaws(leadingFrom before: [Element], hasOld: Bool) -> [String] {
    let after = elements
    let entries = entries
    var flaws: [String] = []
    func check(_ isRight: Bool, _ flaw: @autoclosure () -> String) {
      if !isRight { flaws.append(flaw()) }
    }
    check(applying(to: before) == after, "applying")
    check(before.applying(difference) == after, "difference")
    check(oldElements == (hasOld ? before : nil), "oldElements")
    check(isAtTail == reallyIsAtTail(from: before), "isAtTail")
    check(zip(entries, entries.dropFirst()).allSatisfy { $0.place <= $1.place }, "not ascending")
    for entry in entries {
      check(entry.stands(at: entry.oldIndex, in: before), "oldIndex of \(entry)")
      check(entry.stands(at: entry.newIndex, in: after), "newIndex of \(entry)")
      check(kind.mayHave(entry), "kind of \(entry)")
    }
    if kind == .move { check(entries.contains { $0.oldIndex != $0.newIndex }, "nothing moves") }
    if kind == .element {
      check(before == after, "element changes the array")
      let places = after.indices.filter { after[$0] == entries.first?.element }
      check(entries.compactMap(\.newIndex) == places && !places.isEmpty, "other places")
      check(entries.allSatisfy { $0.oldIndex == $0.newIndex }, "element moves")
    }
    check((kind == .element) == (elementKeyPath != nil), "elementKeyPath")
    check((kind == .element) == (elementChange != nil), "elementChange")
    return flaws
  }

  private func reallyIsAtTail(from before: [Element]) -> Bool {
    switch kind {
    case .insertion: entries.map(\.newIndex) == Array(before.count..<elements.count)
    case .removal: entries.map(\.oldIndex) == Array(elements.count..<before.count)
    default: false
    }
  }
}

extension ArrayChange.Entry where Element: Equatable {
  fileprivate var place: Int { oldIndex ?? newIndex ?? -1 }

  fileprivate func stands(at index: Int?, in elements: [Element]) -> Bool {
    guard let index else { return true }
    return elements.indices.contains(index) && elements[index] == element
  }
}

extension ArrayChange.Kind {
  fileprivate func mayHave(_ entry: ArrayChange.Entry) -> Bool {
    switch (self, entry.oldIndex, entry.newIndex) {
    case (_, nil, nil), (.initial, _, _): false
    case (.insertion, let old, _): old == nil
    case (.removal, _, let new): new == nil
    case (.setting, let old, let new), (.replacement, let old, let new): old == nil || new == nil
    case (.move, let old, let new): old != nil && new != nil
    case (.element, let old, let new): old == new
    case (.batch, _, _): true
    }
  }
}

/// All arrays of `values`, each repeated any number of times, with so many elements at most.
package func allArrays<Element>(of values: [Element], upTo count: Int) -> [[Element]] {
  guard count > 0 else { return [[]] }
  return [[]] + allArrays(of: values, upTo: count - 1).flatMap { end in values.map { [$0] + end } }
}
