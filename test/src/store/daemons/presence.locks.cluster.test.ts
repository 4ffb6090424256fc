/**
 * What nodes do to each other's rows while the statement of one is not committed: it is held open here, so that nothing
 * is up to chance. Only a database with several connections has this.
 */
import { Deferred, Effect, Exit, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, it } from "vitest"
import { PresenceStore } from "../../../../src/store/daemons/presence.ts"
import { given } from "../../../support/given.ts"
import { until } from "../../../support/until.ts"
import { connect, delivery, usePresenceStore } from "./presence-store.ts"

describe("presence that several nodes write at once", () => {
  const { store, presence, sql, beat, node, kill, daemon, webhook, claim, release, takeOver, ...read } =
    usePresenceStore()
  const { deliveriesOf, placeOf } = read

  type Port = PresenceStore["Service"]
  type Statement = (port: Port) => Effect.Effect<unknown, unknown>
  /** Runs `meanwhile` while the transaction of a statement is open, then ends it. */
  const whileOpen = (
    statement: (port: Port, client: SqlClient.SqlClient) => Effect.Effect<unknown, unknown>,
    meanwhile: () => Promise<unknown>,
    ends: "commits" | "breaks" = "commits"
  ) =>
    store.run(
      Effect.gen(function* () {
        const client = yield* SqlClient.SqlClient
        const port = yield* PresenceStore
        const isWritten = yield* Deferred.make<void>()
        const mayEnd = yield* Deferred.make<void>()
        const open = client.withTransaction(
          Effect.gen(function* () {
            yield* statement(port, client)
            yield* Deferred.succeed(isWritten, undefined)
            yield* Deferred.await(mayEnd)
            if (ends === "breaks") return yield* Effect.fail("broken")
          })
        )
        const transaction = yield* Effect.forkChild(open, { startImmediately: true })
        yield* Deferred.await(isWritten)
        const exit = yield* Effect.exit(Effect.promise(meanwhile))
        yield* Deferred.succeed(mayEnd, undefined)
        yield* Fiber.await(transaction)
        if (Exit.isFailure(exit)) return yield* exit
      })
    )
  /** Until a statement waits for a lock of another one: the connection of that statement. */
  const waiting = () =>
    until("a statement waits", async () => {
      const found = await sql(
        "select pid as id from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
      )
      return found[0]?.id
    })
  const claiming =
    (by: string, ...ids: ReadonlyArray<string>): Statement =>
    (port) =>
      port.claim(
        by,
        ids.map((id) => connect(id)),
        4
      )
  const isFree = async (daemonId: string): Promise<boolean> =>
    (await sql("select from daemon_presence where daemon_id = $1 for update skip locked", [daemonId])).length === 1

  it("begins one time online of a daemon that comes to two nodes at once, and tells it once", async () => {
    const accountId = await store.account()
    const [id, wants, one, other] = [await daemon(accountId), await webhook(accountId), await node(), await node()]
    await claim(one, connect(id))
    await release(one, id, 1, [], 50)
    let second: Promise<{ readonly first: unknown }> | undefined
    await whileOpen(claiming(one, id), async () => {
      second = claim(other, connect(id, { at: 500, deliveries: [delivery(wants)] }))
      await waiting()
    })
    expect((await second)?.first).toMatchObject({ epoch: 3, began: false, from: one })
    expect(await deliveriesOf(wants)).toEqual([])
  })

  given(store.account)("ends no time online of a daemon that has gone to another node just then", async (accountId) => {
    const [id, wants, one, other] = [await daemon(accountId), await webhook(accountId), await node(), await node()]
    await claim(one, connect(id))
    let end: ReturnType<typeof release> | undefined
    await whileOpen(claiming(other, id), async () => {
      end = release(one, id, 1, [delivery(wants, "daemon:disconnect")])
      await waiting()
    })
    expect((await end)?.ended.size).toBe(0)
    expect(await deliveriesOf(wants)).toEqual([])
    expect(await placeOf(id)).toBe(other)
  })

  for (const [what, statement] of [
    ["claims", claiming],
    [
      "releases",
      (by: string, ...ids: ReadonlyArray<string>): Statement =>
        (port) =>
          port.release(
            by,
            ids.map((daemonId) => ({ daemonId, epoch: 1, at: 9, reason: "closed", code: 1000, deliveries: [] })),
            4
          )
    ]
  ] as const) {
    it(`locks rows in the order of their ids when it ${what}, so that no two nodes wait for each other`, async () => {
      const accountId = await store.account()
      const [one, other] = [await node(), await node()]
      const ids = await Promise.all([1, 2, 3].map(() => daemon(accountId)))
      const [low, middle, high] = ids.sort()
      // in the table they lie the other way round
      for (const id of ids.toReversed()) await claim(one, connect(id))
      let second: Promise<unknown> | undefined
      await whileOpen(claiming(other, low!), async () => {
        second = presence(statement(one, high!, middle!, low!))
        await waiting()
        expect([await isFree(middle!), await isFree(high!)]).toEqual([true, true])
      })
      await second
    })
  }

  given(store.account)("makes the rows of new daemons in the order of their ids", async (accountId) => {
    const [one, other, third] = [await node(), await node(), await node()]
    const high = await daemon(accountId)
    let low = await daemon(accountId)
    while (low > high) low = await daemon(accountId)
    let second: ReturnType<typeof claim> | undefined
    await whileOpen(claiming(one, low), async () => {
      second = claim(other, connect(high), connect(low))
      await waiting()
      expect((await claim(third, connect(high))).first).toMatchObject({ epoch: 1, began: true })
    })
    expect([...((await second)?.claimed.values() ?? [])]).toMatchObject([{ began: false }, { began: false }])
  })

  given(store.account)("does not clear a node away whose first claim is being written", async (accountId) => {
    const [id, by, heir] = [await daemon(accountId), await node(), await node()]
    await kill(by)
    await whileOpen(claiming(by, id), async () => expect(await takeOver(heir, by)).toEqual([]))
    expect(await takeOver(heir, by)).toMatchObject([{ daemonId: id }])
  })

  given(store.account)("does not clear a node away that is just taking over", async (accountId) => {
    const [id, dead, by, heir] = [await daemon(accountId), await node(), await node(), await node()]
    await claim(dead, connect(id))
    await kill(dead)
    await kill(by)
    await whileOpen(
      (port) => port.takeOver(by, dead, 10, false),
      async () => expect(await takeOver(heir, by)).toEqual([])
    )
    expect(await placeOf(id)).toBe(by)
    expect(await takeOver(heir, by)).toMatchObject([{ daemonId: id }])
  })

  it("lets a node that comes back wait until the step of its takeover is written", async () => {
    const accountId = await store.account()
    const [id, dead, heir] = [await daemon(accountId), await node(), await node()]
    await claim(dead, connect(id))
    await kill(dead)
    let back: Promise<boolean> | undefined
    await whileOpen(
      (port) => port.takeOver(heir, dead, 10, false),
      async () => {
        back = beat(dead)
        await waiting()
      }
    )
    expect(await back).toBe(true)
    expect(await placeOf(id)).toBe(heir)
  })

  it("takes over what no other node is moving just then, waits for none, and keeps the node while one is left", async () => {
    const accountId = await store.account()
    const [dead, other, heir] = [await node(), await node(), await node()]
    const ids = await Promise.all([1, 2].map(() => daemon(accountId)))
    const [moving, still] = ids.sort()
    await claim(dead, ...ids.map((id) => connect(id)))
    await kill(dead)
    await whileOpen(
      claiming(other, moving!),
      async () => {
        expect(await takeOver(heir, dead)).toMatchObject([{ daemonId: still }])
        expect(await takeOver(heir, dead)).toEqual([])
      },
      "breaks"
    )
    expect(await takeOver(heir, dead)).toMatchObject([{ daemonId: moving }])
  })

  it("fails to take over without being a defect when its connection breaks", async () => {
    const [dead, heir] = [await node(), await node()]
    await kill(dead)
    let failed: Promise<unknown> | undefined
    await whileOpen(
      (_, client) => client.unsafe("select from nodes where node = $1 for update", [heir]),
      async () => {
        failed = takeOver(heir, dead).catch((error: unknown) => error)
        await sql("select pg_terminate_backend($1::int) as id", [await waiting()])
        expect(await failed).toMatchObject({ _tag: "StoreFailed" })
      }
    )
  })
})
