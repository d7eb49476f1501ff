import ObservationController

/// A file on its way, which arrives on any thread.
final class Download: Sendable {
  enum State {
    case waiting, running, finished, failed
  }

  let name: String
  let size: Int
  let received = AtomicObserved(wrappedValue: 0)
  let state = AtomicObserved(wrappedValue: State.waiting)

  /// Byte at which the connection breaks; `nil` if it holds.
  private let limit: Int

  init(_ name: String, size: Int, breaksAt limit: Int? = nil) {
    self.name = name
    self.size = size
    self.limit = limit ?? size
  }

  /// Computed from two observable properties, so that it can be observed like them.
  var progress: Progress {
    Progress(
      fraction: Double(received.wrappedValue) / Double(size), state: state.wrappedValue)
  }

  func start() {
    state.wrappedValue = .running
  }

  /// Takes what has come, in packets, each of which is a change.
  func receive(_ count: Int) {
    for _ in 0..<count where received.wrappedValue < limit {
      received.withLock { $0 += 1 }
    }
    guard received.wrappedValue == limit else { return }
    state.wrappedValue = limit == size ? .finished : .failed
  }
}

/// Progress that a bar shows.
struct Progress: Equatable, Sendable {
  var fraction: Double
  var state: Download.State
}
