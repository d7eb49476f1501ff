/// One observation as it was when it was asked for.
///
///     for observation in observations.observations { print(observation) }
///     // ViewModel@60 observes \Person.name of Person@80 [old] by block at App/ViewModel.swift:12
///
/// Keeps neither observer nor object alive.
public struct ObservationDescription {
  /// Kind of handler that the observer is notified by.
  public enum HandlerKind: String, Hashable, Sendable {
    /// By a block; by one on a queue or the main actor, and as an async sequence, too.
    case block

    /// By a method of the observer.
    case action

    /// By its ``ObservationDelegate`` method.
    case delegate

    /// No handler: a binding sets another property.
    case binding
  }

  /// The object that is notified; `nil` once it is deallocated. Held weakly.
  public private(set) weak var observer: AnyObject?

  /// The object that the key path starts from; `nil` once it is deallocated. Held weakly.
  public private(set) weak var object: AnyObject?

  /// The key path that was registered; for a binding, that of its source.
  ///
  /// Prints with the names of its properties where the system can look them up, and with addresses
  /// where it can't, as on Linux. The description of the observation has the names there, too.
  public var keyPath: AnyKeyPath { registration.keyPath }

  /// The options that were registered.
  public var options: ObservationOptions { registration.options }

  /// The context that was registered; for a notification its name.
  public var context: ObservationContext? { registration.context }

  /// Kind of handler that the observer is notified by.
  public var handlerKind: HandlerKind { registration.handlerKind }

  /// The file of the registration, as `#fileID` names it.
  public var file: String { registration.file }

  /// The line of the registration.
  public var line: UInt { registration.line }

  private let info: ObservationInfo
  private var registration: ObservationRegistration { info.registration }

  init(_ info: ObservationInfo) {
    self.info = info
    object = info.object
    observer = registration.store.observer
  }
}

extension ObservationDescription: CustomStringConvertible {
  /// One line that names observer, key path, object, options, context, handler and place.
  ///
  /// On systems that do not know the names of properties, as Linux, they are found out by reading
  /// the key path and the stored properties of ``object``, while it is alive; so print it where the
  /// object may be read. A computed property, and one that the root type of the key path inherits,
  /// appears by its type, as in `\Person.‹String›`, until it has a label, see
  /// ``ObservationGraph/setLabel(_:for:)-(_,AnyKeyPath)``.
  public var description: String {
    DeliveryProbe.diagnostics?.learnNames(of: info)
    let context = context.map { ", context \($0)" } ?? ""
    let keyPath = KeyPathNames.literal(of: keyPath)
    return """
      \(Self.name(of: observer)) observes \(keyPath) of \(Self.name(of: object)) \
      \(options)\(context) by \(handlerKind) at \(registration.place)
      """
  }

  /// Type and address of an object, as in `Clock@6020`. Calls no user code, as the object's own
  /// description would.
  static func name(of object: AnyObject?) -> String {
    guard let object else { return "(gone)" }
    return "\(type(of: object))@\(String(UInt(bitPattern: ObjectIdentifier(object)), radix: 16))"
  }
}
