/// Why a line is drawn. The raw values are the words of the summary.
enum LineChange: String, CaseIterable, Sendable {
  /// It came into sight: at first, by scrolling, or for its process started or took the place of
  /// another.
  case appeared = "came into sight"

  /// Its process has another place among the others.
  case moved

  /// Its text changed, or it was selected or deselected.
  case changed

  /// Nothing happened to the line, but to the screen; or the view draws everything at all times.
  case unchanged
}
