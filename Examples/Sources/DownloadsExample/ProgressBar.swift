import ObservationController

/// Shows how far a download is.
@MainActor
final class ProgressBar {
  private let name: String
  private var progress = Progress(fraction: 0, state: .waiting)
  private lazy var observations = ObservationController(observer: self)

  init(of download: Download) {
    name = download.name
    // However many packets arrive before the main actor has time, the bar receives the latest
    // alone.
    observations.observeOnMainActor(download, \.progress, coalescing: .latest) { bar, _, change in
      bar.progress = change.newValue
    }
  }

  var text: String {
    let width = 20
    let filled = Int(progress.fraction * Double(width))
    let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
    let percent = "\(Int(progress.fraction * 100)) %"
    let padding = String(repeating: " ", count: 5 - percent.count)
    return "\(name)  [\(bar)] \(padding)\(percent)  \(progress.state)"
  }
}
