/** docs/daemon-protocol.md: updates. Policies of versions, and what the daemons that they apply to are told. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { rolloutMillis, updateHoldMillis, updateMillisMax } from "../../../src/limits/daemon-versions.ts"
import { counted } from "../../../src/runtime/metrics.ts"
import { DaemonReleases } from "../../../src/store/daemons/daemon-releases.ts"
import type { TestAccount } from "../../support/hub.ts"
import { useHub } from "../../support/hub.ts"
import { connectDaemon } from "../../support/scripted-daemon.ts"
import { until } from "../../support/until.ts"

const release = { version: "9.0.0", sha256: "ab".repeat(32), minNode: "20.12", program: new Uint8Array() }
const path = "/api/v1/daemon-versions"
const isUpdate = ({ type }: { readonly type: string }) => type === "update"
const able = { capabilities: ["self_update"] }

describe("a policy of versions", () => {
  const hub = useHub({ virtual: true, release })

  const owner = async () => {
    const { account, session } = await hub.signedIn({ plan: "enterprise" })
    const ask = (method: string, id = "", body?: unknown) =>
      hub.request(method, id === "" ? path : `${path}/${id}`, { session, ...(body !== undefined && { body }) })
    const update = async (daemonId: string) =>
      (await hub.request("GET", `/api/v1/daemons/${daemonId}/status`, { session })).body.update
    return { account, session, ask, update }
  }
  const machine = async (account: TestAccount, auth: Readonly<Record<string, unknown>> = able) => {
    const { daemonId, token } = await account.daemonToken()
    const connect = (more: Readonly<Record<string, unknown>> = {}) =>
      connectDaemon(hub, token, { auth: { version: "1.0.0", ...auth, ...more }, report: [] })
    return { daemonId, connect }
  }
  /** Rounds of the hub, until what was asked for is so. */
  const rounds = <A>(what: string, is: () => A | undefined | Promise<A | undefined>) =>
    until(what, async () => {
      await hub.advance(rolloutMillis)
      return is()
    })

  it("may name a version from when a hub has given it to a machine, however short that hub's life was", async () => {
    expect((await fetch(`${hub.url}/daemon/${release.sha256}/hub-daemon.mjs`)).status).toBe(200)
    await until("it is kept", async () => {
      const kept = await hub.inside(Effect.flatMap(DaemonReleases, ({ list }) => list))
      return kept.some(({ version }) => version === release.version)
    })
  })

  it("P120: `update` goes to a daemon that named `self_update`, to no other, and to none without a policy", async () => {
    const { account, ask, update } = await owner()
    const [one, two] = [await machine(account), await machine(account, {})]
    const [able, unable] = [await one.connect(), await two.connect()]
    await hub.advance(4 * rolloutMillis)
    expect(await update(one.daemonId)).toBeUndefined()
    expect(able.frames.some(isUpdate)).toBe(false)
    expect(await ask("PUT", "all", { version: "hub" })).toMatchObject({ status: 200 })
    const told = await rounds("it is told", () => able.frames.find(isUpdate))
    const { version, sha256 } = release
    const url = `/daemon/${sha256}/hub-daemon.mjs`
    expect(told.data).toEqual({ version, sha256, url, deadlineMs: updateMillisMax })
    expect(await update(one.daemonId)).toEqual({ state: "updating", policy: "all", version, reason: null })
    expect(await update(two.daemonId)).toMatchObject({ state: "pending" })
    await hub.advance(2 * rolloutMillis)
    expect(unable.frames.some(isUpdate)).toBe(false)
    await Promise.all([able.leave(), unable.leave()])
  })

  it("P121, P122: comes again while the daemon is here as it was, and counts 5 minutes after it is back on one connection", async () => {
    const { account, ask, update } = await owner()
    const one = await machine(account)
    const before = await one.connect()
    await ask("PUT", "all", { version: "hub", maxFailures: 1 })
    await rounds("it comes again", () => before.frames.filter(isUpdate).length > 2)
    await before.leave()
    const done = counted("hub_daemon_updates_total", "done")
    const after = await one.connect({ version: release.version })
    await hub.advance(updateHoldMillis / 2)
    expect(await update(one.daemonId)).toMatchObject({ state: "updating" })
    await rounds("it counts", async () => (await update(one.daemonId)).state === "current")
    expect(counted("hub_daemon_updates_total", "done")).toBeGreaterThan(done)
    expect(await ask("GET", "all")).toMatchObject({ body: { states: { current: 1, failed: 0 }, stopped: false } })
    await after.leave()
  })

  it("P123: `update_result` says at once that it failed and why, and at `maxFailures` no other is told", async () => {
    const { account, session, ask, update } = await owner()
    const [one, two] = [await machine(account), await machine(account)]
    const peers = new Map([
      [one.daemonId, await one.connect()],
      [two.daemonId, await two.connect()]
    ])
    await ask("PUT", "all", { version: "hub", canary: { count: 1, minutes: 10 } })
    const first = await rounds("one is told", () => [...peers].find(([, { frames }]) => frames.some(isUpdate)))
    const [daemonId, peer] = first
    peer.send("update_result", { sha256: "cd".repeat(32), success: false, error: "another" })
    peer.send("update_result", { sha256: release.sha256, success: false, error: "the checksum is another" })
    await until("it has failed", async () => (await update(daemonId)).state === "failed" || hub.advance(5_000))
    expect(await update(daemonId)).toMatchObject({ reason: "the checksum is another" })
    const { body } = await hub.request("GET", "/api/v1/daemons", { session })
    expect(body.daemons.map((each: { update: { state: string } }) => each.update.state).sort()).toEqual([
      "failed",
      "pending"
    ])
    const found = async (query: string) =>
      (await hub.request("GET", `/api/v1/daemons?${query}`, { session })).body.daemons.map(
        ({ id }: { id: string }) => id
      )
    expect(await found("update=failed")).toEqual([daemonId])
    await hub.advance(20 * rolloutMillis)
    expect(await ask("GET", "all")).toMatchObject({ body: { states: { failed: 1, pending: 1 }, stopped: true } })
    const told = () => [...peers.values()].reduce((sum, { frames }) => sum + frames.filter(isUpdate).length, 0)
    const stood = told()
    // put again, its failure is forgotten
    await ask("PUT", "all", { version: "hub", canary: { count: 1, minutes: 10 } })
    await rounds("one is told again", () => told() > stood)
    await Promise.all([...peers.values()].map((each) => each.leave()))
    await rounds(
      "one of those that left is found",
      async () => (await found("status=offline&update=pending")).length === 1
    )
  })

  it("goes back to a version that this hub served before it was upgraded, and gives its program", async () => {
    const { account, ask } = await owner()
    const { connect } = await machine(account)
    const peer = await connect()
    const before = { version: "0.9.0", sha256: "cd".repeat(32) }
    const text = "// the one before"
    await hub.inside(Effect.flatMap(DaemonReleases, ({ keep }) => keep(before, new TextEncoder().encode(text), 0)))
    expect((await ask("GET")).body.kept).toEqual([{ version: release.version, sha256: release.sha256 }, before])
    expect(await ask("PUT", "all", { version: before.version })).toMatchObject({ status: 200 })
    const { data } = await rounds("it is told", () => peer.frames.find(isUpdate))
    const url = `/daemon/${before.sha256}/hub-daemon.mjs`
    expect(data).toEqual({ ...before, url, deadlineMs: updateMillisMax })
    expect(await (await fetch(hub.url + url)).text()).toBe(text)
    await peer.leave()
  })

  it("that this version cannot read, as of a later one, keeps the daemons of no other account from theirs", async () => {
    const [one, two] = [await owner(), await owner()]
    const [broken, whole] = one.account.accountId < two.account.accountId ? [one, two] : [two, one]
    const { connect } = await machine(whole.account)
    const peer = await connect()
    for (const { ask } of [broken, whole]) await ask("PUT", "all", { version: "hub" })
    const { connect: connectBroken } = await machine(broken.account)
    const other = await connectBroken()
    const { accountId } = broken.account
    await hub.sql(
      (sql) =>
        sql`update daemon_versions set window_json = '{"from":0,"to":1440}'::json where account_id = ${accountId}`
    )
    await rounds("it is told", () => peer.frames.find(isUpdate))
    expect(other.frames.some(isUpdate)).toBe(false)
    await broken.ask("DELETE", "all")
    await Promise.all([peer.leave(), other.leave()])
  })

  it("is written, shown, listed and removed, and each change is in the audit log", async () => {
    const { account, session, ask } = await owner()
    const { daemonId } = await account.daemonToken()
    const window = { days: ["sat", "sun"], from: "22:00", to: "06:30" }
    const night = { selector: "env=prod", version: "hub", window, canary: { percent: 5, minutes: 60 }, paused: true }
    const shown = { id: "night", daemonId: null, maxFailures: 1, ...night }
    expect(await ask("PUT", "night", night)).toMatchObject({ status: 200, body: shown })
    expect(await ask("PUT", "pin", { daemonId, version: "hold" })).toMatchObject({ body: { daemonId, selector: "" } })
    const served = { version: "9.0.0", sha256: release.sha256 }
    expect((await ask("GET")).body).toMatchObject({ policies: [shown, { id: "pin" }], served })
    expect(await ask("DELETE", "pin")).toMatchObject({ status: 200, body: { id: "pin" } })
    expect(await ask("DELETE", "pin")).toMatchObject({ status: 404 })
    const { body } = await hub.request("GET", "/api/v1/audit?action=daemon_version.set", { session })
    expect(body.events.map(({ object, detail }: Record<string, string>) => `${object} ${detail}`).sort()).toEqual([
      "night hub",
      "pin hold"
    ])
  })

  it.each([
    ["a version that this hub does not serve", { version: "8.0.0" }, 400],
    ["a selector that cannot be read", { version: "hub", selector: "=" }, 400],
    ["a canary of neither a number nor a part", { version: "hub", canary: { minutes: 1 } }, 400],
    ["a time that is none", { version: "hub", window: { from: "24:00", to: "06:00" } }, 400],
    ["a daemon of another account", { version: "hold", daemonId: "dmn_00000000000000000000" }, 404]
  ])("with %s is refused", async (_, body, status) => {
    const { ask } = await owner()
    expect(await ask("PUT", "all", body)).toMatchObject({ status })
  })

  it("is none of a key's or of another account's, and an account has 50", async () => {
    const { account, ask } = await owner()
    const key = await account.key(["ide:control"])
    expect(await hub.request("PUT", `${path}/all`, { key, body: { version: "hub" } })).toMatchObject({ status: 403 })
    await Promise.all(Array.from({ length: 50 }, (_, at) => ask("PUT", `p${at}`, { version: "hold" })))
    expect(await ask("PUT", "more", { version: "hold" })).toMatchObject({ status: 400 })
    expect(await ask("PUT", "p7", { version: "hub" })).toMatchObject({ status: 200 })
    expect((await (await owner()).ask("GET")).body.policies).toEqual([])
  })
})
