/// A class as it is without any observing.
final class PlainModel: Model {
  var number = 0
  var text = ""
  var item = Item()
  var list: [Int] = []
}
