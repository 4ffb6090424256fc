/**
 * Which daemon a token belongs to. Owns the look-ups (many in one statement) and a small cache of their answers, by hash,
 * short-lived and void from the moment the bus tells of a revocation or a change; never sees a socket.
 */
import { Context, Effect, Exit, Layer } from "effect"
import { LRUCache } from "lru-cache"
import { hashCredential } from "../src/auth/credential.ts"
import { isDaemonToken } from "../src/auth/daemontoken.ts"
import { Bus } from "../src/bus/bus.ts"
import type { StoreFailed } from "../src/errors.ts"
import {
  changesKeptMax,
  tokenCacheMillis,
  tokenLookupsMax,
  tokensCachedMax,
  unauthenticatedSocketsMax,
  unknownTokenMillis
} from "../src/limits.ts"
import { Daemons, type TokenOwner } from "../src/store/daemons.ts"
import { makeLine } from "./batch.ts"
import { Wheel } from "./wheel.ts"

/** Admission. */
export class Admission extends Context.Service<
  Admission,
  {
    /** Whose token this is, revoked ones included; undefined when there is no such token. */
    readonly owner: (token: string) => Effect.Effect<TokenOwner | undefined, StoreFailed>
  }
>()("hub/Admission") {
  static readonly layer = Layer.effect(
    Admission,
    Effect.suspend(() => make)
  )
}

interface Known {
  readonly owner: TokenOwner | undefined
  readonly until: number
  /** What had changed when the look-up began; a later change voids the answer. */
  readonly asOf: number
}

type Outcome = Exit.Exit<Known, StoreFailed>

/** One look-up under way, and all who wait for it. */
interface Lookup {
  readonly hash: string
  readonly asOf: number
  readonly waiters: Array<(outcome: Outcome) => void>
}

const overdue = Exit.die(new Error("more look-ups wait than sockets may"))

const make = Effect.gen(function* () {
  const daemons = yield* Daemons
  const wheel = yield* Wheel
  const bus = yield* Bus
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const cache = new LRUCache<string, Known>({ max: tokensCachedMax })
  /** Daemons and accounts that changed, with the number of the change. */
  const changes = new LRUCache<string, number>({ max: changesKeptMax })
  const underway = new Map<string, Lookup>()
  let changed = 0

  const isCurrent = ({ owner, until, asOf }: Known): boolean =>
    until > wheel.now() &&
    (owner === undefined || Math.max(changes.get(owner.daemonId) ?? 0, changes.get(owner.accountId) ?? 0) <= asOf)

  const told = ({ hash, asOf, waiters }: Lookup, exit: Exit.Exit<ReadonlyMap<string, TokenOwner>, StoreFailed>) => {
    underway.delete(hash)
    const outcome = Exit.map(exit, (owners): Known => {
      const owner = owners.get(hash)
      return { owner, asOf, until: wheel.now() + (owner === undefined ? unknownTokenMillis : tokenCacheMillis) }
    })
    if (Exit.isSuccess(outcome)) cache.set(hash, outcome.value)
    for (const waiter of waiters) waiter(outcome)
  }

  const answers = new WeakMap<ReadonlyArray<Lookup>, ReadonlyMap<string, TokenOwner>>()
  const none: ReadonlyMap<string, TokenOwner> = new Map()
  const line = makeLine<Lookup, StoreFailed>(run, {
    entriesMax: tokenLookupsMax,
    bytesMax: Number.POSITIVE_INFINITY,
    bytesOf: () => 0,
    waitingMax: unauthenticatedSocketsMax,
    write: (lookups) =>
      Effect.map(daemons.tokenOwners(lookups.map(({ hash }) => hash)), (owners) => answers.set(lookups, owners)),
    written: (lookups, exit) => {
      const owners = Exit.map(exit, () => answers.get(lookups) ?? none)
      for (const lookup of lookups) told(lookup, owners)
    }
  })

  const ask = (hash: string): Effect.Effect<Known, StoreFailed> =>
    Effect.callback((resume) => {
      const joined = underway.get(hash)
      // a look-up that began before a change cannot answer what is asked after it
      if (joined !== undefined && joined.asOf === changed) {
        joined.waiters.push(resume)
        return
      }
      const lookup: Lookup = { hash, asOf: changed, waiters: [resume] }
      underway.set(hash, lookup)
      if (!line.add(lookup)) {
        underway.delete(hash)
        resume(overdue)
      }
    })

  /** Again when a change overtook the look-up: a token must not be used after its revocation was told. */
  const current = (hash: string): Effect.Effect<TokenOwner | undefined, StoreFailed> =>
    Effect.flatMap(ask(hash), (known) => (isCurrent(known) ? Effect.succeed(known.owner) : current(hash)))

  const forget = (id: string): void => {
    changed++
    changes.set(id, changed)
  }
  yield* bus.subscribe("daemon_ordered", ({ daemonId, order }) => {
    if (order === "revoke") forget(daemonId)
  })
  yield* bus.subscribe("account_changed", ({ accountId }) => forget(accountId))

  return Admission.of({
    owner: (token) =>
      Effect.suspend(() => {
        if (!isDaemonToken(token)) return Effect.succeed(undefined)
        const hash = hashCredential(token)
        const known = cache.get(hash)
        return known !== undefined && isCurrent(known) ? Effect.succeed(known.owner) : current(hash)
      })
  })
})
