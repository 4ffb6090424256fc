/** A caller's own word in what it is answered: cut, and without a secret that stood in the wrong place. */
import { shownNameCharsMax } from "../../limits/edge.ts"
import { cutToChars } from "../text/truncate.ts"
import { redactText } from "./redaction.ts"

/** The word as it is shown. */
export const shownName = (word: string): string => redactText(cutToChars(word, shownNameCharsMax))
