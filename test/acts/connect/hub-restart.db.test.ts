/** Daemons over a restart of their hub: what is kept of them, and which commands wait for them. */
import { describe, expect, test } from "vitest"
import { useHub } from "../../support/hub.ts"
import { connectDaemon } from "../../support/scripted-daemon.ts"
import { session } from "../../support/snapshots.ts"
import { until } from "../../support/until.ts"

describe("daemons", () => {
  const hub = useHub({ virtual: true })

  const daemon = async () => {
    const { account, key } = await hub.withKey(["ide:read", "ide:control"])
    return { ...(await account.daemonToken()), accountId: account.accountId, key }
  }
  const status = async ({ daemonId, key }: { daemonId: string; key: string }) =>
    (await hub.request("GET", `/api/v1/daemons/${daemonId}/status`, { key })).body
  const command = ({ daemonId, key }: { daemonId: string; key: string }) =>
    hub.request("POST", `/api/v1/daemons/${daemonId}/command`, { key, body: { type: "read_chat", payload: {} } })

  test("keep their snapshot over a restart, get a fresh grace, are waited for, and number their connections on", async () => {
    const [stays, leaves] = [await daemon(), await daemon()]
    const sessions = [session("s1")]
    const first = await connectDaemon(hub, stays.token, { report: sessions })
    await connectDaemon(hub, leaves.token, { report: sessions })
    for (const one of [stays, leaves])
      await until("the report arrives", async () => (await status(one)).sessions.length === 1)
    await hub.restart()
    expect((await first.closed).code).toBe(1012)
    for (const one of [stays, leaves])
      expect(await status(one)).toMatchObject({ online: true, sessions: [{ id: "s1" }] })
    // the hub itself sent them away: a command waits a while for them
    const lost = command(leaves)
    const waited = command(stays)
    const again = await connectDaemon(hub, stays.token)
    again.answerWith(() => ({ messages: [] }))
    let over = false
    void lost.then(() => {
      over = true
    })
    await until("it waits no longer", async () => {
      if (!over) await hub.advance(100)
      return over
    })
    expect((await lost).status).toBe(503)
    expect((await waited).status).toBe(200)
    expect(again.accepted.data.connectionEpoch).toBeGreaterThan(first.accepted.data.connectionEpoch)
    await hub.advance(16_000)
    expect(await status(stays)).toMatchObject({ online: true })
    expect(await status(leaves)).toMatchObject({ online: false, sessions: [{ id: "s1" }] })
    expect((await command(leaves)).status).toBe(500)
    await again.leave()
  })
})
