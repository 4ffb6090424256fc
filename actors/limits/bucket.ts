/**
 * The bucket actors of one policy: one sliding window per key or address. Owns the bound on buckets, the passivation of
 * idle ones, and in a crowd of those that admitted little. Past the bound, further names share overflow buckets by a
 * keyed hash, so every name stays limited. An idle actor answers within `tell`, so a question without an answer met a
 * bucket that waits for its restart. Knows neither keys nor addresses.
 */
import { createHmac, randomBytes } from "node:crypto"
import { admit, countIn, makeWindow, millisToNext, type Window } from "../../src/domain/account/sliding-window.ts"
import type { Actor, Behaviour, Turn } from "../runtime/actor.ts"
import type { Supervisor } from "../runtime/supervisor.ts"

/** The answer of a bucket. */
export interface Admission {
  readonly admitted: boolean
  readonly count: number
  /** Milliseconds until the oldest admission leaves the window; 0 for an empty window. */
  readonly millisToNext: number
}

/** The message of a bucket. */
export interface BucketRequest {
  readonly type: "take" | "look" | "leave if idle" | "leave if small"
  readonly now: number
  /** Set during `tell`. Undefined afterwards: the bucket has crashed and not restarted. */
  answer: Admission | undefined
}

/** The action of a bucket. */
export type BucketAction =
  | { readonly do: "answer"; readonly answer: Admission; readonly to: BucketRequest }
  | { readonly do: "leave" }

/** The bounds of one population of buckets. */
export interface Bounds {
  /** Key prefix in the map of the supervisor. */
  readonly name: string
  readonly limit: number
  readonly spanMillis: number
  readonly bucketsMax: number
  readonly overflow: number
  readonly idleMillis: number
  /** From so many buckets on each sweep ends those that hold no more than `smallMax` admissions. */
  readonly crowd: number
  readonly smallMax: number
}

const mailboxMax = 1
const nothing: ReadonlyArray<never> = []
const leaving: ReadonlyArray<BucketAction> = [{ do: "leave" }]
const crashedRetryMillis = 1_000
const crashed: Admission = { admitted: false, count: Number.POSITIVE_INFINITY, millisToNext: crashedRetryMillis }
const untouched: Admission = { admitted: true, count: 0, millisToNext: 0 }

/** Decides one message. Changes the window in place. */
export const decide = (bounds: Bounds, window: Window, question: BucketRequest): Turn<Window, BucketAction> => {
  const { limit, spanMillis } = bounds
  const { now } = question
  if (question.type === "leave if idle" || question.type === "leave if small") {
    const isSmall = question.type === "leave if small" && countIn(window, spanMillis, now) <= bounds.smallMax
    return { state: window, actions: isSmall || now - window.askedAt >= bounds.idleMillis ? leaving : nothing }
  }
  const admitted =
    question.type === "take" ? admit(window, limit, spanMillis, now) : countIn(window, spanMillis, now) < limit
  const answer: Admission = { admitted, count: window.count, millisToNext: millisToNext(window, spanMillis, now) }
  return { state: window, actions: [{ do: "answer", answer, to: question }] }
}

/** The buckets of one policy. */
export interface Population {
  /** Takes one admission from the bucket of this name. */
  readonly take: (name: string, now: number) => Admission
  /** Reads the bucket of this name. Neither takes an admission nor makes a bucket. */
  readonly look: (name: string, now: number) => Admission
  /** The name of the bucket for this name: its own or, past the bound, an overflow bucket. */
  readonly nameOf: (name: string) => string
  /** Passivates idle buckets, in a crowd also small ones. Each step visits `slice` buckets. */
  readonly sweep: (now: number, slice: number) => Iterator<void>
  /** Number of live buckets, overflow buckets included. */
  readonly size: () => number
}

export const makePopulation = (supervisor: Supervisor["Service"], bounds: Bounds): Population => {
  const own = new Map<string, Actor<BucketRequest>>()
  const overflow = new Map<string, Actor<BucketRequest>>()
  const secret = randomBytes(16)
  const prefix = `${bounds.name}:`
  let startedAt = 0

  const behaviour: Behaviour<Window, BucketRequest, BucketAction> = {
    kind: "bucket",
    mailboxMax,
    decide: (window, question) => decide(bounds, window, question),
    perform: (action, _window, self) => {
      if (action.do === "leave") self.leave()
      else action.to.answer = action.answer
    },
    ended: (_window, self) => {
      const name = self.key.slice(prefix.length)
      if (own.get(name) === self) own.delete(name)
      if (overflow.get(name) === self) overflow.delete(name)
    }
  }

  const overflowName = (name: string): string =>
    `overflow ${createHmac("sha256", secret).update(name).digest().readUInt32BE(0) % bounds.overflow}`

  const spawn = (
    map: Map<string, Actor<BucketRequest>>,
    name: string,
    now: number
  ): Actor<BucketRequest> | undefined => {
    startedAt = now
    const actor = supervisor.spawn(behaviour, prefix + name, () => makeWindow(startedAt))
    if (actor !== undefined) map.set(name, actor)
    return actor
  }

  const bucketOf = (name: string, now: number): Actor<BucketRequest> | undefined => {
    const known = own.get(name)
    if (known !== undefined) return known
    if (own.size < bounds.bucketsMax) return spawn(own, name, now)
    const shared = overflowName(name)
    return overflow.get(shared) ?? spawn(overflow, shared, now)
  }

  const ask = (actor: Actor<BucketRequest>, type: BucketRequest["type"], now: number): Admission => {
    const question: BucketRequest = { type, now, answer: undefined }
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
      const leave = own.size < bounds.crowd ? "leave if idle" : "leave if small"
      for (const map of [own, overflow]) {
        for (const bucket of map.values()) {
          ask(bucket, leave, now)
          if (++looked % slice === 0) yield
        }
      }
    },
    size: () => own.size + overflow.size
  }
}
