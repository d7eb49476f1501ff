import ObservationController
import TestSupport
import XCTest

/// The example that opens README and documentation, with an action that records its changes.
final class ReadmeExampleTests: TestCase {
  func test_example_followsTheModel() {
    let person = Example.Person()
    let viewModel = Example.PersonViewModel(person: person)
    XCTAssertEqual(viewModel.title, "Ada")
    person.name = "Grace"
    XCTAssertEqual(viewModel.title, "Grace")
    XCTAssertEqual(viewModel.employerChanges, [])
    person.employer = Company(name: "Navy")
    person.employer?.name = "Remington"
    XCTAssertEqual(viewModel.employerChanges, ["nil → Navy", "Navy → Remington"])
  }

  func test_example_viewModelDeallocated_leavesNothing() {
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
  final class Person {
    @Observed var name = "Ada"
    @Observed var employer: Company?
  }

  final class PersonViewModel {
    private(set) var title = ""
    private lazy var observations = ObservationController(observer: self)

    init(person: Person) {
      observations.observe(person, \.name, options: .initial) { viewModel, _, change in
        viewModel.title = change.newValue
      }
      observations.observe(person, \.employer?.name, action: PersonViewModel.employerDidChange)
    }

    // Omitted in the example.
    private(set) var employerChanges: [String] = []

    private func employerDidChange(_ change: ObservedChange<String?>) {
      employerChanges.append(
        "\((change.oldValue ?? nil) ?? "nil") → \(change.newValue ?? "nil")")
    }
  }
}
