#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The files below `/proc`, or below a recorded copy of it, or a test's own idea of them.
protocol ProcFiles: Sendable {
  /// The names in the top folder. Empty if it can't be listed.
  func names() -> [String]

  /// The text of a file, with anything that is no UTF-8 replaced.
  ///
  /// - Returns: `nil` if there is no such file, or no longer: a process may end between
  ///   the moment it is listed and the moment it is read, and even while it is read.
  func text(at path: String) -> String?
}

/// Files on disk, below a folder.
struct ProcFolder: ProcFiles {
  let path: String

  init(path: String = "/proc") {
    self.path = path
  }

  func names() -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      // The name runs over the end of its declared length: go by its terminating zero.
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        UnsafeRawPointer(pointer).withMemoryRebound(to: CChar.self, capacity: 256) {
          String(cString: $0)
        }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  func text(at name: String) -> String? {
    // Read until the end: the files of /proc all claim to have no bytes at all.
    let file = open(path + "/" + name, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = buffer.withUnsafeMutableBytes { readOnce(file, $0) }
      if count < 0 { return nil }
      if count == 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }

  /// Reads once, and again if a signal came in between.
  private func readOnce(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      let count = read(file, buffer.baseAddress, buffer.count)
      if count >= 0 || errno != EINTR { return count }
    }
  }
}
