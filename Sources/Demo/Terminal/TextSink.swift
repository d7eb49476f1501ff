#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Where text goes: a file descriptor, or a test's string.
protocol TextSink: AnyObject {
  /// Writes all of `text`.
  func write(_ text: String) throws
}

/// Writes to an open file, a pipe or a terminal.
final class FileSink: TextSink {
  private let descriptor: Int32

  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  func write(_ text: String) throws {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { writeOnce($0) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        waitUntilWritable()
      } else if errno != EINTR {
        throw WriteError(code: errno)
      }
    }
  }

  private func writeOnce(_ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Darwin)
      Darwin.write(descriptor, bytes.baseAddress, bytes.count)
    #elseif canImport(Glibc)
      Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    #elseif canImport(Musl)
      Musl.write(descriptor, bytes.baseAddress, bytes.count)
    #endif
  }

  /// Another program may have set the terminal that we share to write without waiting.
  private func waitUntilWritable() {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = poll(&request, 1, -1)
  }
}

/// The output can't be written: a full disk, or a terminal or pipe with nobody behind it.
struct WriteError: Error, CustomStringConvertible {
  let code: Int32

  var description: String { "cannot write: \(String(cString: strerror(code)))" }

  /// Whether nobody reads the output any more, which is for them to know and no failure.
  var isBrokenPipe: Bool { code == EPIPE }
}
