/// Editing the dictionary.
///
/// Each of these is one change, delivered before it returns, or part of the one change of
/// ``performBatchUpdates(_:)``. One that only inserts is an ``DictionaryChange/Kind/insertion``,
/// one that only removes a ``DictionaryChange/Kind/removal``, one that only replaces values an
/// ``DictionaryChange/Kind/update``, any other a ``DictionaryChange/Kind/batch``; one that does
/// nothing delivers nothing. A live view is not edited: that reports
/// ``ObservationIssue/readOnlyArray(file:line:)``.
extension ObservableDictionary {
  /// The value for `key`; setting it inserts, replaces or, with `nil`, removes it: one change.
  ///
  ///     settings.values["theme"] = "dark"
  ///     groups["done"]?.append(todo)       // one update, delivered when the mutation has ended
  ///
  /// A key path or a derived value that reads it follows this key alone.
  ///
  /// A mutation in place copies neither the dictionary nor the value, unless an observer needs what
  /// was there before. It is delivered also when it throws, and when it has changed nothing. Until
  /// it ends it has the value for itself: an edit of the dictionary traps, and so does reading this
  /// value or all elements, observing the dictionary, and mutating another value in place. The
  /// ``count`` and other values can be read.
  ///
  /// - Complexity: O(1).
  @inlinable
  public subscript(key: Key) -> Value? {
    get { item(for: key) }
    set { _ = setItem(newValue, for: key) }
    _modify {
      let access = isPlain ? nil : beginAccess(to: key)
      let isOfView = access?.isOfView ?? false
      var value = isOfView ? storage[key] : lend(key)
      let wasThere = value != nil
      // One yield, and the delivery in a defer, so that a mutation that throws is delivered too.
      defer {
        if isOfView {
          link?.reportEdit()
        } else {
          takeBack(value, for: key)
          endModify(access, to: key, wasThere: wasThere)
        }
      }
      yield &value
    }
  }

  /// The value for `key`, or `defaultValue` if it has none; mutating it inserts it then.
  ///
  ///     counts[word, default: 0] += 1
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - defaultValue: Evaluated if there is no value, with no lock held.
  /// - Complexity: O(1).
  @inlinable
  public subscript(key: Key, default defaultValue: @autoclosure () -> Value) -> Value {
    get { item(for: key) ?? defaultValue() }
    _modify {
      let access = isPlain ? nil : beginAccess(to: key)
      let isOfView = access?.isOfView ?? false
      let old = isOfView ? storage[key] : lend(key)
      let wasThere = old != nil
      // Not `??`, for which the old value would be there twice.
      var value: Value
      if let old { value = old } else { value = defaultValue() }
      _ = consume old
      defer {
        if isOfView {
          link?.reportEdit()
        } else {
          takeBack(value, for: key)
          endModify(access, to: key, wasThere: wasThere)
        }
      }
      yield &value
    }
  }

  @inlinable
  func endModify(_ access: KeyedAccess<ObservableDictionary>?, to key: Key, wasThere: Bool) {
    if access == nil, subject == nil {
      isPlain = true
    } else {
      endAccess(access, to: key, wasThere: wasThere)
    }
  }

  /// Inserts or replaces the value for `key`.
  ///
  /// - Returns: The replaced value; `nil` if there was none. Of a live view the value that is
  ///   there.
  /// - Complexity: O(1) amortised.
  @inlinable
  @discardableResult
  public func updateValue(_ value: Value, forKey key: Key) -> Value? {
    setItem(value, for: key)
  }

  /// Removes `key` and its value; nothing happens if it is not there.
  ///
  /// - Returns: The removed value. Of a live view the value that is there.
  /// - Complexity: O(1) amortised.
  @inlinable
  @discardableResult
  public func removeValue(forKey key: Key) -> Value? {
    setItem(nil, for: key)
  }

  /// Removes the element at a position, which has to be valid.
  ///
  /// - Returns: The removed element.
  /// - Complexity: O(1) amortised.
  @inlinable
  @discardableResult
  public func remove(at index: [Key: Value].Index) -> (key: Key, value: Value) {
    let element = storage[index]
    _ = setItem(nil, for: element.key)
    return element
  }

  /// Removes the first element; nothing happens if there is none.
  ///
  /// - Returns: The removed element; `nil` if there was none, or the dictionary is a live view.
  /// - Complexity: O(1) amortised.
  @inlinable
  @discardableResult
  public func popFirst() -> (key: Key, value: Value)? {
    guard link == nil else {
      link?.reportEdit()
      return nil
    }
    return storage.isEmpty ? nil : remove(at: storage.startIndex)
  }

  /// Removes all elements: one ``DictionaryChange/Kind/removal``; nothing happens if there is none.
  ///
  /// - Complexity: O(n).
  @inlinable
  public func removeAll() {
    if itemCount > 0 { setTable([:], as: .removal) }
  }

  /// Removes the elements that satisfy `shouldBeRemoved`: one ``DictionaryChange/Kind/removal``;
  /// nothing happens if there is none.
  ///
  /// - Parameter shouldBeRemoved: Called once for each element, before anything is removed, with no
  ///   lock held. If it throws, nothing is removed. Editing the dictionary in it traps.
  /// - Complexity: O(n).
  public func removeAll(
    where shouldBeRemoved: ((key: Key, value: Value)) throws -> Bool
  ) rethrows {
    try edit { table in
      try table.filter(shouldBeRemoved).map { KeyedEntry($0.key, from: $0.value, to: nil) }
    }
  }

  /// Inserts keys and values; of keys that are there, or occur twice, the value is what `combine`
  /// makes of the value before and the new one.
  ///
  /// - Parameters:
  ///   - other: The new elements.
  ///   - combine: Called before anything is changed, with no lock held. If it throws, nothing is
  ///     merged. Editing the dictionary in it traps.
  /// - Complexity: O(k) amortised, in the number of new elements.
  public func merge(
    _ other: some Sequence<(Key, Value)>,
    uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows {
    let new = Array(other)
    try edit { table in
      var merged: [Key: Value] = [:]
      for (key, value) in new {
        let old = merged[key] ?? table[key]
        merged[key] = try old.map { try combine($0, value) } ?? value
      }
      return merged.map { KeyedEntry($0.key, from: table[$0.key], to: $0.value) }
    }
  }

  /// Inserts the elements of a dictionary; of keys that are there already, the value is what
  /// `combine` makes of both.
  ///
  /// - Parameters:
  ///   - other: The new elements.
  ///   - combine: Called before anything is changed, with no lock held. If it throws, nothing is
  ///     merged. Editing the dictionary in it traps.
  /// - Complexity: O(k) amortised, in the number of new elements.
  public func merge(
    _ other: [Key: Value], uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows {
    try merge(other.lazy.map { ($0.key, $0.value) }, uniquingKeysWith: combine)
  }

  /// Has room for so many elements; no change.
  @inlinable
  public func reserveCapacity(_ minimumCapacity: Int) {
    if link == nil, lent == nil { storage.reserveCapacity(minimumCapacity) }
  }

  /// Sets all elements at once: one ``DictionaryChange/Kind/setting``, even if they are the same.
  ///
  /// - Complexity: O(1), O(n) in a batch.
  @inlinable
  public func setElements(_ newElements: [Key: Value]) {
    setTable(newElements)
  }

  /// Makes the smallest change that leads to `newElements`; nothing happens if nothing differs.
  ///
  /// A value that cannot be told apart from the one that is there stays. Class instances are
  /// compared by identity, numbers by their bits, strings by their UTF-8; values of types that
  /// can't be compared always differ.
  ///
  /// - Complexity: O(n).
  public func update(to newElements: [Key: Value]) {
    edit { newElements.entries(from: $0, leavingOut: ElementIdentity<Value>.areSame) }
  }

  /// Runs `body`, and delivers all edits that it makes as one ``DictionaryChange/Kind/batch``,
  /// which leads from the dictionary before to the one after.
  ///
  /// Nothing is delivered if `body` edits nothing. Batches inside a batch are part of it. If `body`
  /// throws, the edits before that are delivered. Changes of values' properties that `body` makes
  /// are delivered after the batch. An observation that begins inside of `body` receives later
  /// edits; the others receive the earlier ones at that moment.
  ///
  /// - Parameter body: Runs at once, on this thread, with no lock held.
  /// - Complexity: That of the edits.
  public func performBatchUpdates(_ body: () throws -> Void) rethrows {
    try performBatchOfKeys(body)
  }
}
