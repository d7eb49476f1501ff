extension ObservationGraph {
  /// Has `object` go by `label` in graphs.
  ///
  ///     ObservationGraph.setLabel("wall clock", for: clock)
  ///
  /// May be called at any time, on any thread.
  ///
  /// - Parameters:
  ///   - label: What is printed after the type; `nil` for nothing.
  ///   - object: Held weakly: nothing is left when it has gone.
  public static func setLabel(_ label: String?, for object: AnyObject) {
    let reference = WeakReference(object)
    let isDue = objectLabels.withLock { $0.set(label, for: reference) }
    if isDue { removeLabelsOfGone() }
  }

  /// Has a key path go by `label` in graphs and descriptions.
  ///
  ///     ObservationGraph.setLabel("fullName", for: \Person.fullName)
  ///
  /// For properties that are computed: those that are stored are found out, but what a getter is called
  /// is only known where the system can look it up, which is not so on Linux.
  ///
  /// - Parameters:
  ///   - label: What is printed for the last property of `keyPath`. Kept for good.
  ///   - keyPath: Of a property, not a nested one.
  public static func setLabel(_ label: String, for keyPath: AnyKeyPath) {
    KeyPathNames.learn(label, for: keyPath)
  }

  static func label(of object: AnyObject) -> String? {
    let identity = ObjectIdentifier(object)
    guard let labelled = objectLabels.withLock({ $0[identity] }) else { return nil }
    // Not under the lock: this may hold the last reference to the object.
    return labelled.reference.object === object ? labelled.text : nil
  }

  /// Forgets the labels of objects that have gone. Looked at outside of the lock: this may hold the last
  /// reference to an object for a moment.
  static func removeLabelsOfGone() {
    let gone = objectLabels.withLock { $0.all }.filter { $0.reference.object == nil }
    objectLabels.withLock { $0.remove(gone) }
  }

  /// How many labels there are.
  package static var objectLabelCount: Int { objectLabels.withLock { $0.all.count } }

  private static let objectLabels = Locked(ObjectLabels())
}

/// Labels by the address of their objects.
private struct ObjectLabels {
  struct Label {
    let reference: WeakReference
    let text: String
  }

  private var labels: [ObjectIdentifier: Label] = [:]

  /// How many there may be before those of objects that have gone are looked for.
  private var limit = 16

  subscript(identity: ObjectIdentifier) -> Label? { labels[identity] }

  var all: [Label] { Array(labels.values) }

  /// - Returns: Whether those of objects that have gone should be removed.
  mutating func set(_ text: String?, for reference: WeakReference) -> Bool {
    labels[reference.identity] = text.map { Label(reference: reference, text: $0) }
    return labels.count > limit
  }

  mutating func remove(_ gone: [Label]) {
    for label in gone where labels[label.reference.identity]?.reference === label.reference {
      labels[label.reference.identity] = nil
    }
    limit = max(16, 2 * labels.count)
  }
}
