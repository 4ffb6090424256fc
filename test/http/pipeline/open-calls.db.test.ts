/** Calls that wait when what allowed them ends: each is refused, its wait ends, and nothing is given away. */
import { describe, expect, it } from "vitest"
import { openCallLookMillis } from "../../../src/limits/gate.ts"
import { knownDaemon, type Mine, pending, shortcut, take, watched } from "../../support/agent-waits.ts"
import { type HubAnswer, useHub } from "../../support/hub.ts"
import { callTool } from "../../support/mcp-client.ts"

const hub = useHub({ virtual: true })

const scopes = ["ide:read", "ide:control", "agent:read", "agent:control", "terminal:exec"] as const

/** A daemon, a call that waits for it, and what is about to end the call. */
interface Case {
  readonly mine: Mine
  readonly session: string
  readonly keyId: string
  readonly credential: { readonly key?: string; readonly session?: string }
}

const begin = async (by: "key" | "session", selector?: string): Promise<Case> => {
  const mine = await knownDaemon(hub)
  const session = await mine.account.session()
  await hub.request("PUT", `/api/v1/daemons/${mine.daemonId}/tags`, { session, body: { tags: { env: "prod" } } })
  const made = { name: "waits", scopes, ...(selector === undefined ? {} : { selector }) }
  const { id: keyId, key } = (await hub.request("POST", "/api/v1/api-keys", { session, body: made })).body
  return { mine, session, keyId, credential: by === "key" ? { key } : { session: await mine.account.session() } }
}

const chat = ({ mine, credential }: Case) =>
  hub.request("POST", shortcut(mine, "chat?wait=idle"), { ...credential, body: { message: "go" } })
const status = ({ mine, credential }: Case) =>
  hub.request("GET", shortcut(mine, "status?waitFor=change&timeoutSeconds=40"), credential)
const terminal = ({ mine, credential }: Case) =>
  hub.request("POST", `/api/v1/daemons/${mine.daemonId}/terminal`, { ...credential, body: { command: "sleep 40" } })
const tool = ({ mine, credential }: Case) =>
  callTool(hub, credential.key!, "run_terminal_command", { daemonId: mine.daemonId, command: "sleep 40" })

const revoke = ({ keyId, session }: Case) => hub.request("DELETE", `/api/v1/api-keys/${keyId}`, { session })
const logOut = ({ credential }: Case) => hub.request("POST", "/api/v1/auth/logout", { ...credential, body: {} })
const untag = ({ mine, session }: Case) =>
  hub.request("PUT", `/api/v1/daemons/${mine.daemonId}/tags`, { session, body: { tags: {} } })

/** Has the call wait for long, ends what allowed it, and gives its answer. */
const ended = async (
  given: Case,
  call: (given: Case) => Promise<HubAnswer>,
  end: (given: Case) => Promise<HubAnswer>
) => {
  const answer = call(given)
  if (call !== status) await given.mine.peer.nextCommand()
  await hub.advance(2 * openCallLookMillis)
  expect(await pending(answer)).toBe(true)
  expect((await end(given)).status).toBeLessThan(300)
  return refused(answer)
}

/** The answer, as time goes by: a look into the store whose time is over meanwhile is repeated. */
const refused = async (answer: Promise<HubAnswer>) => {
  for (let looks = 0; looks < 10 && (await pending(answer)); looks++) await hub.advance(openCallLookMillis)
  return answer
}

const gone = { status: 401, body: { reason: "AUTH_INVALID" } }

describe("a call that waits", () => {
  it.each([
    ["a turn", chat],
    ["a look at a status", status],
    ["a command", terminal]
  ] as const)("as %s is refused when its key is revoked", async (_, call) => {
    const given = await begin("key")
    expect(await ended(given, call, revoke)).toMatchObject(gone)
    expect(await watched(hub, given.mine.daemonId)).toBe(0)
  })

  it("as a call of a tool is refused likewise", async () => {
    const answer = await ended(await begin("key"), tool, revoke)
    expect(JSON.stringify(answer.body)).toContain("AUTH_INVALID")
  })

  it("is refused when its session is ended", async () =>
    expect(await ended(await begin("session"), status, logOut)).toMatchObject(gone))

  it("is refused when its key expires", async () => {
    const given = await begin("key")
    const { session, mine } = given
    const expiresAt = hub.now() + 20_000
    const body = { name: "short", scopes, expiresAt }
    const { key } = (await hub.request("POST", "/api/v1/api-keys", { session, body })).body
    const answer = status({ ...given, credential: { key } })
    await hub.advance(18_000)
    expect(await pending(answer)).toBe(true)
    await hub.advance(2_000)
    expect(await refused(answer)).toMatchObject(gone)
    expect(await watched(hub, mine.daemonId)).toBe(0)
  })

  it("of a bound key is answered as for an unknown daemon once its daemon has left the selector", async () => {
    const given = await begin("key", "env=prod")
    for (const call of [chat, status, terminal]) {
      expect(await ended(given, call, untag)).toMatchObject({ status: 404 })
      const { session, mine } = given
      await hub.request("PUT", `/api/v1/daemons/${mine.daemonId}/tags`, { session, body: { tags: { env: "prod" } } })
      await hub.advance(2_000)
    }
  })

  it("goes on when another key of its account is revoked, and is answered", async () => {
    const given = await begin("session")
    const answer = chat(given)
    const send = await take(given.mine.peer, "send_chat")
    await hub.advance(2 * openCallLookMillis)
    await revoke(given)
    await hub.advance(openCallLookMillis)
    expect(await pending(answer)).toBe(true)
    send.refuse("no")
    expect((await answer).status).toBe(200)
  })
})
