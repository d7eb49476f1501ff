/// Live views of a dictionary: arrays that follow it, and a dictionary that follows a property.
///
/// As live views of an array: each follows the dictionary with the smallest change that does it,
/// before observers of the dictionary are notified, in whatever order they were made. It retains
/// the dictionary, and is retained by its users alone. Editing it reports
/// ``ObservationIssue/readOnlyArray(file:line:)`` and does nothing.
extension ObservableDictionary {
  /// A live array of the keys, sorted.
  ///
  ///     let names = settings.values.keys { $0 < $1 }
  ///
  /// Keys that neither stands before the other are in any order.
  ///
  /// - Parameters:
  ///   - file: File where the view is made, for issues.
  ///   - line: Line where the view is made, for issues.
  ///   - areInIncreasingOrder: As with an array. Called when a key comes, on the thread that made
  ///     the change, with no lock held. Must depend on nothing that changes. Retained with the
  ///     view.
  /// - Returns: A view that retains this dictionary, and is retained by its users alone.
  /// - Complexity: O(n log n). A key that comes or leaves calls the closure O(log n) times, and
  ///   numbers all keys anew, O(n).
  @inlinable
  public func keys(
    file: String = #fileID, line: UInt = #line,
    by areInIncreasingOrder: @escaping (Key, Key) -> Bool
  ) -> ObservableArray<Key> {
    mirror(file, line, of: Key.self) { key, _ in key }
      .sorted(on: [], file: file, line: line, by: areInIncreasingOrder)
  }

  /// A live array of the values, sorted.
  ///
  ///     let byDate = messages.values(on: [\.date]) { $0.date < $1.date }
  ///
  /// Values that neither stands before the other are in any order.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of values to follow; `[]` if the closure reads none that change.
  ///   - file: File where the view is made, for issues.
  ///   - line: Line where the view is made, for issues.
  ///   - areInIncreasingOrder: As with an array. Called when a value comes and when one of its
  ///     properties in `keyPaths` changes, on the thread that made the change, with no lock held.
  ///     Retained with the view.
  /// - Returns: A view that retains this dictionary, and is retained by its users alone.
  /// - Complexity: O(n log n). A change calls the closure O(log n) times; one of the dictionary
  ///   numbers all values anew, O(n).
  @inlinable
  public func values(
    on keyPaths: [PartialKeyPath<Value>], file: String = #fileID, line: UInt = #line,
    by areInIncreasingOrder: @escaping (Value, Value) -> Bool
  ) -> ObservableArray<Value> {
    mirror(file, line, of: Value.self) { _, value in value }
      .sorted(on: keyPaths, file: file, line: line, by: areInIncreasingOrder)
  }

  /// A live view of the dictionary that `keyPath` leads to, whichever that is.
  ///
  /// - Parameters:
  ///   - object: Held weakly. When it is deallocated, the view is empty, and so are the views of
  ///     it, without a notification.
  ///   - keyPath: A property, or any nested or computed path, that leads to the dictionary. Neither
  ///     the dictionary nor any object on the way to it is retained.
  ///   - file: File where the view is made, for issues.
  ///   - line: Line where the view is made, for issues.
  /// - Returns: A view that is retained by its users alone.
  /// - Complexity: O(1). Following an edit costs what the edit costs.
  public static func following<Object: AnyObject>(
    _ object: Object, _ keyPath: KeyPath<Object, ObservableDictionary>,
    file: String = #fileID, line: UInt = #line
  ) -> ObservableDictionary {
    following(
      object, keyPath, file, line, view: { ObservableDictionary(link: $0) },
      // Safe: it is only read for `object`.
      read: { unsafeDowncast($0, to: Object.self)[keyPath: keyPath] })
  }

  /// A live view of the dictionary that `keyPath` leads to; an empty one while there is none.
  ///
  /// - Parameters:
  ///   - object: Held weakly. When it is deallocated, the view is empty, and so are the views of
  ///     it, without a notification.
  ///   - keyPath: A property, or any nested or computed path, that may lead to a dictionary.
  ///     Neither the dictionary nor any object on the way to it is retained.
  ///   - file: File where the view is made, for issues.
  ///   - line: Line where the view is made, for issues.
  /// - Returns: A view that is retained by its users alone.
  /// - Complexity: O(1). Following an edit costs what the edit costs.
  public static func following<Object: AnyObject>(
    _ object: Object, _ keyPath: KeyPath<Object, ObservableDictionary?>,
    file: String = #fileID, line: UInt = #line
  ) -> ObservableDictionary {
    following(
      object, keyPath, file, line, view: { ObservableDictionary(link: $0) },
      // Safe: it is only read for `object`.
      read: { unsafeDowncast($0, to: Object.self)[keyPath: keyPath] })
  }
}

extension ObservableDictionary {
  /// A live array of what `part` makes of each element, in no order that means anything: one that
  /// leaves makes way for the last one. The source of sorted views.
  @usableFromInline
  func mirror<Part>(
    _ file: String, _ line: UInt, of type: Part.Type, part: @escaping (Key, Value) -> Part
  ) -> ObservableArray<Part> {
    ArrayViewLink.makeView(file, line) { link in
      // Edits of a batch are delivered before, so that the view begins with what is there.
      flushBatch()
      let mirror = DictionaryMirror(of: part)
      link.depth = (self.link?.depth ?? 0) + 1
      let view = ObservableArray(mirror.begin(with: elements), link: link)
      let controller = ObservationController(observer: view)
      link.observations = controller
      // Safe: the dictionary is the observed object itself.
      _ = controller.observeKeyed(
        self, \ObservableDictionary.elements, .keyed(itself: ObservableDictionary.self),
        [PartialKeyPath<Value>](), [], nil, nil, file, line, isEarly: true
      ) { (view, _: ObservableDictionary, change: KeyedChange<[Key: Value]>) in
        if change.isOfEverything {
          view.applySetting(mirror.begin(with: change.table))
        } else {
          mirror.follow(change, in: view)
        }
      }
      return view
    }
  }
}

/// The order of the elements of a dictionary in an array that shows it.
private final class DictionaryMirror<Key: Hashable, Value, Part> {
  private let part: (Key, Value) -> Part
  private var keys: [Key] = []
  private var indices: [Key: Int] = [:]

  init(of part: @escaping (Key, Value) -> Part) { self.part = part }

  func begin(with elements: [Key: Value]) -> [Part] {
    keys = Array(elements.keys)
    indices = Dictionary(uniqueKeysWithValues: zip(keys, keys.indices))
    return elements.map { part($0.key, $0.value) }
  }

  /// Follows a change, as one edit of the view.
  ///
  /// - Complexity: O(k) in the entries, plus O(n) if there are several.
  func follow(_ change: KeyedChange<[Key: Value]>, in view: ObservableArray<Part>) {
    let before = view.storage
    var new = before
    // For each place the one before, -1 for what comes; of those that changed.
    var origins: [Int: Int] = [:]
    for entry in change.stored {
      switch (indices[entry.key], entry.new) {
      case (let index?, let value?):
        new[index] = part(entry.key, value)
        origins[index] = -1
      case (nil, let value?):
        indices[entry.key] = new.count
        keys.append(entry.key)
        origins[new.count] = -1
        new.append(part(entry.key, value))
      case (let index?, nil):
        let last = new.count - 1
        indices[entry.key] = nil
        if index < last {
          (new[index], keys[index]) = (new[last], keys[last])
          indices[keys[index]] = index
          origins[index] = origins[last] ?? last
        }
        origins[last] = nil
        new.removeLast()
        keys.removeLast()
      case (nil, nil): break
      }
    }
    view.apply(entries(from: before, to: new, origins: origins))
  }

  private func entries(
    from before: [Part], to new: [Part], origins: [Int: Int]
  ) -> [ArrayChange<Part>.Entry] {
    typealias Entry = ArrayChange<Part>.Entry
    var entries: [Entry] = []
    let moved = Set(origins.values.filter { $0 >= 0 })
    // What was at places that have others now, or are gone, and has not moved.
    let left = Set(origins.keys).union(Swift.min(new.count, before.count)..<before.count)
    for index in left where index < before.count && !moved.contains(index) {
      if origins[index] != index { entries.append(Entry(before[index], removedAt: index)) }
    }
    for (index, origin) in origins where origin != index {
      entries.append(
        Entry(element: new[index], oldIndex: origin < 0 ? nil : origin, newIndex: index))
    }
    // What was removed stands before what came in its place.
    return entries.sorted {
      ($0.sortKey, $0.newIndex == nil ? 0 : 1) < ($1.sortKey, $1.newIndex == nil ? 0 : 1)
    }
  }
}
