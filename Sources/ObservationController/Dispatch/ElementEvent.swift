/// A change of a property of an element, on its way to a change of the array.
///
/// What makes it are parameters rather than fields: handing objects on in a struct counts each of
/// them twice, and counting references is most of what a change of an element costs.
@usableFromInline
enum ElementEvent {
  /// Makes a change of the array.
  ///
  /// - Parameters:
  ///   - container: The `ObservableArray` that the element is in; for a plain array the observed
  ///     object.
  ///   - position: Where the element is; -1 if that has to be found.
  @usableFromInline
  typealias Maker = (
    _ element: AnyObject, _ container: AnyObject, _ position: Int, _ property: ElementProperty,
    _ delivery: ObservationDelivery
  ) -> Outcome

  @usableFromInline
  enum Outcome {
    /// What is to be told, as details of an `ArrayChange`, and the place of the element; -1 if it
    /// has several.
    case change(AnyObject, position: Int)

    /// The element is not there any more.
    case gone

    /// A batch is under way, after which the event has to be looked at again.
    case early
  }

  /// - Complexity: O(1) if the position is known, else O(n).
  @inlinable
  static func change<Element>(
    of element: AnyObject, in elements: consuming [Element], at position: Int,
    _ property: ElementProperty,
    _ delivery: ObservationDelivery
  ) -> Outcome {
    var edit = ArrayEdit<Element>(.element, at: position, from: position)
    var position = position
    if position < 0 || position >= elements.count
      || !ElementIdentity.isElement(of: elements, at: position, element)
    {
      let positions = elements.indices.filter {
        ElementIdentity.isElement(of: elements, at: $0, element)
      }
      guard let first = positions.first else { return .gone }
      if positions.count == 1 {
        position = first
        edit = ArrayEdit(.element, at: first, from: first)
      } else {
        position = -1
        edit = ArrayEdit(
          .element,
          positions.map {
            ArrayChange.Entry(element: elements[$0], oldIndex: $0, newIndex: $0)
          })
      }
    }
    return .change(
      ArrayChangeDetails(edit, elements: elements, elementValues: property.values(of: delivery)),
      position: position)
  }
}
