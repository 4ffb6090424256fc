/** A caller's own word in what it is answered: cut, and without a secret that stood in the wrong place. */
import { shownNameCharsMax } from "../../limits/edge.ts"
import { withoutEscapes } from "../text/percent-escapes.ts"
import { cutToChars } from "../text/truncate.ts"
import { redactText } from "./redaction.ts"

/** No secret is longer: half of one, left by the cut, would be known for none. */
const lookedAtChars = 8 * shownNameCharsMax

/** The word as it is shown. */
export const shownName = (word: string): string => {
  const given = cutToChars(word, lookedAtChars)
  const plain = withoutEscapes(given)
  const redacted = redactText(plain)
  return cutToChars(redacted === plain ? given : redacted, shownNameCharsMax)
}
