/**
 * Another account's id is indistinguishable from an unknown one: on every route of daemons and agents, for every kind
 * of id, byte by byte.
 */
import fc from "fast-check"
import { beforeAll, expect, it } from "vitest"
import { newId } from "../../../src/domain/ids.ts"
import { bare, type DaemonRoute, daemon, daemonRoutes, targetRoutes } from "../../support/daemon-routes.ts"
import { useHub } from "../../support/hub.ts"
import { connectDaemon, type Peer } from "../../support/scripted-daemon.ts"
import { session } from "../../support/snapshots.ts"
import { until } from "../../support/until.ts"

const hub = useHub()
let mine: { readonly session: string; readonly daemonId: string }
let theirs: { readonly online: string; readonly offline: string }
let peers: ReadonlyArray<Peer>

beforeAll(async () => {
  const [me, other] = [await hub.account(), await hub.account()]
  const [own, online, offline] = [await me.daemonToken(), await other.daemonToken(), await other.daemonToken()]
  const report = [session("s1"), session("s2", { providerType: "goose", transport: "acp" })]
  peers = await Promise.all([own, online].map(({ token }) => connectDaemon(hub, token, { report })))
  mine = { session: await me.session(), daemonId: own.daemonId }
  theirs = { online: online.daemonId, offline: offline.daemonId }
  const key = await other.key(["ide:read"])
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
    await fc.assert(
      fc.asyncProperty(daemonId(), async (id) => {
        expect(bare(await ask(route, id))).toEqual(expected)
      }),
      { numRuns: 20 }
    )
  }
})

it("answers every target of an unknown, a malformed and another account's daemon alike on every route of agents", async () => {
  for (const route of targetRoutes) {
    const expected = bare(await ask(route, `${unknown}:cli:codex-cli`))
    expect(expected.status).toBe(404)
    await fc.assert(
      fc.asyncProperty(daemonId(), targetOf, async (id, target) => {
        expect(bare(await ask(route, target(id)))).toEqual(expected)
      }),
      { numRuns: 20 }
    )
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
  expect(bare(await ask(command, mine.daemonId))).toEqual(bare(await ask(command, unknown)))
})

it("asks no daemon anything on the way to a 404", () => {
  for (const peer of peers) expect(peer.frames.filter((frame) => frame.type === "command")).toEqual([])
})

it("leaves another account's daemon connected, in its own list only", async () => {
  const list = await hub.request("GET", "/api/v1/daemons?include=offline", { session: mine.session })
  expect(list.body.daemons.map((one: { id: string }) => one.id)).toEqual([mine.daemonId])
  expect(peers.every((peer) => peer.socket.readyState === peer.socket.OPEN)).toBe(true)
})
