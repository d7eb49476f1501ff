#if DEBUG
  extension UnsafeMutablePointer<Vertex> {
    /// What is wrong with the vertex and its edges, while no thread uses the graph and no getter
    /// runs.
    func _checkInvariants() -> [String] {
      guard let lock = lockGraph() else {
        return dependents.count == 0 ? [] : ["a vertex with dependents is in no graph"]
      }
      defer { lock.unlock() }
      var broken: [String] = []
      for index in 0..<dependents.count {
        let edge = dependents.edges + index
        let (node, place) = (edge.pointee.node, Int(edge.pointee.index))
        if place >= node.dependencies.count || !node.dependencies.leads(to: self, at: place) {
          broken.append("the edge of a dependent does not lead back")
        }
      }
      broken += isNode ? node.checkLocked(lock) : brokenBitsOfStored
      return broken
    }

    /// A stored property is always clean.
    private var brokenBitsOfStored: [String] {
      let bits = pointee.state.load(ordering: .relaxed) & ~Node.State.mutating
      return bits == 0 ? [] : ["a stored property has the bits of a node: \(bits)"]
    }

    /// The vertices that this one reads, and that read it. Under no lock.
    var neighbours: [Vertex.Reference] {
      guard let lock = lockGraph() else { return [] }
      defer { lock.unlock() }
      let readers = (0..<dependents.count).map { dependents.edges[$0].node.vertex }
      return readers + (isNode ? Array(node.readVertices) : [])
    }
  }

  extension UnsafeMutablePointer<Node> {
    fileprivate func checkLocked(_ lock: GraphLock.Reference) -> [String] {
      typealias State = Node.State
      var broken: [String] = []
      func require(_ holds: Bool, _ text: String) {
        if !holds { broken.append("\(text) (state \(String(state, radix: 2)))") }
      }
      func has(_ bit: UInt) -> Bool { state & bit != 0 }

      // The legal combinations of bits at rest, see `Node.State`.
      require(has(State.node), "a node without the bit of one")
      require(!has(State.computing), "a node is being computed")
      require(!has(State.mutating), "a node is being mutated in place")
      require(!has(State.prior) || has(State.path), "a prior delivery of what is no path")
      // Derived values do not use them.
      require(
        !has(State.assigned | State.rewired) || !has(State.path) || !vertex.isClean,
        "what a clean path reads was assigned")
      require(
        !has(State.undelivered) || has(State.dirty | State.check),
        "a clean node has missed a change")

      require(pointee.places == nil, "a table of places is left")
      require(pointee.walks == 0, "a walk refers to it")
      for index in 0..<dependencies.count {
        // A gap is `nil`.
        guard let read = dependencies.vertex(at: index) else { continue }
        let place = Int(dependencies.edges[index].index)
        require(
          place < read.dependents.count && read.dependents.leads(to: vertex, at: place),
          "the edge of a dependency does not lead back")
        require(
          read.pointee.graph.load(ordering: .acquiring)?.root == lock,
          "a dependency is in another component")
        require(!vertex.isClean || read.isClean, "a clean node has read one that is not")
      }
      return broken
    }
  }
#endif
