/** Identifiers: how each kind looks and how one is made. Owns the shapes; knows no store. */
import { randomFillSync } from "node:crypto"

/** The prefix of each kind of id. */
export const prefixes = {
  account: "acc",
  daemon: "dmn",
  key: "key",
  session: "ses",
  webhook: "whk",
  delivery: "dlv",
  attempt: "att",
  command: "cmd",
  request: "req"
} as const

/** A kind of id. */
export type IdKind = keyof typeof prefixes

const alphabet = "0123456789abcdefghijklmnopqrstuvwxyz"

// A call for chance costs more than the rest of an id: one call serves some three hundred ids.
const chance = Buffer.allocUnsafe(8_192)
let used = chance.length

const nextByte = (): number => {
  if (used === chance.length) {
    randomFillSync(chance)
    used = 0
  }
  return chance[used++]!
}

/** A new id: the kind's prefix, `_`, then 20 characters of base 36 (over 100 bits). */
export const newId = (kind: IdKind): string => {
  let text = `${prefixes[kind]}_`
  for (let taken = 0; taken < 20; ) {
    const byte = nextByte()
    if (byte >= 252) continue // 252 = 7 × 36: what is above would make some characters likelier
    text += alphabet[byte % 36]
    taken++
  }
  return text
}

const shape = /^([a-z]{3})_[0-9a-z]{20}$/u

/** Whether a text has the shape of an id of this kind: a look-up is worth it only then. */
export const isId = (kind: IdKind, text: string): boolean => shape.exec(text)?.[1] === prefixes[kind]
