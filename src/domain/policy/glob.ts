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
  // the places of the pattern that may be reached after each character of the text
  let reached: ReadonlySet<number> = closed(pattern, [0])
  for (const char of text) {
    const next: Array<number> = []
    if (char === unknownPart) {
      const first = Math.min(...reached)
      for (let at = first; at <= pattern.length; at++) next.push(at)
    } else {
      for (const at of reached) {
        if (pattern[at] === "*") next.push(at)
        else if (at < pattern.length && (pattern[at] === "?" || pattern[at] === char)) next.push(at + 1)
      }
    }
    if (next.length === 0) return false
    reached = closed(pattern, next)
  }
  return reached.has(pattern.length)
}

const closed = (pattern: string, places: ReadonlyArray<number>): ReadonlySet<number> => {
  const all = new Set<number>()
  for (const place of places) {
    all.add(place)
    for (let at = place; pattern[at] === "*"; at++) all.add(at + 1)
  }
  return all
}

/** Whether the pattern matches for some value of the unknown parts. */
export const matchesPerhaps = (pattern: string, text: string): boolean => {
  if (!text.includes(unknownPart)) return matchesSurely(pattern, text)
  const short = withoutRest(pattern)
  return meets(pattern, text) || (short !== undefined && meets(short, text))
}
