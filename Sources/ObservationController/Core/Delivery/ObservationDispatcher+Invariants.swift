#if DEBUG
  /// An observer within the library, as a live view.
  package protocol InvariantChecked: AnyObject {
    /// What is wrong with it, while nothing is going on.
    func _checkInvariants() -> [String]
  }

  extension ObservationDispatcher {
    /// What is wrong with the subjects, paths, arrays, live views and nodes of all observations,
    /// and with what is in one graph with them, while nothing is going on: no thread delivers,
    /// reads, mutates in place or is in a transaction.
    ///
    /// Debug builds alone, for tests.
    package func _checkInvariants() -> [String] {
      var broken: [String] = []
      var seen: Set<Vertex.Reference> = []
      var rest: [Vertex.Reference] = []
      func check(_ subject: Subject) {
        broken += subject._checkInvariants()
        if let vertex = subject.vertex ?? subject.derived?.memory.vertex { rest.append(vertex) }
      }
      for info in allInfos {
        if info.isOfView, let view = info.registration.store.observer as? any InvariantChecked {
          broken += view._checkInvariants()
        }
        // The object holds its subjects.
        withExtendedLifetime(info.object) {
          if let path = info.path {
            broken += path._checkInvariants()
            if path.pin == nil { rest.append(path.node.vertex) }
          } else if let sink = info.sink {
            broken += sink._checkInvariants()
          } else if let link = info.link {
            link.subject._withUnsafeGuaranteedRef { check($0) }
          }
        }
      }
      while let vertex = rest.popLast() {
        guard seen.insert(vertex).inserted else { continue }
        broken += vertex._checkInvariants()
        rest += vertex.neighbours
      }
      return broken
    }
  }
#endif
