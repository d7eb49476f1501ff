import TestSupport
import XCTest

@testable import ObservationController

/// Differences and indices of changes, checked against simple algorithms.
final class ArrayDifferenceTests: TestCase {
  // MARK: Longest increase

  func test_longestIncrease_ofAllSmallPermutations_withGaps_isLongest() {
    for values in Self.partialPermutations {
      let indices = values.longestIncrease()
      let series = indices.map { values[$0] }
      XCTAssertEqual(indices, Set(indices).sorted(), "\(values)")
      XCTAssertEqual(series, Set(series).sorted(), "\(values)")
      XCTAssertFalse(series.contains(-1), "\(values)")
      XCTAssertEqual(series.count, Self.longestIncrease(of: values), "\(values)")
    }
  }

  /// All orders of some of up to six values, in all places, with -1 in the others.
  private static let partialPermutations: [[Int]] = (0...Effort.count(quick: 5, full: 6)).flatMap {
    count -> [[Int]] in
    var all: [[Int]] = [[]]
    for _ in 0..<count {
      all = all.flatMap { values in
        ([-1] + (0..<count)).filter { $0 < 0 || !values.contains($0) }.map { values + [$0] }
      }
    }
    return all
  }

  /// By trying every subset.
  private static func longestIncrease(of values: [Int]) -> Int {
    (0..<1 << values.count).map { subset in
      let series = values.indices.filter { subset & 1 << $0 != 0 }.map { values[$0] }
      let ascends = zip(series, series.dropFirst()).allSatisfy { $0 < $1 }
      return ascends && !series.contains(-1) ? series.count : 0
    }.max()!
  }

  // MARK: ElementIdentity

  func test_origins_ofAllSmallArrays_areTheirElements_eachOnce_inOrder() {
    let marks = (0..<3).map { _ in NSObject() }
    for (old, new) in Self.pairs {
      let expected = Self.origins(of: new, in: old)
      XCTAssertEqual(ElementIdentity.origins(of: new, in: old), expected, "\(old) → \(new)")
      let objects = (old.map { marks[$0] }, new.map { marks[$0] })
      XCTAssertEqual(ElementIdentity.origins(of: objects.1, in: objects.0), expected)
      let optionals = (old.map { $0 == 0 ? nil : $0 }, new.map { $0 == 0 ? nil : $0 })
      XCTAssertEqual(ElementIdentity<Int?>.origins(of: optionals.1, in: optionals.0), expected)
    }
  }

  func test_origins_ofIndistinguishableElements_areUnknown() {
    XCTAssertNil(ElementIdentity<() -> Void>.origins(of: [{}], in: [{}]))
    XCTAssertNil(ElementIdentity<Any>.origins(of: [1], in: [1]))
    XCTAssertEqual(ElementIdentity<Any>.origins(of: [self], in: [self]), [0])
  }

  /// Entries that lead from one array to the other, with no more moves than needed.
  func test_entries_leadFromAllSmallArraysToAllOthers() {
    for (old, new) in Self.pairs {
      let origins = Self.origins(of: new, in: old)
      let entries = ArrayChange.Entry.leading(from: old, to: new, origins: origins)
      var result = old
      result.apply(entries)
      XCTAssertEqual(result, new, "\(entries)")
      let keptCount = old.count - entries.filter { $0.oldIndex != nil }.count
      XCTAssertEqual(keptCount, Self.longestIncrease(of: origins), "\(old) → \(new): \(entries)")
    }
  }

  func test_entries_ofExchangedElementsAmongOthers_areTheseAlone() {
    let entries = ArrayChange.Entry.leading(
      from: [1, 2, 3, 4], to: [3, 2, 1, 5], origins: [2, 1, 0, -1])
    XCTAssertEqual(entries.map(\.element), [1, 3, 4, 5])
  }

  private static let pairs: [(old: [Int], new: [Int])] = {
    let arrays = allArrays(of: [0, 1, 2], upTo: Effort.count(quick: 3, full: 4))
    return arrays.flatMap { old in arrays.map { (old, $0) } }
  }()

  /// Equal elements at both ends stay; each one between takes the first that is left.
  private static func origins(of new: [Int], in old: [Int]) -> [Int] {
    let head = zip(old, new).prefix { $0 == $1 }.count
    let rest = min(old.count, new.count) - head
    let tail = zip(old.reversed(), new.reversed()).prefix(rest).prefix { $0 == $1 }.count
    var unused = Array(head..<old.count - tail)
    return new.indices.map { index in
      if index < head { return index }
      if index >= new.count - tail { return old.count - (new.count - index) }
      guard let place = unused.firstIndex(where: { old[$0] == new[index] }) else { return -1 }
      return unused.remove(at: place)
    }
  }

  // MARK: IndexEdit

  func test_indexEdit_ofAllSmallEdits_movesIndicesAsTheArrayDoes() {
    for count in 0...Effort.count(quick: 4, full: 5) {
      for removals in 0..<1 << count {
        let removed = (0..<count).filter { removals & 1 << $0 != 0 }
        for added in 0...3 { check(count: count, removed: removed, added: added) }
      }
    }
  }

  private func check(count: Int, removed: [Int], added: Int) {
    let newCount = count - removed.count + added
    for insertions in 0..<1 << newCount where insertions.nonzeroBitCount == added {
      let inserted = (0..<newCount).filter { insertions & 1 << $0 != 0 }
      let edit = IndexEdit(
        removed.reversed().map { ArrayChange<Int>.Entry(0, removedAt: $0) }
          + inserted.reversed().map { ArrayChange<Int>.Entry(0, insertedAt: $0) })
      XCTAssertEqual(edit.removed, removed)
      XCTAssertEqual(edit.inserted, inserted)
      XCTAssertEqual(edit.start, min(removed.first ?? .max, inserted.first ?? .max))

      let staying = (0..<count).filter { !removed.contains($0) }
      let places = (0..<newCount).filter { !inserted.contains($0) }
      let after = Dictionary(uniqueKeysWithValues: zip(staying, places))
      for index in 0..<count {
        XCTAssertEqual(edit.index(after: index), after[index], "\(edit)")
      }
    }
  }

  func test_partitioningIndex_ofAllSmallPartitions_isTheFirstOfTheEnd() {
    for count in 0...9 {
      for start in 0...count {
        XCTAssertEqual((0..<count).partitioningIndex { $0 >= start }, start)
        XCTAssertEqual((7..<7 + count).partitioningIndex { $0 >= 7 + start }, 7 + start)
      }
    }
  }
}
