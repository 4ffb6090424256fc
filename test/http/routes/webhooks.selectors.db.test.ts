/** Webhooks that hear of a part of the fleet: how a selector is set, changed and taken away, and what is delivered. */
import { describe, expect, it } from "vitest"
import { given } from "../../support/given.ts"
import { useHub } from "../../support/hub.ts"
import { connectDaemon } from "../../support/scripted-daemon.ts"
import { until } from "../../support/until.ts"
import { useReceiver } from "../../support/use-started.ts"

const route = "/api/v1/webhooks"

describe("a webhook with a selector", () => {
  const hub = useHub()
  const receiver = useReceiver("test")

  const owner = async () => {
    const { account, session } = await hub.signedIn()
    const ask = (method: string, path: string, body?: unknown) => hub.request(method, path, { session, body })
    const tag = (daemonId: string, tags: object) => ask("PUT", `/api/v1/daemons/${daemonId}/tags`, { tags })
    const create = (more: object) => ask("POST", route, { url: receiver.url("/"), events: ["*"], ...more })
    const tagged = async (tags: object) => {
      const daemon = await account.daemonToken()
      await tag(daemon.daemonId, tags)
      return daemon
    }
    return { account, session, ask, tag, create, tagged }
  }
  /** What was sent, as event and daemon. */
  const sent = () => receiver.at("/").map(({ body }) => `${body.event} ${body.payload.daemonId}`)
  const untilSent = (event: string, daemonId: string) =>
    until(`${event} of ${daemonId}`, () => sent().includes(`${event} ${daemonId}`))

  given(owner)("shows it in the one way to write it, and null without one", async ({ ask, create }) => {
    const bound = await create({ selector: " env == prod , gpu" })
    expect([bound.status, bound.body.selector]).toEqual([201, "env=prod,gpu"])
    for (const selector of [undefined, null, "", " "])
      expect(await create({ selector })).toMatchObject({ status: 201, body: { selector: null } })
    const { body } = await ask("GET", route)
    const shown = body.webhooks.map(({ selector }: { selector: unknown }) => selector)
    expect(shown.toSorted()).toEqual(["env=prod,gpu", null, null, null, null].toSorted())
  })

  it("is changed by PATCH, where null leaves the selector and an empty text takes it away", async () => {
    const { ask, create } = await owner()
    const made = await create({ selector: "env=prod" })
    const patch = (body: object) => ask("PATCH", `${route}/${made.body.id}`, body)
    expect((await patch({ active: true, selector: null })).body.selector).toBe("env=prod")
    expect((await patch({ active: true })).body.selector).toBe("env=prod")
    expect(await patch({ selector: null })).toMatchObject({ status: 400 })
    expect((await patch({ selector: "gpu, !spot" })).body).toMatchObject({ selector: "gpu,!spot", events: ["*"] })
    expect((await patch({ selector: "" })).body.selector).toBeNull()
    const { events } = (await ask("GET", "/api/v1/audit?action=webhook.changed&outcome=done")).body
    const details = events.map(({ detail }: { detail: string }) => detail)
    expect(details).toEqual(["selector", "selector", "active", "active"])
  })

  given(owner)("is refused where a term of it cannot be read, new or changed", async ({ ask, create }) => {
    const refused = { status: 400, body: { reason: "VALIDATION_FAILED", issues: [{ path: "selector" }] } }
    expect(await create({ selector: "env=prod,,gpu" })).toMatchObject(refused)
    const { id } = (await create({ selector: "env=prod" })).body
    expect(await ask("PATCH", `${route}/${id}`, { selector: "Env" })).toMatchObject(refused)
    expect((await ask("GET", route)).body.webhooks).toMatchObject([{ selector: "env=prod" }])
  })

  it("gets what happens on daemons whose tags match at that time, of the owner and of the daemon itself", async () => {
    const { tag, create, tagged } = await owner()
    await create({ selector: "env=prod,gpu" })
    const [prod, test] = [await tagged({ env: "prod" }), await tagged({ env: "test" })]
    const auth = { tags: { gpu: "" } }
    const other = await connectDaemon(hub, test.token, { auth, report: [] })
    const peer = await connectDaemon(hub, prod.token, { auth, report: [] })
    await untilSent("daemon:connect", prod.daemonId)
    const stop = (of: typeof peer, id: string) => {
      of.send("status_event", { id, event: "agent:stopped", targetSessionId: "s", timestamp: 1 })
      return of.nextFrame("event_ack")
    }
    await stop(other, "e1")
    await stop(peer, "e2")
    await untilSent("agent:stopped", prod.daemonId)
    expect(sent().some((one) => one.endsWith(test.daemonId))).toBe(false)
    await tag(prod.daemonId, { env: "test" })
    await tag(test.daemonId, { env: "prod" })
    await stop(peer, "e3")
    await stop(other, "e4")
    await untilSent("agent:stopped", test.daemonId)
    await peer.leave()
    await other.leave()
    await untilSent("daemon:disconnect", test.daemonId)
    expect(sent().toSorted()).toEqual(
      [
        `daemon:connect ${prod.daemonId}`,
        `agent:stopped ${prod.daemonId}`,
        `agent:stopped ${test.daemonId}`,
        `daemon:disconnect ${test.daemonId}`
      ].toSorted()
    )
  })

  it("gets the end of a command of a matching daemon, and of no other", async () => {
    const { session, create, tagged } = await owner()
    await create({ events: [], additionalEvents: ["command:completed"], selector: "env=prod" })
    const [prod, test] = [await tagged({ env: "prod" }), await tagged({ env: "test" })]
    for (const { daemonId, token } of [test, prod]) {
      const auth = { capabilities: ["durable_commands"] }
      const peer = await connectDaemon(hub, token, { auth, report: [] })
      const path = `/api/v1/daemons/${daemonId}/terminal`
      const headers = { prefer: "respond-async" }
      const asked = await hub.request("POST", path, { session, headers, body: { command: "true" } })
      expect(asked.status).toBe(202)
      ;(await peer.nextCommand()).succeed({ exitCode: 0, stdout: "", stderr: "", messages: [] })
      await until("it has ended", async () => {
        const { body } = await hub.request("GET", `/api/v1/commands/${asked.body.commandId}`, { session })
        return body.state === "succeeded"
      })
      await peer.leave()
    }
    await untilSent("command:completed", prod.daemonId)
    expect(sent()).toEqual([`command:completed ${prod.daemonId}`])
  })

  given(owner)("gets its own test, whatever the selector says", async ({ ask, create }) => {
    const { id } = (await create({ selector: "env=nowhere" })).body
    expect((await ask("POST", `${route}/${id}/test`)).body).toMatchObject({ success: true })
  })
})
