/** A store of presence and of nodes in maps, which fails and loses answers as a test wants. Owns no rule of the hub. */
import { Clock, Effect } from "effect"
import { StoreFailed } from "../../src/errors.ts"
import { nodeLeaseMillis } from "../../src/limits/nodes.ts"
import type { Nodes } from "../../src/store/daemons/nodes.ts"
import type { Claimed, ClaimRequest, PresenceStore } from "../../src/store/daemons/presence.ts"
import type { NewDelivery } from "../../src/store/webhooks/deliveries.ts"
import { type FakeStore, storedIn } from "./memory-daemons.ts"

/** How the store fails for one node. */
export interface StoreFaults {
  /** It does not answer, and nothing is done. */
  readonly apart: () => boolean
}

const away = new StoreFailed({ operation: "fake", cause: "away" })

/** What is asked in one step, or fails. */
const asking =
  (store: FakeStore, { apart }: StoreFaults) =>
  <A>(value: (now: number) => A): Effect.Effect<A, StoreFailed> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (store.failing || apart()) return Effect.fail(away)
      return Effect.sync(() => value(now))
    })

const announce = (
  store: FakeStore,
  node: string,
  daemonId: string,
  deliveries: ReadonlyArray<NewDelivery>,
  ids: Set<string>
): void => {
  for (const { id, event } of deliveries) {
    ids.add(id)
    store.announced.push({ daemonId, event, node })
  }
}

const isGood = (store: FakeStore, { daemonId, tokenHash }: ClaimRequest): boolean => {
  if (!store.stored.has(daemonId)) return false
  return tokenHash === undefined || store.owners.get(tokenHash)?.revoked === false
}

/** When the last time online ended, where this claim would begin one before that. */
const earlyOf = (store: FakeStore, { daemonId, at }: ClaimRequest): number | undefined => {
  const before = store.presence.get(daemonId)
  return before?.since === null && (before.lastEndedAt ?? at) > at ? before.lastEndedAt : undefined
}

const claimOne = (store: FakeStore, node: string, request: ClaimRequest, ids: Set<string>): Claimed | undefined => {
  const { daemonId, begins, at, deliveries } = request
  if (!isGood(store, request)) return undefined
  const before = store.presence.get(daemonId) ?? { epoch: 0, node: null, since: null }
  if (request.epoch !== undefined && (before.epoch !== request.epoch || (!begins && before.node !== node))) {
    return undefined
  }
  const after = { epoch: request.epoch ?? before.epoch + 1, node, since: before.since ?? at }
  store.presence.set(daemonId, after)
  const began = before.since === null
  if (began) announce(store, node, daemonId, deliveries, ids)
  const from = before.node !== null && before.node !== node ? before.node : undefined
  const stored = from === undefined ? undefined : storedIn(store, daemonId)
  return { daemonId, epoch: after.epoch, since: after.since, began, from, stored, told: undefined }
}

/** That store of presence, as one node has it. */
export const fakePresence = (store: FakeStore, faults: StoreFaults): PresenceStore["Service"] => {
  const ask = asking(store, faults)
  const placeOf = (daemonId: string) => {
    const accountId = store.stored.get(daemonId)?.accountId
    const { epoch = 0, node = null } = store.presence.get(daemonId) ?? {}
    return accountId === undefined ? [] : [{ daemonId, accountId, epoch, node }]
  }
  const heldBy = (node: string) =>
    [...store.presence].flatMap(([id, one]) => (one.node === node ? (storedIn(store, id) ?? []) : []))
  return {
    claim: (node, requests) =>
      Effect.flatMap(
        ask(() => {
          const ids = new Set<string>()
          if (!store.nodes.has(node)) return undefined
          const early = new Map(
            requests.flatMap((one) => {
              const at = earlyOf(store, one)
              return at === undefined ? [] : [[one.daemonId, at] as const]
            })
          )
          const found = requests.flatMap((one) =>
            early.has(one.daemonId) ? [] : (claimOne(store, node, one, ids) ?? [])
          )
          return { claimed: new Map(found.map((one) => [one.daemonId, one])), deliveryIds: ids, early }
        }),
        (answer) => (answer === undefined ? Effect.fail(away) : Effect.succeed(answer))
      ),
    release: (node, requests) =>
      ask(() => {
        const ids = new Set<string>()
        const ended = new Set<string>()
        for (const { daemonId, epoch, at, deliveries } of requests) {
          const one = store.presence.get(daemonId)
          if (one?.epoch !== epoch || one.node !== node) continue
          store.presence.set(daemonId, { epoch, node: null, since: null, lastEndedAt: at })
          ended.add(daemonId)
          announce(store, node, daemonId, deliveries, ids)
        }
        return { ended, deliveryIds: ids }
      }),
    takeOver: (node, dead, limit, alone) =>
      ask((now) => {
        const row = store.nodes.get(dead)
        if (row === undefined || (!alone && now - row.at < nodeLeaseMillis) || !store.nodes.has(node)) return []
        const taken = heldBy(dead).slice(0, limit)
        for (const { daemonId } of taken) store.presence.set(daemonId, { ...store.presence.get(daemonId)!, node })
        if (taken.length === 0) store.nodes.delete(dead)
        return taken
      }),
    heldBy: (node, after, limit) =>
      ask(() =>
        heldBy(node)
          .filter(({ daemonId }) => daemonId > after)
          .sort((a, b) => (a.daemonId < b.daemonId ? -1 : 1))
          .slice(0, limit)
      ),
    heldSnapshots: (node, ids) => ask(() => heldBy(node).filter(({ daemonId }) => ids.includes(daemonId))),
    places: (ids) => ask(() => ids.flatMap(placeOf)),
    onlineOf: (accountIds) =>
      ask(() =>
        [...store.presence.keys()]
          .flatMap(placeOf)
          .filter(({ accountId, node }) => node !== null && accountIds.includes(accountId))
      ),
    standings: (ids) =>
      ask(() =>
        ids.flatMap(placeOf).map(({ daemonId, epoch, node }) => ({
          daemonId,
          epoch,
          node,
          revoked: store.stored.get(daemonId)?.revoked === true,
          accountDisabled: [...store.owners.values()].some((one) => one.daemonId === daemonId && one.accountDisabled)
        }))
      )
  }
}

/** Its nodes. */
export const fakeNodes = (store: FakeStore, faults: StoreFaults): Nodes["Service"] => {
  const ask = asking(store, faults)
  return {
    beat: (node, onBus) =>
      ask((now) => {
        const before = store.nodes.get(node)
        store.nodes.set(node, { at: now, onBus })
        return before === undefined || now - before.at > nodeLeaseMillis
      }),
    leave: (node) => ask(() => void store.nodes.set(node, { at: Number.NEGATIVE_INFINITY, onBus: false })),
    others: (node) =>
      ask((now) =>
        [...store.nodes].flatMap(([name, { at, onBus }]) =>
          name === node ? [] : [{ node: name, alive: now - at <= nodeLeaseMillis, onBus }]
        )
      )
  }
}
