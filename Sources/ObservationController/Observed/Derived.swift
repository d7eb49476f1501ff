/// A computed property that is kept until something it has read changes.
///
///     final class Person {
///       @Observed var first = "Ada"
///       @Observed var last = "Lovelace"
///       @Derived({ (person: Person) in person.first + " " + person.last }) var fullName: String
///     }
///
/// The closure says everything: which properties it reads is found out by running it, and again each
/// time, so that branches are followed. It runs when somebody asks, a reader or an observer, at most
/// once for each change, however many ask; and not at all while nobody does. A derived value may read
/// others. Whatever reads one, before a handler, inside of it or in a transaction, gets the value that
/// goes with the properties as they are.
///
/// Observed as any other property, by key path; the observations are told once for each change of
/// what it has read. What is not observable, and changes, goes unnoticed: the value stays what it was.
///
/// A value that reads itself reports ``ObservationIssue/cycle(keyPath:file:line:)``; the inner reading
/// gets `nil`, zero, `false` or an empty collection, and the program stops where the type has none of
/// these.
///
/// One that reads another, and so on, takes stack for each level when it is read for the first time:
/// about 2 KiB, in a debug build 7. Afterwards it does not: where the stack is nearly full, those that
/// were read before are computed in their order. A chain that is too long for its first reading stops
/// the program with a sentence that says so; reading it from its beginning makes it short.
///
/// Classes only. As thread-safe as what the closure reads: where that is ``AtomicObserved``, the value
/// may be read on any thread, and the closure runs on the thread that asks, with no lock held.
@propertyWrapper
public struct Derived<Owner: AnyObject, Value> {
  @usableFromInline let cache: DerivedCache<Owner, Value>

  /// Makes a property that is computed by `compute`.
  ///
  /// - Parameters:
  ///   - compute: Receives the object that the property belongs to. Runs on the thread that asks,
  ///     with no lock held, at most once for each change of what it reads. Kept as long as the
  ///     object: use the parameter, and capture nothing that keeps it alive.
  ///   - file: Where the property stands, for issues.
  ///   - line: Likewise.
  public init(
    _ compute: @escaping (Owner) -> Value, file: String = #fileID, line: UInt = #line
  ) {
    cache = DerivedCache(compute, file: file, line: line)
  }

  @available(
    *, unavailable,
    message: "@Derived works on properties of classes only: make the enclosing type a class"
  )
  public var wrappedValue: Value {
    fatalError("unavailable")
  }

  @inlinable
  public static subscript(
    _enclosingInstance owner: Owner,
    wrapped wrapped: @autoclosure () -> KeyPath<Owner, Value>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Value {
    owner[keyPath: storage].cache.value(of: owner, wrapped())
  }
}
