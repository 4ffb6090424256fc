/**
 * Another account's id is indistinguishable from an unknown one: on every route that names a daemon, an agent or any
 * other thing of an account, for every kind of id, byte by byte.
 */
import { beforeAll, expect, it } from "vitest"
import { type IdKind, newId } from "../../../src/domain/ids.ts"
import { bare, type DaemonRoute, daemon, daemonRoutes, targetRoutes } from "../../support/daemon-routes.ts"
import { useHub } from "../../support/hub.ts"
import { fc, forAllAsync } from "../../support/properties.ts"
import { connectDaemon, type Peer } from "../../support/scripted-daemon.ts"
import { session } from "../../support/snapshots.ts"
import { until } from "../../support/until.ts"

const hub = useHub()
let mine: { readonly session: string; readonly daemonId: string }
let theirs: { readonly online: string; readonly offline: string; readonly session: string; readonly key: string }
let peers: ReadonlyArray<Peer>

beforeAll(async () => {
  const [me, other] = [await hub.account(), await hub.account()]
  const [own, online, offline] = [await me.daemonToken(), await other.daemonToken(), await other.daemonToken()]
  const report = [session("s1"), session("s2", { providerType: "goose", transport: "acp" })]
  peers = await Promise.all([own, online].map(({ token }) => connectDaemon(hub, token, { report })))
  mine = { session: await me.session(), daemonId: own.daemonId }
  const key = await other.key(["ide:read", "ide:control"])
  theirs = { online: online.daemonId, offline: offline.daemonId, session: await other.session(), key }
  await until("both daemons report", async () => {
    const status = await hub.request("GET", `/api/v1/daemons/${online.daemonId}/status`, { key })
    return status.body.sessions?.length === 2
  })
})

const ask = (route: DaemonRoute, id: string) =>
  hub.request(route.method, route.path(encodeURIComponent(id)), {
    session: mine.session,
    ...(route.body === undefined ? {} : { body: route.body })
  })

const unknown = newId("daemon")
const malformed = fc.oneof(
  fc.constantFrom(
    "x",
    "dmn_",
    "DMN_1",
    "null",
    "constructor",
    "__proto__",
    "dmn_'; drop table daemons",
    "\u0000",
    "..%2f",
    "ide"
  ),
  fc.string({ minLength: 1, maxLength: 40 }).filter((text) => text.isWellFormed() && text !== "." && text !== ".."),
  fc.constant("d".repeat(2_000))
)
const daemonId = () =>
  fc.oneof(
    fc.constantFrom(theirs.online, theirs.offline),
    fc.constant(0).map(() => newId("daemon")),
    malformed
  )
const targetOf = fc.constantFrom(
  (id: string) => id,
  (id: string) => `${id}:cli:codex-cli`,
  (id: string) => `${id}:acp:goose`,
  (id: string) => `${id}:ide:cursor`,
  (id: string) => `${id}:session:s1`,
  (id: string) => `${id}:session:none`
)

it("answers an unknown, a malformed and another account's daemon id alike on every route of daemons", async () => {
  for (const route of daemonRoutes) {
    const expected = bare(await ask(route, unknown))
    expect(expected.status).toBe(404)
    await forAllAsync(20, daemonId(), async (id) => {
      expect(bare(await ask(route, id))).toEqual(expected)
    })
  }
})

it("answers every target of an unknown, a malformed and another account's daemon alike on every route of agents", async () => {
  for (const route of targetRoutes) {
    const expected = bare(await ask(route, `${unknown}:cli:codex-cli`))
    expect(expected.status).toBe(404)
    await forAllAsync(20, daemonId(), targetOf, async (id, target) => {
      expect(bare(await ask(route, target(id)))).toEqual(expected)
    })
  }
})

it("answers a target that a daemon of ours does not have as one of nobody's", async () => {
  for (const route of targetRoutes) {
    const expected = bare(await ask(route, `${unknown}:cli:codex-cli`))
    for (const target of [
      ":cli:none",
      ":ide:codex-cli",
      ":session:none",
      `:session:${theirs.online}`,
      ":cli:",
      ":acp:"
    ]) {
      expect(bare(await ask(route, mine.daemonId + target))).toEqual(expected)
    }
  }
  const command = daemon("POST", "command", { type: "read_chat", payload: { targetSessionId: "none" } })
  const { status, body } = await ask(command, mine.daemonId)
  expect([status, body.error]).toEqual([404, "There is no session none of this daemon."])
})

/** What else an account has: how it makes one, and every route that names one. */
const things: ReadonlyArray<readonly [IdKind, () => Promise<string>, ReadonlyArray<readonly [string, object?]>]> = [
  [
    "webhook",
    async () => (await make("webhooks", { url: "http://127.0.0.1:9/", events: [] })).id,
    [
      ["PATCH webhooks/:id", { active: false }],
      ["DELETE webhooks/:id"],
      ["GET webhooks/:id/deliveries"],
      ["POST webhooks/:id/test"],
      ["POST webhooks/:id/rotate-secret"],
      ["POST webhooks/:id/recover", { since: 0 }],
      ["POST webhooks/:id/deliveries/dlv_00000000000000000000/retry"]
    ]
  ],
  ["key", async () => (await make("api-keys", { name: "k", scopes: ["ide:read"] })).id, [["DELETE api-keys/:id"]]],
  ["joinKey", async () => (await make("join-keys", { name: "k" })).id, [["DELETE join-keys/:id"]]],
  [
    "command",
    async () => (await make(`daemons/${theirs.online}/command`, { type: "screenshot" })).commandId,
    [
      ["GET commands/:id"],
      ["POST commands/:id/cancel"],
      ["GET commands/:id/output"],
      ["GET commands/:id/output/stream"]
    ]
  ],
  [
    "job",
    async () => (await make("jobs", { daemonIds: [theirs.offline], type: "screenshot" })).jobId,
    [["GET jobs/:id"], ["GET jobs/:id/targets"], ["POST jobs/:id/cancel"]]
  ],
  [
    "daemon",
    async () => theirs.online,
    [
      ["GET daemons/:id/sessions/s1/events"],
      ["GET daemons/:id/sessions/s1/events/stream"],
      ["PUT daemons/:id/tags", { tags: {} }],
      ["POST daemons/enroll", { daemonId: ":id" }],
      ["POST jobs", { daemonIds: [":id"], type: "screenshot" }]
    ]
  ]
]
const make = async (path: string, body: object) => {
  const headers = { prefer: "respond-async" }
  const made = await hub.request("POST", `/api/v1/${path}`, { session: theirs.session, body, headers })
  if (made.status >= 300) throw new Error(`${path} answers ${made.text}`)
  return made.body
}

it.each(things)(
  "answers another account's %s as an unknown and a malformed one on every route",
  async (kind, id, all) => {
    const known = await id()
    for (const [line, body] of all) {
      const as = async (given: string) => {
        const [method, path] = line.replace(":id", encodeURIComponent(given)).split(" ") as [string, string]
        const text = JSON.stringify(body)?.replace(":id", given)
        const answer = await hub.request(method, `/api/v1/${path}`, { session: mine.session, ...(text && { text }) })
        return bare(answer)
      }
      const expected = await as(newId(kind))
      expect(expected.status, line).toBe(404)
      for (const given of [known, "nonsense"]) expect(await as(given), line).toEqual(expected)
    }
  }
)

it("names what is not there as its caller wrote it, and the reference where there is no such path", async () => {
  const said = async (path: string) => (await hub.request("GET", path, { session: mine.session })).body.error
  expect(await said("/api/v1/daemons/vm/status")).toBe("There is no daemon vm in this account.")
  expect(await said("/api/v1/shortcuts/vm:cli:x/status")).toBe("There is no agent vm:cli:x in this account.")
  expect(await said(`/api/v1/daemons/${mine.daemonId}/sessions/s9/events`)).toBe(
    `There is no session s9 of daemon ${mine.daemonId} in this account.`
  )
  expect(await said("/api/v1/registry/providers/none/1.0.0")).toBe("There is no version 1.0.0 of package none.")
  const key = `hub_${"k".repeat(36)}`
  for (const given of [key, key.replace("_", "%5F"), key.replace("h", "%68"), `${"x".repeat(50)},${key}`]) {
    const error = await said(`/api/v1/daemons/${given}/status`)
    expect([error.includes("kkkk"), error.startsWith("There is no daemon ")], given).toEqual([false, true])
  }
  for (const path of ["/v1/daemons", "/api/v1/daemons/"])
    expect(await said(path)).toBe("There is no such path; the reference is at /docs.")
})

it("says what the form of a refused credential shows, and no more", async () => {
  const said = async (authorization: string) =>
    (await hub.request("GET", "/api/v1/me", { headers: { authorization } })).body.error
  const shapeless = "Authorization must be `Bearer` with one credential: `Bearer hub_…`."
  for (const given of [theirs.key, "Basic dXNlcjpwYXNz"]) expect(await said(given)).toBe(shapeless)
  expect(await said("Bearer hubd_x")).toMatch(/^This is a daemon's token; /u)
  expect(await said("Bearer hub_x")).toBe("The credential is invalid or expired.")
})

it("leaves what another account has as it was", async () => {
  const list = async (path: string) => (await hub.request("GET", `/api/v1/${path}`, { session: theirs.session })).body
  expect((await list("webhooks")).webhooks).toMatchObject([{ active: true }])
  expect((await list("api-keys")).apiKeys).toHaveLength(2)
  expect((await list("join-keys")).joinKeys).toHaveLength(1)
  expect((await list("commands")).commands).toMatchObject([{ state: "pending" }])
  expect((await list("jobs")).jobs).toMatchObject([{ state: "running", stop: null }])
})

it("asks no daemon anything on the way to a 404", () => {
  const commands = peers.map(({ frames }) => frames.filter(({ type }) => type === "command").length)
  // its own account's
  expect(commands).toEqual([0, 1])
})

it("leaves another account's daemon connected, in its own list only", async () => {
  const list = await hub.request("GET", "/api/v1/daemons?include=offline", { session: mine.session })
  expect(list.body.daemons.map((one: { id: string }) => one.id)).toEqual([mine.daemonId])
  expect(peers.every((peer) => peer.socket.readyState === peer.socket.OPEN)).toBe(true)
})
