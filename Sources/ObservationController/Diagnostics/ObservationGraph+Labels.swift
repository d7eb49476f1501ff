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
  /// - Complexity: O(1) amortised.
  public static func setLabel(_ label: String?, for object: AnyObject) {
    let reference = WeakReference(object)
    let isDue = objectLabels.withLock { labels in
      labels.all[reference.identity] = label.map { (reference, $0) }
      return labels.all.count > labels.limit
    }
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
  /// - Complexity: O(1) amortised.
  public static func setLabel(_ label: String, for keyPath: AnyKeyPath) {
    KeyPathNames.learn(label, for: keyPath)
  }

  static func label(of object: AnyObject) -> String? {
    let identity = ObjectIdentifier(object)
    guard let labelled = objectLabels.withLock({ $0.all[identity] }) else { return nil }
    // Not under the lock: this may hold the last reference to the object.
    return labelled.reference.object === object ? labelled.text : nil
  }

  /// Forgets the labels of objects that have gone. Looked at outside of the lock: this may hold the last
  /// reference to an object for a moment.
  static func removeLabelsOfGone() {
    let gone = objectLabels.withLock { $0.all }.filter { $0.value.reference.object == nil }
    objectLabels.withLock { labels in
      for (identity, label) in gone where labels.all[identity]?.reference === label.reference {
        labels.all[identity] = nil
      }
      labels.limit = max(16, 2 * labels.all.count)
    }
  }

  /// How many labels there are.
  package static var objectLabelCount: Int { objectLabels.withLock { $0.all.count } }

  /// Labels by the address of their objects.
  private struct Labels {
    var all: [ObjectIdentifier: (reference: WeakReference, text: String)] = [:]

    /// How many there may be before those of objects that have gone are looked for.
    var limit = 16
  }

  private static let objectLabels = Locked(Labels())
}
