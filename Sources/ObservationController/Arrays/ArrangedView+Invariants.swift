#if DEBUG
  extension ArrangedView {
    /// What is wrong with the view while its source is not being edited, and nothing is delivered.
    ///
    /// That each element is where the closures want it is left to tests: they are the user's.
    ///
    /// - Parameters:
    ///   - shown: The elements of the view.
    ///   - elements: Those of the source.
    @usableFromInline
    func _checkInvariants(of shown: [Element], showing elements: [Element]) -> [String] {
      var broken: [String] = []
      func require(_ holds: Bool, _ text: String) { if !holds { broken.append(text) } }
      require(sources.count == shown.count, "a view of \(shown.count) knows \(sources.count)")
      guard sources.allSatisfy(elements.indices.contains) else {
        return broken + ["a view shows what its source does not have"]
      }
      if isSorted {
        require(sources.count == elements.count, "a sorted view does not show all elements")
        require(
          places.count == sources.count && sources.enumerated().allSatisfy { places[$1] == $0 },
          "the places of a sorted view do not lead back")
      } else {
        require(places.isEmpty, "a view in the order of its source has places")
        require(
          zip(sources, sources.dropFirst()).allSatisfy(<),
          "a view is not in the order of its source")
      }
      for (source, element) in zip(sources, shown) {
        guard let object = ElementIdentity<Element>.object(of: element) else { break }
        require(
          ElementIdentity<Element>.object(of: elements[source]) === object,
          "a view shows another element than its source has there")
      }
      return broken
    }
  }

  extension ObservableArray: InvariantChecked {
    package func _checkInvariants() -> [String] { link?.check() ?? [] }
  }
#endif
