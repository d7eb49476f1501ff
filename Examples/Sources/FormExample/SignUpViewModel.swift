import ObservationController

/// Connects the form with its widgets.
final class SignUpViewModel {
  let name = TextField("Name")
  let age = TextField("Age")
  let password = TextField("Password")
  let repeatedPassword = TextField("Again")
  let summary = Label("Problems left: 0")
  let signUp = Button("Sign up")

  /// Sent with the name of who has signed up.
  let signedUp = ObservableEvent<String>()

  private let form: SignUp
  private lazy var observations = ObservationController(observer: self)

  init(form: SignUp) {
    self.form = form

    // Whatever changes, the form or the field, the other one follows.
    observations.bindTwoWay(form, \.name, with: name, \.text)
    observations.bindTwoWay(form, \.password, with: password, \.text)
    observations.bindTwoWay(form, \.repeatedPassword, with: repeatedPassword, \.text)
    observations.bindTwoWay(
      form, \.age, with: age, \.text, forward: { $0.map(String.init) ?? "" }, backward: { Int($0) })
    observations.handle(age.shouldChange) { _, text in
      text.count <= 3 && text.allSatisfy(\.isWholeNumber)
    }

    observations.bind(form, \.problems.isEmpty, to: signUp, \.isEnabled)
    observations.bindText(form, \.problems.count, to: summary, \.text, replacing: .number)
    observations.observe(form, \.problems, options: [.old, .distinct]) { viewModel, _, change in
      viewModel.show(change)
    }
    observations.observe(signUp.pressed, action: SignUpViewModel.finish)
  }

  private func show(_ change: ObservedChange<[String]>) {
    for step in change.newValue.difference(from: change.oldValue ?? []) {
      switch step {
      case .remove(_, let problem, _): print("    solved: \(problem)")
      case .insert(_, let problem, _): print("    problem: \(problem)")
      }
    }
    print("    \(summary.text)\(signUp.isEnabled ? ", [\(signUp.title)] can be pressed" : "")")
  }

  private func finish() {
    signedUp.send(form.name)
    form.clear()
  }
}
