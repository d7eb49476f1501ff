import ObservationController
import XCTest

/// Checks, in a debug build, that nothing is wrong with the state of the library: that of subjects,
/// nodes with their edges, paths and arrays of all observations.
///
/// Only while nothing is going on: outside of deliveries, getters, mutations in place and
/// transactions, on all threads.
package func assertInvariants(file: StaticString = #filePath, line: UInt = #line) {
  #if DEBUG
    let broken = ObservationDispatcher.shared._checkInvariants()
    if !broken.isEmpty {
      XCTFail(Set(broken).sorted().joined(separator: "\n"), file: file, line: line)
    }
  #endif
}
