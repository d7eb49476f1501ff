/// What an object is called where it is not kept: by its type, and by the label that graphs have for it or
/// its address.
///
/// Calls nobody: the object's own description may be long, or a user's code.
struct ObjectName {
  private let type: AnyClass
  private let address: UInt
  private let label: String?

  init(_ object: AnyObject, label: String?) {
    (type, address) = (Swift.type(of: object), UInt(bitPattern: ObjectIdentifier(object)))
    self.label = label
  }

  init(_ object: AnyObject) {
    self.init(object, label: ObservationGraph.label(of: object))
  }

  /// As `Clock@6020`, or `Clock “wall clock”`.
  var text: String {
    label.map { "\(type) “\($0)”" } ?? "\(type)@\(String(address, radix: 16))"
  }
}
