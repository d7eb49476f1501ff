/// How deep in its own handlers a hook is being asked, for each thread that does.
struct HookLevels {
  /// The threads that are inside of a handler just now; few, and mostly none.
  private var levels: [Level] = []

  private struct Level {
    let thread: ThreadIdentity
    var depth: Int

    /// Whether it has been too deep; stays until the outermost question is answered.
    var isCycle: Bool
  }

  enum Step {
    /// A handler may be asked; `leave` has to follow.
    case ask

    /// That is too deep; nobody has been told yet.
    case report

    /// It was too deep before: a handler that asks twice would else be asked 2¹⁰⁰ times.
    case decline
  }

  mutating func enter() -> Step {
    let thread = ThreadIdentity.current
    guard let index = levels.firstIndex(where: { $0.thread == thread }) else {
      levels.append(Level(thread: thread, depth: 1, isCycle: false))
      return .ask
    }
    guard !levels[index].isCycle else { return .decline }
    guard levels[index].depth < ObservationDispatcher.maximumRounds else {
      levels[index].isCycle = true
      return .report
    }
    levels[index].depth += 1
    return .ask
  }

  mutating func leave() {
    let thread = ThreadIdentity.current
    guard let index = levels.firstIndex(where: { $0.thread == thread }) else { return }
    levels[index].depth -= 1
    if levels[index].depth == 0 { levels.remove(at: index) }
  }
}
