/// Observation infos in the order of their registration.
///
/// One pointer wide; a list of one, by far the most frequent, allocates nothing. From 512 infos on
/// they stand in chunks, so that ending one moves few of the others.
enum InfoList {
  case none
  case one(ObservationInfo)
  case many(ContiguousArray<ObservationInfo>)
  case chunks(SortedList<ObservationInfo>)
}

/// In the order of registration.
extension ObservationToken: Ordered {}

extension InfoList {
  var first: ObservationInfo? { first { _ in true } }

  var isEmpty: Bool {
    if case .none = self { true } else { false }
  }

  /// - Parameter limit: At most 100: a list in chunks is longer.
  /// - Complexity: O(1).
  func isLonger(than limit: Int) -> Bool {
    switch self {
    case .none: false
    case .one: limit < 1
    case .many(let infos): infos.count > limit
    case .chunks: true
    }
  }

  /// Whether both are one list, not edited in between; may be `false` for equal lists.
  func isIdentical(to other: InfoList) -> Bool {
    // Safe: a list is a reference, whose spare bits say which case it is.
    unsafeBitCast(self, to: UInt.self) == unsafeBitCast(other, to: UInt.self)
  }

  /// Infos that are not in `others`.
  func subtracting(_ others: InfoList) -> InfoList {
    others.isEmpty ? self : filter { !others.contains($0) }
  }

  func filter(_ isIncluded: (ObservationInfo) -> Bool) -> InfoList {
    var included = InfoList.none
    visit { if isIncluded($0) { included.insert($0) } }
    return included
  }

  func contains(where isWanted: (ObservationInfo) -> Bool) -> Bool {
    first(where: isWanted) != nil
  }

  func first(where isWanted: (ObservationInfo) -> Bool) -> ObservationInfo? {
    switch self {
    case .none: nil
    case .one(let info): isWanted(info) ? info : nil
    case .many(let infos): infos.first(where: isWanted)
    case .chunks(let list): list.elements.first(where: isWanted)
    }
  }

  func last(where isWanted: (ObservationInfo) -> Bool) -> ObservationInfo? {
    switch self {
    case .none: nil
    case .one(let info): isWanted(info) ? info : nil
    case .many(let infos): infos.last(where: isWanted)
    case .chunks(let list): list.elements.last(where: isWanted)
    }
  }

  /// Whether `info` is the only one.
  func isOnly(_ info: ObservationInfo) -> Bool {
    single?.toOpaque() == Unmanaged.passUnretained(info).toOpaque()
  }

  /// The info of a list of one, not retained; valid as long as the list is not edited.
  var single: Unmanaged<ObservationInfo>? {
    guard case .one(let info) = self else { return nil }
    return .passUnretained(info)
  }

  /// Visits the infos without retaining one: the list is not edited meanwhile.
  @inline(__always)
  func visit(_ body: (ObservationInfo) -> Void) {
    switch self {
    case .none: break
    case .one(let info): Unmanaged.passUnretained(info)._withUnsafeGuaranteedRef(body)
    case .many(let infos):
      // As `visit` of the buffer, in place: the optimiser does not inline `body` through that.
      infos.withUnsafeBufferPointer { infos in
        for index in infos.indices {
          Unmanaged.passUnretained(infos[index])._withUnsafeGuaranteedRef(body)
        }
      }
    case .chunks(let list): list.visit(body)
    }
  }

  /// A copy of the infos.
  ///
  /// - Complexity: O(1) up to 512 infos, else O(n).
  var all: ContiguousArray<ObservationInfo> {
    switch self {
    case .none: []
    case .one(let info): [info]
    case .many(let infos): infos
    case .chunks(let list): ContiguousArray(list.elements)
    }
  }

  /// Adds `info` in the order of registration: at the end, unless a path was attached anew; after
  /// the other parts of its token.
  ///
  /// - Complexity: O(1) amortised at the end.
  mutating func insert(_ info: ObservationInfo) {
    if isEmpty { self = .one(info) } else { insertNext(info) }
  }

  @inline(never)
  private mutating func insertNext(_ info: ObservationInfo) {
    switch self {
    case .none:
      break
    case .one(let other):
      self = .many(other.order < info.order ? [other, info] : [info, other])
    case .many(var infos):
      self = .none  // releases the reference, so that the array is edited in place
      infos.insert(info, at: infos.place(of: info.order))
      self = infos.count < Self.many ? .many(infos) : .chunks(SortedList(infos))
    case .chunks(var list):
      self = .none
      list.insert(info, at: list.place(of: info.order))
      self = .chunks(list)
    }
  }

  /// Number of infos at which a list has chunks.
  private static var many: Int { 512 }

  /// Number of infos at which it no longer has; smaller, so that adding and removing one info in
  /// turn costs little.
  private static var few: Int { 128 }

  /// Adds `info` as `insert` does, unless the list contains it.
  ///
  /// - Returns: Whether it was added.
  @inline(__always)
  mutating func insertIfNew(_ info: ObservationInfo) -> Bool {
    guard !contains(info) else { return false }
    insert(info)
    return true
  }

  /// Removes `info`, if the list contains it.
  ///
  /// The caller retains `info`, so that this runs no deinit of the user's.
  ///
  /// - Complexity: O(log n) to find it; no more than 512 are moved, and one reference for each 256
  ///   infos.
  @inline(__always)
  mutating func remove(_ info: ObservationInfo) -> Bool {
    guard isOnly(info) else { return removeFromMany(info) }
    self = .none
    return true
  }

  @inline(never)
  private mutating func removeFromMany(_ info: ObservationInfo) -> Bool {
    guard contains(info) else { return false }
    switch self {
    case .none, .one:
      break
    case .many(var infos):
      self = .none
      infos.remove(at: infos.place(of: info.order))
      self = infos.count == 1 ? .one(infos[0]) : .many(infos)
    case .chunks(var list):
      self = .none
      list.remove(at: list.place(of: info.order))
      let isShort = list.chunks.count == 1 && list.chunks[0].count <= Self.few
      self = isShort ? .many(list.chunks[0]) : .chunks(list)
    }
    return true
  }

  /// - Complexity: O(log n).
  func contains(_ info: ObservationInfo) -> Bool {
    switch self {
    case .none: return false
    case .one(let other): return other === info
    case .many(let infos):
      let index = infos.place(of: info.order)
      return index < infos.count && infos[index] === info
    case .chunks(let list): return list[info.order] === info
    }
  }
}
