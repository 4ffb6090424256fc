/** Identifiers: the form of each kind, and how one is made. Owns these forms; knows no store. */
import { randomFillSync } from "node:crypto"

/** The prefix of each kind of id. */
export const prefixes = {
  account: "acc",
  person: "per",
  serviceAccount: "sva",
  invitation: "inv",
  daemon: "dmn",
  key: "key",
  session: "ses",
  webhook: "whk",
  delivery: "dlv",
  attempt: "att",
  command: "cmd",
  job: "job",
  request: "req",
  loggedRequest: "lrq",
  joinKey: "jky",
  auditEvent: "aud",
  grant: "grt",
  oauthClient: "ocl",
  pushSubscription: "psb"
} as const

/** A kind of id. */
export type IdKind = keyof typeof prefixes

const alphabet = "0123456789abcdefghijklmnopqrstuvwxyz"
const pairs = alphabet.length ** 2
const [firstOf, secondOf] = [new Uint8Array(pairs), new Uint8Array(pairs)]
for (let pair = 0; pair < pairs; pair++) {
  firstOf[pair] = alphabet.charCodeAt(Math.floor(pair / alphabet.length))
  secondOf[pair] = alphabet.charCodeAt(pair % alphabet.length)
}
const fair = pairs * Math.floor(65_536 / pairs) // what is above would make some pairs likelier

// A call for chance costs more than the rest of an id: one call serves some four hundred ids.
const chance = new Uint16Array(4_096)
let used = chance.length

const nextPair = (): number => {
  for (;;) {
    if (used === chance.length) {
      randomFillSync(chance)
      used = 0
    }
    const number = chance[used++]!
    if (number < fair) return number % pairs
  }
}

const bytes = 24
// ten short texts that are joined make ten, and are copied together when the id is read: 0.3 µs instead of 0.15
const text = Buffer.allocUnsafeSlow(bytes)

/** An id that begins with this text, and then is by chance. */
const idBehind = (start: string): string => {
  let at = 0
  for (; at < start.length; at++) text[at] = start.charCodeAt(at)
  while (at < bytes) {
    const pair = nextPair()
    text[at++] = firstOf[pair]!
    text[at++] = secondOf[pair]!
  }
  return text.toString("latin1")
}

const starts = Object.fromEntries(Object.entries(prefixes).map(([kind, prefix]) => [kind, `${prefix}_`])) as Readonly<
  Record<IdKind, string>
>

/** A new id: the kind's prefix, `_`, then 20 characters of base 36 (over 100 bits). */
export const newId = (kind: IdKind): string => idBehind(starts[kind])

const timeChars = 8 // of milliseconds: until 2059
const times = 36 ** timeChars
let timed = { at: -1, text: "" }

/**
 * The same, but so that ids sort by when they were made: 8 characters of the millisecond, then 12 by chance (62 bits).
 * New rows stand together in their table's index: it buys 3.5 µs of Postgres' 23 a delivery, by the bench `delivery`.
 */
export const newTimedId = (kind: IdKind, at: number): string => {
  if (timed.at !== at) timed = { at, text: (Math.trunc(Math.abs(at)) % times).toString(36).padStart(timeChars, "0") }
  return idBehind(starts[kind] + timed.text)
}

const shape = /^([a-z]{3})_[0-9a-z]{20}$/u

/** Whether a text has the shape of an id of this kind: a look-up is worth it only then. */
export const isId = (kind: IdKind, text: string): boolean => shape.exec(text)?.[1] === prefixes[kind]
