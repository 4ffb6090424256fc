/** How far apart two words are, to name the one that was probably meant. Owns the measure; knows no words. */

/** Letters to insert, remove or replace to get from one word to the other (Levenshtein). */
export const distance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const change = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[to.length]!
}

/** The word of `words` that is nearest to `given`, when it is near enough to be a slip. */
export const nearestOf = (given: string, words: ReadonlyArray<string>): string | undefined => {
  const near = words
    .map((word) => ({ word, far: distance(given, word) }))
    .filter(({ word, far }) => far <= Math.max(2, Math.floor(word.length / 3)))
  return near.sort((a, b) => a.far - b.far)[0]?.word
}
