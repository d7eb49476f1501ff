/// What paths hang on.
extension ObservationRegistry {
  /// Hooks a path that is part of a token to the properties that it has been found to read.
  func hook(_ part: ObservationInfo) {
    state.withLock { _ in
      guard part.isActive, let path = part.path else { return }
      for dependency in path.dependencies { dependency.subject.insert(part) }
    }
  }

  /// Has a path that read nothing but one atomic property act before its changes too.
  func unpin(_ info: ObservationInfo) {
    state.withLock { _ in
      guard info.isActive, let path = info.path else { return }
      path.unpin()
      for dependency in path.dependencies {
        _ = dependency.subject.remove(info)
        dependency.subject.insert(info)
      }
    }
  }

  /// Hooks a path to the properties that it reads now, and takes it off those it does not.
  ///
  /// - Returns: Whether there are such that it was not hooked to.
  @discardableResult
  func rehook(
    _ info: ObservationInfo, to accesses: PropertyAccesses, of object: AnyObject
  ) -> Bool {
    guard let path = info.path else { return false }
    return state.withLock { _ in
      guard info.isActive, !accesses.areTo(path.dependencies) else { return false }
      let new = accesses.all.map { $0.dependency(of: object) }
      let (old, kept) = (path.dependencies, Set(path.dependencies).intersection(new))
      for dependency in old where !kept.contains(dependency) {
        _ = dependency.subject.remove(info)
      }
      for dependency in new where !kept.contains(dependency) {
        dependency.subject.insert(info)
      }
      path.dependencies = new
      return kept.count < new.count
    }
  }
}
