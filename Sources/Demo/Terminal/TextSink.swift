import Foundation

/// Destination of text: a file descriptor, or a string in tests.
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
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        // Another program may have set the terminal that we share to write without waiting.
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&request, 1, -1)
      } else if errno != EINTR {
        throw WriteError(code: errno)
      }
    }
  }
}

/// The output can't be written: a full disk, or a closed terminal or pipe.
struct WriteError: Error, CustomStringConvertible {
  let code: Int32

  var description: String { "cannot write: \(String(cString: strerror(code)))" }

  /// Whether the reader has closed the output, which is no failure.
  var isBrokenPipe: Bool { code == EPIPE }
}
