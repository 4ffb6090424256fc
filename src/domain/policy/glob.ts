/**
 * Patterns of rules over texts of which parts are not known. Owns what `*` and `?` mean: any text, any character, over
 * the whole value. Pure.
 */

/** Stands in a text for a part that may be anything: the value of a variable, the output of a command. */
export const unknownPart = "\u0000"

/** How much may still be compared, in characters that are looked at: a question must not hold up all others. */
export class Steps {
  #left: number

  constructor(most: number) {
    this.#left = most
  }

  /** Too much was compared: nothing matches any more, and nothing is sure. */
  get areSpent(): boolean {
    return this.#left < 0
  }

  take(steps: number): void {
    this.#left -= steps
  }
}

/** `git push *` means `git push` too: what is optional is the blank together with what follows it. */
const withoutRest = (pattern: string): string | undefined =>
  pattern.endsWith(" *") && pattern.length > 2 ? pattern.slice(0, -2) : undefined

/** What a comparison takes that ends at its first character, in steps. */
const stepsPerCall = 8

const matchesWhole = (pattern: string, text: string, steps: Steps | undefined): boolean => {
  if (steps?.areSpent === true) return false
  let at = 0
  let star = -1
  let resumed = 0
  let from = 0
  let looks = stepsPerCall
  for (; from < text.length; looks++) {
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
    } else break
  }
  steps?.take(looks)
  if (from < text.length) return false
  while (pattern[at] === "*") at++
  return at === pattern.length
}

/** Whether the pattern matches, whatever the unknown parts are. */
export const matchesSurely = (pattern: string, text: string, steps?: Steps): boolean => {
  const short = withoutRest(pattern)
  return matchesWhole(pattern, text, steps) || (short !== undefined && matchesWhole(short, text, steps))
}

/** What a place of a pattern takes for each character there, in steps. */
const stepsPerPlace = 2

/** Whether two texts with wild parts (`*` there, an unknown part here) can be the same. */
const meets = (pattern: string, text: string, steps: Steps | undefined): boolean => {
  if (steps?.areSpent === true) return false
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
    steps?.take(stepsPerPlace * (length + 1 - first))
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
export const matchesPerhaps = (pattern: string, text: string, steps?: Steps): boolean => {
  if (!text.includes(unknownPart)) return matchesSurely(pattern, text, steps)
  const short = withoutRest(pattern)
  return meets(pattern, text, steps) || (short !== undefined && meets(short, text, steps))
}
