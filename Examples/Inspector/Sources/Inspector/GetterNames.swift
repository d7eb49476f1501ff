import Foundation
import ObservationController
import Synchronization

#if canImport(Runtime) && !canImport(ObjectiveC)
  import Runtime
#endif

/// Names of properties whose key paths print the addresses of their getters.
///
/// On Linux a key path prints a property as `<computed 0x0000560f6cbd9b10 (String)>`. The address
/// is that of a function which the compiler makes for the key path. Its symbol, which the
/// toolchain's module `Runtime` finds and demangles, has the name of the property:
/// `key path getter for Order.label : Order`. An executable without a symbol table has no names.
enum GetterNames {
  private struct State {
    /// Names by addresses; `nil` for an address without a symbol.
    var names: [UInt64: String?] = [:]

    /// Printed key paths with the names of their properties, if all addresses have been looked up.
    var texts: [String: String] = [:]

    /// Printed key paths that have a label in the library, or can have none.
    var labelled: Set<String> = []
  }

  private static let state = Mutex(State())

  /// The addresses in a printed key path that have not been looked up.
  static func unknownAddresses(in printed: String) -> [UInt64] {
    if state.withLock({ $0.texts[printed] != nil }) { return [] }
    let addresses = pieces(of: printed).compactMap(\.address)
    return state.withLock { state in addresses.filter { state.names[$0] == nil } }
  }

  /// Looks up addresses of getters.
  ///
  /// - Complexity: O(n) in the symbols of the program: tens of milliseconds.
  static func learn(_ addresses: Set<UInt64>) {
    guard !addresses.isEmpty else { return }
    let found = symbols(at: Array(addresses))
    state.withLock { state in
      for address in addresses {
        state.names[address] = .some(found[address].flatMap(propertyName))
      }
    }
  }

  /// Has the library name the last property of a key path in traces and graphs, once.
  ///
  /// - Parameter isNamed: Whether it has a name there already, maybe a label of the program's.
  static func label(
    _ keyPath: AnyKeyPath, printed: String, unless isNamed: @autoclosure () -> Bool
  ) {
    guard !state.withLock({ $0.labelled.contains(printed) }) else { return }
    let address = pieces(of: printed).last?.address
    // Once its address has been looked up.
    let found = address.map { address in state.withLock { $0.names[address] } } ?? .some(nil)
    guard let found, state.withLock({ $0.labelled.insert(printed).inserted }) else { return }
    if let name = found, !isNamed() { ObservationGraph.setLabel(name, for: keyPath) }
  }

  /// A printed key path with the names that are known, and types in place of the others.
  static func naming(_ printed: String) -> String {
    let (text, names) = state.withLock { ($0.texts[printed], $0.names) }
    if let text { return text }
    // A property whose value is optional is printed like any other.
    let pieces = pieces(of: printed.replacing(/\?+$/, with: ""))
    let new = pieces.map { address, type, rest in
      (address.map { (names[$0] ?? nil) ?? "‹\(type)›" } ?? "") + rest
    }.joined()
    if pieces.allSatisfy({ $0.address.map { names[$0] != nil } ?? true }) {
      state.withLock { $0.texts[printed] = new }
    }
    return new
  }

  /// The computed properties in a printed key path, each with the type of its value and the text
  /// up to the next one; before the first one is text alone.
  private static func pieces(of printed: String) -> [(address: UInt64?, type: String, rest: String)]
  {
    let parts = printed.components(separatedBy: "<computed 0x")
    return [(nil, "", parts[0])]
      + parts.dropFirst().map { part in
        // The type may have such brackets too, and what follows has none.
        let end = part.range(of: ")>", options: .backwards) ?? part.endIndex..<part.endIndex
        let digits = part.prefix(while: \.isHexDigit)
        let type = part[digits.endIndex..<end.lowerBound].drop { $0 == " " || $0 == "(" }
        return (UInt64(digits, radix: 16), String(type), String(part[end.upperBound...]))
      }
  }

  /// `label` of `key path getter for Order.label : Order`, and of
  /// `key path getter for label in Order #1 in run() : Order #1 in run()`; `nil` for other
  /// functions.
  static func propertyName(in symbol: String) -> String? {
    let prefix = "key path getter for "
    guard symbol.hasPrefix(prefix), let end = symbol.range(of: " : ") else { return nil }
    let qualified = symbol[..<end.lowerBound].dropFirst(prefix.count)
    let place = qualified.range(of: " in ")?.lowerBound ?? qualified.endIndex
    // The labels of a subscript have no dots.
    return qualified[..<place].split(separator: ".").last.map(String.init)
  }

  #if canImport(Runtime) && !canImport(ObjectiveC)
    /// Demangled names of the functions that begin at the addresses.
    ///
    /// `Runtime` symbolicates backtraces alone, and makes them of a stack or by decoding: this
    /// decodes one that has the addresses as its frames.
    private static func symbols(at addresses: [UInt64]) -> [UInt64: String] {
      // The compact format: 64-bit words; for each frame a program counter with an absolute
      // address of eight bytes; the end.
      var bytes: [UInt8] = [2]
      for address in addresses {
        bytes.append(0x1f)
        withUnsafeBytes(of: address.bigEndian) { bytes += $0 }
      }
      bytes.append(0)
      let coded = ["architecture": architecture, "backtrace": Data(bytes).base64EncodedString()]
      guard let json = try? JSONEncoder().encode(coded),
        let backtrace = try? JSONDecoder().decode(Backtrace.self, from: json),
        let result = backtrace.symbolicated(with: .capture(), options: .useSymbolCache)
      else { return [:] }
      var names: [UInt64: String] = [:]
      for frame in result.frames {
        // Elsewhere than at its beginning the symbol is that of another function, whose successor
        // has none.
        guard let symbol = frame.symbol, symbol.offset == 0,
          let address = UInt64(frame.captured.originalProgramCounter)
        else { continue }
        names[address] = symbol.name
      }
      return names
    }

    private static var architecture: String {
      #if arch(arm64)
        "arm64"
      #else
        "x86_64"
      #endif
    }
  #else
    /// The system names getters itself.
    private static func symbols(at addresses: [UInt64]) -> [UInt64: String] { [:] }
  #endif
}
