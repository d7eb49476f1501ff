/// Observation infos in the order of their registration.
///
/// One pointer wide; a list of one, by far the most frequent, allocates nothing. From 512 infos on
/// it is made of chunks, so that ending one moves few of the others.
enum InfoList {
  case none
  case one(ObservationInfo)
  case many(ContiguousArray<ObservationInfo>)
  case chunks(InfoList.Chunks)
}

extension InfoList {
  var first: ObservationInfo? { first { _ in true } }

  var isEmpty: Bool {
    if case .none = self { true } else { false }
  }

  /// - Complexity: O(1).
  var count: Int {
    switch self {
    case .none: 0
    case .one: 1
    case .many(let infos): infos.count
    case .chunks(let chunks): chunks.count
    }
  }

  /// Whether both are one list, not edited in between; may be `false` for equal lists.
  func isIdentical(to other: InfoList) -> Bool {
    switch (self, other) {
    case (.none, .none): true
    case (.one(let info), .one(let other)): info === other
    case (.many(let infos), .many(let others)):
      infos.count == others.count
        && infos.withUnsafeBufferPointer(\.baseAddress)
          == others.withUnsafeBufferPointer(\.baseAddress)
    case (.chunks(let chunks), .chunks(let others)): chunks === others
    default: false
    }
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
    case .none: return nil
    case .one(let info): return isWanted(info) ? info : nil
    case .many(let infos): return infos.first(where: isWanted)
    case .chunks(let chunks):
      for chunk in chunks.chunks {
        if let info = chunk.infos.first(where: isWanted) { return info }
      }
      return nil
    }
  }

  /// First result of `body`, from the last info to the first.
  func lastResult<Result>(_ body: (ObservationInfo) -> Result?) -> Result? {
    switch self {
    case .none: return nil
    case .one(let info): return body(info)
    case .many(let infos):
      for info in infos.reversed() {
        if let result = body(info) { return result }
      }
    case .chunks(let chunks):
      // Not by `all`, which copies them: the last info usually has a result.
      for chunk in chunks.chunks.reversed() {
        if let result = InfoList.many(chunk.infos).lastResult(body) { return result }
      }
    }
    return nil
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
    case .chunks(let chunks): for chunk in chunks.chunks { for info in chunk.infos { body(info) } }
    }
  }

  /// Visits the infos without retaining one: the list is not edited meanwhile.
  ///
  /// - Returns: Chunks, none of which has been visited.
  @inline(__always)
  func visitUnretained(_ body: (Unmanaged<ObservationInfo>) -> Void) -> InfoList.Chunks? {
    switch self {
    case .none: break
    case .one(let info): body(.passUnretained(info))
    case .many(let infos):
      infos.withUnsafeBufferPointer { infos in
        for index in infos.indices { body(.passUnretained(infos[index])) }
      }
    case .chunks(let chunks): return chunks
    }
    return nil
  }

  /// A copy of the infos.
  ///
  /// - Complexity: O(1) up to 512 infos, else O(n).
  var all: ContiguousArray<ObservationInfo> {
    switch self {
    case .none: []
    case .one(let info): [info]
    case .many(let infos): infos
    case .chunks(let chunks): chunks.all
    }
  }

  /// Adds `info` in the order of registration: at the end, unless a path was attached anew; after
  /// the other parts of its token.
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
      self = .none  // releases the reference, so that the array is edited in place
      infos.insert(info, at: Self.end(of: info.order, in: infos))
      self = infos.count < InfoList.Chunks.many ? .many(infos) : .chunks(InfoList.Chunks(infos))
    case .chunks:
      editChunks { $0.insert(info) }
    }
  }

  /// Edits chunks, in place unless another list refers to them.
  private mutating func editChunks<Result>(_ body: (InfoList.Chunks) -> Result) -> Result? {
    guard case .chunks(var chunks) = self else { return nil }
    self = .none
    if !isKnownUniquelyReferenced(&chunks) { chunks = InfoList.Chunks(copying: chunks) }
    defer {
      self = chunks.count > InfoList.Chunks.few ? .chunks(chunks) : .many(chunks.all)
    }
    return body(chunks)
  }

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
    switch self {
    case .none, .one:
      return false
    case .many(var infos):
      guard let index = Self.index(of: info, in: infos) else { return false }
      self = .none
      infos.remove(at: index)
      self = infos.count == 1 ? .one(infos[0]) : .many(infos)
      return true
    case .chunks:
      return editChunks { $0.remove(info) } ?? false
    }
  }

  /// - Complexity: O(log n).
  func contains(_ info: ObservationInfo) -> Bool {
    switch self {
    case .none: return false
    case .one(let other): return other === info
    case .many(let infos):
      return Self.index(of: info, in: infos) != nil
    case .chunks(let chunks): return chunks.contains(info)
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

  /// Index after the infos of this order, or where they would be.
  static func end(
    of order: (serial: UInt64, part: UInt32), in infos: ContiguousArray<ObservationInfo>
  ) -> Int {
    // Mostly at the end, since infos are registered in their order.
    if let last = infos.last, last.order <= order { return infos.count }
    return infos.partitioningIndex { $0.order > order }
  }
}
