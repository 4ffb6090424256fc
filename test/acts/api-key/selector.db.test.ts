/** Keys that are bound to a selector: for them there are no daemons but those that match. */
import { Context, Option } from "effect"
import { HttpApi } from "effect/http-api"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { AccessOf } from "../../../http/api/access.ts"
import { Api } from "../../../http/api/api.ts"
import { parameterNames } from "../../../http/pipeline/path-parameters.ts"
import { daemonParameters } from "../../../http/routes/selected-daemons.ts"
import { newId } from "../../../src/domain/ids.ts"
import type { TestMember } from "../../support/accounts.ts"
import { openEvents } from "../../support/event-stream.ts"
import { type TestAccount, useHub } from "../../support/hub.ts"
import { connectDaemon, type Peer } from "../../support/scripted-daemon.ts"
import { session as sessionOn } from "../../support/snapshots.ts"
import { until } from "../../support/until.ts"

const scopes = ["ide:read", "ide:control", "agent:read", "agent:control", "terminal:exec"]

/** What a key may call that names no daemon in its path: it selects by itself, or shows nothing of a daemon. */
const selectingThemselves = ["daemons.list", "commands.list", "events.stream", "approvals.list", "approvals.resolve"]
const showingNoDaemon = ["account.me", "account.usage", "requests.list"]
/** Refused to a bound key: a job's targets may be daemons that it may not see. */
const refusingThem = ["start", "list", "get", "targets", "results", "retry", "cancel"].map((name) => `jobs.${name}`)
/** A bound key has not the scope. */
const beyondTheirScopes = ["webhook:manage", "registry:publish"]

it("the operations that a key may call name a daemon, a target or a command, select by themselves, refuse a bound key, or show nothing of a daemon", () => {
  const left: Array<string> = []
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, group, mergedAnnotations }) => {
      const access = Option.getOrThrow(Context.getOption(mergedAnnotations, AccessOf))
      if (access.kind !== "any" || access.recent === true) return
      if (beyondTheirScopes.includes(access.scope ?? "")) return
      const names: ReadonlyArray<string> = parameterNames(endpoint.path)
      if (daemonParameters.some((name) => names.includes(name))) return
      left.push(`${group.identifier}.${endpoint.identifier}`)
    }
  })
  expect(left.toSorted()).toEqual([...selectingThemselves, ...showingNoDaemon, ...refusingThem].toSorted())
})

describe("a key that is bound to a selector", () => {
  const hub = useHub()
  let account: TestAccount
  let session: string
  let key: string
  const daemons: Array<{ id: string; peer: Peer }> = []
  beforeAll(async () => {
    account = await hub.account()
    session = await account.session()
    const made = await create({ selector: " env = prod " })
    expect(made).toMatchObject({ status: 201, body: { selector: "env=prod" } })
    key = made.body.key
    for (const env of ["prod", "test"]) {
      const { daemonId: id, token } = await account.daemonToken()
      await tag(id, { env })
      const peer = await connectDaemon(hub, token, { report: [sessionOn("s1")] })
      peer.answerWith(() => ({ exitCode: 0, stdout: "", stderr: "", messages: [] }))
      daemons.push({ id, peer })
    }
  })
  afterAll(async () => {
    for (const { peer } of daemons) await peer.leave()
  })

  const create = (more: object) =>
    hub.request("POST", "/api/v1/api-keys", { session, body: { name: "bound", scopes, ...more } })
  const tag = (id: string, tags: object) =>
    hub.request("PUT", `/api/v1/daemons/${id}/tags`, { session, body: { tags } })
  const get = (path: string, as = key) => hub.request("GET", `/api/v1${path}`, { key: as })
  const post = (path: string, body: object, as = key) => hub.request("POST", `/api/v1${path}`, { key: as, body })
  const idsOf = async (query = "", as = key) =>
    (await get(`/daemons?include=offline${query}`, as)).body.daemons.map(({ id }: { id: string }) => id)

  /** Every way to name a daemon, with what is answered. */
  const asked = async (daemonId: string, commandId: string) => {
    const answers = await Promise.all([
      get(`/daemons/${daemonId}/status`),
      post(`/daemons/${daemonId}/command`, { type: "read_chat" }),
      post(`/daemons/${daemonId}/terminal`, { command: "true" }),
      post(`/shortcuts/${daemonId}/launch`, { type: "codex-cli" }),
      get(`/shortcuts/${daemonId}:cli:codex-cli/status`),
      get(`/shortcuts/${daemonId}:session:s1/chat`),
      post(`/shortcuts/${daemonId}:session:s1/chat`, { message: "hello" }),
      get(`/daemons/${daemonId}/sessions/s1/events`),
      get(`/commands/${commandId}`),
      post(`/commands/${commandId}/cancel`, {})
    ])
    return answers.map(({ status, body }) => ({
      status,
      reason: body?.reason,
      // it names what was asked for, as it was asked for
      error: body?.error?.replaceAll(daemonId, "it").replaceAll(commandId, "its")
    }))
  }
  const start = async (daemonId: string, as = session) => {
    const headers = { prefer: "respond-async" }
    const body = { command: "true" }
    const path = `/api/v1/daemons/${daemonId}/terminal`
    return (await hub.request("POST", path, { session: as, headers, body })).body.commandId as string
  }

  it("lists only those that match, of another's selector too, and the plain list of an unbound key is whole", async () => {
    expect(await idsOf()).toEqual([daemons[0]!.id])
    expect(await idsOf("&selector=env=test")).toEqual([])
    expect((await get("/daemons")).body.daemons).toHaveLength(1)
    expect((await get("/daemons", await account.key(["ide:read"]))).body.daemons).toHaveLength(2)
  })

  it("is told of one that does not match what it is told of an unknown one, wherever it names it", async () => {
    const [mine, theirs] = [await start(daemons[0]!.id), await start(daemons[1]!.id)]
    const unknown = await asked(newId("daemon"), newId("command"))
    expect(await asked(daemons[1]!.id, theirs)).toEqual(unknown)
    expect(new Set(unknown.map(({ status }) => status))).toEqual(new Set([404]))
    const own = await asked(daemons[0]!.id, mine)
    expect(own.slice(0, 3).map(({ status }) => status)).toEqual([200, 200, 200])
    expect(own.at(-2)).toMatchObject({ status: 200 })
    const { body } = await get("/commands")
    expect(body.commands.map(({ commandId }: { commandId: string }) => commandId)).toContain(mine)
    expect(new Set(body.commands.map(({ daemonId }: { daemonId: string }) => daemonId))).toEqual(
      new Set([daemons[0]!.id])
    )
    expect((await get(`/commands?daemonId=${daemons[1]!.id}`)).body.commands).toEqual([])
  })

  it("streams only their events, and a selector of the call narrows it further", async () => {
    const bound = await openEvents(hub, key)
    const none = await openEvents(hub, key, "?selector=env%3Dtest")
    const whole = await openEvents(hub, session)
    for (const { peer } of daemons)
      peer.send("status_event", { event: "agent:stopped", timestamp: 1, targetSessionId: "s1" })
    await until("both are told", () => daemons.every(({ id }) => whole.text().includes(id)))
    await until("its own is told", () => bound.text().includes(daemons[0]!.id))
    expect(bound.text()).not.toContain(daemons[1]!.id)
    expect(none.text()).not.toContain("daemonId")
    for (const stream of [bound, none, whole]) await stream.close()
  })

  it("sees a daemon from the change of its tags on, and no longer from the next on", async () => {
    const { id } = daemons[1]!
    await tag(id, { env: "prod" })
    expect((await get(`/daemons/${id}/status`)).status).toBe(200)
    expect(await idsOf()).toHaveLength(2)
    await tag(id, { env: "test" })
    expect((await get(`/daemons/${id}/status`)).status).toBe(404)
    expect(await idsOf()).toHaveLength(1)
  })

  it("gets no stored outcome of another key's call, as a bound member gets none of another member's", async () => {
    const { id } = daemons[1]!
    const whole = await account.key(["terminal:exec"])
    const headers = { "idempotency-key": "shared" }
    const call = (as: string) =>
      hub.request("POST", `/api/v1/daemons/${id}/terminal`, { key: as, headers, body: { command: "true" } })
    expect((await call(whole)).status).toBe(200)
    expect((await call(key)).status).toBe(422)
    const [one, other] = [await account.member("operator", "env=test"), await account.member("operator", "env=prod")]
    const asMember = async ({ session }: TestMember) =>
      (
        await hub.request("POST", `/api/v1/daemons/${id}/terminal`, {
          session: await session(),
          headers: { "idempotency-key": "members" },
          body: { command: "true" }
        })
      ).status
    expect([await asMember(one), await asMember(one), await asMember(other)]).toEqual([200, 200, 422])
  })

  it("is refused with scopes of the whole account, and with what is no selector", async () => {
    const wide = await create({ selector: "env=prod", scopes: ["ide:read", "webhook:manage"] })
    expect(wide).toMatchObject({ status: 400, body: { issues: [{ path: "selector" }] } })
    expect((await create({ selector: "Env=prod" })).status).toBe(400)
    expect((await create({ selector: "" })).body.selector).toBeNull()
  })
})
