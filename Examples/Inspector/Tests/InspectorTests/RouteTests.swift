import HummingbirdTesting
import XCTest
@testable import Inspector
final class RouteTests: XCTestCase {}
