extension Comparison {
  /// Everything that is measured.
  public static var all: [Comparison] {
    SetTopic.comparisons + GetTopic.comparisons + AppendTopic.comparisons
      + RegistrationTopic.comparisons + PathsTopic.comparisons
  }
}
