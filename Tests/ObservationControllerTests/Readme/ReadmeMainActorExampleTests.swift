import ObservationController
import TestSupport
import XCTest

/// The example that opens README and design document, its model and view model on the main actor.
///
/// Asynchronous, because XCTest on Linux does not find a class whose main-actor tests are all
/// synchronous.
@MainActor
final class ReadmeMainActorExampleTests: TestCase {
  func test_example_followsTheModel() async {
    let person = Example.Person()
    let viewModel = Example.PersonViewModel(person: person)
    person.name = "Grace"
    XCTAssertEqual(viewModel.title, "Grace")
    person.employer = Company(name: "Navy")
    person.employer?.name = "Remington"
    XCTAssertEqual(viewModel.employerChanges, ["nil → Navy", "Navy → Remington"])
  }

  func test_example_leavesNothingBehind() async {
    let person = Example.Person()
    assertLeavesNoObservations {
      assertReleased {
        let viewModel = Example.PersonViewModel(person: person)
        person.name = "Grace"
        return viewModel
      }
    }
  }
}

private enum Example {
  @MainActor
  final class Person {
    @Observed var name = "Ada"
    @Observed var employer: Company?
  }

  @MainActor
  final class PersonViewModel {
    private(set) var title = ""
    private lazy var observations = ObservationController(observer: self)

    init(person: Person) {
      observations.observe(person, \.name, options: .initial) { viewModel, _, change in
        viewModel.title = change.newValue
      }
      observations.observe(person, \.employer?.name, action: PersonViewModel.employerDidChange)
    }

    private(set) var employerChanges: [String] = []

    private func employerDidChange(_ change: ObservedChange<String?>) {
      employerChanges.append(
        "\((change.oldValue ?? nil) ?? "nil") → \(change.newValue ?? "nil")")
    }
  }
}
