import Foundation
import ObservationController
import TestSupport
import XCTest

/// C20 and C21 with arrays: an array that any thread may change, and elements that any thread may
/// change, of an array that is not changed.
final class ArrayStressTests: TestCase {
  func test_atomicArray_changedObservedAndDropped_changesApplyInOrder() {
    Stress.run(self) { round in
      let census = Census()
      let before = ObservationDispatcher.shared.activeObservationCount
      let failures = round.failures
      scoped {
        let shelf = Bookcase()
        let stays = Visitor(census)
        let controller = ObservationController(observer: stays)
        let replay = Replay(failures)
        controller.observeArray(shelf, \.books, options: [.initial, .old]) { replay.apply($2) }
        let controllers = Slots<ObservationController<Visitor>>([nil, nil])
        let tokens = Slots<ObservationToken>([nil, nil, nil])
        round.run { thread in
          for number in 0..<40 {
            let index = Int(thread.random.next() % 100)
            switch index % 10 {
            case 0..<4:
              let book = Volume(1_000 * thread.index + number, census)
              thread.perform("edit") { shelf.$books.withLock { $0.insert(book, at: $0.count / 2) } }
            case 4:
              thread.perform("remove") {
                // Deallocated outside of the lock.
                let last = shelf.$books.withLock { $0.popLast() }
                withExtendedLifetime(last) {}
              }
            case 5..<8:
              thread.perform("observe an array") {
                let visitor = index.isMultiple(of: 2) ? stays : Visitor(census)
                let controller = ObservationController(
                  observer: visitor, retainsObserved: index.isMultiple(of: 3))
                let replay = Replay(failures)
                let token = controller.observeArray(
                  shelf, \.books, elements: [\.pages], options: [.initial, .old]
                ) { [ticket = census.closures.makeTicket()] in
                  replay.apply($2)
                  withExtendedLifetime(ticket) {}
                }
                controllers.replace(index, by: controller)
                tokens.replace(index, by: token)
              }
            case 8: thread.perform("invalidate") { tokens[index]?.invalidate() }
            default: thread.perform("drop a controller") { controllers.replace(index, by: nil) }
            }
          }
        }
        round.check(
          replay.elements.elementsEqual(shelf.books, by: ===),
          "received another array than the stored one"
        )
        controllers.clear()
      }
      let left = ObservationDispatcher.shared.activeObservationCount - before
      round.check(left == 0, "\(left) observations left")
      round.check(census.survivors.isEmpty, "\(census.survivors)")
    }
  }

  func test_elements_changedObservedAndFollowedByViews_eachChainIsContiguous() {
    Stress.run(self) { round in
      let census = Census()
      let before = ObservationDispatcher.shared.activeObservationCount
      let failures = round.failures
      scoped {
        let books = (0..<4).map { Volume($0, census) }
        let array = UncheckedReference(ObservableArray(books))
        let stays = Visitor(census)
        let lasting = ObservationController(observer: stays)
        let tally = ElementChains<Volume>(from: 0, failures)
        lasting.observeArray(array.object, elements: [\.pages, \.doubled]) { tally.follow($2) }
        let tokens = Slots<ObservationToken>([nil, nil, nil])
        round.run { thread in
          let visitor = Visitor(census)
          var controller = ObservationController(observer: visitor)
          for _ in 0..<40 {
            let index = Int(thread.random.next() % 100)
            switch index % 8 {
            case 0..<3: thread.perform("set an element") { books[index % 4].pages += 1 }
            case 3..<5:
              thread.perform("observe elements") {
                let tally = ElementChains<Volume>(from: nil, failures)
                let token = controller.observeArray(
                  array.object, elements: [\.pages, \.doubled], context: ObservationContext()
                ) { [ticket = census.closures.makeTicket()] in
                  tally.follow($2)
                  withExtendedLifetime(ticket) {}
                }
                tokens.replace(index, by: token)
              }
            case 5: thread.perform("invalidate") { tokens[index]?.invalidate() }
            case 6:
              thread.perform("drop a controller") {
                controller = ObservationController(observer: visitor)
              }
            default: thread.perform("unobserve an array") { controller.unobserve(array.object) }
            }
          }
        }
        for book in books {
          round.check(tally.last(of: book, \.pages) == book.pages, "pages")
          round.check(tally.last(of: book, \.doubled) == book.doubled, "doubled")
        }
        withExtendedLifetime(stays) {}
      }
      let left = ObservationDispatcher.shared.activeObservationCount - before
      round.check(left == 0, "\(left) observations left")
      round.check(census.survivors.isEmpty, "\(census.survivors)")
    }
  }
}

private final class Bookcase: @unchecked Sendable {
  // Unchecked because the storage of a wrapper is a variable, which is never replaced.
  @AtomicObserved var books: [Volume] = []
}

private final class Volume: @unchecked Sendable {
  // Unchecked because the storage of a wrapper is a variable, which is never replaced.
  @AtomicObserved var pages = 0
  var doubled: Int { pages * 2 }
  let number: Int
  private let ticket: LifetimeCounter.Ticket

  init(_ number: Int, _ census: Census) {
    self.number = number
    ticket = census.objects.makeTicket()
  }
}

/// Applies each change to the array replayed so far. Deliberately without a lock.
private final class Replay: @unchecked Sendable {
  private(set) var elements: [Volume] = []
  private var hasDelivered = false
  private let failures: Failures

  init(_ failures: Failures) {
    self.failures = failures
  }

  func apply(_ change: ArrayChange<Volume>) {
    if change.kind == .element { return }
    if change.kind == .initial {
      if hasDelivered { failures.add("initially, late") }
    } else {
      if !elements.elementsEqual(change.oldElements ?? [], by: ===) {
        failures.add(
          "\(elements.map(\.number)), then from \(change.oldElements?.map(\.number) ?? [])")
      }
      if !change.applying(to: elements).elementsEqual(change.elements, by: ===) {
        failures.add("does not lead to \(change.elements.map(\.number))")
      }
    }
    hasDelivered = true
    elements = change.elements
  }
}
