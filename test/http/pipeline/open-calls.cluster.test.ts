/** Each long call of the API, at a node, as its key is revoked at the other: it ends, whatever it waits for. */
import { describe, expect, it } from "vitest"
import { pending, watched } from "../../support/agent-waits.ts"
import { DaemonLogs } from "../../support/daemon-logs.ts"
import { type EventStream, openEventStream } from "../../support/event-stream.ts"
import type { HubAnswer } from "../../support/hub.ts"
import { connectLogged } from "../../support/logged-session.ts"
import { callTool, sendMcp } from "../../support/mcp-client.ts"
import { useTwoHubs } from "../../support/two-hubs.ts"
import { until } from "../../support/until.ts"

const scopes = ["ide:read", "ide:control", "agent:read", "agent:control", "terminal:exec"]
const api = "/api/v1"

describe("a long call at a node", () => {
  const { one, other } = useTwoHubs()

  /** A daemon of the one with a session and a log of it, and a key that the other knows. */
  const begin = async () => {
    const account = await one.account()
    const { daemonId, token } = await account.daemonToken()
    const logs = new DaemonLogs(() => {})
    logs.begin("s1", "log-1")
    const auth = { capabilities: ["session_log", "durable_commands", "command_cancel"] }
    const peer = await connectLogged(one, token, logs, { auth })
    const session = await account.session()
    const made = await one.request("POST", `${api}/api-keys`, { session, body: { name: "long", scopes } })
    const { id: keyId, key } = made.body
    // the first of them has the hub load what it needs: on a crowded machine the nodes hear nothing meanwhile
    await sendMcp(other, "tools/list", { key })
    const target = `${daemonId}:session:s1`
    const status = () => other.request("GET", `${api}/shortcuts/${target}/status`, { key })
    await until("the other knows its agent", async () => (await status()).status === 200)
    const revoke = () => one.request("DELETE", `${api}/api-keys/${keyId}`, { session })
    return { daemonId, target, key, peer, logs, revoke }
  }
  type Begun = Awaited<ReturnType<typeof begin>>
  const post = ({ key }: Begun, path: string, body: object) => other.request("POST", api + path, { key, body })
  const open = ({ key }: Begun, path: string) =>
    openEventStream(other.url + api + path, { authorization: `Bearer ${key}` })

  const waits: Readonly<Record<string, (given: Begun) => Promise<HubAnswer>>> = {
    "a turn": (given) => post(given, `/shortcuts/${given.target}/chat?wait=idle`, { message: "go" }),
    "a look at a status": ({ target, key }) =>
      other.request("GET", `${api}/shortcuts/${target}/status?waitFor=change&timeoutSeconds=55`, { key }),
    "a command": (given) => post(given, `/daemons/${given.daemonId}/command`, { type: "screenshot" }),
    "a terminal's command": (given) => post(given, `/daemons/${given.daemonId}/terminal`, { command: "sleep 600" }),
    "a call of a tool": ({ key, daemonId }) =>
      callTool(other, key, "run_terminal_command", { daemonId, command: "sleep 600" })
  }
  it.each(Object.keys(waits))("as %s is refused once its key is revoked at the other", async (what) => {
    const given = await begin()
    const answer = waits[what]!(given)
    if (what === "a look at a status") await until("it waits", async () => (await watched(one, given.daemonId)) > 0)
    else await given.peer.nextCommand()
    expect(await pending(answer)).toBe(true)
    expect((await given.revoke()).status).toBe(200)
    expect((await answer).text).toContain("AUTH_INVALID")
  })

  const streams: Readonly<Record<string, (given: Begun) => Promise<EventStream>>> = {
    "a stream of events": (given) => open(given, "/events"),
    "a session": (given) => open(given, `/daemons/${given.daemonId}/sessions/s1/events/stream`),
    "the output of a command": async (given) => {
      const { key, daemonId, peer, logs } = given
      const headers = { prefer: "respond-async" }
      const path = `${api}/daemons/${daemonId}/terminal`
      const { commandId } = (await other.request("POST", path, { key, headers, body: { command: "make" } })).body
      await peer.nextCommand()
      logs.begin(commandId, "log-2", "command")
      return open(given, `/commands/${commandId}/output/stream`)
    }
  }
  it.each(Object.keys(streams))("as %s ends once its key is revoked at the other", async (what) => {
    const given = await begin()
    const stream = await streams[what]!(given)
    expect([stream.status, stream.ended()]).toEqual([200, false])
    expect((await given.revoke()).status).toBe(200)
    await until("it ends", () => stream.ended())
  })
})
