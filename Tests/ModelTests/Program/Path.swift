/// A key path that programs observe, from a `Node`.
enum Path: Int, CaseIterable, Hashable {
  // Properties of the node itself.
  case a, b, tags, spot, link, list

  // Nested.
  case linkA, linkLink, linkLinkB, linkTags, listCount, listFirstA

  // Computed; the last one derived.
  case sum, chosen, total

  /// Not observable.
  case plain

  /// The property that the path is, `nil` for a nested or computed one.
  var property: Property? { self == .linkA ? nil : Property(rawValue: rawValue) }

  /// Its Swift source, which is also its description in the library.
  var swift: String {
    switch self {
    case .a: #"\.a"#
    case .b: #"\.b"#
    case .tags: #"\.tags"#
    case .spot: #"\.spot"#
    case .link: #"\.link"#
    case .list: #"\.list"#
    case .listCount: #"\.list.count"#
    case .listFirstA: #"\.list.first?.a"#
    case .linkA: #"\.link?.a"#
    case .linkLink: #"\.link?.link"#
    case .linkLinkB: #"\.link?.link?.b"#
    case .linkTags: #"\.link?.tags"#
    case .sum: #"\.sum"#
    case .chosen: #"\.chosen"#
    case .total: #"\.total"#
    case .plain: #"\.plain"#
    }
  }

  /// Whether it reads the elements of an array.
  var readsElements: Bool { self == .listCount || self == .listFirstA }

  /// Whether `.distinct` can compare the values.
  var isComparable: Bool { self != .spot }
}

/// A stored, observable property of a `Node`.
enum Property: Int, CaseIterable, Hashable {
  case a, b, tags, spot, link, list

  /// The elements of an array; not a property, but observed as one.
  case content

  var path: Path { Path(rawValue: rawValue)! }
  var swift: String { "\(self)" }
}

/// A value in a history.
enum Value: Equatable {
  case nothing
  case int(Int)
  case ints([Int])
  case node(Int)

  /// Nodes in an array.
  case nodes([Int])

  /// An array, in the model; histories have its elements.
  case array(Int)
}

extension Value: CustomStringConvertible {
  var description: String {
    switch self {
    case .nothing: "nil"
    case .int(let int): "\(int)"
    case .ints(let ints): "\(ints)"
    case .nodes(let numbers): "nodes \(numbers)"
    case .array(let number): "array \(number)"
    case .node(let number): "node \(number)"
    }
  }
}
