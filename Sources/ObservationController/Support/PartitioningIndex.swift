extension RandomAccessCollection where Index == Int {
  /// The index of the first element that satisfies `belongsToEnd`, which all behind it do too.
  ///
  /// - Complexity: O(log n).
  @inlinable
  func partitioningIndex(where belongsToEnd: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if belongsToEnd(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
