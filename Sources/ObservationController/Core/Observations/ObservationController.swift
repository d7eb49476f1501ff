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
/// controller is deallocated, all its observations end.
///
/// A controller may be used from several threads at once. It is `Sendable` where its observer is,
/// as a view model on the main actor: it hands the observer out.
public final class ObservationController<Observer: AnyObject> {
  @usableFromInline let store: ObservationStore

  /// Makes a controller for `observer`.
  ///
  /// - Parameters:
  ///   - observer: Held weakly, and never notified once its `deinit` has begun.
  ///   - retainsObserved: Whether observed objects are kept alive until they are unobserved. The
  ///     observer itself is never kept alive, even when it is observed.
  /// - Complexity: O(1).
  public init(observer: Observer, retainsObserved: Bool = true) {
    store = ObservationStore(observer: observer, retainsObserved: retainsObserved)
    ObservationDispatcher.shared.add(store)
  }

  deinit {
    // Still in the table: a deinit of an observed object finds what has yet to end.
    store.endAll()
    ObservationDispatcher.shared.remove(store)
  }
}

extension ObservationController {
  /// The object that is notified of changes, `nil` once its `deinit` has begun.
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
    store.infos().map(ObservationDescription.init)
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

/// The store does its own locking. Only where the observer may be used on any thread too, since the
/// controller hands it out.
extension ObservationController: Sendable where Observer: Sendable {}

/// Ending observations. Each of these may be called anywhere, also inside a handler, in a deinit
/// and on another thread. Once it returns, no delivery on this thread follows, and on another
/// thread at most the call already running finishes.
extension ObservationController {
  /// Ends the observations of `keyPath` on `object`, of whatever context.
  ///
  /// Nothing happens if there is none. Ends each of them as ``ObservationToken/invalidate()`` does.
  /// The key path has to be the one that was registered: an inherited property has another one for
  /// each class, as `\Animal.name` and `\Dog.name`.
  ///
  /// - Complexity: O(k) in the observations to end, whatever else is observed; each as
  ///   ``ObservationToken/invalidate()``.
  public func unobserve<Object: AnyObject>(_ object: Object, _ keyPath: PartialKeyPath<Object>) {
    store.end(store.infos(of: object, at: keyPath, toEnd: true))
  }

  /// Ends the observations of several key paths on `object`, of whatever context.
  ///
  ///     observations.unobserve(person, \.name, \.age)
  ///
  /// Nothing happens for those of which there is none. Ends each of them as
  /// ``ObservationToken/invalidate()`` does.
  ///
  /// - Complexity: O(k) in the observations to end, whatever else is observed; each as
  ///   ``ObservationToken/invalidate()``.
  public func unobserve<Object: AnyObject>(
    _ object: Object, _ first: PartialKeyPath<Object>, _ second: PartialKeyPath<Object>,
    _ others: PartialKeyPath<Object>...
  ) {
    for keyPath in [first, second] + others { unobserve(object, keyPath) }
  }

  /// Ends the observation of `keyPath` on `object` with this context; `nil` is the one that was
  /// registered without a context.
  ///
  /// Nothing happens if there is none. Ends each of them as ``ObservationToken/invalidate()`` does.
  ///
  /// - Complexity: O(k) in the observations to end, whatever else is observed; each as
  ///   ``ObservationToken/invalidate()``.
  public func unobserve<Object: AnyObject>(
    _ object: Object, _ keyPath: PartialKeyPath<Object>, context: ObservationContext?
  ) {
    store.end(store.infos(of: object, at: keyPath, context: .some(context), toEnd: true))
  }

  /// Ends all observations of `object`, and releases it.
  ///
  /// Nothing happens if it is not observed. Ends each of them as ``ObservationToken/invalidate()``
  /// does.
  ///
  /// - Complexity: O(n) in this controller's observations of `object`; each as
  ///   ``ObservationToken/invalidate()``.
  public func unobserve(_ object: AnyObject) {
    store.end(store.infos(of: object, toEnd: true))
  }

  /// Ends all observations, and releases all observed objects.
  ///
  /// Nothing happens if there is none. Ends each of them as ``ObservationToken/invalidate()`` does.
  ///
  /// - Complexity: O(n) in this controller's observations.
  public func unobserveAll() {
    store.endAll()
  }

  /// Whether `keyPath` of `object` is observed by this controller, with whatever context.
  ///
  /// An inherited property has another key path for each class, as `\Animal.name` and `\Dog.name`.
  ///
  /// - Complexity: O(k) in this controller's observations of `keyPath`.
  public func isObserving<Object: AnyObject>(
    _ object: Object, _ keyPath: PartialKeyPath<Object>
  ) -> Bool {
    !store.infos(of: object, at: keyPath).isEmpty
  }
}
