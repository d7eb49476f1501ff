#if DEBUG
  import Synchronization

  /// What one thread holds of the locks of this module, and what it waits for: tells a test that finds
  /// threads stuck who waits for whom. Debug builds only, and nothing unless a test asks for it.
  ///
  /// Written by its own thread, read by any. All accesses are relaxed: a record that ordered what the
  /// threads do would keep ThreadSanitizer from seeing that nothing else does.
  package final class LockTrace: Sendable {
    /// A lock that the thread holds or waits for.
    package struct Entry: Sendable {
      /// Tells locks apart.
      package let lock: Int

      /// What it guards.
      package let guarded: String

      /// Where the thread asked for it, as `File.swift:12`.
      package let place: String

      package let isHeld: Bool
    }

    private let slots = (0..<32).map { _ in Slot() }

    package init() {}

    /// The locks, in the order in which the thread asked for them.
    ///
    /// Out of date while the thread runs, which is no concern where it does not.
    package var entries: [Entry] { slots.compactMap(\.entry) }

    /// Records what this thread does in `body`.
    package func record<Result>(_ body: () throws -> Result) rethrows -> Result {
      recordingThreads.wrappingAdd(1, ordering: .relaxed)
      defer { recordingThreads.wrappingSubtract(1, ordering: .relaxed) }
      return try withExtendedLifetime(self) {
        try traceOfThread.withPointer(Unmanaged.passUnretained(self).toOpaque(), body)
      }
    }

    /// The trace of this thread, if it has one.
    static var current: LockTrace? {
      guard recordingThreads.load(ordering: .relaxed) != 0 else { return nil }
      // Safe: `record` keeps it alive meanwhile.
      return traceOfThread.pointer.map { Unmanaged<LockTrace>.fromOpaque($0).takeUnretainedValue() }
    }
  }

  private let traceOfThread = ThreadLocal()

  /// How many threads have a trace: where none has, a lock costs one load more.
  private let recordingThreads = Atomic<Int>(0)

  // MARK: - For the locks

  extension LockTrace {
    /// What a lock is called in a trace.
    struct Name {
      private static let names = Atomic<Int>(0)

      let number = Self.names.wrappingAdd(1, ordering: .relaxed).newValue
      let guarded: Any.Type

      init(guarding type: Any.Type) {
        guarded = type
      }
    }

    func wait(for lock: Name, _ file: StaticString, _ line: UInt) {
      // More than there are slots for are not recorded: nothing of this module nests as deep.
      slots.first(where: \.isFree)?.fill(lock, file, line)
    }

    func hold(_ lock: Name) {
      slots.last { $0.isOf(lock) }?.hold()
    }

    func leave(_ lock: Name) {
      slots.last { $0.isOf(lock) }?.clear()
    }
  }

  /// Room for one lock.
  private final class Slot: Sendable {
    /// 0 if it is free.
    private let lock = Atomic<Int>(0)

    private let isHeld = Atomic<Bool>(false)

    // What has an address for ever: the type's metadata, and the text of a literal.
    private let guarded = Atomic<UInt>(0)
    private let file = Atomic<UInt>(0)
    private let line = Atomic<UInt>(0)

    var isFree: Bool { lock.load(ordering: .relaxed) == 0 }

    func isOf(_ name: LockTrace.Name) -> Bool {
      lock.load(ordering: .relaxed) == name.number
    }

    func fill(_ name: LockTrace.Name, _ file: StaticString, _ line: UInt) {
      // Safe: a metatype is the address of its metadata.
      guarded.store(unsafeBitCast(name.guarded, to: UInt.self), ordering: .relaxed)
      self.file.store(UInt(bitPattern: file.utf8Start), ordering: .relaxed)
      self.line.store(line, ordering: .relaxed)
      isHeld.store(false, ordering: .relaxed)
      lock.store(name.number, ordering: .relaxed)
    }

    func hold() { isHeld.store(true, ordering: .relaxed) }

    func clear() { lock.store(0, ordering: .relaxed) }

    var entry: LockTrace.Entry? {
      let number = lock.load(ordering: .relaxed)
      guard number != 0,
        let file = UnsafePointer<CChar>(bitPattern: file.load(ordering: .relaxed))
      else { return nil }
      // Safe: the bits that `fill` has stored, of a type and of a text that ends in a zero.
      let type = unsafeBitCast(guarded.load(ordering: .relaxed), to: Any.Type.self)
      let name = String(cString: file).split(separator: "/").last ?? ""
      return LockTrace.Entry(
        lock: number,
        guarded: String(reflecting: type).replacing("ObservationController.", with: ""),
        place: "\(name):\(line.load(ordering: .relaxed))",
        isHeld: isHeld.load(ordering: .relaxed))
    }
  }
#endif
