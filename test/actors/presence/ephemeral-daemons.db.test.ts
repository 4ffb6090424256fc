/** Daemons that are removed after they left. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, it } from "vitest"
import { EphemeralDaemons } from "../../../actors/presence/ephemeral-daemons.ts"
import { ephemeralStepMax, ephemeralSweepMillis } from "../../../src/limits.ts"
import { useHub } from "../../support/hub.ts"
import { idOfRow, insertMany } from "../../support/many-rows.ts"
import { connectDaemon, openDaemon } from "../../support/scripted-daemon.ts"
import { until } from "../../support/until.ts"
import { useStarted } from "../../support/use-started.ts"

const minute = 60_000

describe("an ephemeral daemon", () => {
  const hub = useHub({ virtual: true })
  const account = useStarted(() => hub.account({ plan: "enterprise" }))

  const joined = async (removeAfterMinutes: number) => {
    const session = await account.session()
    const made = await hub.request("POST", "/api/v1/join-keys", { session, body: { name: "k", removeAfterMinutes } })
    const { body } = await hub.request("POST", "/api/v1/daemons/join", { key: made.body.key, body: {} })
    return body as { daemonId: string; token: string }
  }
  const status = async (daemonId: string) =>
    (await hub.request("GET", `/api/v1/daemons/${daemonId}/status`, { session: await account.session() })).status
  const held = async () => (await hub.request("GET", "/api/v1/me", { session: await account.session() })).body

  /** The sweep waits for the database, which has a clock of its own: by that it is long due. */
  const swept = async (daemonId: string) => {
    for (const text of [
      "update daemons set created_at = 0 where id = $1",
      "update daemon_presence set last_ended_at = 0 where daemon_id = $1"
    ])
      await hub.inside(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(text, [daemonId])))
    await until("it is removed", async () => {
      await hub.advance(ephemeralSweepMillis)
      return (await status(daemonId)) === 404
    })
  }

  // the first: before time moves the hub looks for none itself, and none of its looks is under way
  it("is removed once, however many nodes look, and however many are due", async () => {
    const many = 2 * ephemeralStepMax + 5
    await hub.inside(
      insertMany(
        many,
        `insert into daemons (id, account_id, created_at, remove_after_minutes)
         select ${idOfRow("dmn")}, '${account.accountId}', 0, 1`
      )
    )
    const counts = await hub.inside(
      Effect.gen(function* () {
        const { sweep } = yield* EphemeralDaemons
        return yield* Effect.all([sweep, sweep, sweep], { concurrency: 3 })
      })
    )
    expect(counts.reduce((all, one) => all + one, 0)).toBe(many)
  })

  it("stays while it is connected, and is removed so long after it left, with its token", async () => {
    const { daemonId, token } = await joined(2)
    const daemon = await connectDaemon(hub, token, { report: [] })
    await hub.advance(3 * minute)
    expect(await status(daemonId)).toBe(200)
    await daemon.leave()
    await hub.advance(minute)
    expect(await status(daemonId)).toBe(200)
    const back = await connectDaemon(hub, token, { report: [] })
    await back.leave()
    await hub.advance(1.5 * minute)
    expect(await status(daemonId)).toBe(200)
    await hub.advance(0.5 * minute)
    await swept(daemonId)
    await expect(openDaemon(hub, "", { headers: { authorization: `Bearer ${token}` } })).rejects.toThrow("401")
  })

  it("that never connected is removed so long after it joined, and another stays", async () => {
    const { daemonId } = await joined(1)
    const other = await account.daemonToken()
    const before = await held()
    await hub.advance(minute)
    await swept(daemonId)
    expect(await status(other.daemonId)).toBe(200)
    expect(JSON.stringify(await held())).not.toBe(JSON.stringify(before))
  })
})
