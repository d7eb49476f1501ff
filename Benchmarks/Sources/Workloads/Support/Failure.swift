#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Prints a message and ends the program with a status that says so.
public func fail(_ message: String) -> Never {
  print(message)
  exit(1)
}
