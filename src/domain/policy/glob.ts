/**
 * Patterns of rules over texts of which parts are not known. Owns what `*` and `?` mean: any text, any character, over
 * the whole value. Pure.
 */

/** Stands in a text for a part that may be anything: the value of a variable, the output of a command. */
export const unknownPart = "\u0000"

/** `git push *` means `git push` too: what is optional is the blank together with what follows it. */
const withoutRest = (pattern: string): string | undefined =>
  pattern.endsWith(" *") && pattern.length > 2 ? pattern.slice(0, -2) : undefined

const matchesWhole = (pattern: string, text: string): boolean => {
  let at = 0
  let star = -1
  let resumed = 0
  let from = 0
  while (from < text.length) {
    const wanted = pattern[at]
    // a star takes an unknown part; nothing else is sure to be it
    if (wanted === "*") {
      star = at++
      resumed = from
    } else if (text[from] !== unknownPart && (wanted === "?" || wanted === text[from])) {
      at++
      from++
    } else if (star >= 0) {
      at = star + 1
      from = ++resumed
    } else return false
  }
  while (pattern[at] === "*") at++
  return at === pattern.length
}

/** Whether the pattern matches, whatever the unknown parts are. */
export const matchesSurely = (pattern: string, text: string): boolean => {
  const short = withoutRest(pattern)
  return matchesWhole(pattern, text) || (short !== undefined && matchesWhole(short, text))
}

/** Whether two texts with wild parts (`*` there, an unknown part here) can be the same. */
const meets = (pattern: string, text: string): boolean => {
  const { length } = pattern
  // the places of the pattern that may be reached after each character of the text
  let reached = new Uint8Array(length + 1)
  let next = new Uint8Array(length + 1)
  const close = (places: Uint8Array): void => {
    for (let at = 0; at < length; at++) if (places[at] === 1 && pattern[at] === "*") places[at + 1] = 1
  }
  reached[0] = 1
  close(reached)
  for (const char of text) {
    const first = reached.indexOf(1)
    if (first < 0) return false
    next.fill(0)
    if (char === unknownPart) next.fill(1, first)
    else
      for (let at = first; at < length; at++) {
        if (reached[at] === 0) continue
        if (pattern[at] === "*") next[at] = 1
        else if (pattern[at] === "?" || pattern[at] === char) next[at + 1] = 1
      }
    close(next)
    ;[reached, next] = [next, reached]
  }
  return reached[length] === 1
}

/** Whether the pattern matches for some value of the unknown parts. */
export const matchesPerhaps = (pattern: string, text: string): boolean => {
  if (!text.includes(unknownPart)) return matchesSurely(pattern, text)
  const short = withoutRest(pattern)
  return meets(pattern, text) || (short !== undefined && meets(short, text))
}
