/// Live aggregates: values that follow the elements of an array.
///
/// Each is an ``ObservableValue``, observed, bound and derived from by `\.value`; its value is that
/// which the standard library computes of the elements as they are, at the cost of what has
/// changed, whatever the number of elements. It retains the array, and is retained by its users
/// alone. The array may be a live view.
///
///     let open = todos.count(on: [\.isDone]) { !$0.isDone }
///     observations.bind(open, \.value, to: badge, \.number)
///
/// Aggregates are brought up to date before observers of the array are notified; a handler finds
/// the value that goes with the array. Edits and changes of elements count at once, also inside of
/// a batch or a transaction: a value that is read there is computed of all elements. Each edit,
/// batch or transaction notifies the observers of an aggregate at most once, and only if the value
/// has changed.
///
/// The closures are called when an element comes and when one of its properties in `on:` changes,
/// on the thread that made the change, with no lock held. They must depend on nothing else that
/// changes, and must not edit the array.
///
/// An aggregate keeps for each element what that contributes: one byte for those of a condition,
/// one number for the others, and about 160 bytes for each element and key path to follow it, as
/// `observeArray` does.
extension ObservableArray {
  /// The number of elements that satisfy `isIncluded`.
  ///
  ///     let open = todos.count(on: [\.isDone]) { !$0.isDone }
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of elements to follow; `[]` if the closure reads none that
  ///     change.
  ///   - file: File of the call, for issues.
  ///   - line: Line of the call, for issues.
  ///   - isIncluded: Called when an element comes and when one of its properties in `keyPaths`
  ///     changes, on the thread that made the change, with no lock held. Retained with the result.
  /// - Returns: A value that retains this array, and is retained by its users alone.
  /// - Complexity: O(n) to begin. A change of an element is O(1); an edit calls `isIncluded` for
  ///   what comes, and costs no more than it costs the array.
  @inlinable
  public func count(
    on keyPaths: [PartialKeyPath<Element>], file: String = #fileID, line: UInt = #line,
    where isIncluded: @escaping (Element) -> Bool
  ) -> ObservableValue<Int> {
    aggregate(SummedParts<Bool>(), on: keyPaths, file, line, part: isIncluded) { $0.count }
  }

  /// Whether an element satisfies `isIncluded`; `false` while there are no elements.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of elements to follow; `[]` if the closure reads none that
  ///     change.
  ///   - file: File of the call, for issues.
  ///   - line: Line of the call, for issues.
  ///   - isIncluded: Called for every element, when it comes and when one of its properties in
  ///     `keyPaths` changes, on the thread that made the change, with no lock held. Retained with
  ///     the result.
  /// - Returns: A value that retains this array, and is retained by its users alone.
  /// - Complexity: O(n) to begin; a change of an element is O(1).
  @inlinable
  public func contains(
    on keyPaths: [PartialKeyPath<Element>], file: String = #fileID, line: UInt = #line,
    where isIncluded: @escaping (Element) -> Bool
  ) -> ObservableValue<Bool> {
    aggregate(SummedParts<Bool>(), on: keyPaths, file, line, part: isIncluded) { $0.count > 0 }
  }

  /// Whether all elements satisfy `isIncluded`; `true` while there are no elements.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of elements to follow; `[]` if the closure reads none that
  ///     change.
  ///   - file: File of the call, for issues.
  ///   - line: Line of the call, for issues.
  ///   - isIncluded: Called for every element, when it comes and when one of its properties in
  ///     `keyPaths` changes, on the thread that made the change, with no lock held. Retained with
  ///     the result.
  /// - Returns: A value that retains this array, and is retained by its users alone.
  /// - Complexity: O(n) to begin; a change of an element is O(1).
  @inlinable
  public func allSatisfy(
    on keyPaths: [PartialKeyPath<Element>], file: String = #fileID, line: UInt = #line,
    _ isIncluded: @escaping (Element) -> Bool
  ) -> ObservableValue<Bool> {
    aggregate(SummedParts<Bool>(), on: keyPaths, file, line, part: isIncluded) {
      $0.count == $0.parts.count
    }
  }

  /// The sum of a property of the elements, integers; 0 while there are none.
  ///
  ///     let total = orders.sum(of: \.cents)
  ///
  /// The sum is kept with 128 bits, so that it is exact in whatever order numbers come and leave.
  /// Reading a sum that is too large for the type traps; numbers that leave again don't.
  ///
  /// - Parameters:
  ///   - keyPath: The property, which is followed if elements are objects.
  ///   - file: File of the call, for issues.
  ///   - line: Line of the call, for issues.
  /// - Returns: A value that retains this array, and is retained by its users alone.
  /// - Complexity: O(n) to begin; a change of an element is O(1). O(log n) with integers of more
  ///   than 64 bits.
  @inlinable
  public func sum<Number: FixedWidthInteger>(
    of keyPath: KeyPath<Element, Number>, file: String = #fileID, line: UInt = #line
  ) -> ObservableValue<Number> {
    guard Number.bitWidth <= 64 else { return foldedSum(of: keyPath, file, line) }
    return aggregate(SummedParts<Number>(), of: keyPath, file, line) { parts in
      guard let sum = Number(exactly: parts.sum) else {
        fatalError("\(file):\(line): the sum of \(keyPath) is too large for \(Number.self)")
      }
      return sum
    }
  }

  /// The sum of a property of the elements; `zero` while there are none.
  ///
  ///     let distance = legs.sum(of: \.kilometres)
  ///
  /// Numbers are added in the order of the elements, in groups: sixteen elements, sixteen sums of
  /// these, and so on. Nothing is ever subtracted. So a sum of floating-point numbers depends on
  /// the elements alone, not on what was there before, and is as exact as one that is computed
  /// anew: the error grows with the logarithm of their number, that of adding one after the other
  /// with the number itself. A number that is infinite, or none, leaves no trace when it has left.
  ///
  /// - Parameters:
  ///   - keyPath: The property, which is followed if elements are objects.
  ///   - file: File of the call, for issues.
  ///   - line: Line of the call, for issues.
  /// - Returns: A value that retains this array, and is retained by its users alone.
  /// - Complexity: O(n) to begin; a change of an element, and an edit at the end, is O(log n).
  @inlinable
  public func sum<Number: AdditiveArithmetic>(
    of keyPath: KeyPath<Element, Number>, file: String = #fileID, line: UInt = #line
  ) -> ObservableValue<Number> {
    foldedSum(of: keyPath, file, line)
  }

  /// The mean of a property of the elements, integers; `nil` while there are none.
  ///
  /// That of the exact sum, which may be larger than the type of the property.
  ///
  /// - Parameters:
  ///   - keyPath: The property, which is followed if elements are objects; of at most 64 bits.
  ///   - file: File of the call, for issues.
  ///   - line: Line of the call, for issues.
  /// - Returns: A value that retains this array, and is retained by its users alone.
  /// - Complexity: O(n) to begin; a change of an element is O(1).
  @inlinable
  public func average<Number: FixedWidthInteger>(
    of keyPath: KeyPath<Element, Number>, file: String = #fileID, line: UInt = #line
  ) -> ObservableValue<Double?> {
    guard Number.bitWidth <= 64 else {
      return aggregate(FoldedParts<Number>(by: +), of: keyPath, file, line) { parts in
        parts.result.map { Double($0) / Double(parts.parts.count) }
      }
    }
    return aggregate(SummedParts<Number>(), of: keyPath, file, line) {
      $0.parts.isEmpty ? nil : Double($0.sum) / Double($0.parts.count)
    }
  }

  /// The mean of a property of the elements, floating-point numbers; `nil` while there are none.
  ///
  /// That of their sum, which is as exact as `sum(of:)` says.
  ///
  /// - Parameters:
  ///   - keyPath: The property, which is followed if elements are objects.
  ///   - file: File of the call, for issues.
  ///   - line: Line of the call, for issues.
  /// - Returns: A value that retains this array, and is retained by its users alone.
  /// - Complexity: O(n) to begin; a change of an element, and an edit at the end, is O(log n).
  @inlinable
  public func average<Number: BinaryFloatingPoint>(
    of keyPath: KeyPath<Element, Number>, file: String = #fileID, line: UInt = #line
  ) -> ObservableValue<Number?> {
    aggregate(FoldedParts<Number>(by: +), of: keyPath, file, line) { parts in
      parts.result.map { $0 / Number(parts.parts.count) }
    }
  }

  /// The least value of a property of the elements, of several that are equal the first; `nil`
  /// while there are no elements.
  ///
  /// - Parameters:
  ///   - keyPath: The property, which is followed if elements are objects.
  ///   - file: File of the call, for issues.
  ///   - line: Line of the call, for issues.
  /// - Returns: A value that retains this array, and is retained by its users alone.
  /// - Complexity: O(n) to begin; a change of an element, and an edit at the end, is O(log n),
  ///   another edit O(n) in the elements behind it.
  @inlinable
  public func min<Value: Comparable>(
    of keyPath: KeyPath<Element, Value>, file: String = #fileID, line: UInt = #line
  ) -> ObservableValue<Value?> {
    chosen(of: keyPath, file, line) { $1 < $0 }
  }

  /// The greatest value of a property of the elements, of several that are equal the first; `nil`
  /// while there are no elements.
  ///
  /// - Parameters:
  ///   - keyPath: The property, which is followed if elements are objects.
  ///   - file: File of the call, for issues.
  ///   - line: Line of the call, for issues.
  /// - Returns: A value that retains this array, and is retained by its users alone.
  /// - Complexity: O(n) to begin; a change of an element, and an edit at the end, is O(log n),
  ///   another edit O(n) in the elements behind it.
  @inlinable
  public func max<Value: Comparable>(
    of keyPath: KeyPath<Element, Value>, file: String = #fileID, line: UInt = #line
  ) -> ObservableValue<Value?> {
    chosen(of: keyPath, file, line) { $0 < $1 }
  }
}

extension ObservableArray {
  @inlinable
  func foldedSum<Number: AdditiveArithmetic>(
    of keyPath: KeyPath<Element, Number>, _ file: String, _ line: UInt
  ) -> ObservableValue<Number> {
    // As reducing does, which begins with zero: there is no sum that is -0.
    aggregate(FoldedParts<Number>(by: +), of: keyPath, file, line) {
      $0.result.map { .zero + $0 } ?? .zero
    }
  }

  /// - Parameter isReplaced: Whether a value takes the place of one before it.
  @inlinable
  func chosen<Value: Comparable>(
    of keyPath: KeyPath<Element, Value>, _ file: String, _ line: UInt,
    _ isReplaced: @escaping (Value, Value) -> Bool
  ) -> ObservableValue<Value?> {
    guard Value.self is any FloatingPoint.Type else {
      let chosen = FoldedParts<Value> { isReplaced($0, $1) ? $1 : $0 }
      return aggregate(chosen, of: keyPath, file, line) { $0.result }
    }
    // What is no number stands neither before nor behind others. The standard library leaves it
    // out, unless it is the first one.
    let chosen = FoldedParts<Value> { isReplaced($0, $1) || $0 != $0 ? $1 : $0 }
    return aggregate(chosen, of: keyPath, file, line) { parts in
      parts.parts.first.flatMap { $0 == $0 ? parts.result : $0 }
    }
  }

  @inlinable
  func aggregate<Parts: ElementParts, Result>(
    _ parts: Parts, of keyPath: KeyPath<Element, Parts.Part>, _ file: String, _ line: UInt,
    result: @escaping (Parts) -> Result
  ) -> ObservableValue<Result> {
    // Properties of values don't change.
    let keyPaths = ArrayAggregate<Element, Parts>.mayFollowElements ? [keyPath] : []
    return aggregate(
      parts, on: keyPaths, file, line, part: { $0[keyPath: keyPath] }, result: result)
  }

  /// - Parameters:
  ///   - parts: Without any.
  ///   - part: What an element contributes.
  ///   - result: What comes of all parts.
  @inlinable
  func aggregate<Parts: ElementParts, Result>(
    _ parts: Parts, on keyPaths: [PartialKeyPath<Element>], _ file: String, _ line: UInt,
    part: @escaping (Element) -> Parts.Part, result: @escaping (Parts) -> Result
  ) -> ObservableValue<Result> {
    let aggregate = ArrayAggregate(of: self, parts, part: part)
    aggregate.begin(on: keyPaths, file, line)
    return ObservableValue(
      {
        guard let current = aggregate.partsToComputeFrom() else {
          return result(aggregate.parts)
        }
        var parts = parts
        parts.set(current)
        return result(parts)
      }, file: file, line: line)
  }
}
