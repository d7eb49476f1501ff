import ObservationController
import TestSupport
import XCTest

/// Applies each change of a dictionary to a copy, and checks what it says of itself.
final class DictionaryReplay<Key: Hashable, Value: Equatable> {
  private(set) var elements: [Key: Value]
  private(set) var flaws: [String] = []
  private(set) var kinds: [DictionaryChange<Key, Value>.Kind] = []
  private let hasOld: Bool
  private lazy var observations = ObservationController(observer: self)

  init(_ elements: [Key: Value] = [:], hasOld: Bool = false) {
    (self.elements, self.hasOld) = (elements, hasOld)
  }

  convenience init(of dictionary: ObservableDictionary<Key, Value>, hasOld: Bool = false) {
    self.init(dictionary.elements, hasOld: hasOld)
    observations.observeDictionary(dictionary, options: hasOld ? .old : []) { $0.receive($2) }
  }

  func follow<Object: AnyObject>(
    _ object: Object, _ keyPath: KeyPath<Object, ObservableDictionary<Key, Value>>,
    values: [PartialKeyPath<Value>] = []
  ) {
    observations.observeDictionary(object, keyPath, values: values, options: .initial) {
      $0.receive($2)
    }
  }

  func receive(_ change: DictionaryChange<Key, Value>) {
    kinds.append(change.kind)
    let new = change.applying(to: elements)
    expect(new == change.elements, "\(change) leads from \(elements) to \(new)")
    if hasOld {
      expect(change.oldElements == elements, "\(change) has \(change.oldElements ?? [:])")
    }
    if !hasOld { expect(change.oldElements == nil, "\(change) has old elements") }
    var keys: Set<Key> = []
    for entry in change.entries where change.kind != .initial && change.kind != .setting {
      expect(keys.insert(entry.key).inserted, "\(change) has \(entry.key) twice")
      expect(entry.oldValue == elements[entry.key], "\(change) has a wrong old value")
      expect(entry.newValue == change.elements[entry.key], "\(change) has a wrong new value")
    }
    elements = change.elements
  }

  func takeKinds() -> [DictionaryChange<Key, Value>.Kind] {
    defer { kinds = [] }
    return kinds
  }

  private func expect(_ condition: Bool, _ flaw: @autoclosure () -> String) {
    if !condition { flaws.append(flaw()) }
  }
}
