/**
 * The stores in memory, under which a simulated hub runs, answer as the stores of the product do on a real database:
 * the same random statements on both, answer by answer.
 */
import { Effect, Layer, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import { expect, it } from "vitest"
import { hashCredential } from "../../../src/auth/api-key.ts"
import type { Snapshot } from "../../../src/domain/daemon/snapshot.ts"
import { newId } from "../../../src/domain/ids.ts"
import { Commands } from "../../../src/store/daemons/commands.ts"
import { Daemons } from "../../../src/store/daemons/daemons.ts"
import { Nodes } from "../../../src/store/daemons/nodes.ts"
import { PresenceStore } from "../../../src/store/daemons/presence.ts"
import { Deliveries, type NewDelivery } from "../../../src/store/webhooks/deliveries.ts"
import { Leases } from "../../../src/store/webhooks/leases.ts"
import { Webhooks } from "../../../src/store/webhooks/webhooks.ts"
import { useDatabaseClock } from "../../support/database-clock.ts"
import { snapshot } from "../../support/snapshots.ts"
import { useStore } from "../../support/store-services.ts"
import { Random } from "../seeded-random.ts"
import { setActive } from "./delivery-statements.ts"
import { type Statements, storesOf } from "./ports.ts"
import { Tables } from "./tables.ts"

type Ports = Commands | Daemons | Deliveries | Leases | Nodes | PresenceStore

const statementsPerRun = 250
/** A lease ends within a few such steps. */
const stepMillisMax = 1_000
const maxAttempts = 3

const shown = ({ daemonId, epoch, online, connectedAt, hostname }: Snapshot) =>
  [daemonId, epoch, online, connectedAt, hostname] as const

/** An answer without what has no order: sets, maps and rows by their text, members that are absent or null. */
const plain = (value: unknown): unknown => {
  if (value instanceof Map) return plain([...value])
  if (value instanceof Set) return [...value].sort()
  if (Array.isArray(value)) return value.map(plain).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  if (value === null || typeof value !== "object") return value ?? "none"
  const members = Object.entries(value).filter(([, member]) => member !== undefined && member !== null)
  return Object.fromEntries(members.map(([name, member]) => [name, plain(member)]).sort())
}

const store = useStore(
  Layer.mergeAll(
    Layer.mergeAll(PresenceStore.layer, Nodes.layer, Daemons.layer, Webhooks.layer),
    Layer.mergeAll(Deliveries.layer, Leases.layer, Commands.layer)
  )
)
const sql = (text: string, values: ReadonlyArray<unknown> = []) =>
  store.run(Effect.flatMap(SqlClient.SqlClient, (client) => client.unsafe(text, [...values])))

/** What both take for the time, in milliseconds since 1970: it goes on between two statements only. */
let now = 1_790_000_000_000
const atTime = useDatabaseClock(store)

const makeWorld = async (random: Random) => {
  const tables = new Tables(() => now)
  const direct = (_: string, run: (tables: Tables) => unknown) => Effect.sync(() => run(tables))
  const model = ManagedRuntime.make(storesOf({ read: direct, write: direct } as Statements))
  const nodes = Array.from({ length: 3 }, () => newId("key"))
  const accountIds = [await store.account(), await store.account()]
  const [daemonIds, webhookIds]: [Array<string>, Array<string>] = [[], []]
  for (const accountId of accountIds) {
    tables.accounts.set(accountId, { plan: "pro", disabled: false })
    for (let made = 0; made < 4; made++) {
      const tokenHash = hashCredential(newId("key"))
      const enrolment = { accountId, daemonId: undefined, tokenHash, name: "", now: 5 }
      const daemonId = (await store.run(Effect.flatMap(Daemons, (port) => port.enrol(enrolment))))!
      daemonIds.push(daemonId)
      const found = await store.run(Effect.flatMap(Daemons, (port) => port.byId(daemonId)))
      tables.tokens.set(tokenHash, { daemonId, accountId, createdAt: 5, revokedAt: undefined })
      const daemon = { accountId, revoked: false, snapshot: found!, snapshotEpoch: 0 }
      tables.daemons.set(daemonId, { ...daemon, told: undefined, ownerTags: undefined })
    }
    for (let made = 0; made < 2; made++) {
      const id = newId("webhook")
      const draft = { id, accountId, url: "https://example.org/", events: ["*"], secret: "s" }
      await store.run(Effect.flatMap(Webhooks, (port) => port.create(draft, 9, 5)))
      const row = await store.run(Effect.flatMap(Webhooks, (port) => port.get(accountId, id)))
      tables.webhooks.set(id, { ...row! })
      webhookIds.push(id)
    }
  }
  return { random, tables, model, nodes, accountIds, daemonIds, webhookIds, commandIds: [] as Array<string> }
}
type World = Awaited<ReturnType<typeof makeWorld>>

const some = <A>(random: Random, from: ReadonlyArray<A>): ReadonlyArray<A> =>
  from.filter(() => random.chance(3 / from.length))
const delivery = ({ random, webhookIds, daemonIds }: World, numbered = false): NewDelivery => ({
  id: newId("delivery"),
  webhookId: random.pick(webhookIds),
  event: "agent:stopped",
  body: "{}",
  createdAt: 1_000 + random.below(100),
  dedupe: numbered ? { daemonId: random.pick(daemonIds), id: `e${random.below(6)}` } : undefined
})

/** A statement that chance chooses, for either store. */
const statement = (world: World): { readonly name: string; readonly run: Effect.Effect<unknown, unknown, Ports> } => {
  const { random, tables, nodes, daemonIds, webhookIds, commandIds, accountIds } = world
  const [node, at] = [random.pick(nodes), 1_000 + random.below(100)]
  const one = <I extends Ports, S>(
    key: { readonly key: string } & Effect.Effect<S, never, I>,
    name: string,
    use: (port: S) => Effect.Effect<unknown, unknown>
  ) => ({ name, run: Effect.flatMap(key, use) as Effect.Effect<unknown, unknown, Ports> })
  const epochOf = (id: string) => (tables.presence.get(id)?.epoch ?? 1) - Number(random.chance(0.2))
  const ownerOf = (daemonId: string) => ({ daemonId, accountId: tables.daemons.get(daemonId)!.accountId })
  switch (random.below(20)) {
    case 1:
      return one(Nodes, "others", (port) =>
        Effect.map(port.others(node), (all) => all.filter((other) => nodes.includes(other.node)))
      )
    case 0:
    case 2: {
      const leaves = random.chance(0.15)
      return one(Nodes, "beat or leave", (port) => (leaves ? port.leave(node) : port.beat(node, true)))
    }
    case 3:
    case 4:
    case 5: {
      const requests = some(random, daemonIds).map((daemonId) => ({
        daemonId,
        epoch: random.chance(0.4) ? epochOf(daemonId) : undefined,
        tokenHash: undefined,
        begins: random.chance(0.7),
        at,
        deliveries: [delivery(world)]
      }))
      return one(PresenceStore, "claim", (port) =>
        Effect.map(port.claim(node, requests, maxAttempts), ({ claimed, ...rest }) => ({
          ...rest,
          claimed: [...claimed.values()].map(({ stored, ...found }) => ({ ...found, stored: stored?.online }))
        }))
      )
    }
    case 6: {
      const requests = some(random, daemonIds).map((daemonId) => ({
        daemonId,
        epoch: epochOf(daemonId),
        at,
        reason: "timeout",
        code: 1006,
        deliveries: [delivery(world)]
      }))
      return one(PresenceStore, "release", (port) => port.release(node, requests, maxAttempts))
    }
    case 7: {
      const dead = random.pick(nodes)
      return one(PresenceStore, "take over", (port) =>
        Effect.map(port.takeOver(node, dead, 2, false), (all) => all.map(shown))
      )
    }
    case 8: {
      const after = random.chance(0.5) ? "" : random.pick(daemonIds)
      return one(PresenceStore, "held by", (port) => port.heldBy(node, after, 3))
    }
    case 9:
      return one(PresenceStore, "places", (port) =>
        Effect.all([port.places(daemonIds), port.onlineOf(accountIds), port.standings(daemonIds)])
      )
    case 10:
    case 11: {
      const batch = Array.from({ length: random.below(4) }, () => delivery(world, random.chance(0.6)))
      return one(Deliveries, "insert", (port) => port.insert(batch, maxAttempts))
    }
    case 12: {
      const id = random.pick(webhookIds)
      return one(Deliveries, "soonest", (port) => port.soonest(id, 1_000, []))
    }
    case 13: {
      const answer = { at, statusCode: 200, error: undefined, body: "", truncated: false, durationMs: 1 }
      const rows = some(random, [...tables.deliveries.values()]).map((row) => ({
        ...answer,
        deliveryId: row.id,
        webhookId: row.webhookId,
        attempts: row.attempts + random.below(2),
        state: random.pick(["succeeded", "failed", "retry"] as const),
        dueAt: at + 50
      }))
      const health = { webhookId: random.pick(webhookIds), failures: 1, failingSince: undefined }
      const later = { ...health, lastDeliveryAt: at, lastStatusCode: 200 }
      return one(Deliveries, "settle", (port) => port.settle(rows, [later]))
    }
    case 14: {
      const wanted = some(random, webhookIds)
      return one(Leases, "take", (port) =>
        Effect.map(port.take(node, wanted), (held) => held.map(({ id, fence }) => [id, fence]))
      )
    }
    case 15: {
      const fenceOf = (id: string) => (tables.leases.get(id)?.fence ?? 0) - Number(random.chance(0.2))
      const leases = webhookIds.map((webhookId) => ({ webhookId, fence: fenceOf(webhookId) }))
      const given = some(random, leases)
      return random.chance(0.5)
        ? one(Leases, "release", (port) => port.release(node, given))
        : one(Leases, "renew and unheld", (port) =>
            Effect.all([
              port.renew(node),
              // of this world only: the database has those of others
              Effect.map(port.unheld(at, 1_000), (ids) => ids.filter((id) => webhookIds.includes(id)))
            ])
          )
    }
    case 16: {
      const daemonId = random.pick(daemonIds)
      const row = {
        commandId: newId("command"),
        ...ownerOf(daemonId),
        type: "send_chat" as const,
        durable: true,
        cancellable: true,
        epoch: 1,
        createdAt: at,
        deadlineAt: at + 10
      }
      commandIds.push(row.commandId)
      return one(Commands, "store commands", (port) => port.insert([row]))
    }
    case 17: {
      const ends = some(random, commandIds).map((commandId) => ({
        commandId,
        daemonId: random.chance(0.9) ? (tables.commands.get(commandId)?.daemonId ?? "") : random.pick(daemonIds),
        at,
        state: random.pick(["succeeded", "lost", "cancelled", "timed_out"] as const),
        deliveries: [delivery(world)]
      }))
      return one(Commands, "end commands", (port) => port.end(ends, maxAttempts))
    }
    case 18: {
      const id = random.pick([...commandIds, newId("command")])
      const accountId = random.pick(accountIds)
      const isCancelled = random.chance(0.5)
      const after = random.chance(0.5) ? "" : random.pick(commandIds)
      return one(Commands, "cancel and read", (port) => {
        const found = Effect.map(port.find(accountId, id), (row) => row && [row.state, row.cancelAt, row.finishedAt])
        const cancelled = port.cancelled(node, after, 1_000)
        return Effect.andThen(
          isCancelled ? port.askCancel(accountId, id, at) : port.withdraw(id),
          Effect.all([port.standings(commandIds), port.pendingOf(daemonIds), cancelled, found])
        )
      })
    }
    default: {
      const stored = some(random, daemonIds).map((daemonId) =>
        snapshot([], { ...ownerOf(daemonId), hostname: `host${random.below(100)}`, epoch: epochOf(daemonId) })
      )
      return one(Daemons, "store snapshots", (port) =>
        Effect.andThen(
          port.saveSnapshots(stored),
          Effect.map(port.snapshotsById(accountIds[0]!, daemonIds), (all) =>
            all.map(({ observedAt: _, ...rest }) => rest)
          )
        )
      )
    }
  }
}

it.each([1, 2, 3])("simulated stores answer as those of the product, each statement alike (seed %i)", async (seed) => {
  const world = await makeWorld(new Random(seed))
  for (let nth = 0; nth < statementsPerRun; nth++) {
    now += world.random.below(stepMillisMax)
    if (world.random.chance(0.03)) {
      const [id, active] = [world.random.pick(world.webhookIds), world.random.chance(0.7)]
      const { accountId } = world.tables.webhooks.get(id)!
      await store.run(Effect.flatMap(Webhooks, (port) => port.change(accountId, id, { active }, 5)))
      setActive(world.tables, id, active)
      continue
    }
    const { name, run } = statement(world)
    const real = await store.run(atTime(now, run))
    const modelled = await world.model.runPromise(Effect.exit(run as Effect.Effect<unknown, unknown, never>))
    const told = (exit: typeof real) => (exit._tag === "Success" ? plain(exit.value) : "fails")
    expect([nth, name, told(modelled)]).toEqual([nth, name, told(real)])
  }
  await world.model.dispose()
  const counted = "select count(*)::int as n from deliveries where state = 0 and webhook_id = any($1)"
  const n = world.webhookIds.reduce((sum, id) => sum + world.tables.pendingOf(id).size, 0)
  expect(await sql(counted, [world.webhookIds])).toEqual([{ n }])
})
