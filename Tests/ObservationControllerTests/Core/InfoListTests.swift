#if DEBUG  // `@testable` is not available in a release build.
  @testable import ObservationController
  import TestSupport
  import XCTest

  /// A list of infos compared with an array, around the length from which it has chunks.
  final class InfoListTests: TestCase {
    private let observer = SilentObserver()

    func test_list_randomOperations_matchAnArray() {
      for seed in seeds(quick: 1, full: 20) {
        var random = SeededGenerator(seed: seed)
        let infos = makeInfos(1_500)
        var (list, model): (InfoList, Set<Int>) = (.none, [])
        for round in 0..<6_000 {
          let index = Int.random(in: infos.indices, using: &random)
          // Phases that grow and phases that shrink, some from one end to the other.
          switch round / 750 % 8 {
          case 0, 2, 4:
            XCTAssertEqual(list.insertIfNew(infos[index]), model.insert(index).inserted)
          case 6:
            let next = round % 750 * 2
            XCTAssertEqual(list.insertIfNew(infos[next]), model.insert(next).inserted)
          case 7:
            let first = model.min() ?? 0
            XCTAssertEqual(list.remove(infos[first]), model.remove(first) != nil)
          default:
            XCTAssertEqual(list.remove(infos[index]), model.remove(index) != nil)
          }
          XCTAssertEqual(list.contains(infos[index]), model.contains(index))
          for limit in [0, 1, 8, 100] {
            XCTAssertEqual(list.isLonger(than: limit), model.count > limit)
          }
          if round.isMultiple(of: 250) { check(list, is: model.sorted().map { infos[$0] }) }
        }
      }
    }

    func test_list_copy_staysAsItWas() {
      let infos = makeInfos(1_000)
      var list = InfoList.none
      for info in infos { list.insert(info) }
      let copy = list
      XCTAssertTrue(copy.isIdentical(to: list))
      for info in infos[100...] { XCTAssertTrue(list.remove(info)) }
      XCTAssertFalse(copy.isIdentical(to: list))
      check(copy, is: infos)
      check(list, is: Array(infos[..<100]))
      check(copy.subtracting(list), is: Array(infos[100...]))
      check(copy.filter { $0 === infos[600] }, is: [infos[600]])
    }

    func test_list_needsNearOneThatWasRemoved_areThoseOfAll() {
      for seed in seeds(quick: 1, full: 20) {
        var random = SeededGenerator(seed: seed)
        let options: [ObservationOptions] = [[], .old, .prior, [.old, .prior]]
        // Blocks of several lengths, of one kind each, but for few.
        var infos: [ObservationInfo] = []
        while infos.count < 1_500 {
          let some = makeInfos(
            Int.random(in: 1...400, using: &random), options.randomElement(using: &random)!)
          infos += some
        }
        var list = InfoList.none
        for info in infos { list.insert(info) }
        for info in infos.shuffled(using: &random).dropLast() {
          XCTAssertTrue(list.remove(info))
          let lost = Subject.Phase.needs(of: info)
          let all = list.needs(upTo: Subject.Phase.needs)
          XCTAssertEqual(list.needs(upTo: lost, near: info) & lost, all & lost)
        }
      }
    }

    private func check(_ list: InfoList, is infos: [ObservationInfo]) {
      XCTAssertTrue(list.all.elementsEqual(infos, by: ===))
      var visited: [ObservationInfo] = []
      list.visit { visited.append($0) }
      XCTAssertTrue(visited.elementsEqual(infos, by: ===))
      visited = []
      let last = list.last { info in
        visited.append(info)
        return false
      }
      XCTAssertNil(last)
      XCTAssertTrue(visited.elementsEqual(infos.reversed(), by: ===))
      XCTAssertTrue(list.first === infos.first)
      XCTAssertTrue(list.first { $0 === infos.last } === infos.last)
      XCTAssertTrue(list.last { $0 === infos.first } === infos.first)
    }

    private func makeInfos(
      _ count: Int, _ options: ObservationOptions = []
    ) -> [ObservationInfo] {
      let request = ObservationRequest(
        KeyPathAccess(naming: \Circle.radius), options: options, file: "", line: 0)
      let registration = ObservationRegistration(
        store: ObservationStore(observer: observer, retainsObserved: false),
        request: request, invoke: { _, _, _, _, _ in })
      return (0..<count).map { _ in
        ObservationInfo(registration: registration, root: .released, handler: nil)
      }
    }
  }
#endif
