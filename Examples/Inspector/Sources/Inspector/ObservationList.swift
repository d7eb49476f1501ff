import ObservationController

/// The observations at one moment, with the objects that they concern.
struct ObservationList: Encodable, Sendable {
  /// One observation.
  struct Row: Encodable, Sendable {
    /// Addresses of observer and observed object; `nil` once they are deallocated.
    let observer: String?
    let object: String?

    /// The key path, with the names of its properties.
    var keyPath: String
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

  /// Addresses of getters whose names have not been looked up.
  private var unknown: Set<UInt64> = []

  private enum CodingKeys: String, CodingKey { case objects, observations, more }

  /// Lists the observations for which `isWanted` holds, and has the library name the computed
  /// properties among them.
  ///
  /// - Throws: An error of status 503 if the main actor, where objects are read, stays busy.
  static func all(
    by reader: ObjectReader,
    where isWanted: @escaping @Sendable (ObservationDescription) -> Bool = { _ in true }
  ) async throws -> ObservationList {
    let list = try await reader.read { ObservationList(reader, isWanted) }
    if list.unknown.isEmpty { return list }
    // Not on the main actor, where the program's own work would wait for it.
    GetterNames.learn(list.unknown)
    return try await reader.read { ObservationList(reader, isWanted) }
  }

  private init(_ reader: ObjectReader, _ isWanted: (ObservationDescription) -> Bool) {
    let all = ObservationDispatcher.shared.observations.filter(isWanted)
    more = max(all.count - Self.limit, 0)
    var known: Set<ObjectIdentifier> = []
    for observation in all.prefix(Self.limit) {
      let printed = String(reflecting: observation.keyPath)
      unknown.formUnion(GetterNames.unknownAddresses(in: printed))
      GetterNames.label(
        observation.keyPath, printed: printed,
        unless: reader.readsObjects && !observation.description.contains("‹"))
      let (observer, object) = (observation.observer, observation.object)
      for case let object? in [observer, object]
      where known.insert(ObjectIdentifier(object)).inserted {
        objects.append(reader.row(of: object))
      }
      observations.append(
        Row(
          observer: observer.map(ObjectReader.id), object: object.map(ObjectReader.id),
          keyPath: GetterNames.naming(printed), options: "\(observation.options)",
          context: observation.context.map { "\($0)" }, handler: observation.handlerKind.rawValue,
          place: "\(observation.file):\(observation.line)"))
    }
  }
}
