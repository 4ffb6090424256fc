/**
 * Daemons over the life of a hub: what a restart keeps, what a revocation ends, and a daemon actor killed in mid-work.
 */
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { Directory } from "../../../actors/commands/directory.ts"
import { SnapshotWriter } from "../../../actors/presence/snapshot-writer.ts"
import { Supervisor } from "../../../actors/runtime/supervisor.ts"
import { useHub } from "../../support/hub.ts"
import { connectDaemon, openDaemon } from "../../support/scripted-daemon.ts"
import { session } from "../../support/snapshots.ts"
import { until } from "../../support/until.ts"

describe("daemons", () => {
  const hub = useHub({ virtual: true })

  const daemon = async () => {
    const account = await hub.account()
    const key = await account.key(["ide:read", "ide:control"])
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
    for (const one of [stays, leaves]) {
      await until("the report arrives", async () => (await status(one)).sessions.length === 1)
    }
    await hub.restart()
    expect((await first.closed).code).toBe(1012)
    for (const one of [stays, leaves]) {
      expect(await status(one)).toMatchObject({ online: true, sessions: [{ id: "s1" }] })
    }
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

  test("that were revoked stay refused over a restart, under a code that says never", async () => {
    const one = await daemon()
    const peer = await connectDaemon(hub, one.token)
    const { accountId, daemonId } = one
    await hub.inside(Effect.flatMap(Directory, (directory) => directory.revoke(accountId, daemonId)))
    expect((await peer.closed).code).toBe(4403)
    await hub.restart()
    expect((await (await openDaemon(hub, one.token)).closed).code).toBe(4403)
    expect(await status(one)).toMatchObject({ online: false, revoked: true })
  })

  test("whose actor is killed in mid-command close with 4500 and come back; the caller gets 503, no neighbour notices", async () => {
    const [one, other] = [await daemon(), await daemon()]
    const peer = await connectDaemon(hub, one.token)
    const neighbour = await connectDaemon(hub, other.token)
    neighbour.answerWith(() => ({ messages: [] }))
    const lost = command(one)
    const { id } = await peer.nextCommand()
    const epoch = peer.accepted.data.connectionEpoch as number
    await hub.inside(
      Effect.map(Supervisor, (supervisor) => supervisor.find("daemon", `${one.daemonId}#${epoch}`)!.kill())
    )
    expect(await lost).toMatchObject({ status: 503, body: { reason: "DAEMON_SOCKET_LOST", commandId: id } })
    expect((await peer.closed).code).toBe(4500)
    expect((await command(other)).status).toBe(200)
    const back = await connectDaemon(hub, one.token)
    back.answerWith(() => ({ messages: [] }))
    expect((await command(one)).status).toBe(200)
    expect(back.frames.filter(({ type, data }) => type === "command" && data.id === id)).toEqual([])
  })

  test("are stored without a word of the caller: the last snapshot is in the store once nothing waits", async () => {
    const one = await daemon()
    const peer = await connectDaemon(hub, one.token, { report: [session("s1")] })
    await until("the report arrives", async () => (await status(one)).sessions.length === 1)
    await peer.leave()
    await until("it is offline", async () => (await status(one)).online === false)
    await hub.inside(Effect.flatMap(SnapshotWriter, (snapshots) => snapshots.flush))
    await hub.restart()
    expect(await status(one)).toMatchObject({ online: false, sessions: [{ id: "s1" }] })
  })
})
