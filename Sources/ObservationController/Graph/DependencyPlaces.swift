import Synchronization

/// Hash table of where the dependencies of one node stand.
///
/// Made when a getter reads a property at another place than before, and both ends of the edge have
/// many others; freed when the getter has ended. An unchanged order needs none.
///
/// A slot has the place of a dependency, found by the address of that. Slots are never emptied, so
/// that searches need not go on behind them: those of dependencies that have gone are told by the
/// list itself, which has another vertex there, or a gap. Every dependency in the list can be
/// found.
///
/// Safe: the memory has one word for the capacity, one for the used slots, and the slots after
/// these, all initialized, and is freed by `freePlaces` alone. Under the lock of the graph.
struct DependencyPlaces: BitwiseCopyable {
  fileprivate let memory: UnsafeMutablePointer<UInt32>

  /// Up to so many edges are compared one after the other.
  static var fewEdges: Int { 16 }

  fileprivate init(capacity: Int) {
    memory = .allocate(capacity: capacity + 2)
    memory.initialize(repeating: 0, count: capacity + 2)
    memory[0] = UInt32(capacity)
  }

  /// A power of two.
  fileprivate var capacity: Int { Int(memory[0]) }

  fileprivate var used: Int {
    get { Int(memory[1]) }
    nonmutating set { memory[1] = UInt32(newValue) }
  }

  /// One more than the place; 0 for a free slot.
  fileprivate var slots: UnsafeMutablePointer<UInt32> { memory + 2 }

  /// Finds a slot for the address of `vertex`: the first that is free, or satisfies `isWanted`.
  ///
  /// Always ends: at least half of the slots are free.
  fileprivate func slot(
    of vertex: Vertex.Reference, where isWanted: (_ place: Int) -> Bool
  ) -> UnsafeMutablePointer<UInt32> {
    // Vertices lie 16 bytes apart at least; the multiplication spreads them.
    let bits = UInt64(truncatingIfNeeded: UInt(bitPattern: vertex) >> 4)
    let mask = capacity - 1
    var index = Int(truncatingIfNeeded: (bits &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
    while slots[index] != 0, !isWanted(Int(slots[index]) - 1) {
      Self.countSteps(1)
      index = (index + 1) & mask
    }
    Self.countSteps(1)
    return slots + index
  }

  /// Counts edges and slots that were looked at, for tests of how work grows; nothing in a release
  /// build.
  @inline(__always)
  static func countSteps(_ count: @autoclosure () -> Int) {
    #if DEBUG
      placeSteps.wrappingAdd(count(), ordering: .relaxed)
    #endif
  }
}

extension UnsafeMutablePointer<Node> {
  /// Position of the edge to `vertex`, by the table, which is made if there is none.
  @inline(never)
  func findPlace(of vertex: Vertex.Reference) -> Int? {
    let places = pointee.places ?? makePlaces()
    let slot = places.slot(of: vertex) { leads(to: vertex, at: $0) }
    return slot.pointee == 0 ? nil : Int(slot.pointee) - 1
  }

  private func leads(to vertex: Vertex.Reference, at place: Int) -> Bool {
    place < dependencies.count && dependencies.leads(to: vertex, at: place)
  }

  /// Enters the place of a dependency that was appended. There is a table.
  @inline(never)
  func notePlace(_ place: Int, of vertex: Vertex.Reference) {
    guard let places = pointee.places else { return }
    guard (places.used + 1) * 2 <= places.capacity else {
      // Lists the new one too.
      _ = makePlaces()
      return
    }
    enter(place, of: vertex, in: places)
  }

  private func enter(
    _ place: Int, of vertex: Vertex.Reference, in places: DependencyPlaces
  ) {
    places.slot(of: vertex) { _ in false }.pointee = UInt32(place + 1)
    places.used += 1
  }

  /// Exchanges the places of two dependencies in the table, before they are exchanged in the list.
  @inline(never)
  func swapPlaces(_ one: Int, _ other: Int) {
    guard let places = pointee.places, one != other else { return }
    // Both are found before one is changed.
    let (slot, otherSlot) = (self.slot(of: one, in: places), self.slot(of: other, in: places))
    slot?.pointee = UInt32(other + 1)
    otherSlot?.pointee = UInt32(one + 1)
  }

  /// - Returns: `nil` for a gap, which is in no need of being found.
  private func slot(
    of place: Int, in places: DependencyPlaces
  ) -> UnsafeMutablePointer<UInt32>? {
    dependencies.vertex(at: place).map { places.slot(of: $0) { $0 == place } }
  }

  /// Makes the table anew, with the dependencies in the list.
  private func makePlaces() -> DependencyPlaces {
    freePlaces()
    let count = dependencies.count
    var capacity = 64
    while capacity < count * 4 { capacity *= 2 }
    let new = DependencyPlaces(capacity: capacity)
    for place in 0..<count {
      if let vertex = dependencies.vertex(at: place) { enter(place, of: vertex, in: new) }
    }
    pointee.places = new
    return new
  }

  func freePlaces() {
    pointee.places?.memory.deallocate()
    pointee.places = nil
  }
}

#if DEBUG
  /// See `DependencyPlaces.countSteps`.
  let placeSteps = Atomic<Int>(0)
#endif
