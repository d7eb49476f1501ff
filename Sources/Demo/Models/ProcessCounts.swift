/// Numbers of processes. Those in a state that is not known count in the total alone.
struct ProcessCounts: Equatable, Sendable {
  var total = 0
  var running = 0
  var sleeping = 0
  var stopped = 0
  var zombies = 0
}

extension ProcessCounts {
  init(of states: [ProcessState]) {
    for state in states {
      total += 1
      if state == .running { running += 1 }
      if state.isSleeping { sleeping += 1 }
      if state == .stopped { stopped += 1 }
      if state == .zombie { zombies += 1 }
    }
  }
}
