/// The two infos of a two-way binding, of which neither is there without the other.
extension ObservationStore {
  /// Has two infos end together: now, if one of them has ended already.
  func pair(_ first: ObservationInfo, _ second: ObservationInfo) {
    let isPaired = state.withLock { _ in
      guard first.isActive, second.isActive else { return false }
      first.registration.purpose.target?.setPartnerLocked(second)
      second.registration.purpose.target?.setPartnerLocked(first)
      return true
    }
    if !isPaired { end([first, second]) }
  }

  /// The info of a pair that was registered first; `info` itself if it has no partner.
  func first(ofPairWith info: ObservationInfo) -> ObservationInfo {
    let partner = state.withLock { _ in info.registration.purpose.target?.partnerLocked }
    guard let partner, partner.serial < info.serial else { return info }
    return partner
  }
}
