/** agent:status over reconnects, restarts and kills: announced states are remembered, and the 10 s hold. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { useHub } from "../../support/hub.ts"
import { type HubProcess, hubProcess } from "../../support/hub-process.ts"
import { hook } from "../../support/received-webhooks.ts"
import { connectDaemon, type Peer } from "../../support/scripted-daemon.ts"
import { session } from "../../support/snapshots.ts"
import { until } from "../../support/until.ts"
import { useDatabase, useReceiver } from "../../support/use-started.ts"
import type { Receiver } from "../../support/webhook-receiver.ts"

const second = 1_000
const at = (status: string) => [session("s", { status })]
const told = (receiver: Receiver) =>
  receiver
    .at("/status")
    .flatMap(({ body }) => body.payload.agents)
    .map(({ previousStatus, status }) => `${previousStatus} to ${status}`)

describe("a change of an agent that lies across a reconnect", () => {
  const hub = useHub({ virtual: true })
  const receiver = useReceiver("test")

  /** A daemon whose agent is told to generate. */
  const generating = async () => {
    const { account, untilEntries } = await hook(hub, receiver.url("/status"), ["agent:status"])
    const { token } = await account.daemonToken()
    const daemon = await connectDaemon(hub, token, { report: at("idle") })
    daemon.report(at("generating"))
    const again = (status: string) => connectDaemon(hub, token, { report: at(status) })
    /** An attempt that time passes over before its answer is read is made again. */
    const isTold = (times: number) =>
      untilEntries("it is told", (all) => all.filter(({ status }) => status === "succeeded").length === times)
    await isTold(1)
    return { token, daemon, again, isTold }
  }
  /** Waits until a report has been taken: what was sent after it is answered. */
  const reported = async (daemon: Peer) => {
    daemon.send("status_event", { id: "after", event: "agent:stopped", timestamp: 1 })
    await daemon.nextFrame("event_ack")
  }

  it("is told after a loss, and after an hour offline", async () => {
    const { daemon, again, isTold } = await generating()
    await daemon.cut()
    await hub.advance(11 * second)
    const back = await again("error")
    await isTold(2)
    await back.leave()
    await hub.advance(3_600 * second)
    const later = await again("waiting_choice")
    await isTold(3)
    expect(told(receiver).slice(1)).toEqual(["generating to error", "error to waiting_approval"])
    await later.leave()
  })

  it("is told by the next hub after a restart, no sooner than 10 s after the last", async () => {
    const { again } = await generating()
    const restartedAt = hub.now()
    await hub.restart()
    const daemon = await again("error")
    await reported(daemon)
    await hub.advance(Math.max(0, 9 * second - (hub.now() - restartedAt)))
    expect(told(receiver)).toEqual(["idle to generating"])
    await hub.advance(2 * second)
    await until("the change is told", () => told(receiver).length === 2)
    expect(told(receiver)[1]).toBe("generating to error")
    await daemon.leave()
  })

  it("is compared with how the agents were found, where none has changed since", async () => {
    const { account } = await hook(hub, receiver.url("/status"), ["agent:status"])
    const { token } = await account.daemonToken()
    const found = await connectDaemon(hub, token, { report: at("error") })
    await reported(found)
    await hub.advance(2 * second)
    await hub.restart()
    const daemon = await connectDaemon(hub, token, { report: at("idle") })
    await until("the change is told", () => told(receiver).length === 1)
    expect(told(receiver)).toEqual(["error to idle"])
    await daemon.leave()
  })
})

describe("a hub that is killed right after an agent:status", () => {
  const database = useDatabase()
  const receiver = useReceiver()
  let hub: HubProcess
  beforeAll(async () => {
    const { databaseUrl, dataDir } = database.settings
    hub = await hubProcess(dataDir!, databaseUrl, { HUB_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8" })
    await hub.start()
  })
  afterAll(async () => {
    if (hub?.runs()) await hub.kill()
  })

  it("tells the change across it once it is back", async () => {
    const [email, password] = ["status@example.org", "correct horse battery staple"]
    await hub.operate({ op: "account create", email, password, plan: "pro", admin: false })
    const post = async (path: string, body: unknown, bearer?: string) => {
      const headers = { "content-type": "application/json", ...(bearer && { authorization: `Bearer ${bearer}` }) }
      return (await fetch(hub.url + path, { method: "POST", headers, body: JSON.stringify(body) })).json()
    }
    const login = (await post("/api/v1/auth/login", { email, password })) as { token: string }
    await post("/api/v1/webhooks", { url: receiver.url("/status"), events: ["agent:status"] }, login.token)
    const { token } = await hub.operate({ op: "token create", account: email })
    const daemon = await connectDaemon(hub, String(token), { report: at("idle") })
    daemon.report(at("generating"))
    await until("it is told", () => told(receiver).length === 1)
    await hub.kill()
    await hub.start()
    const back = await connectDaemon(hub, String(token), { report: at("error") })
    await until("the change is told", () => told(receiver).includes("generating to error"))
    // a delivery that was made and not recorded is made again: each counts once
    const bodies = new Map(receiver.at("/status").map(({ text, body }) => [text, body]))
    expect([...bodies.values()].map(({ payload }) => payload.agents[0].status)).toEqual(["generating", "error"])
    await back.leave()
  })
})
