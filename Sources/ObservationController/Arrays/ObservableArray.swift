import Synchronization

/// An array that tells of each edit: which elements were inserted, removed, replaced or moved.
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
/// A class: two objects that hold the same array share it, and are both told. Each edit is one
/// change, delivered before the edit returns, as changes of properties are; a handler may edit the
/// array again. Computed key paths that read the array, as in `\.students.count`, follow it.
///
/// An edit that does nothing, as appending no elements or moving an element to where it is, tells
/// nobody. An index that is not that of an element stops the program, as with an array. A live view
/// is not edited: that reports ``ObservationIssue/readOnlyArray(file:line:)`` and changes nothing.
///
/// Edits cost what they cost an array, and copy nothing unless an observer asked for
/// ``ObservationOptions/old``: appending and removing at the end are O(1) amortised. An array that
/// nobody observes pays one test.
///
/// As thread-safe as an array in a stored property: editing it needs isolation.
public final class ObservableArray<Element> {
  /// Tells who observes the edits. Made when the array is first read under an access tracker.
  ///
  /// First of the properties: it goes before the elements, so that these find nobody to tell.
  @usableFromInline var subject: Subject?

  @usableFromInline var storage: [Element]

  /// The edits of `performBatchUpdates` so far, while it runs.
  @usableFromInline var batch: ArrayBatch<Element>? {
    didSet { inBatch.store(batch != nil, ordering: .relaxed) }
  }

  /// Counts edits, to notice those that come at a wrong time.
  @usableFromInline var version: UInt64 = 0

  /// Whether an edit has nobody to tell and nothing to mind: neither subject, batch nor source.
  @usableFromInline var isPlain = true

  /// Whether there is a batch. A constant that is asked atomically, since asking a variable of a class
  /// takes 95 instructions, and each change of an element asks.
  @usableFromInline let inBatch = Atomic<Bool>(false)

  /// What a live view follows its source by; `nil` for an array of its own.
  @usableFromInline let link: ArrayViewLink?

  /// Makes an array of `elements`, which nobody observes yet.
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
  @inlinable var isInBatch: Bool { inBatch.load(ordering: .relaxed) }

  /// The elements as they are now.
  ///
  /// A snapshot: later edits do not change it. The first edit while it is kept copies the elements.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var elements: [Element] {
    noteAccess()
    return storage
  }

  /// Has the key path that is being evaluated follow this array.
  @inlinable @inline(__always)
  func noteAccess() {
    if AccessTracking.isActive { noteTrackedAccess() }
  }

  @usableFromInline @inline(never)
  func noteTrackedAccess() {
    guard AccessTracking.beginNote(of: self) else { return }
    // Without a key path: an array is never a property of its observed object, even if it is the
    // object itself.
    if let subject = AccessTracking.note(
      self, subject: subject.map { SubjectReference($0) }, keyPath: { nil })
    {
      self.subject = subject
      isPlain = false
      AccessTracking.endNote(of: self)
    }
  }
}
