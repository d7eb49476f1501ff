extension Comparison {
  /// Everything that is measured.
  public static var all: [Comparison] {
    SetTopic.comparisons + GetTopic.comparisons + AppendTopic.comparisons
      + RegistrationTopic.comparisons + PathsTopic.comparisons + DerivedTopic.comparisons
      + DerivedLimitsTopic.comparisons + GraphsTopic.comparisons + BindingsTopic.comparisons
      + AtomicsTopic.comparisons + TransactionsTopic.comparisons + QueuesTopic.comparisons
      + CreationTopic.comparisons + ThreadsTopic.comparisons
      + ArraysTopic.comparisons + ElementsTopic.comparisons + AggregatesTopic.comparisons
      + DictionariesTopic.comparisons + SectionsTopic.comparisons + ScalingTopic.comparisons
      + UpdatesTopic.comparisons + ViewParametersTopic.comparisons
      + GrowthTopic.comparisons + ExpressionsTopic.comparisons
  }
}
