/// Where in an array the elements are whose properties are followed, and how often each is there.
///
/// An element is known by its identity. Its position is noted when it comes; insertions and removals
/// before it are not carried through to every element, but logged, and made up for when the element
/// is looked up:
///
///     element ─▶ slot: position at the time it was last looked up ─▶ + the shifts logged since
///
/// About 50 bytes for each element.
struct ElementPositions {
  private var slots: ContiguousArray<Slot> = []
  private var slotOfElement: [ObjectIdentifier: UInt32] = [:]
  private var unusedSlots: [UInt32] = []
  private var log: ContiguousArray<Shift> = []

  /// The element that was looked up last: the same one is often changed again.
  private var last: (element: ObjectIdentifier, slot: Int)?

  /// How often slots have become unused.
  private(set) var departures = 0

  private struct Slot {
    /// Where the element was when the log was `logged` long; not valid if it is there several times.
    var position: Int
    var logged: UInt32
    var occurrences: UInt32
  }

  /// Elements from `index` on make way, or move up.
  private struct Shift {
    let index: Int
    let distance: Int
  }
}

extension ElementPositions {
  /// What an edit meant for the elements, as far as somebody has to act.
  struct Movement {
    /// Slots and elements that are new.
    var joined: [(slot: Int, element: AnyObject)] = []

    /// Slots of elements of which no occurrence is left; may be used again from now on.
    var left: [Int] = []
  }

  enum Place {
    case nowhere

    /// The position of an element that is there once.
    case at(Int)

    /// There several times, or once where it has to be found again.
    case somewhere
  }

  /// How many slots there are, used or not.
  var slotCount: Int { slots.count }

  /// - Complexity: O(1).
  func slot(of element: AnyObject) -> Int? {
    slot(at: ObjectIdentifier(element))
  }

  /// - Complexity: O(1).
  func slot(at element: ObjectIdentifier) -> Int? {
    slotOfElement[element].map { Int($0) }
  }

  /// - Complexity: O(1) if nothing was inserted or removed before the element since it was last
  ///   looked up; else O(l), l being the number of such edits, `shiftLimit` at most.
  mutating func place(of element: AnyObject) -> Place {
    let key = ObjectIdentifier(element)
    if last?.element != key {
      guard let slot = slot(of: element) else { return .nowhere }
      last = (key, slot)
    }
    guard let slot = last?.slot else { return .nowhere }
    guard slots[slot].occurrences == 1, slots[slot].position >= 0 else { return .somewhere }
    if Int(slots[slot].logged) < log.count {
      var position = slots[slot].position
      for shift in log[Int(slots[slot].logged)...] where position >= shift.index {
        position += shift.distance
      }
      note(position, in: slot)
    }
    return .at(slots[slot].position)
  }

  /// Notes where an element has been found that was `somewhere`.
  mutating func setPlace(of element: AnyObject, to position: Int) {
    guard let slot = slot(of: element), slots[slot].occurrences == 1 else { return }
    note(position, in: slot)
  }

  private mutating func note(_ position: Int, in slot: Int) {
    slots[slot].position = position
    slots[slot].logged = UInt32(log.count)
  }
}

// MARK: - Edits

extension ElementPositions {
  /// How long the log may get before all positions are noted anew: so long that this costs less than
  /// the edits that filled it, so short that looking a position up takes a few microseconds.
  private var shiftLimit: Int { min(max(slots.count / 16, 16), 4096) }

  /// Follows an edit.
  ///
  /// - Parameters:
  ///   - entries: What it did; see `ArrayChange.entries`.
  ///   - count: Of the elements after it.
  /// - Returns: `nil` if it was in too many places, or the log is full: `rebuild` has to follow.
  /// - Complexity: O(k) in the entries.
  mutating func apply(_ entries: [ArrayChange<AnyObject?>.Entry], count: Int) -> Movement? {
    guard logShifts(of: IndexEdit(entries), count: count) else { return nil }
    var movement = Movement()
    // First what comes, so that what leaves and comes at once does not leave.
    for entry in entries {
      guard let index = entry.newIndex, let element = entry.element else { continue }
      if entry.oldIndex == nil {
        add(element, at: index, &movement)
      } else {
        setPlace(of: element, to: index)
      }
    }
    for entry in entries where entry.newIndex == nil {
      if let element = entry.element { remove(element, &movement) }
    }
    return movement
  }

  /// - Parameter count: Of the elements after the edit.
  /// - Returns: `false` if there are too many.
  private mutating func logShifts(of edit: IndexEdit, count: Int) -> Bool {
    guard !edit.isInPlace else { return true }
    let removed = IndexEdit.runs(of: edit.removed)
    let inserted = IndexEdit.runs(of: edit.inserted)
    guard removed.count + inserted.count <= 16,
      log.count + removed.count + inserted.count <= shiftLimit
    else { return false }
    // What happens at the end shifts nobody.
    let oldCount = count - edit.inserted.count + edit.removed.count
    for run in removed.reversed() where run.end < oldCount {
      log.append(Shift(index: run.start, distance: -run.count))
    }
    for run in inserted where run.end < count {
      log.append(Shift(index: run.start, distance: run.count))
    }
    return true
  }

  private mutating func add(_ object: AnyObject, at index: Int, _ movement: inout Movement) {
    // Looked up once, as if it were new: in a table of a million elements each time waits for memory.
    let slot = unusedSlots.last.map { Int($0) } ?? slots.count
    let key = ObjectIdentifier(object)
    if let existing = slotOfElement.updateValue(UInt32(slot), forKey: key) {
      slotOfElement[key] = existing
      slots[Int(existing)].occurrences += 1
      // Also where another occurrence is about to leave: which one is left has to be found.
      slots[Int(existing)].position = -1
      return
    }
    let new = Slot(position: index, logged: UInt32(log.count), occurrences: 1)
    if unusedSlots.popLast() != nil { slots[slot] = new } else { slots.append(new) }
    movement.joined.append((slot, object))
  }

  private mutating func remove(_ object: AnyObject, _ movement: inout Movement) {
    guard let slot = slot(of: object) else { return }
    slots[slot].occurrences -= 1
    guard slots[slot].occurrences == 0 else { return }
    free(ObjectIdentifier(object), &movement)
  }

  /// Notes all positions anew.
  ///
  /// - Complexity: O(n).
  mutating func rebuild(with elements: [AnyObject?]) -> Movement {
    log.removeAll()
    var movement = Movement()
    let isFirst = slotOfElement.isEmpty
    if isFirst {
      reserveCapacity(elements.count)
      movement.joined.reserveCapacity(elements.count)
    }
    for slot in slots.indices { slots[slot].occurrences = 0 }
    for (index, element) in elements.enumerated() {
      guard let element else { continue }
      if !isFirst, let slot = slot(of: element), slots[slot].occurrences == 0 {
        slots[slot] = Slot(position: index, logged: 0, occurrences: 1)
      } else {
        add(element, at: index, &movement)
      }
    }
    guard !isFirst else { return movement }
    let gone = slotOfElement.filter { slots[Int($0.value)].occurrences == 0 }
    for element in gone.keys { free(element, &movement) }
    return movement
  }

  mutating func reserveCapacity(_ count: Int) {
    slots.reserveCapacity(count)
    slotOfElement.reserveCapacity(count)
  }

  /// Adds the next elements of an array, of which those before `start` have been added.
  ///
  /// - Complexity: O(k) in the elements.
  mutating func append(_ elements: [AnyObject?], at start: Int) -> Movement {
    var movement = Movement()
    for (offset, element) in elements.enumerated() {
      if let element { add(element, at: start + offset, &movement) }
    }
    return movement
  }

  /// Forgets an element, however often it is there.
  mutating func forget(_ element: ObjectIdentifier) -> Movement {
    var movement = Movement()
    free(element, &movement)
    return movement
  }

  private mutating func free(_ element: ObjectIdentifier, _ movement: inout Movement) {
    guard let slot = slotOfElement.removeValue(forKey: element) else { return }
    unusedSlots.append(slot)
    movement.left.append(Int(slot))
    departures += 1
    last = nil
  }

  mutating func removeAll() -> Movement {
    defer { self = ElementPositions(departures: departures + 1) }
    return Movement(left: slotOfElement.values.map { Int($0) })
  }
}
