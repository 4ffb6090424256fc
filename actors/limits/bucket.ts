/**
 * The bucket actors of one policy: one window a key or address. A bucket awaits nothing, so its turn always ends in the
 * caller's and it lies dormant, without a fiber. Owns how many there may be (past the bound the rest shares overflow
 * buckets chosen by a keyed hash: never open, never unbounded) and that idle ones leave. Knows neither keys nor
 * addresses.
 */
import { createHmac, randomBytes } from "node:crypto"
import { admit, countIn, makeWindow, millisToNext, type Window } from "../../src/domain/account/sliding-window.ts"
import type { Actor, Turn as ActorTurn, Behaviour } from "../runtime/actor.ts"
import type { Supervisor } from "../runtime/supervisor.ts"

/** What a bucket answers, in milliseconds. */
export interface Turn {
  readonly admitted: boolean
  readonly count: number
  /** Until the oldest admission leaves; 0 when there is none. */
  readonly millisToNext: number
}

/** What a bucket is told. */
export interface Ask {
  readonly what: "take" | "look" | "leave if idle"
  readonly now: number
  /** Set within `tell`. Undefined afterwards: the bucket crashed and is not back yet. */
  answer: Turn | undefined
}

/** What a bucket does. */
export type Action = { readonly reply: Turn; readonly to: Ask } | "leave"

/** The figures of one population of buckets. */
export interface Bounds {
  /** Tells populations apart in the supervisor's map. */
  readonly name: string
  readonly limit: number
  readonly spanMillis: number
  readonly bucketsMax: number
  readonly overflow: number
  readonly idleMillis: number
}

const mailboxMax = 1
const nothing: ReadonlyArray<never> = []
const leaving: ReadonlyArray<Action> = ["leave"]
const crashedRetryMillis = 1_000
const crashed: Turn = { admitted: false, count: Number.POSITIVE_INFINITY, millisToNext: crashedRetryMillis }
const untouched: Turn = { admitted: true, count: 0, millisToNext: 0 }

/** A bucket's whole judgement. Changes its window in place. */
export const decide = (bounds: Bounds, window: Window, ask: Ask): ActorTurn<Window, Action> => {
  const { limit, spanMillis } = bounds
  const { now } = ask
  if (ask.what === "leave if idle") {
    return { state: window, actions: now - window.askedAt >= bounds.idleMillis ? leaving : nothing }
  }
  const admitted =
    ask.what === "take" ? admit(window, limit, spanMillis, now) : countIn(window, spanMillis, now) < limit
  const reply: Turn = { admitted, count: window.count, millisToNext: millisToNext(window, spanMillis, now) }
  return { state: window, actions: [{ reply, to: ask }] }
}

/** The buckets of one policy. */
export interface Population {
  /** Takes a place in the bucket of this name, if there is one. */
  readonly take: (name: string, now: number) => Turn
  /** Looks without taking a place and without making a bucket. */
  readonly look: (name: string, now: number) => Turn
  /** The bucket that this name falls to: its own, or past the bound a shared one. */
  readonly nameOf: (name: string) => string
  /** Lets idle buckets leave, `slice` looked at per step. */
  readonly sweep: (now: number, slice: number) => Iterator<void>
  /** Buckets alive, overflow buckets among them. */
  readonly size: () => number
}

/** An empty population. */
export const makePopulation = (supervisor: Supervisor["Service"], bounds: Bounds): Population => {
  const own = new Map<string, Actor<Ask>>()
  const overflow = new Map<string, Actor<Ask>>()
  const secret = randomBytes(16)
  const prefix = `${bounds.name}:`
  let startedAt = 0

  const behaviour: Behaviour<Window, Ask, Action> = {
    kind: "bucket",
    mailboxMax,
    decide: (window, ask) => decide(bounds, window, ask),
    perform: (action, _window, self) => {
      if (action === "leave") self.leave()
      else action.to.answer = action.reply
    },
    ended: (_window, _exit, self) => {
      const name = self.key.slice(prefix.length)
      if (own.get(name) === self) own.delete(name)
      if (overflow.get(name) === self) overflow.delete(name)
    }
  }

  const overflowName = (name: string): string =>
    `overflow ${createHmac("sha256", secret).update(name).digest().readUInt32BE(0) % bounds.overflow}`

  const spawn = (map: Map<string, Actor<Ask>>, name: string, now: number): Actor<Ask> | undefined => {
    startedAt = now
    const actor = supervisor.spawnDormant(behaviour, prefix + name, () => makeWindow(startedAt))
    if (actor !== undefined) map.set(name, actor)
    return actor
  }

  const bucketOf = (name: string, now: number): Actor<Ask> | undefined => {
    const known = own.get(name)
    if (known !== undefined) return known
    if (own.size < bounds.bucketsMax) return spawn(own, name, now)
    const shared = overflowName(name)
    return overflow.get(shared) ?? spawn(overflow, shared, now)
  }

  const ask = (actor: Actor<Ask>, what: Ask["what"], now: number): Turn => {
    const question: Ask = { what, now, answer: undefined }
    actor.tell(question)
    return question.answer ?? crashed
  }

  return {
    take: (name, now) => {
      const bucket = bucketOf(name, now)
      return bucket === undefined ? crashed : ask(bucket, "take", now)
    },
    look: (name, now) => {
      const bucket = own.get(name) ?? (own.size < bounds.bucketsMax ? undefined : overflow.get(overflowName(name)))
      return bucket === undefined ? untouched : ask(bucket, "look", now)
    },
    nameOf: (name) => (own.has(name) || own.size < bounds.bucketsMax ? name : overflowName(name)),
    *sweep(now, slice) {
      let looked = 0
      for (const map of [own, overflow]) {
        for (const bucket of map.values()) {
          ask(bucket, "leave if idle", now)
          if (++looked % slice === 0) yield
        }
      }
    },
    size: () => own.size + overflow.size
  }
}
