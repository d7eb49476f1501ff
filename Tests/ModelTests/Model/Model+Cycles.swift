/// Changes of one property that handlers make because of one change.
struct Cycle {
  static let maximumRounds = 100

  /// The number of deliveries that have led to another one.
  var rounds: Int

  /// Names the property in the issue, once the cycle has been cut off.
  var reportedPath: Path?

  /// Whether others are left out of the last delivery than the last time.
  var hasNewCause = true

  /// In how many of the last rounds an observation has continued the cycle.
  private var continuations: [ObjectIdentifier: Int] = [:]

  init(rounds: Int) { self.rounds = rounds }

  mutating func noteContinued(by registration: Registration) {
    guard rounds >= Self.maximumRounds - 20 else { return }
    continuations[ObjectIdentifier(registration), default: 0] += 1
  }

  mutating func leaveOut(_ registration: Registration) {
    continuations[ObjectIdentifier(registration)] = 2
    hasNewCause = true
  }

  func leavesOut(_ registration: Registration) -> Bool {
    continuations[ObjectIdentifier(registration)] ?? 0 > 1
  }
}

/// C8.
extension Model {
  /// The last value stays stored, and is delivered once more to observations that do not keep the
  /// cycle going.
  func cutOff(_ turn: Turn, at place: Place, _ cycle: inout Cycle) {
    let changes = turn.waiting
    turn.waiting = []
    let isLast = cycle.hasNewCause && cycle.rounds < 2 * Cycle.maximumRounds
    holding(changes.flatMap { [$0.old, $0.new] }) {
      if isLast {
        cycle.hasNewCause = false
        if adds(to: turn, { deliverLast(of: changes, of: place, turn, &cycle) }) {
          cycle.rounds += 1
        }
      } else {
        for change in changes {
          for registration in change.registrations + change.paths {
            passOver(registration, change.id, at: place)
          }
        }
      }
    }
    let first = changes[0].registrations.first(where: \.isActive)
    if cycle.reportedPath == nil, let first {
      cycle.reportedPath = first.array != nil && place.property == .a ? .a : first.path
    }
  }

  private func deliverLast(
    of changes: [Change], of place: Place, _ turn: Turn, _ cycle: inout Cycle
  ) {
    let last = changes.last!
    var paths: [Registration] = []
    for path in changes.flatMap(\.paths) where !paths.contains(where: { $0 === path }) {
      paths.append(path)
      if !cycle.leavesOut(path) { merge(path, changes[0].id...last.id) }
    }
    var known: [Registration] = []
    func joined(_ registrations: [Registration]) -> [Registration] {
      registrations.filter { registration in !known.contains { $0 === registration } }
    }
    for (index, change) in changes.enumerated() {
      let new = joined(change.registrations)
      guard index == 0 || !new.isEmpty else { continue }
      let change = Change(
        id: last.id, old: change.old, new: last.new, needsPrior: change.needsPrior,
        withoutPrior: joined(change.withoutPrior), registrations: new,
        paths: index == 0 ? paths : [])
      known += new
      deliverWithPrior(change, of: place) { registration, body in
        if cycle.leavesOut(registration) {
          passOver(registration, last.id, at: place)
        } else if adds(to: turn, body) {
          cycle.leaveOut(registration)
        }
      }
    }
  }

  /// Has changes of a path be one.
  private func merge(_ path: Registration, _ ids: ClosedRange<Int>) {
    let merged = path.queue.filter { ids.contains($0.id) }
    guard path.array == nil, merged.count > 1,
      case .value(let old, _, let owesPrior) = merged[0].what,
      case .value(_, let new, _) = merged[merged.count - 1].what
    else { return }
    let index = path.queue.firstIndex { ids.contains($0.id) }!
    path.queue.removeAll { ids.contains($0.id) }
    if let old, isEqual(old, new, for: path) { return }
    path.queue.insert(
      QueuedChange(
        id: merged[merged.count - 1].id, what: .value(old: old, new: new, owesPrior: owesPrior)),
      at: index)
  }

  /// Has an observation that keeps the cycle going go on from the last value.
  private func passOver(_ registration: Registration, _ id: Int, at place: Place) {
    if registration.array != nil {
      discardChanges(of: registration)
    } else {
      registration.queue.removeAll { $0.id <= id }
    }
  }
}
