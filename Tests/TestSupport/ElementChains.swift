import ObservationController

/// The deliveries of the elements of an array: a ``ChangeChain`` for each property of each element.
///
/// Deliberately without a lock: ThreadSanitizer sees two deliveries at once, or in no order.
package final class ElementChains<Element: AnyObject>: @unchecked Sendable {
  private struct Key: Hashable {
    let element: ObjectIdentifier
    let keyPath: AnyKeyPath
  }

  // Unchecked because its state is accessed only by deliveries, of which there is one at a time,
  // and afterwards.
  private var lasts: [Key: Int] = [:]
  package private(set) var deliveries = 0

  private let first: Int?
  private let isEdited: Bool
  private let failures: Failures

  /// - Parameters:
  ///   - first: What each property is before its first change; nil if that is unknown.
  ///   - isEdited: Whether changes of the array itself are delivered too, which are not looked at.
  package init(from first: Int?, isEdited: Bool = false, _ failures: Failures = Failures()) {
    self.first = first
    self.isEdited = isEdited
    self.failures = failures
  }

  /// The failures found.
  package var breaks: [String] { failures.all }

  package func follow(_ change: ArrayChange<Element>) {
    guard change.kind == .element, let element = change.entries.first?.element,
      let keyPath = change.elementKeyPath, let details = change.elementChange
    else {
      if !isEdited { failures.add("received \(change.kind)") }
      return
    }
    deliveries += 1
    let key = Key(element: ObjectIdentifier(element), keyPath: keyPath)
    if let last = lasts[key] ?? first, details.oldValue as? Int != last {
      failures.add("\(last), then \(details)")
    }
    lasts[key] = details.newValue as? Int
  }

  /// The last value of a property that was delivered, or the first.
  package func last(of element: Element, _ keyPath: KeyPath<Element, Int>) -> Int? {
    lasts[Key(element: ObjectIdentifier(element), keyPath: keyPath)] ?? first
  }
}
