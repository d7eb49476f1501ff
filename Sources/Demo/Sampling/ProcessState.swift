/// State of a process in the kernel, as the one letter that `ps` and `top` print.
enum ProcessState: Character, Sendable {
  case running = "R"
  case sleeping = "S"
  case waitingForDisk = "D"
  case idle = "I"
  case stopped = "T"
  case zombie = "Z"
  case unknown = "?"

  /// Reads the letter of Linux's `/proc/PID/stat` or of `ps -o state`.
  ///
  /// Kernels add letters over time. One that is not known here is `.unknown` and no error.
  init(letter: Character) {
    switch letter {
    case "t": self = .stopped  // Linux: stopped by a debugger.
    case "U": self = .waitingForDisk  // macOS: an uninterruptible wait.
    default: self = ProcessState(rawValue: letter) ?? .unknown
    }
  }

  /// Whether `top` would count the process as sleeping.
  var isSleeping: Bool {
    self == .sleeping || self == .idle || self == .waitingForDisk
  }
}
