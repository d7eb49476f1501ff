/// Mutations in place, during which nothing may read the property: what would do so waits.
///
///     begin: derived values, paths and live views wait ─▶ user code ─▶ store ─▶ nobody waits any
///            more ─▶ delivered ─▶ what is left of the waiting changes is delivered
extension Subject {
  /// Has live views and arrays that follow the property of an element wait until
  /// `finishMutation`.
  ///
  /// - Parameter change: Notes them; made where there are some. The accessor holds it: the
  ///   observation of the property may end meanwhile, and a mutation that awaits end on another
  ///   thread.
  /// - Complexity: O(n) in what is notified of the change.
  func holdSinks(in change: inout SubjectChange?) {
    var sinks: [any Sink] = []
    if isObserved { latestInfos.visit { if $0.isPart, let sink = $0.sink { sinks.append(sink) } } }
    // Of computed properties, which read this one.
    if isRead { directPaths.visit { if $0.isPart, let sink = $0.sink { sinks.append(sink) } } }
    guard !sinks.isEmpty else { return }
    for sink in sinks { sink.beginMutation(of: knownOwner) }
    let noted = change ?? SubjectChange()
    noted.waitingSinks = sinks
    change = noted
  }

  /// Delivers a mutation for which sinks have waited: they find it first in their queues, behind
  /// what they have waited with.
  @inline(never)
  func finishMutation(
    of object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer, after noted: SubjectChange,
    with copier: ValueBox.Copier
  ) {
    let sinks = exchange(&noted.waitingSinks, with: [])
    for sink in sinks { sink.endMutation(of: knownOwner) }
    finishChange(of: object, old: old, new: new, after: noted, with: copier)
    // Those that the change has not reached: the element has left.
    for sink in sinks { sink.deliverPostponed() }
  }
}
