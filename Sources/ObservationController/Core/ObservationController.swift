/// Observes key paths of any objects on behalf of one observer, and ends with it.
///
///     final class PersonViewModel {
///       private(set) var title = ""
///       private lazy var observations = ObservationController(observer: self)
///
///       init(person: Person) {
///         observations.observe(person, \.name, options: .initial) { viewModel, _, change in
///           viewModel.title = change.newValue
///         }
///       }
///     }
///
/// The observer owns the controller; the controller holds the observer weakly and, unless
/// `retainsObserved` is `false`, the observed objects strongly until they are unobserved. When the
/// controller goes, all its observations end.
///
/// A controller may be used from several threads at once.
public final class ObservationController<Observer: AnyObject> {
  @usableFromInline let store: ObservationStore

  /// Makes a controller for `observer`.
  ///
  /// - Parameters:
  ///   - observer: Held weakly, and never told anything once it has begun to go.
  ///   - retainsObserved: Whether observed objects are kept alive until they are unobserved. The
  ///     observer itself is never kept alive, even when it is observed.
  /// - Complexity: O(1).
  public init(observer: Observer, retainsObserved: Bool = true) {
    store = ObservationStore(observer: observer, retainsObserved: retainsObserved)
    ObservationDispatcher.shared.add(store)
  }

  deinit {
    ObservationDispatcher.shared.remove(store)
    store.endAll()
  }
}

extension ObservationController {
  /// The object that is told of changes, `nil` once it has begun to go.
  ///
  /// - Complexity: O(1).
  public var observer: Observer? {
    // Safe: `init` took it as an `Observer`.
    store.observer.map { unsafeDowncast($0, to: Observer.self) }
  }

  /// Whether observed objects are kept alive until they are unobserved.
  public var retainsObserved: Bool {
    store.retainsObserved
  }

  /// The observations of this controller, in the order of registration.
  ///
  /// - Complexity: O(n log n) in their number.
  public var observations: [ObservationDescription] {
    store.infos().map(store.description)
  }
}

extension ObservationController: CustomDebugStringConvertible {
  /// A line for the controller, and one for each of its observations.
  ///
  /// - Complexity: O(n log n) in the observations of this controller.
  public var debugDescription: String {
    let observations = observations
    let count = observations.count == 1 ? "1 observation" : "\(observations.count) observations"
    let header = "ObservationController<\(Observer.self)>: \(count)"
    return ([header] + observations.map { "  \($0)" }).joined(separator: "\n")
  }
}

/// The store does its own locking.
extension ObservationController: Sendable {}
