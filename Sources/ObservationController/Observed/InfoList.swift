/// Observation infos in the order of their registration.
///
/// One pointer wide; a list of one, by far the most frequent, allocates nothing.
enum InfoList {
  case none
  case one(ObservationInfo)
  case many(ContiguousArray<ObservationInfo>)
}

extension InfoList {
  var first: ObservationInfo? {
    switch self {
    case .none: nil
    case .one(let info): info
    case .many(let infos): infos.first
    }
  }

  var isEmpty: Bool {
    if case .none = self { true } else { false }
  }

  /// Whether both are the same list, not edited in between; may be `false` for equal ones.
  func isIdentical(to other: InfoList) -> Bool {
    switch (self, other) {
    case (.none, .none): true
    case (.one(let info), .one(let other)): info === other
    case (.many(let infos), .many(let others)):
      infos.count == others.count
        && infos.withUnsafeBufferPointer { infos in
          others.withUnsafeBufferPointer { $0.baseAddress == infos.baseAddress }
        }
    default: false
    }
  }

  /// Those that are not in `others`.
  func subtracting(_ others: InfoList) -> InfoList {
    others.isEmpty ? self : filter { !others.contains($0) }
  }

  func filter(_ isIncluded: (ObservationInfo) -> Bool) -> InfoList {
    let infos = all.filter(isIncluded)
    return switch infos.count {
    case 0: .none
    case 1: .one(infos[0])
    default: .many(ContiguousArray(infos))
    }
  }

  func contains(where isWanted: (ObservationInfo) -> Bool) -> Bool {
    first(where: isWanted) != nil
  }

  func first(where isWanted: (ObservationInfo) -> Bool) -> ObservationInfo? {
    switch self {
    case .none: nil
    case .one(let info): isWanted(info) ? info : nil
    case .many(let infos): infos.first(where: isWanted)
    }
  }

  /// Whether `info` is the only one.
  func isOnly(_ info: ObservationInfo) -> Bool {
    single?.toOpaque() == Unmanaged.passUnretained(info).toOpaque()
  }

  /// The info of a list of one, not retained; valid as long as the list is not edited.
  @inline(__always)
  var single: Unmanaged<ObservationInfo>? {
    guard case .one(let info) = self else { return nil }
    return .passUnretained(info)
  }

  @inline(__always)
  func visit(_ body: (ObservationInfo) -> Void) {
    switch self {
    case .none: break
    case .one(let info): body(info)
    case .many(let infos): for info in infos { body(info) }
    }
  }

  /// Visits the infos without retaining one: the list is not edited meanwhile.
  @inline(__always)
  func visitUnretained(_ body: (Unmanaged<ObservationInfo>) -> Void) {
    switch self {
    case .none: break
    case .one(let info): body(.passUnretained(info))
    case .many(let infos):
      infos.withUnsafeBufferPointer { infos in
        for index in infos.indices { body(.passUnretained(infos[index])) }
      }
    }
  }

  /// A copy of the infos; O(1) for more than one.
  var all: ContiguousArray<ObservationInfo> {
    switch self {
    case .none: []
    case .one(let info): [info]
    case .many(let infos): infos
    }
  }

  /// Adds `info` where its registration belongs: at the end, unless a path was re-hooked; behind
  /// the other parts of the same token.
  ///
  /// - Complexity: O(1) amortised at the end.
  @inline(__always)
  mutating func insert(_ info: ObservationInfo) {
    if isEmpty { self = .one(info) } else { insertNext(info) }
  }

  @inline(never)
  private mutating func insertNext(_ info: ObservationInfo) {
    switch self {
    case .none:
      break
    case .one(let other):
      self = .many(other.order <= info.order ? [other, info] : [info, other])
    case .many(var infos):
      self = .none  // gives up the reference, so that the array is edited in place
      infos.insert(info, at: Self.end(of: info.order, in: infos))
      self = .many(infos)
    }
  }

  /// Adds `info` as `insert` does, unless it is there.
  ///
  /// - Returns: Whether it was not there.
  @inline(__always)
  mutating func insertIfNew(_ info: ObservationInfo) -> Bool {
    guard !contains(info) else { return false }
    insert(info)
    return true
  }

  /// Takes `info` out, if it is there.
  ///
  /// The caller holds `info`; nothing of a user's is freed here.
  ///
  /// - Complexity: O(log n) to find it, plus moving those behind it.
  @inline(__always)
  mutating func remove(_ info: ObservationInfo) -> Bool {
    guard isOnly(info) else { return removeFromMany(info) }
    self = .none
    return true
  }

  @inline(never)
  private mutating func removeFromMany(_ info: ObservationInfo) -> Bool {
    switch self {
    case .none, .one:
      return false
    case .many(var infos):
      guard let index = Self.index(of: info, in: infos) else { return false }
      self = .none
      infos.remove(at: index)
      self = infos.count == 1 ? .one(infos[0]) : .many(infos)
      return true
    }
  }

  /// - Complexity: O(log n).
  func contains(_ info: ObservationInfo) -> Bool {
    switch self {
    case .none: return false
    case .one(let other): return other === info
    case .many(let infos):
      return Self.index(of: info, in: infos) != nil
    }
  }

  private static func index(
    of info: ObservationInfo, in infos: ContiguousArray<ObservationInfo>
  ) -> Int? {
    var index = end(of: info.order, in: infos)
    while index > 0, infos[index - 1].order == info.order {
      index -= 1
      if infos[index] === info { return index }
    }
    return nil
  }

  /// Where the infos of this order end, or would be.
  private static func end(
    of order: (serial: UInt64, part: UInt32), in infos: ContiguousArray<ObservationInfo>
  ) -> Int {
    // Mostly at the end, since infos are registered in their order.
    if let last = infos.last, last.order <= order { return infos.count }
    return infos.partitioningIndex { $0.order > order }
  }
}
