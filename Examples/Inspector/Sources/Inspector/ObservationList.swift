import ObservationController

/// The observations at one moment, with the objects that they concern.
struct ObservationList: Encodable, Sendable {
  /// One observation.
  struct Row: Encodable, Sendable {
    /// Addresses of observer and observed object; `nil` once they are deallocated.
    let observer: String?
    let object: String?

    /// The key path, with the names of its properties.
    let keyPath: String
    let options: String
    let context: String?
    let handler: String
    let place: String
  }

  /// The number of observations that are listed.
  static let limit = 2_000

  private(set) var objects: [ObjectReader.ObjectRow] = []
  private(set) var observations: [Row] = []

  /// The number of observations that are not listed.
  private(set) var more = 0

  /// Lists the observations for which `isWanted` holds, and has the library name the computed
  /// properties among them.
  static func all(
    by reader: ObjectReader,
    where isWanted: @escaping @Sendable (ObservationDescription) -> Bool = { _ in true }
  ) async -> ObservationList {
    let (list, unknown) = await reader.read { make(reader, isWanted) }
    if unknown.isEmpty { return list }
    // Not on the main actor, where the program's own work would wait for it.
    GetterNames.learn(unknown)
    return await reader.read { make(reader, isWanted).list }
  }

  /// - Returns: The list, and the addresses of getters whose names have not been looked up.
  private static func make(
    _ reader: ObjectReader, _ isWanted: (ObservationDescription) -> Bool
  ) -> (list: ObservationList, unknown: Set<UInt64>) {
    var (list, unknown, known) = (ObservationList(), Set<UInt64>(), Set<ObjectIdentifier>())
    let all = ObservationDispatcher.shared.observations.filter(isWanted)
    list.more = max(all.count - limit, 0)
    for item in all.prefix(limit) {
      let printed = String(reflecting: item.keyPath)
      let (keyPath, missing) = GetterNames.naming(printed)
      unknown.formUnion(missing)
      GetterNames.label(
        item.keyPath, printed: printed,
        unless: reader.readsObjects && !item.description.contains("‹"))
      let (observer, object) = (item.observer, item.object)
      for case let object? in [observer, object]
      where known.insert(ObjectIdentifier(object)).inserted {
        list.objects.append(reader.row(of: object))
      }
      list.observations.append(
        Row(
          observer: observer.map(ObjectReader.id), object: object.map(ObjectReader.id),
          keyPath: keyPath, options: "\(item.options)", context: item.context.map { "\($0)" },
          handler: item.handlerKind.rawValue, place: "\(item.file):\(item.line)"))
    }
    return (list, unknown)
  }
}
