/// Live views of the dictionary or set that a property holds; see `ObservableArray.following`.
extension KeyedCollection {
  /// - Parameter view: Makes an empty view.
  static func following(
    _ object: AnyObject, _ keyPath: AnyKeyPath, _ file: String, _ line: UInt,
    view: (ArrayViewLink) -> Self, read: @escaping (AnyObject) -> Self?
  ) -> Self {
    ArrayViewLink.makeView(file, line) { link in
      let view = view(link)
      // Released with the observation, which ends with the object or with the view.
      let end = ReleaseAction { [view = WeakReference(view)] in
        (view.object as? any AnyObservableArray)?.emptySilently()
      }
      let controller = ObservationController(observer: view, retainsObserved: false)
      link.observations = controller
      _ = controller.observeKeyed(
        object, keyPath, .keyed(.array, read), [PartialKeyPath<Table.Item>](), .initial, nil, nil,
        file, line, isEarly: true
      ) { [end] (view, object: AnyObject, change: KeyedChange<Table>) in
        _ = end
        if change.isOfEverything {
          view.setDepth((read(object)?.link?.depth ?? 0) + 1)
          view.setTable(change.table, isByView: true)
        } else {
          view.edit(change.kind, isByView: true) { _ in change.stored }
        }
      }
      return view
    }
  }

  /// Removes everything from a view that has lost its source, and from the views of it, without a
  /// delivery unless a transaction makes one.
  func emptySilently() {
    guard storage.count > 0 else { return }
    guard batch == nil else { return setTable(Table(), isByView: true) }
    let old = exchange(&storage, with: Table())
    guard let subject else { return }
    subject.recordSilently(ValueBox(KeyedChange(.setting, replaced: old, table: Table())))
    let collector = SubjectChange()
    collector.add(markPlaces(nil))
    if subject.isRead { collector.add(subject.markAndCollect()) }
    subject.finishSilently(collector.dependents, of: self)
  }

  /// Views that follow properties of items follow an array of these.
  func hold(_ element: AnyObject, for view: ArraySink) {}

  /// No view of it has a parameter.
  func noteParameter(of view: ArraySink, id: UInt64) {}
}

extension ObservationController {
  /// Erases the types of a handler and registers it; every observation of a dictionary or a set,
  /// and every live view of one, ends here.
  ///
  /// - Parameters:
  ///   - items: The properties of items to follow.
  ///   - isEarly: Whether it is notified before observations that are not.
  @inlinable
  func observeKeyed<Object: AnyObject, Table: KeyedTable>(
    _ object: Object, _ keyPath: AnyKeyPath, _ witness: ArrayWitness,
    _ items: [PartialKeyPath<Table.Item>], _ options: ObservationOptions,
    _ context: ObservationContext?, _ isolation: (any Actor)?, _ file: String, _ line: UInt,
    isEarly: Bool = false,
    handler: @escaping (Observer, Object, KeyedChange<Table>) -> Void
  ) -> ObservationToken {
    var request = ObservationRequest(
      KeyPathAccess(naming: keyPath), options: options.subtracting(.prior), context: context,
      file: file, line: line)
    request.isEarly = isEarly
    typealias Handler = ObservationHandler<Observer, Object, KeyedChange<Table>>
    return store.addKeyed(
      object, request, witness, items, of: Table.self,
      handler: Handler(on: isolation, isShared: true, request) { observer, object, change in
        // Other observations may have asked for it. Not chosen by an expression, for which a lent
        // change would be copied.
        if !change.registration.options.contains(.old), change.newValue.tableBefore != nil {
          handler(observer, object, change.newValue.withoutOld())
        } else {
          handler(observer, object, change.newValue)
        }
      },
      invoke: Handler.invocation)
  }
}

extension ObservationStore {
  @usableFromInline
  func addKeyed<Table: KeyedTable>(
    _ object: AnyObject, _ request: consuming ObservationRequest, _ witness: ArrayWitness,
    _ keyPaths: [PartialKeyPath<Table.Item>], of type: Table.Type, handler: AnyObject,
    prepare: ((ObservationToken, KeyedChange<Table>) -> Void)? = nil,
    invoke: @escaping ObservationRegistration.Invocation
  ) -> ObservationInfo {
    addArray(
      object, request, witness, keyPaths, valueType: Table.self,
      // The witness is of this type.
      first: { $0.value(as: KeyedChange<Table>.self).table.allItems.first?.item }, handler: handler,
      prepare: prepare.map { prepare in
        { prepare($0, $1.value(as: KeyedChange<Table>.self)) }
      }, invoke: invoke)
  }
}
