import Foundation
import ObservationController

/// The last lines: what the library did in the last second, and the keys; or a field for the
/// filter, while the user types there.
///
/// Held by ``Monitor``.
final class FooterViewModel {
  let activityLine = DisplayLine()
  let keyLine = DisplayLine()
  @Observed private(set) var text = ""
  @Observed private(set) var isEditing = false

  private let screen: Screen
  private lazy var observations = ObservationController(observer: self)

  @Derived({ (footer: FooterViewModel) in
    footer.isEditing ? Format.field(footer.text) : Format.keys(footer.screen.gauge)
  })
  private var keys: StyledText

  init(table: ProcessTableViewModel, activity: Activity, screen: Screen) {
    self.screen = screen
    observations.bind(self, \.keys, to: keyLine, \.text)
    observations.bind(activity, \.perSecond, to: activityLine, \.text) {
      Format.activity($0, arrow: screen.gauge.arrow)
    }

    // Both ways: what is typed filters the table, and a filter that is set elsewhere is in the
    // field. The table does not get the blanks at the ends, and the field keeps them meanwhile.
    observations.bindTwoWay(
      table, \.filter, with: self, \.text, forward: { $0 },
      backward: { $0.trimmingCharacters(in: .whitespaces) })
  }

  func beginEditing() { isEditing = true }

  /// Follows a key, while the field is edited.
  func type(_ key: Key) {
    switch key {
    case .character(let character): text.append(character)
    case .backspace: _ = text.popLast()
    case .enter: isEditing = false
    case .escape: (text, isEditing) = ("", false)
    default: break
    }
  }
}
