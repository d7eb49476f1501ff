extension GroupedView {
  /// Has debug builds find what is wrong with a group.
  @usableFromInline
  func noteChecks(of group: Group, in link: ArrayViewLink) {
    #if DEBUG
      link.check = { [weak self, weak group] in
        guard let self, let group else { return [] }
        return _checkInvariants(of: group)
      }
    #endif
  }

  #if DEBUG
    /// What is wrong with a group while the source is not being edited, and nothing is delivered.
    func _checkInvariants(of group: Group) -> [String] {
      var broken: [String] = []
      func require(_ holds: Bool, _ text: String) { if !holds { broken.append(text) } }
      let sources = group.sources
      require((group.inner?.count ?? sources.count) == sources.count, "a group shows others")
      require(
        sources.allSatisfy { groups.indices.contains($0) && groups[$0] === group },
        "a group has what belongs to another one")
      require(Set(sources).count == sources.count, "a group has an element twice")
      require(
        isSorted || zip(sources, sources.dropFirst()).allSatisfy(<),
        "a group is not in the order of its source")
      require(waiting == nil, "a change waits for a parameter")
      return broken
    }
  #endif
}
