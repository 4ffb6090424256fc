/**
 * Tells the daemons of this node the policies that mean them: when one connects, when policies or tags change, and when
 * news of it may have been lost. Owns whose policies are to be read; src/domain/policy says what a daemon is told, and
 * its actor what of that it has already.
 */
import { Context, Effect, Layer, Schedule } from "effect"
import { LRUCache } from "lru-cache"
import { Bus } from "../../src/bus/bus.ts"
import { type Policy, policiesOf, policySet } from "../../src/domain/policy/policy.ts"
import { policyAccountsStep, policyRoundMillis, policyTextsMax, policyToldMax } from "../../src/limits/policies.ts"
import { encodeFrame } from "../../src/protocol/codec.ts"
import { policiesCapability } from "../../src/protocol/frames.ts"
import { Policies } from "../../src/store/policies/policies.ts"
import { type Entry, Roster } from "../presence/roster.ts"

/** Whom of an account to tell. */
type Whom = "all" | Set<string>

export class PolicyDelivery extends Context.Service<PolicyDelivery, { readonly waiting: () => number }>()(
  "hub/PolicyDelivery"
) {
  static readonly layer = Layer.effect(
    PolicyDelivery,
    Effect.suspend(() => make)
  )
}

const takesPolicies = ({ daemon, snapshot }: Entry): boolean =>
  daemon !== undefined && snapshot.capabilities?.includes(policiesCapability) === true

const frameOf = (policies: ReadonlyArray<Policy>) => {
  const set = policySet(policies)
  return { version: set.version, text: encodeFrame({ type: "policy", data: set }) }
}

const again = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("5 seconds")])

const make = Effect.gen(function* () {
  const bus = yield* Bus
  const store = yield* Policies
  const roster = yield* Roster
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const waiting = new Map<string, Whom>()
  let isRunning = false

  const tell = Effect.fnUntraced(function* (accountId: string, whom: Whom, policies: ReadonlyArray<Policy>) {
    const daemonIds = whom === "all" ? roster.of(accountId).map(({ daemonId }) => daemonId) : [...whom]
    // one text for all that the same policies mean
    const frames = new LRUCache<string, ReturnType<typeof frameOf>>({ max: policyTextsMax })
    let told = 0
    for (const daemonId of daemonIds) {
      const entry = roster.find(daemonId)
      if (entry === undefined || !takesPolicies(entry)) continue
      const its = policiesOf(policies, entry.snapshot)
      const key = its.map(({ id }) => id).join()
      const known = frames.get(key)
      const frame = known ?? frameOf(its)
      if (known === undefined) frames.set(key, frame)
      entry.daemon?.tell({ type: "policy", ...frame })
      // in parts, so that no turn is long: a text may have all that an account may keep
      if ((known === undefined && its.length > 0) || ++told % policyToldMax === 0) yield* Effect.sleep(0)
    }
  })

  const step = Effect.gen(function* () {
    const taken = [...waiting].slice(0, policyAccountsStep)
    // what changes from here on is read again
    for (const [accountId] of taken) waiting.delete(accountId)
    const read = store.of(taken.map(([accountId]) => accountId)).pipe(
      Effect.tapError((failure) => Effect.logWarning("policies could not be read and are read again", failure)),
      Effect.retry(again)
    )
    const policies = yield* read
    for (const [accountId, whom] of taken) yield* tell(accountId, whom, policies.get(accountId) ?? [])
    // what changes again and again is told once in a while; accounts beyond a step do not wait for that
    if (taken.length < policyAccountsStep) yield* Effect.sleep(policyRoundMillis)
  })

  /** One after the other: what is read later is told later. */
  const start = (): void => {
    if (isRunning) return
    isRunning = true
    const rounds = Effect.whileLoop({ while: () => waiting.size > 0, body: () => step, step: () => undefined })
    const ended = Effect.sync(() => {
      isRunning = false
    })
    run(Effect.catchCause(Effect.ensuring(rounds, ended), (cause) => Effect.logError("policies are not told", cause)))
  }

  const want = (accountId: string, whom: string | "all"): void => {
    const known = waiting.get(accountId)
    if (whom === "all") waiting.set(accountId, "all")
    else if (known === undefined) waiting.set(accountId, new Set([whom]))
    else if (known !== "all") known.add(whom)
    start()
  }
  const wantOf = (daemonId: string): void => {
    const entry = roster.find(daemonId)
    if (entry !== undefined && takesPolicies(entry)) want(entry.snapshot.accountId, daemonId)
  }

  yield* roster.onJoined(wantOf)
  yield* bus.subscribe("policies_changed", ({ accountId }) => {
    if (roster.of(accountId).length > 0) want(accountId, "all")
  })
  yield* bus.subscribe("daemon_tagged", ({ daemonId }) => wantOf(daemonId))
  yield* bus.gaps(() => {
    for (const entry of roster.live()) if (takesPolicies(entry)) want(entry.snapshot.accountId, "all")
  })

  return PolicyDelivery.of({ waiting: () => waiting.size })
})
