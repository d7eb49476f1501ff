/// Live views of the array that a property holds.
extension ObservableArray {
  /// A live view of the array that `keyPath` leads to, whichever that is.
  ///
  ///     let rooms = ObservableArray.following(chat, \.rooms)
  ///     let unread = rooms.filtered(on: [\.unread]) { $0.unread > 0 }
  ///     chat.rooms = otherRooms             // both show these
  ///
  /// A view of `chat.rooms` goes on to show the array that was there when it was made. This one
  /// follows the edits of the array, and each change of what leads to it, which is one
  /// ``ArrayChange/Kind/setting``. It can be the source of further views. Editing it reports
  /// ``ObservationIssue/readOnlyArray(file:line:)`` and does nothing. A key path that reads neither
  /// an observable property nor an array reports
  /// ``ObservationIssue/nothingObservable(keyPath:file:line:)``, and the view is empty.
  ///
  /// - Parameters:
  ///   - object: Held weakly. When it is deallocated, the view is empty, and so are the views of
  ///     it, without a notification.
  ///   - keyPath: A property, or any nested or computed path, that leads to the array. Neither the
  ///     array nor any object on the way to it is retained.
  ///   - file: File where the view is made, for issues.
  ///   - line: Line where the view is made, for issues.
  /// - Returns: A view that is retained by its users alone.
  /// - Complexity: O(n), and as much whenever another array is there. Following an edit costs what
  ///   the edit costs.
  public static func following<Object: AnyObject>(
    _ object: Object, _ keyPath: KeyPath<Object, ObservableArray<Element>>,
    file: String = #fileID, line: UInt = #line
  ) -> ObservableArray<Element> {
    // Safe: it is only read for `object`.
    following(object, keyPath, file, line) { unsafeDowncast($0, to: Object.self)[keyPath: keyPath] }
  }

  /// A live view of the array that `keyPath` leads to; an empty one while there is none.
  ///
  ///     let students = ObservableArray.following(viewModel, \.school?.students)
  ///
  /// - Parameters:
  ///   - object: Held weakly. When it is deallocated, the view is empty, and so are the views of
  ///     it, without a notification.
  ///   - keyPath: A property, or any nested or computed path, that may lead to an array. Neither
  ///     the array nor any object on the way to it is retained.
  ///   - file: File where the view is made, for issues.
  ///   - line: Line where the view is made, for issues.
  /// - Returns: A view that is retained by its users alone.
  /// - Complexity: O(n), and as much whenever another array is there.
  public static func following<Object: AnyObject>(
    _ object: Object, _ keyPath: KeyPath<Object, ObservableArray<Element>?>,
    file: String = #fileID, line: UInt = #line
  ) -> ObservableArray<Element> {
    // Safe: it is only read for `object`.
    following(object, keyPath, file, line) { unsafeDowncast($0, to: Object.self)[keyPath: keyPath] }
  }

  private static func following(
    _ object: AnyObject, _ keyPath: AnyKeyPath, _ file: String, _ line: UInt,
    read: @escaping (AnyObject) -> ObservableArray<Element>?
  ) -> ObservableArray<Element> {
    ArrayViewLink.makeView(file, line) { link in
      let view = ObservableArray([], link: link)
      // Released with the observation, which ends with the object or with the view.
      let end = ReleaseAction { [view = WeakReference(view)] in
        (view.object as? any AnyObservableArray)?.emptySilently()
      }
      link.follow(object, keyPath, .array(.array, read), options: .initial, in: view) {
        [end] (view, object, change: ArrayChange<Element>) in
        _ = end
        if change.isOfEverything {
          view.setDepth((read(object)?.link?.depth ?? 0) + 1)
          view.applySetting(change.elements)
        } else {
          view.apply(change.entries)
        }
      }
      return view
    }
  }
}

extension BatchedCollection {
  /// Has a view, and those that follow it, come after its source at the end of a transaction.
  ///
  /// - Parameter depth: One more than that of the source; 1 if that is no view.
  @usableFromInline
  func setDepth(_ depth: Int) {
    guard let link else { return }
    let depth = Swift.max(depth, link.leastDepth?() ?? 0)
    // 0 while this is passed on: a property that a view follows may hold a view of that one.
    guard link.depth != depth, link.depth > 0 else { return }
    link.depth = 0
    subject?.visitViews { $0.setDepth(depth + 1) }
    link.depth = depth
  }
}

extension ObservableArray {
  /// Removes all elements of a view that has lost its source, and of the views of it, without a
  /// delivery unless a transaction makes one.
  func emptySilently() {
    guard !storage.isEmpty else { return }
    guard batch == nil else { return applySetting([]) }
    let edit = setStorage([])
    guard let subject else { return }
    subject.recordSilently(ValueBox(ArrayChange(edit, elements: [])))
    guard subject.isRead else { return }
    subject.finishSilently(subject.markAndCollect(), of: self)
  }
}

extension Subject {
  /// Visits the live views that follow the collection.
  fileprivate func visitViews(_ body: (any AnyObservableArray) -> Void) {
    for info in latestInfos.all where info.isOfView {
      if let view = info.registration.store.observer as? any AnyObservableArray { body(view) }
    }
  }

  /// Has observations record that all elements are gone, which is not delivered, and views follow.
  func recordSilently(_ change: ValueBox) {
    let (infos, id) = (latestInfos, Self.nextChangeID())
    // Elements are not followed any more.
    note(change, to: infos, id: id)
    infos.visit { $0.sink?.discard(through: id) }
    visitViews { $0.emptySilently() }
  }

  /// Leaves what depends on that to the next change, but for derived values.
  func finishSilently(_ dependents: Dependents, of collection: AnyObject) {
    dependents.paths.visit { $0.path?.omitChange() }
    finish(Dependents(derived: dependents.derived), afterChangeOf: collection)
    ThreadCell.releasePending()
  }
}
