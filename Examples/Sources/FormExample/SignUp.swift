import ObservationController

/// Fields of a sign-up form, and their errors.
final class SignUp {
  @Observed var name = ""
  @Observed var age: Int?
  @Observed var password = ""
  @Observed var repeatedPassword = ""

  /// In the order of the fields; computed again only if one of the four properties has changed.
  @Derived({ (form: SignUp) in form.findProblems() }) var problems: [String]

  private func findProblems() -> [String] {
    var problems: [String] = []
    if name.isEmpty { problems.append("Who are you?") }
    switch age {
    case nil: problems.append("How old are you?")
    case .some(..<18): problems.append("You have to be 18.")
    case .some: break
    }
    if password.count < 8 { problems.append("The password has fewer than 8 characters.") }
    if password != repeatedPassword { problems.append("The passwords differ.") }
    return problems
  }

  /// Empties the form, which is one change.
  func clear() {
    withObservationTransaction {
      name = ""
      age = nil
      password = ""
      repeatedPassword = ""
    }
  }
}
