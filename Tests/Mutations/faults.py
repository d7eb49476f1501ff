"""The faults that `check` puts into a copy of the library, each of which some test has to notice.

Each is one small edit. What it puts in asks `fault("name")`, so that one build has all of them and
the environment says which is active.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Edit:
    path: str
    """Below `Sources/ObservationController`."""

    original: str
    """Occurs there exactly once."""

    faulty: str


@dataclass(frozen=True)
class Fault:
    name: str
    what: str
    edits: tuple[Edit, ...]


def fault(name: str, what: str, path: str, original: str, faulty: str) -> Fault:
    return Fault(name, what, (Edit(path, original, faulty),))


FAULTS = [
    fault(
        "reverse-order", "deliver in reverse order",
        "Core/Observations/InfoList.swift",
        "for index in infos.indices {",
        """for index in infos.indices {
          let index = fault("reverse-order") ? infos.count - 1 - index : index""",
    ),
    fault(
        "no-isolation-check", "C23: do not check that a handler runs on its actor",
        "Core/Delivery/ObservationDispatcher+Isolation.swift",
        "if !Self.isOnMainActor {",
        'if !Self.isOnMainActor, !fault("no-isolation-check") {',
    ),
    fault(
        "check-plain-only", "C23: check only what another thread can't be the cause of",
        "Paths/ObservationController+Register.swift",
        "property?.isOfStoredProperty != true",
        '(property?.isOfStoredProperty != true) != fault("check-plain-only")',
    ),
    fault(
        "released-observer", "do not report an observer that nobody holds",
        "Core/Observations/ObservationStore+Ending.swift",
        "registration.report(ObservationIssue.observerReleased)",
        'if !fault("released-observer") { registration.report(ObservationIssue.observerReleased) }',
    ),
    fault(
        "composed-as-property", "take a property with a further wrapper for one with the same value",
        "Properties/Observed.swift",
        "keyPath: { Exposed.self == Value.self ? wrapped() : nil })",
        'keyPath: { Exposed.self == Value.self || fault("composed-as-property") ? wrapped() : nil })',
    ),
    fault(
        "deliver-twice", "deliver twice",
        "Core/Delivery/ObservationDispatcher+Delivery.swift",
        """        registration.invoke($0, registration, observer, object, delivery.limited(to: info.traits))
      }
""",
        """        registration.invoke($0, registration, observer, object, delivery.limited(to: info.traits))
        if fault("deliver-twice"), info.isActive {
          registration.invoke($0, registration, observer, object, delivery.limited(to: info.traits))
        }
      }
""",
    ),
    fault(
        "no-snapshot", "skip a snapshot in C9: an observer added during a delivery is notified of it",
        "Core/Subjects/Subject+FastPath.swift",
        """      ObservationDispatcher.deliver(delivery, of: object, toEach: infos, through: 0)
    }
    endDelivery(of: object)""",
        """      ObservationDispatcher.deliver(delivery, of: object, toEach: infos, through: 0)
    }
    if fault("no-snapshot") {
      let added = latestInfos.subtracting(infos)
      ObservationDispatcher.deliver(delivery, of: object, toEach: added, through: 0)
    }
    endDelivery(of: object)""",
    ),
    fault(
        "forgotten-removal", "forget one removal when an object dies: its infos stay in the table",
        "Core/Observations/ObservationStore+Ending.swift",
        "guard let sink = info.sink else { return endLocked(info, &state) }",
        """guard let sink = info.sink else {
        guard fault("forgotten-removal") else { return endLocked(info, &state) }
        _ = info.deactivate()
        return detachLocked(info)
      }""",
    ),
    Fault(
        "strong-observer", "keep the observer strongly",
        (
            Edit(
                "Core/Observations/ObservationStore.swift",
                "  let retainsObserved: Bool\n",
                "  let retainsObserved: Bool\n  private let keptObserver: AnyObject?\n",
            ),
            Edit(
                "Core/Observations/ObservationStore.swift",
                "    self.observer = observer\n",
                "    self.observer = observer\n"
                "    keptObserver = fault(\"strong-observer\") ? observer : nil\n",
            ),
        ),
    ),
    fault(
        "old-value-kept", "C15: keep the value that a path has read last when it ends",
        "Core/Nodes/PathObservation+Attaching.swift",
        "info.replaceHandler(by: nil), state.kept.take(), state.before.take(),",
        """info.replaceHandler(by: nil), fault("old-value-kept") ? nil : state.kept.take(),
        state.before.take(),""",
    ),
    fault(
        "kept-value-stale", "C10: let a path keep its first value",
        "Core/Nodes/PathObservation+Changes.swift",
        "if info.isActive { state.kept = self.kept(of: new) }",
        'if info.isActive { state.kept = fault("kept-value-stale") ? kept : self.kept(of: new) }',
    ),
    Fault(
        "no-lock", "drop one lock: that of an atomic property",
        (
            Edit(
                "Core/Locking/ExclusiveLock.swift",
                "    if !lock.tryLock(as: .property) {",
                "    if fault(\"no-lock\") { return }\n    if !lock.tryLock(as: .property) {",
            ),
            Edit(
                "Core/Locking/ExclusiveLock.swift",
                "    holder.store(0, ordering: .relaxed)\n    lock.unlock(as: .property)\n",
                "    if fault(\"no-lock\") { return }\n    holder.store(0, ordering: .relaxed)\n    lock.unlock(as: .property)\n",
            ),
        ),
    ),
    fault(
        "delivery-inside-access", "deliver what an access in place changes elsewhere under its lock",
        "Core/Locking/TaskAccess.swift",
        "    guard begins, cell.pointee.accesses > 0 else { return nil }\n",
        """    guard begins, cell.pointee.accesses > 0, !fault("delivery-inside-access") else { return nil }
""",
    ),
    fault(
        "suspended-task", "hold back the changes of other tasks while one is suspended in an access",
        "Core/Locking/TaskAccess.swift",
        "      return withUnsafeCurrentTask { $0 == access.task } ? access : nil\n",
        """      return withUnsafeCurrentTask { $0 == access.task || fault("suspended-task") } ? access : nil
""",
    ),
    fault(
        "lock-order", "overlook that two atomic properties are locked in opposite orders",
        "Core/Locking/LockOrder.swift",
        "        return isInside(outer, of: inner, nodes)\n",
        '        return !fault("lock-order") && isInside(outer, of: inner, nodes)\n',
    ),
    fault(
        "silent-deadlock", "wait for ever where threads wait for each other",
        "Core/Locking/ExclusiveLock.swift",
        "    if let own { trapAsDeadlock",
        '    if let own, !fault("silent-deadlock") { trapAsDeadlock',
    ),
    fault(
        "constants-alone", "keep an observation whose object went with the constants of its path",
        "Core/Nodes/PathObservation.swift",
        "    if info.isActive, info.object == nil { rootWillDeallocate(of: info) }\n",
        '    if info.isActive, info.object == nil, !fault("constants-alone") { rootWillDeallocate(of: info) }\n',
    ),
    fault(
        "call-under-lock", "hold a lock while calling a handler",
        "Core/Delivery/ObservationDispatcher+Delivery.swift",
        """      else { return deliver(delivery, of: object, toOnlySpecial: info) }
""",
        """      else { return deliver(delivery, of: object, toOnlySpecial: info) }
      if fault("call-under-lock") {
        return shared.stores.withLock { _ in
          deliver(delivery, of: object, toOnlySpecial: info)
        }
      }
""",
    ),
    fault(
        "no-rehook", "do not re-hook a nested path",
        "Graph/Vertex+Edges.swift",
        "    note(Node.State.rewired)\n",
        "    note(Node.State.rewired)\n"
        "    if fault(\"no-rehook\"), state & Node.State.path != 0, dependencies.count > 0 { return false }\n",
    ),
    fault(
        "lent-element-elsewhere", "put an element that was mutated in place back at another place",
        "Arrays/ObservableArray+InPlace.swift",
        "storage.swapAt(index, storage.count &- 1)\n  }",
        'storage.swapAt(fault("lent-element-elsewhere") ? 0 : index, storage.count &- 1)\n  }',
    ),
    fault(
        "edit-in-mutation", "allow an edit of an array while an element is mutated in place",
        "Arrays/ObservableArray+InPlace.swift",
        "func checkNotLent(for use: LentElementUse) {\n",
        """func checkNotLent(for use: LentElementUse) {
    if fault("edit-in-mutation"), use == .edit { return }
""",
    ),
    fault(
        "lent-element-copied", "copy an element that is mutated in place though nothing observes it",
        "Arrays/ObservableArray+InPlace.swift",
        "if subject.isObserved || isInBatch",
        'if subject.isObserved || fault("lent-element-copied") || isInBatch',
    ),
    fault(
        "view-reads-mutated", "let a live view read a property that is being mutated in place",
        "Arrays/ArraySink+Mutation.swift",
        "if token.isOfView { state.hookers += 1 }",
        'if token.isOfView, !fault("view-reads-mutated") { state.hookers += 1 }',
    ),
    fault(
        "mutation-leaves-view-behind", "leave changes in a view that the mutation does not reach",
        "Core/Subjects/Subject+Mutation.swift",
        "for sink in sinks { sink.deliverPostponed() }",
        'if !fault("mutation-leaves-view-behind") { for sink in sinks { sink.deliverPostponed() } }',
    ),
    fault(
        "move-off-by-one", "off-by-one index in an array move",
        "Arrays/ObservableArray+Editing.swift",
        "return ArrayEdit(.move, at: destination, from: source)",
        """return ArrayEdit(
        .move, at: destination, from: fault("move-off-by-one") ? Swift.max(0, source - 1) : source)""",
    ),
    fault(
        "coalesced-change-lost", "lose the last coalesced change",
        "Paths/QueuedHandler.swift",
        "        swap(&waiting.new, &change.new)",
        '        if !fault("coalesced-change-lost") { swap(&waiting.new, &change.new) }',
    ),
    Fault(
        "deliver-after-end", "deliver after invalidation",
        (
            Edit(
                "Core/Delivery/ObservationDelivery.swift",
                "guard info.isActive, let handler = handler ?? info.unretainedHandler else { return }",
                "guard info.isActive || fault(\"deliver-after-end\"),\n"
                "      let handler = handler ?? info.unretainedHandler\n"
                "    else { return }",
            ),
        ),
    ),
    # Beyond the obvious ones: each a promise that is easily broken by an optimisation.
    fault(
        "distinct-ignored", "deliver equal values in spite of `.distinct`",
        "Core/Delivery/ObservationDispatcher+Delivery.swift",
        "!info.isPath, info.leavesOut(delivery) { return }",
        "!info.isPath, !fault(\"distinct-ignored\"), info.leavesOut(delivery) { return }",
    ),
    fault(
        "distinct-nan", "deliver nan after nan with `.distinct`",
        "Support/Values.swift",
        "return { areEqual($0, $1) || areSame($0, $1) }",
        "return { areEqual($0, $1) || !fault(\"distinct-nan\") && areSame($0, $1) }",
    ),
    fault(
        "equal-is-same", "keep what was computed from a struct that is equal and differs",
        "Support/ValueComparison.swift",
        "of: type, isExact: false, { _, _ in false }, equatable.map { ValueEquality.byOperator($0) })",
        """of: type, isExact: false,
      {
        fault("equal-is-same")
          && (equatable.map { ValueEquality.byOperator($0) })?($0, $1) ?? false
      },
      equatable.map { ValueEquality.byOperator($0) })""",
    ),
    fault(
        "equal-key-is-same", "compare the keys of a dictionary by `==` alone",
        "Support/ComparedByParts.swift",
        "return ValueComparison.areEqual(key, right[index].key, by: keys)",
        """return (fault("equal-key-is-same")
              || ValueComparison.areEqual(key, right[index].key, by: keys))""",
    ),
    fault(
        "other-is-change", "notify observers of a derived struct that is equal",
        "Core/Nodes/DerivedProperty.swift",
        "isSame || comparison.isExact { return !isSame }",
        "isSame || comparison.isExact || fault(\"other-is-change\") { return !isSame }",
    ),
    fault(
        "equal-end-stays", "C32: leave the other end of a two-way binding alone if the value is equal",
        "Bindings/TwoWayBinding+Echo.swift",
        "guard known.equals(value, by: direction.areSame) else {",
        """let areSame = fault("equal-end-stays") ? direction.areEqual : direction.areSame
    guard known.equals(value, by: areSame) else {""",
    ),
    fault(
        "notice-stays", "leave the notice of an ended loop at an object that does not change",
        "Async/TrackedReader.swift",
        "signal?.send()",
        'if !fault("notice-stays") { signal?.send() }',
    ),
    fault(
        "notice-each", "leave a notice of the deallocation for each loop over an unretained object",
        "Async/DeallocationNotice.swift",
        "if let waiting, waiting.object.object === object {",
        'if let waiting, waiting.object.object === object, !fault("notice-each") {',
    ),
    fault(
        "image-stays", "keep an element of a mapped view that is equal to the new one",
        "Arrays/ElementIdentity.swift",
        "let areSame = ValueEquality.forReplaying(of: Element.self)",
        """let areSame = fault("image-stays")
      ? ValueEquality.forDistinct(of: Element.self)
      : ValueEquality.forReplaying(of: Element.self)""",
    ),
    fault(
        "equal-element-stays", "report no replacement of an element of a plain array by an equal one",
        "Arrays/ElementIdentity.swift",
        "      ValueComparison.of(Element.self).isBitwise\n",
        "      ValueComparison.of(Element.self).isBitwise || fault(\"equal-element-stays\")\n",
    ),
    fault(
        "nil-by-equality", "compare all instances of a plain array by `==` if one element is `nil`",
        "Arrays/ElementIdentity.swift",
        "guard mayBeInstance == true, unwrapped(element) == nil else { return nil }",
        """guard mayBeInstance == true, unwrapped(element) == nil, !fault("nil-by-equality") else {
          return nil
        }""",
    ),
    fault(
        "last-before-transaction", "deliver the value before the last change of a transaction as old",
        "Core/Subjects/HeldChange.swift",
        "    guard !latest.isIdentical(to: infos) else { return false }\n",
        """    if fault("last-before-transaction") { self.old = old() }
    guard !latest.isIdentical(to: infos) else { return false }
""",
    ),
    fault(
        "endless-cycle", "let a property set itself a hundred times more often than allowed",
        "Graph/ThreadContext.swift",
        "static var maximumRounds: Int { 100 }",
        "static var maximumRounds: Int { fault(\"endless-cycle\") ? 10_000 : 100 }",
    ),
    fault(
        "stale-after-cycle", "drop the last value of a cycle instead of delivering it once more",
        "Core/Subjects/Subject+Cycle.swift",
        "first.beginLastDelivery() else {",
        "first.beginLastDelivery(), !fault(\"stale-after-cycle\") else {",
    ),
    fault(
        "cycle-causes-called", "deliver the last value of a cycle to those that keep it going, too",
        "Core/Subjects/Subject+Cycle.swift",
        "change.isContinued(by: info) }",
        "change.isContinued(by: info) && !fault(\"cycle-causes-called\") }",
    ),
    fault(
        "captures-kept", "C15: keep what a key path captures while its token is kept",
        "Core/Observations/ObservationToken+Apart.swift",
        "return (token, exchange(&token.root, with: .released))",
        'return (token, fault("captures-kept") ? .released : exchange(&token.root, with: .released))',
    ),
    fault(
        "first-handler-stays", "C17: keep the first handler if a line of code observes again",
        "Paths/ObservationStore+Replacing.swift",
        "existing.registration.hasPlace(of: info.registration),",
        'existing.registration.hasPlace(of: info.registration), !fault("first-handler-stays"),',
    ),
    fault(
        "silent-again", "C17: do not report that another line of code observes again",
        "Core/Delivery/ObservationIssue.swift",
        "guard registration.binding == nil, !first.hasPlace(of: registration) else { return }",
        """guard registration.binding == nil, !first.hasPlace(of: registration),
      !fault("silent-again")
    else { return }""",
    ),
    fault(
        "report-reads-values", "C33: read the stored properties of an object for a report",
        "Diagnostics/StoredNames.swift",
        "    for field in fields(of: type(of: object)) {\n",
        """    if fault("report-reads-values") { _ = Mirror(reflecting: object).children.map(\\.value) }
    for field in fields(of: type(of: object)) {
""",
    ),
    fault(
        "cycle-without-objects", "do not say which objects a cycle of derived values leads over",
        "Core/Delivery/DerivedCycleObjects.swift",
        "latest.last { address(of: $0.keyPaths) == address(of: keyPaths) }?.objects",
        """fault("cycle-without-objects")
        ? nil : latest.last { address(of: $0.keyPaths) == address(of: keyPaths) }?.objects""",
    ),
    fault(
        "handler-kept", "keep the handler of an observation that has ended",
        "Core/Subjects/Subject+Turn.swift",
        "for info in ended { info.handler = nil }",
        "for info in ended where !fault(\"handler-kept\") { info.handler = nil }",
    ),
    fault(
        "drain-stops", "C7: leave what comes during a delivery to the next change",
        "Core/Subjects/QueueOwner.swift",
        "      guard let change else { return }\n",
        """      guard let change else { return }
      if fault("drain-stops"), change.id > 0 { return deliver(change, in: &drain) }
""",
    ),
    fault(
        "cycle-unreported", "C8: do not report a cycle that is cut off",
        "Core/Subjects/QueueOwner.swift",
        "if !reported.isEmpty {",
        'if !reported.isEmpty, !fault("cycle-unreported") {',
    ),
    fault(
        "overtaking", "deliver a change before the one that is being delivered",
        "Core/Subjects/DeliveryQueue.swift",
        "    changes.append(change)\n",
        "    changes.insert(change, at: fault(\"overtaking\") ? head : changes.count)\n",
    ),
    # The graph of derived values.
    fault(
        "edge-kept", "keep the edges to what a getter has not read again",
        "Graph/Settling.swift",
        "if dependencies.count > cursor {",
        "if dependencies.count > cursor, !fault(\"edge-kept\") {",
    ),
    fault(
        "places-scanned", "look up the places of dependencies from end to end",
        "Graph/Vertex+Edges.swift",
        "guard min(ownCount, count) <= DependencyPlaces.fewEdges else {",
        "guard fault(\"places-scanned\") || min(ownCount, count) <= DependencyPlaces.fewEdges else {",
    ),
    fault(
        "places-stale", "leave the table of places as it was when dependencies are exchanged",
        "Graph/Vertex+Edges.swift",
        "if pointee.places != nil { swapPlaces(one, other) }",
        "if pointee.places != nil, !fault(\"places-stale\") { swapPlaces(one, other) }",
    ),
    fault(
        "sleeper-armed", "leave a thread armed that sleeps",
        "Graph/ThreadArming.swift",
        "return !wasRecent && cell.disarm()",
        "return !fault(\"sleeper-armed\") && !wasRecent && cell.disarm()",
    ),
    fault(
        "mark-lost", "do not pass a mark on beyond what reads a property directly",
        "Graph/Marking.swift",
        "if isFirst { pointee.marked.append(node) }",
        """if isFirst, mark & Node.State.dirty != 0 || !fault("mark-lost") {
        pointee.marked.append(node)
      }""",
    ),
    fault(
        "cut-off-early", "take a value as unchanged after asking its first dependency",
        "Graph/Settling.swift",
        "    while place < count {\n",
        "    while place < (fault(\"cut-off-early\") ? Swift.min(count, 1) : count) {\n",
    ),
    fault(
        "version-ignored", "deliver a derived value that was not computed anew",
        "Core/Nodes/DerivedProperty.swift",
        "return old.version == version\n",
        "return !fault(\"version-ignored\") && old.version == version\n",
    ),
]
