import Foundation
import ObservationController

/// Hears of those who have signed up.
final class Club {
  private(set) var members: [String] = []
  private lazy var observations = ObservationController(observer: self)

  func follow(_ viewModel: SignUpViewModel) {
    observations.observe(viewModel.signedUp) { club, name in
      club.members.append(name)
      print("    welcome, \(name)!")
    }
  }
}

/// A form with validation, filled in by a script in place of a user.
@main
enum FormExample {
  static func main() {
    fillInTheForm()
    let left = ObservationDispatcher.shared.activeObservationCount
    print("Observations left: \(left)")
    exit(left == 0 ? 0 : 1)
  }

  private static func fillInTheForm() {
    let form = SignUp()
    let viewModel = SignUpViewModel(form: form)
    let club = Club()
    club.follow(viewModel)
    print("The form is empty: \(viewModel.summary.text)")
    viewModel.signUp.press()

    print("Somebody fills it in")
    viewModel.name.type("Ada")
    viewModel.age.type("12")
    viewModel.age.type("twelve")
    viewModel.age.type("36")
    viewModel.password.type("analytical")
    viewModel.repeatedPassword.type("engine")
    viewModel.repeatedPassword.type("analytical")
    viewModel.signUp.press()

    print("The form is empty again: \"\(viewModel.name.text)\", \"\(viewModel.age.text)\"")

    print("A program fills it in, and the fields follow")
    withObservationTransaction {
      form.name = "Grace"
      form.age = 37
      form.password = "nanoseconds"
      form.repeatedPassword = "nanoseconds"
    }
    print("  \(viewModel.name.title): \"\(viewModel.name.text)\"")
    print("  \(viewModel.age.title): \"\(viewModel.age.text)\"")
    viewModel.signUp.press()
    print("Members: \(club.members.joined(separator: ", "))")
  }
}
