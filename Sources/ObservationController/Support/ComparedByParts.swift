/// A type of the standard library whose values cannot be told apart if their parts cannot.
protocol ComparedByParts {
  static var comparison: ValueComparison { get }
}

// MARK: - Texts

/// `==` takes two spellings of one text for equal, as a letter with an accent and the letter
/// followed by the accent.
extension String: ComparedByParts {
  static var comparison: ValueComparison {
    ValueComparison(of: Self.self, isExact: true) {
      ValueEquality.haveSameUTF8(
        $0.load(as: Self.self),
        $1.load(as: Self.self))
    }
  }
}

extension Character: ComparedByParts {
  static var comparison: ValueComparison {
    ValueComparison(of: Self.self, isExact: true) {
      ValueEquality.haveSameUTF8(
        String($0.load(as: Self.self)),
        String($1.load(as: Self.self)))
    }
  }
}

/// The same only where bits are: a part of a text also has the rest of that, and indices.
extension Substring: ComparedByParts {
  static var comparison: ValueComparison {
    let haveSameUTF8: ValueComparison.Test = {
      ValueEquality.haveSameUTF8(
        String($0.load(as: Self.self)),
        String($1.load(as: Self.self)))
    }
    return ValueComparison(of: Self.self, isExact: false, { _, _ in false }, haveSameUTF8)
  }
}

// MARK: - Collections

extension Optional: ComparedByParts {
  static var comparison: ValueComparison {
    let wrapped = ValueComparison.of(Wrapped.self)
    // `nil` is a null pointer.
    if Wrapped.self is AnyClass { return ValueComparison(ofBitsOf: Self.self) }
    func test(_ test: @escaping ValueComparison.Test) -> ValueComparison.Test {
      { left, right in
        let left = left.load(as: Self.self)
        let right = right.load(as: Self.self)
        guard let left, let right else { return left == nil && right == nil }
        return ValueComparison.areEqual(left, right, by: test)
      }
    }
    return ValueComparison(
      of: Self.self, isExact: wrapped.isExact, test(wrapped.areSame), test(wrapped.areUnchanged))
  }
}

extension Array: ComparedByParts {
  static var comparison: ValueComparison { ValueComparison(ofElementsOf: Self.self) }
}

extension ContiguousArray: ComparedByParts {
  static var comparison: ValueComparison { ValueComparison(ofElementsOf: Self.self) }
}

/// The same only with the same indices.
extension ArraySlice: ComparedByParts {
  static var comparison: ValueComparison {
    ValueComparison(ofElementsOf: Self.self, isSlice: true)
  }
}

/// In any order, and with the keys: equal ones may be two instances.
extension Dictionary: ComparedByParts {
  static var comparison: ValueComparison {
    let (keys, values) = (ValueComparison.of(Key.self), ValueComparison.of(Value.self))
    func test(
      _ keys: @escaping ValueComparison.Test, _ values: @escaping ValueComparison.Test
    ) -> ValueComparison.Test {
      { left, right in
        let left = left.load(as: Self.self)
        let right = right.load(as: Self.self)
        return left.count == right.count
          && left.allSatisfy { key, value in
            guard let index = right.index(forKey: key) else { return false }
            return ValueComparison.areEqual(key, right[index].key, by: keys)
              && ValueComparison.areEqual(value, right[index].value, by: values)
          }
      }
    }
    return ValueComparison(
      of: Self.self, isExact: keys.isExact && values.isExact,
      test(keys.areSame, values.areSame), test(keys.areUnchanged, values.areUnchanged))
  }
}

/// In any order: equal elements may be two instances.
extension Set: ComparedByParts {
  static var comparison: ValueComparison {
    let elements = ValueComparison.of(Element.self)
    func test(_ test: @escaping ValueComparison.Test) -> ValueComparison.Test {
      { left, right in
        let left = left.load(as: Self.self)
        let right = right.load(as: Self.self)
        return left.count == right.count
          && left.allSatisfy { element in
            guard let index = right.firstIndex(of: element) else { return false }
            return ValueComparison.areEqual(element, right[index], by: test)
          }
      }
    }
    return ValueComparison(
      of: Self.self, isExact: elements.isExact, test(elements.areSame),
      test(elements.areUnchanged))
  }
}

extension ValueComparison {
  /// Comparison of collections that lie in memory one element behind the other.
  ///
  /// - Parameter isSlice: Whether the first index may be any, which can be told, but is no change
  ///   for observers.
  fileprivate convenience init<Values: RandomAccessCollection>(
    ofElementsOf type: Values.Type, isSlice: Bool = false
  ) {
    let elements = ValueComparison.of(Values.Element.self)
    let stride = MemoryLayout<Values.Element>.stride
    let isTakable = _isBitwiseTakable(Values.Element.self)
    func test(_ test: @escaping Test, isSlice: Bool) -> Test {
      { left, right in
        // Retained: the tests of elements may run the `==` of keys, which is the user's.
        let left = left.load(as: Values.self)
        let right = right.load(as: Values.self)
        guard left.count == right.count, !isSlice || left.startIndex == right.startIndex else {
          return false
        }
        let areEqual = left.withContiguousStorageIfAvailable { left in
          right.withContiguousStorageIfAvailable { right in
            guard let start = UnsafeRawPointer(left.baseAddress),
              let other = UnsafeRawPointer(right.baseAddress)
            else { return true }
            if isTakable, haveEqualBits(start, other, count: stride * left.count) { return true }
            return !elements.isBitwise
              && left.indices.allSatisfy { test(start + stride * $0, other + stride * $0) }
          }
        }
        // One of Objective-C has its elements elsewhere.
        return (areEqual ?? nil)
          ?? zip(left, right).allSatisfy { ValueComparison.areEqual($0, $1, by: test) }
      }
    }
    self.init(
      of: type, isExact: elements.isExact && !isSlice, test(elements.areSame, isSlice: isSlice),
      test(elements.areUnchanged, isSlice: false))
  }
}
