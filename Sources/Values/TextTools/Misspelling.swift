/// Finds the name that a misspelt word probably stands for.
public enum Misspelling {
  /// The name that is nearest to a word, with at most two mistakes in a long word and one in a
  /// short word; nil if there is none.
  public static func nearest(to word: String, among names: some Sequence<String>) -> String? {
    let limit = word.count > 5 ? 2 : 1
    var best: (name: String, distance: Int)?
    for name in names where abs(name.count - word.count) <= limit {
      let distance = distance(word, name)
      if distance <= limit && distance < (best?.distance ?? .max) { best = (name, distance) }
    }
    return best?.name
  }

  /// The number of mistakes: an additional, missing or wrong character, or
  /// two exchanged neighbours.
  static func distance(_ word: String, _ name: String) -> Int {
    let (word, name) = (Array(word), Array(name))
    var rows = [Array(0...name.count)]
    for i in word.indices {
      var row = [i + 1]
      for j in name.indices {
        var least = min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (word[i] == name[j] ? 0 : 1))
        if i > 0, j > 0, word[i] == name[j - 1], word[i - 1] == name[j] {
          least = min(least, rows[i - 1][j - 1] + 1)
        }
        row.append(least)
      }
      rows.append(row)
    }
    return rows[word.count][name.count]
  }
}
