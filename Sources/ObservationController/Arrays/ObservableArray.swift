import Synchronization

/// An array that notifies its observers of each edit: which elements were inserted, removed,
/// replaced or moved.
///
///     final class School {
///       @Observed var students: ObservableArray<Student> = []
///     }
///
///     observations.observeArray(school, \.students, elements: [\.name]) { list, school, change in
///       list.animate(change.difference)
///     }
///     school.students.append(Student("Ada"))    // insertion at 0
///     school.students[0].name = "Grace"         // element at 0, \.name, "Ada" → "Grace"
///
/// A class: two objects that hold the same array share it, and the observers of both are notified.
/// Each edit is one change, delivered before the edit returns, as changes of properties are; a
/// handler may edit the array again. Computed key paths that read the array, as in
/// `\.students.count`, follow it.
///
/// An edit that does nothing, as appending no elements or moving an element to where it is,
/// delivers nothing. An index that is not that of an element traps, as with an array. A live view
/// is not edited: that reports ``ObservationIssue/readOnlyArray(file:line:)`` and changes nothing.
///
/// Edits cost what they cost an array, and copy nothing unless an observer asked for
/// ``ObservationOptions/old``: appending and removing at the end are O(1) amortised. An edit that
/// is made inside of a delivery of the array waits with its elements, which the next edit copies,
/// O(n). An array without observers pays one branch.
///
/// As thread-safe as an array in a stored property: editing it needs isolation.
public final class ObservableArray<Element> {
  /// Lists the observers of edits. Made when the array is first read under an access tracker.
  ///
  /// First of the properties: it is released before the elements, whose deinits then notify no
  /// observer.
  ///
  /// As `storage` and `batch` without a check of exclusivity, which every edit, and a change of an
  /// element, would pay for: no code of the user's runs during an access.
  @exclusivity(unchecked) @usableFromInline var subject: Subject?

  @exclusivity(unchecked) @usableFromInline var storage: [Element]

  /// The edits of `performBatchUpdates`, or of a transaction, so far; `nil` outside of them.
  @exclusivity(unchecked) @usableFromInline var batch: ArrayBatch<Element>?

  /// Counts edits, to notice those that come at a wrong time.
  @usableFromInline var version: UInt64 = 0

  /// Whether an edit is that of a plain array: there is neither subject nor source. Stored, so that
  /// a setter that is inlined stays small.
  @usableFromInline var isPlain = true

  /// Index of the element that is being mutated in place, and is not in `storage`; -1 for none.
  @exclusivity(unchecked) @usableFromInline var lentIndex = -1

  /// Link of a live view to its source; `nil` for an array of its own.
  @usableFromInline let link: ArrayViewLink?

  /// The elements, as Observation tracks them where a tracked property holds the array.
  @usableFromInline let contents = LazyReference<DerivedProperty>()

  /// Makes an array of `elements`, without observers.
  ///
  /// - Complexity: O(n); O(1) for an array, which is shared until it is edited.
  @inlinable
  public init(_ elements: some Sequence<Element>) {
    storage = Array(elements)
    link = nil
  }

  /// Makes an empty array.
  ///
  /// - Complexity: O(1).
  @inlinable
  public convenience init() {
    self.init(EmptyCollection())
  }

  /// A live view.
  @usableFromInline
  init(_ elements: [Element], link: ArrayViewLink) {
    storage = elements
    self.link = link
    isPlain = false
  }
}

extension ObservableArray {
  /// The elements as they are now.
  ///
  /// A snapshot: later edits do not change it. The first edit while it is kept copies the elements.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var elements: [Element] {
    noteAccess()
    checkNotLent(for: .reading)
    return storage
  }

  /// Has the key path that is being evaluated follow this array.
  @inlinable
  func noteAccess() {
    if ThreadActivity.isAnyTracking { noteTrackedAccess() }
  }

  @usableFromInline
  func noteTrackedAccess() {
    guard let cell = AccessTracking.beginNote(of: self) else { return }
    // Without a key path: an array is never a property of its observed object, even if it is the
    // object itself.
    if let subject = AccessTracking.note(
      self, in: cell, subject: subject.map { SubjectReference($0) }, keyPath: { nil })
    {
      self.subject = subject
      isPlain = false
      AccessTracking.endNote(of: self)
    }
  }
}

/// An `ObservableArray` without the type of its elements.
protocol AnyObservableArray: AnyObject, Collection {
  var subject: Subject? { get }
  var link: ArrayViewLink? { get }
  var isInTransactionBatch: Bool { get }
  var isInBatch: Bool { get }
  func noteAccess()
  func flushBatch() -> Bool
  func hold(_ element: AnyObject, for view: ArraySink)
  func noteParameter(of view: ArraySink, id: UInt64)
  func setDepth(_ depth: Int)
  func emptySilently()

  #if DEBUG
    var instanceCount: Int? { get }
  #endif
}

extension ObservableArray: AnyObservableArray {}

extension ObservableArray: TrackedCollection {
  @usableFromInline
  func trackedContents(orBy make: () -> DerivedProperty) -> DerivedProperty {
    contents.load() ?? contents.storeIfNil(make())
  }
}

/// Reading the array, as one reads any array.
///
/// A slice, as `array[1...]` or `array.dropFirst()`, and `reversed()` are no copies: they show the
/// array as it is when they are read. To go through them while the array is edited, take them of
/// ``elements``.
extension ObservableArray: RandomAccessCollection {
  /// Always 0.
  @inlinable public var startIndex: Int { 0 }

  /// As ``count``.
  @inlinable public var endIndex: Int { count }

  /// The number of elements, which a key path may end in: `\.students.count` follows each edit.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var count: Int {
    noteAccess()
    return elementCount
  }

  /// The element at `index`; setting it, or mutating it in place, is one
  /// ``ArrayChange/Kind/replacement``.
  ///
  ///     groups[0].append(1)     // one change, delivered when the mutation has ended
  ///
  /// A mutation in place copies neither the array nor the element, unless an observer needs what
  /// was there before: `observeArray` and live views the element, those with
  /// ``ObservationOptions/old`` the array. It is delivered also when it throws, and when it has
  /// changed nothing.
  ///
  /// Until it ends it has the element for itself. An edit of the array traps, as in
  /// `todos[0].finish(in: todos)` where that removes the element, and so does reading this element
  /// or all elements, observing the array, and mutating another element in place: in place of
  /// `swap(&a[0], &a[1])` call ``swapAt(_:_:)``. The ``count`` and other elements can be read.
  /// Derived values, key paths and live views that depend on the array, and changes of properties
  /// of elements, wait for the end. To edit the array in the midst of it, change a copy:
  ///
  ///     var todo = todos[0]
  ///     todo.finish(in: todos)
  ///
  /// Traps if `index` is not that of an element. A live view is not edited: a mutation in place
  /// changes a copy, and reports ``ObservationIssue/readOnlyArray(file:line:)``.
  ///
  /// - Complexity: O(1).
  @inlinable
  public subscript(index: Int) -> Element {
    get {
      noteAccess()
      guard lentIndex < 0 else { return elementBesidesLent(at: index) }
      return storage[index]
    }
    set {
      guard isPlain else {
        replaceElements(at: index..<index &+ 1, with: CollectionOfOne(newValue))
        return
      }
      // The old element is released after the access: its deinit may read the array.
      var old = newValue
      swap(&storage[index], &old)
    }
    _modify {
      let access = isPlain ? nil : beginAccess(at: index)
      var element: Element
      if let access, access.isOfView {
        element = storage[index]
      } else {
        element = lend(at: index)
      }
      // One yield, and the delivery in a defer, so that a mutation that throws is delivered too.
      defer {
        if let access, access.isOfView {
          link?.reportEdit()
        } else {
          takeBack(element)
          if access == nil, subject == nil { isPlain = true } else { endAccess(access, at: index) }
        }
      }
      yield &element
    }
  }

  /// Goes through the elements as they are now, whatever is edited meanwhile.
  ///
  /// - Complexity: O(1).
  @inlinable
  public func makeIterator() -> IndexingIterator<[Element]> {
    elements.makeIterator()
  }

  /// Calls `body` with the elements as they are now, whatever is edited meanwhile; never `nil`.
  @inlinable
  public func withContiguousStorageIfAvailable<Result>(
    _ body: (UnsafeBufferPointer<Element>) throws -> Result
  ) rethrows -> Result? {
    try elements.withContiguousStorageIfAvailable(body)
  }
}

extension ObservableArray: ExpressibleByArrayLiteral {
  /// Makes an array of the elements of a literal, as ``init(_:)`` does.
  ///
  /// - Complexity: O(n).
  @inlinable
  public convenience init(arrayLiteral elements: Element...) {
    self.init(elements)
  }
}

extension ObservableArray: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The elements, as an array prints them.
  public var description: String { printableElements.description }

  /// The elements, as an array prints them for debugging.
  public var debugDescription: String { printableElements.debugDescription }

  /// The mirror of an array of the elements.
  public var customMirror: Mirror { printableElements.customMirror }
}

/// Equal if the elements are, in their order.
extension ObservableArray: Equatable where Element: Equatable {
  /// Whether both have equal elements in the same order; at once if they are the same array.
  ///
  /// - Complexity: O(n).
  @inlinable
  public static func == (left: ObservableArray, right: ObservableArray) -> Bool {
    left.elements == right.elements
  }
}

/// By its elements, as an array; so an array must not be edited while it is in a set.
extension ObservableArray: Hashable where Element: Hashable {
  /// Feeds the elements, as an array does.
  ///
  /// - Complexity: O(n).
  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(elements)
  }
}

/// As an array of elements. In two conformances, as with `Observed`.
extension ObservableArray: Encodable where Element: Encodable {
  /// Encodes the elements, as an array does.
  ///
  /// - Complexity: O(n).
  public func encode(to encoder: any Encoder) throws {
    try elements.encode(to: encoder)
  }
}

extension ObservableArray: Decodable where Element: Decodable {
  /// Decodes an array of elements.
  ///
  /// - Complexity: O(n).
  public convenience init(from decoder: any Decoder) throws {
    self.init(try [Element](from: decoder))
  }
}

/// Shared by reference and edited in place, so that it belongs to one isolation.
@available(
  *, unavailable,
  message:
    "An ObservableArray is shared by reference and edited in place; send its elements instead"
)
extension ObservableArray: Sendable {}
