import Foundation
import ObservationController
import TestSupport

/// An object whose properties hold counted values.
final class Exhibit: @unchecked Sendable {
  // Unchecked because a test changes it on one thread, while no queue delivers.
  typealias Ticket = LifetimeCounter.Ticket

  @Observed var value: Ticket?
  @Observed var next: Exhibit?
  @Observed var other: Ticket?
  @Observed var text = ""
  @Observed var pieces = ObservableArray<Piece>()
  @AtomicObserved var atomic: Ticket?

  var computed: Ticket? { value }
  @Derived({ (exhibit: Exhibit) in exhibit.value }) var derived: Ticket?

  let event = ObservableEvent<Ticket>()
  let hook = ObservableHook<Ticket, Ticket> { $0 }

  private let ticket: Ticket

  init(_ census: Census) {
    ticket = census.objects.makeTicket()
  }

  /// Releases all values.
  func empty() {
    value = nil
    next = nil
    other = nil
    atomic = nil
    pieces.removeAll()
  }
}

/// A counted element.
final class Piece {
  @Observed var value: LifetimeCounter.Ticket?
  private let ticket: LifetimeCounter.Ticket

  init(_ census: Census) {
    ticket = census.elements.makeTicket()
    value = census.values.makeTicket()
  }
}

final class Spectator: @unchecked Sendable {
  // Unchecked because its ticket is its only state.
  private let ticket: LifetimeCounter.Ticket

  init(_ census: Census) {
    ticket = census.observers.makeTicket()
  }

  func note() {}
}

extension Spectator: ObservationDelegate {
  func observeValue(
    at keyPath: AnyKeyPath, of object: AnyObject, change: ObservedChange<Any>,
    context: ObservationContext?
  ) {}
}

/// A way to observe something, with a counted closure.
struct LifetimeFeature {
  typealias Controller = ObservationController<Spectator>
  typealias Ticket = LifetimeCounter.Ticket

  let name: String

  /// Whether it takes a closure of the user.
  var hasClosure = true

  /// Begins the observation; the ticket is captured by the closure.
  let observe: (Controller, Exhibit, Ticket) -> ObservationToken

  /// The argument of `unobserve(_:)`, if it is not the exhibit.
  var observed: (Exhibit) -> AnyObject = { $0 }

  /// Makes two changes that are delivered.
  var change: (Exhibit, Census) -> Void = { exhibit, census in
    for _ in 0..<2 { exhibit.value = census.values.makeTicket() }
  }

  static let queue = DispatchQueue(label: "lifetimes")
}

// MARK: - The features

extension LifetimeFeature {
  static var all: [LifetimeFeature] {
    properties + paths + arrays + bindings + others + notifications
  }

  private static var properties: [LifetimeFeature] {
    let options: [(String, ObservationOptions)] = [
      ("a property", .old), ("a property, initial and prior", [.initial, .old, .prior]),
    ]
    let blocks = options.map { name, options in
      LifetimeFeature(name: name) { controller, exhibit, ticket in
        controller.observe(exhibit, \.value, options: options) { _, _, _ in keep(ticket) }
      }
    }
    return blocks + [
      LifetimeFeature(name: "a property, distinct", hasClosure: true) {
        controller, exhibit, ticket in
        controller.observe(exhibit, \.value, options: [.old, .distinct]) { _, _, _ in keep(ticket) }
      },
      LifetimeFeature(name: "an action", hasClosure: false) { controller, exhibit, _ in
        controller.observe(exhibit, \.value, action: Spectator.note)
      },
      LifetimeFeature(name: "the delegate", hasClosure: false) { controller, exhibit, _ in
        controller.observe(exhibit, \.value)
      },
      LifetimeFeature(name: "several key paths") { controller, exhibit, ticket in
        controller.observeEach(exhibit, \.value, \.computed) { _, _, _ in keep(ticket) }[1]
      },
      LifetimeFeature(name: "a property, in transactions") { controller, exhibit, ticket in
        controller.observe(exhibit, \.value, options: [.old, .prior]) { _, _, _ in keep(ticket) }
      } change: { exhibit, census in
        withObservationTransaction {
          for _ in 0..<2 { exhibit.value = census.values.makeTicket() }
        }
      },
      LifetimeFeature(name: "an atomic property") { controller, exhibit, ticket in
        controller.observe(exhibit, \.atomic, options: [.initial, .old, .prior]) { _, _, _ in
          keep(ticket)
        }
      } change: { exhibit, census in
        exhibit.atomic = census.values.makeTicket()
        exhibit.$atomic.withLock { $0 = census.values.makeTicket() }
      },
    ]
  }

  private static var paths: [LifetimeFeature] {
    [
      LifetimeFeature(name: "a nested path") { controller, exhibit, ticket in
        controller.observe(exhibit, \.next?.value, options: [.initial, .old, .prior]) { _, _, _ in
          keep(ticket)
        }
      } change: { exhibit, census in
        for _ in 0..<2 {
          exhibit.next = Exhibit(census)
          exhibit.next?.value = census.values.makeTicket()
        }
      },
      LifetimeFeature(name: "a computed path") { controller, exhibit, ticket in
        controller.observe(exhibit, \.computed, options: [.initial, .old, .prior]) { _, _, _ in
          keep(ticket)
        }
      },
      LifetimeFeature(name: "a derived property") { controller, exhibit, ticket in
        controller.observe(exhibit, \.derived, options: [.initial, .old, .prior]) { _, _, _ in
          keep(ticket)
        }
      },
    ]
  }

  private static var arrays: [LifetimeFeature] {
    func edit(_ exhibit: Exhibit, _ census: Census) {
      exhibit.pieces.append(Piece(census))
      exhibit.pieces[0].value = census.values.makeTicket()
      exhibit.pieces[0] = Piece(census)
      exhibit.pieces = ObservableArray([Piece(census)])
      exhibit.pieces.append(Piece(census))
      exhibit.pieces.performBatchUpdates {
        exhibit.pieces.swapAt(0, 1)
        exhibit.pieces.removeLast()
      }
    }
    func followingView(
      _ name: String,
      _ view: @escaping (ObservableArray<Piece>, Ticket) -> ObservableArray<Piece>
    ) -> LifetimeFeature {
      LifetimeFeature(name: name) { controller, exhibit, ticket in
        // The handler retains the view, the view its source and its closure.
        let view = view(exhibit.pieces, ticket)
        return controller.observeArray(exhibit, \.pieces, elements: [\.value], options: .old) {
          _, _, _ in withExtendedLifetime(view) {}
        }
      } change: { exhibit, census in
        exhibit.pieces.append(Piece(census))
        exhibit.pieces[0].value = census.values.makeTicket()
        exhibit.pieces.append(Piece(census))
        exhibit.pieces.swapAt(0, 1)
      }
    }
    return [
      LifetimeFeature(name: "an array", hasClosure: true) { controller, exhibit, ticket in
        controller.observeArray(exhibit, \.pieces, options: [.initial, .old]) { _, _, _ in
          keep(ticket)
        }
      } change: {
        edit($0, $1)
      },
      LifetimeFeature(name: "an array and its elements") { controller, exhibit, ticket in
        controller.observeArray(exhibit, \.pieces, elements: [\.value], options: [.initial, .old]) {
          _, _, _ in keep(ticket)
        }
      } change: {
        edit($0, $1)
      },
      followingView("a filtered view") { array, ticket in
        array.filtered(on: [\.value]) { _ in keep(ticket, true) }
      },
      followingView("a sorted view") { array, ticket in
        array.sorted(on: [\.value]) { _, _ in keep(ticket, false) }
      },
      followingView("a mapped view") { array, ticket in
        array.mapped(on: [\.value]) { keep(ticket, $0) }
      },
    ]
  }

  private static var bindings: [LifetimeFeature] {
    [
      LifetimeFeature(name: "a binding", hasClosure: false) { controller, exhibit, _ in
        controller.bind(exhibit, \.value, to: exhibit, \.other)
      },
      LifetimeFeature(name: "a binding that transforms") { controller, exhibit, ticket in
        controller.bind(exhibit, \.value, to: exhibit, \.other) { keep(ticket, $0) }
      },
      LifetimeFeature(name: "a two-way binding", hasClosure: false) { controller, exhibit, _ in
        controller.bindTwoWay(exhibit, \.value, with: exhibit, \.other)
      } change: { exhibit, census in
        exhibit.value = census.values.makeTicket()
        exhibit.other = census.values.makeTicket()
      },
      LifetimeFeature(name: "a two-way binding that transforms") { controller, exhibit, ticket in
        controller.bindTwoWay(
          exhibit, \.value, with: exhibit, \.other, forward: { keep(ticket, $0) },
          backward: { keep(ticket, $0) })
      } change: { exhibit, census in
        exhibit.value = census.values.makeTicket()
        exhibit.other = census.values.makeTicket()
      },
      LifetimeFeature(name: "a text binding", hasClosure: false) { controller, exhibit, _ in
        controller.bindText(exhibit, \.value, to: exhibit, \.text, replacing: .whole)
      },
    ]
  }

  private static var others: [LifetimeFeature] {
    [
      LifetimeFeature(name: "an event") { controller, exhibit, ticket in
        controller.observe(exhibit.event) { _, _ in keep(ticket) }
      } observed: {
        $0.event
      } change: { exhibit, census in
        for _ in 0..<2 { exhibit.event.send(census.values.makeTicket()) }
      },
      LifetimeFeature(name: "a hook") { controller, exhibit, ticket in
        controller.handle(exhibit.hook) { _, input in keep(ticket, input) }
      } observed: {
        $0.hook
      } change: { exhibit, census in
        for _ in 0..<2 { _ = exhibit.hook(census.values.makeTicket()) }
      },
      onQueue("a property, on a queue", coalescing: .none),
      onQueue("a property, on a queue, coalescing", coalescing: .latest),
    ]
  }

  private static var notifications: [LifetimeFeature] {
    #if Foundation
      let name = Notification.Name("lifetimes")
      return [
        LifetimeFeature(name: "a notification") { controller, exhibit, ticket in
          controller.observe(name, from: exhibit) { _, _ in keep(ticket) }
        } change: { exhibit, census in
          NotificationCenter.default.post(
            name: name, object: exhibit, userInfo: ["value": census.values.makeTicket()])
        }
      ]
    #else
      return []
    #endif
  }

  private static func onQueue(_ name: String, coalescing: ObservationCoalescing) -> LifetimeFeature
  {
    LifetimeFeature(name: name) { controller, exhibit, ticket in
      controller.observe(
        exhibit, \.value, options: [.initial, .old], on: queue, coalescing: coalescing
      ) { _, _, _ in keep(ticket) }
    } change: { exhibit, census in
      for _ in 0..<2 { exhibit.value = census.values.makeTicket() }
    }
  }
}

private func keep(_ ticket: LifetimeCounter.Ticket) {
  withExtendedLifetime(ticket) {}
}

private func keep<Result>(_ ticket: LifetimeCounter.Ticket, _ result: Result) -> Result {
  withExtendedLifetime(ticket) { result }
}
