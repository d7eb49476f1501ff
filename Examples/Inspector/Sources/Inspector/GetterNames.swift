import Foundation
import NIOConcurrencyHelpers
import ObservationController

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
  /// Names by addresses, `nil` for an address without a symbol; and printed key paths that have a
  /// label in the library, or can have none.
  private static let state = NIOLockedValueBox(
    (names: [UInt64: String?](), labelled: Set<String>()))

  /// A printed key path with the names that are known, and types in place of the others; and the
  /// addresses that have not been looked up.
  static func naming(_ printed: String) -> (text: String, unknown: [UInt64]) {
    let names = state.withLockedValue(\.names)
    var (text, unknown) = ("", [UInt64]())
    for (address, type, rest) in pieces(of: printed) {
      if let address {
        text += (names[address] ?? nil) ?? "‹\(type)›"
        if names[address] == nil { unknown.append(address) }
      }
      text += rest
    }
    // A property whose value is optional is printed like any other.
    while text.hasSuffix("?") { text.removeLast() }
    return (text, unknown)
  }

  /// Looks up addresses of getters.
  ///
  /// - Complexity: O(n) in the symbols of the program: tens of milliseconds.
  static func learn(_ addresses: Set<UInt64>) {
    let found = symbols(at: Array(addresses))
    let names = addresses.map { ($0, found[$0].flatMap(propertyName)) }
    state.withLockedValue { $0.names.merge(names) { $1 } }
  }

  /// Has the library name the last property of a key path in traces and graphs, once, as soon as
  /// its address has been looked up.
  ///
  /// - Parameter isNamed: Whether it has a name there already, maybe a label of the program's.
  static func label(
    _ keyPath: AnyKeyPath, printed: String, unless isNamed: @autoclosure () -> Bool
  ) {
    guard !state.withLockedValue({ $0.labelled.contains(printed) }),
      let address = pieces(of: printed).last?.address,
      let found = state.withLockedValue({ $0.names[address] }),
      state.withLockedValue({ $0.labelled.insert(printed).inserted }), let name = found, !isNamed()
    else { return }
    ObservationGraph.setLabel(name, for: keyPath)
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
  /// `key path getter for label in Order #1 in run() : …`; `nil` for other functions.
  static func propertyName(in symbol: String) -> String? {
    let prefix = "key path getter for "
    guard symbol.hasPrefix(prefix), let end = symbol.range(of: " : ") else { return nil }
    let qualified = symbol[..<end.lowerBound].dropFirst(prefix.count)
    let place = qualified.range(of: " in ")?.lowerBound ?? qualified.endIndex
    // The labels of a subscript have no dots.
    return qualified[..<place].split(separator: ".").last.map(String.init)
  }

  /// Demangled names of the functions that begin at the addresses.
  ///
  /// `Runtime` symbolicates backtraces alone, and makes them of a stack or by decoding: this
  /// decodes one that has the addresses as its frames.
  private static func symbols(at addresses: [UInt64]) -> [UInt64: String] {
    var names: [UInt64: String] = [:]
    #if canImport(Runtime) && !canImport(ObjectiveC)
      // The compact format: 64-bit words; for each frame a program counter with an absolute
      // address of eight bytes; the end.
      var bytes: [UInt8] = [2]
      for address in addresses {
        bytes.append(0x1f)
        withUnsafeBytes(of: address.bigEndian) { bytes += $0 }
      }
      let coded = Data(bytes + [0]).base64EncodedString()
      let json = Data(#"{"architecture":"","backtrace":"\#(coded)"}"#.utf8)
      let trace = try? JSONDecoder().decode(Backtrace.self, from: json)
      let symbolicated = trace?.symbolicated(with: .capture(), options: .useSymbolCache)
      for frame in symbolicated?.frames ?? [] {
        // Elsewhere than at its beginning the symbol is that of another function.
        guard let symbol = frame.symbol, symbol.offset == 0,
          let address = UInt64(frame.captured.originalProgramCounter)
        else { continue }
        names[address] = symbol.name
      }
    #endif
    return names
  }
}
