/** The plan bounds an account's pending deliveries and stored outcomes, over a whole hub. */
import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { VolumeBudgets } from "../../../actors/limits/volume-budgets.ts"
import { planLimits } from "../../../src/domain/account/plans.ts"
import { backlogShared, dropsFlushMillis, volumeCountMillis } from "../../../src/limits/volumes.ts"
import { idempotencyMillis, idempotencySweepMillis } from "../../../src/limits.ts"
import { useHub } from "../../support/hub.ts"
import { type Hooked, hook } from "../../support/received-webhooks.ts"
import { connectDaemon, type Peer } from "../../support/scripted-daemon.ts"
import { until } from "../../support/until.ts"
import { useReceiver, useStarted } from "../../support/use-started.ts"

const { free } = planLimits
const second = 1_000

describe("an account that has as much kept as its plan allows", () => {
  const hub = useHub({ virtual: true })
  const receiver = useReceiver("test")
  const account = useStarted(() => hub.account({ plan: "free" }), "test")

  const sql = (text: string, values: ReadonlyArray<unknown> = []) => hub.sql((client) => client.unsafe(text, values))
  const seen = (kind: "pending" | "outcomes") =>
    hub.inside(Effect.flatMap(VolumeBudgets, (budgets) => budgets[kind].seen(account.accountId)))
  const metric = async (by: string): Promise<number> => {
    const { text } = await hub.request("GET", "/metrics")
    return Number(new RegExp(`^hub_deliveries_dropped_total\\{by="${by}"\\} (\\d+)`, "mu").exec(text)?.[1] ?? 0)
  }

  describe("of deliveries", () => {
    /** Gives a webhook a backlog that is not due for an hour. */
    const backlog = ({ id }: Hooked, number: number, body = "{}") =>
      sql(
        `insert into deliveries (id, webhook_id, event, body, created_at, state, attempts, earlier_attempts, max_attempts, due_at, at)
         select $1 || '-' || n, $1, 'agent:stopped', $2, $3, 0, 1, 0, 4, $3::bigint + 3600000, $3 from generate_series(1, $4::int) n`,
        [id, body, hub.now(), number]
      )
    const shown = async (one: Hooked) => {
      await hub.advance(dropsFlushMillis)
      const { droppedDeliveries, lastDroppedAt } = await one.record()
      return [droppedDeliveries, lastDroppedAt]
    }
    /** Its write is over when it is seen. */
    const untilShown = (one: Hooked, number: number) =>
      until("the dropped ones are shown", async () => (await shown(one))[0] === number)

    it("goes without new ones at the webhook with the backlog, which shows how many and when", async () => {
      const dead = await hook(hub, receiver.url("/dead"), ["*"], account)
      const alive = await hook(hub, receiver.url("/alive"), ["*"], account)
      expect(await shown(dead)).toEqual([0, null])
      await backlog(dead, free.pendingDeliveries * backlogShared)
      expect((await seen("pending")).number).toBe(free.pendingDeliveries * backlogShared)
      const before = await metric("number")
      const at = hub.now()
      for (let nth = 0; nth < 3; nth++) await dead.dispatch("agent:stopped", { payload: { nth } })
      await until("the healthy one has them all", () => receiver.at("/alive").length === 3)
      expect(receiver.at("/dead")).toEqual([])
      await untilShown(dead, 3)
      expect(await shown(dead)).toEqual([3, at])
      expect(await shown(alive)).toEqual([0, null])
      expect((await metric("number")) - before).toBe(3)
    })

    it("has them again within seconds of there being room, also after a restart, which forgets nothing", async () => {
      const one = await hook(hub, receiver.url("/again"), ["*"], account)
      await backlog(one, free.pendingDeliveries)
      await seen("pending")
      await one.dispatch()
      await untilShown(one, 1)
      await hub.restart()
      await seen("pending")
      await one.dispatch()
      await untilShown(one, 2)
      await sql("update deliveries set state = 1 where webhook_id = $1", [one.id])
      await hub.advance(volumeCountMillis)
      await one.dispatch()
      await until("it was counted", async () => (await seen("pending")).number === 0)
      await one.dispatch()
      await until("it arrives", () => receiver.at("/again").length > 0)
    })
  })

  describe("of outcomes under idempotency keys", () => {
    let key: string
    let path: string
    let peer: Peer
    beforeEach(async () => {
      key = await account.key(["ide:control"])
      const { daemonId, token } = await account.daemonToken()
      path = `/api/v1/daemons/${daemonId}/command`
      peer = await connectDaemon(hub, token, { report: [] })
    })
    afterEach(() => peer.leave())

    const keep = (number: number, body: string, startedAt = hub.now()) =>
      sql(
        `insert into idempotency (account_id, route, key, body_hash, state, node, started_at, status, headers, body)
         select $1, 'POST /x', 'k' || n, '', 'done', 'n', $2, 200, '[]', $3 from generate_series(1, $4::int) n`,
        [account.accountId, startedAt, body, number]
      )
    const call = (name: string, type = "read_chat") =>
      hub.request("POST", path, { key, body: { type, payload: {} }, headers: { "idempotency-key": name } })
    const commands = () => peer.frames.filter(({ type }) => type === "command").length
    const runs = async (name: string) => {
      const answer = call(name)
      ;(await peer.nextCommand()).succeed({ text: "x".repeat(2_000) })
      return answer
    }

    it("is answered as ever, and told at a repeat that it was run and that the answer was not kept", async () => {
      await runs("before")
      await keep(32, "x".repeat(free.keptOutcomeBytes / 32 - 100))
      await seen("outcomes")
      const first = await runs("lost")
      expect([first.status, first.body.success]).toEqual([200, true])
      const ran = commands()
      const again = await call("lost")
      expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([410, "true"])
      expect(again.body).toMatchObject({ reason: "OUTCOME_NOT_KEPT", status: 200 })
      expect((await call("lost", "list_sessions")).status).toBe(422)
      expect((await call("before")).status).toBe(200)
      expect(commands()).toBe(ran)
    })

    it("has no further call with a key run, is told when the oldest is removed, and still finds what is kept", async () => {
      await runs("kept")
      await keep(free.keptOutcomes, "{}", hub.now() - 3_600 * second)
      await seen("outcomes")
      const ran = commands()
      const refused = await call("one-more")
      expect(refused.status).toBe(429)
      const retryAfter = (idempotencyMillis + idempotencySweepMillis) / second - 3_600
      expect(refused.body).toMatchObject({
        reason: "IDEMPOTENCY_LIMIT_REACHED",
        limit: free.keptOutcomes,
        plan: "free",
        retryAfter
      })
      expect(refused.headers.get("retry-after")).toBe(String(retryAfter))
      expect(commands()).toBe(ran)
      expect((await call("kept")).headers.get("idempotency-replayed")).toBe("true")
      expect((await call("kept", "list_sessions")).status).toBe(422)
      const unkeyed = hub.request("POST", path, { key, body: { type: "read_chat", payload: {} } })
      ;(await peer.nextCommand()).succeed({})
      expect((await unkeyed).status).toBe(200)
    })
  })
})
