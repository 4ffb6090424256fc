/** Daemons that are found by words, by what they do, and in an order. */
import { beforeAll, describe, expect, it } from "vitest"
import { findCharsMax, findWordsMax } from "../../../src/limits/daemon-api.ts"
import { useHub } from "../../support/hub.ts"
import { connectDaemon } from "../../support/scripted-daemon.ts"
import { until } from "../../support/until.ts"

const agent = (status: string) => ({ id: status, providerType: "claude-code", kind: "agent", transport: "acp", status })

describe("a search of daemons", () => {
  const hub = useHub()
  let session: string
  let other: string
  const ids: Record<string, string> = {}
  const makeFleet = async (names: ReadonlyArray<string>) => {
    const { account, session } = await hub.signedIn()
    for (const hostname of names) {
      const { daemonId, token } = await account.daemonToken()
      ids[hostname] = daemonId
      const platform = hostname.startsWith("mac") ? "darwin" : "linux"
      const version = `${names.length - names.indexOf(hostname)}.0`
      const report = hostname.endsWith("waits") ? [agent("waiting_approval")] : [agent("generating")]
      const peer = await connectDaemon(hub, token, { auth: { hostname, platform, version }, report })
      if (hostname.endsWith("off")) await peer.leave()
    }
    return session
  }
  beforeAll(async () => {
    session = await makeFleet(["build-1", "Build-2-off", "mac-waits", "mac-3-off", "straße 😀-off"])
    other = await makeFleet(["theirs"])
    const body = { tags: { env: "prod", say: 'a"b\\c' } }
    await hub.request("PUT", `/api/v1/daemons/${ids["mac-3-off"]}/tags`, { session, body })
    // what a daemon said is stored within a second of its leaving
    await until(
      "those that left are stored",
      async () => (await find({ status: "offline", q: "off" })).body.total === 3
    )
  })

  const find = (query: Readonly<Record<string, string>>, as = session) =>
    hub.request("GET", `/api/v1/daemons?${new URLSearchParams(query)}`, { session: as })
  const named = async (query: Readonly<Record<string, string>>, as = session) => {
    const { body } = await find(query, as)
    return body.daemons.map(({ hostname }: { hostname: string }) => hostname)
  }
  const all = { include: "offline" }

  it("finds all that have its words, in any case, in names, ids, platforms, versions, tags and agents", async () => {
    for (const [q, names] of [
      ["BUILD", ["build-1", "Build-2-off"]],
      ["mac prod", ["mac-3-off"]],
      ["env=prod", ["mac-3-off"]],
      ["darwin", ["mac-waits", "mac-3-off"]],
      ["5.0", ["build-1"]],
      ["claude", ["build-1", "mac-waits"]],
      ["straße", ["straße 😀-off"]],
      ["theirs", []],
      ['say=a"b\\c', ["mac-3-off"]],
      ["{", []],
      ['"', ["mac-3-off"]],
      ["%", []]
    ] as const)
      expect(await named({ ...all, q }), q).toEqual(names)
    expect(await named({ q: ids["build-1"]!.toUpperCase() })).toEqual(["build-1"])
    expect(await named({ q: ids["build-1"]! }, other)).toEqual([])
    expect(await named({ q: "build" })).toEqual(["build-1"])
  })

  it("finds those that are connected or not, and those of which an agent waits or works", async () => {
    expect(await named({ ...all, status: "online" })).toEqual(["build-1", "mac-waits"])
    expect(await named({ status: "offline", q: "mac" })).toEqual(["mac-3-off"])
    expect(await named({ ...all, status: "waiting" })).toEqual(["mac-waits"])
    expect(await named({ status: "generating" })).toEqual(["build-1"])
    expect(await named({ status: "error" })).toEqual([])
  })

  it("puts them in order, the connected ones first, and says how many there are, page by page", async () => {
    const orders = {
      name: ["build-1", "mac-waits", "Build-2-off", "mac-3-off", "straße 😀-off"],
      version: ["mac-waits", "build-1", "straße 😀-off", "mac-3-off", "Build-2-off"]
    }
    for (const [sort, names] of Object.entries(orders)) {
      const found: Array<string> = []
      let cursor: string | undefined
      do {
        const { body } = await find({ ...all, sort, limit: "2", ...(cursor !== undefined && { cursor }) })
        expect([body.total, body.onlineTotal]).toEqual([5, 2])
        found.push(...body.daemons.map(({ hostname }: { hostname: string }) => hostname))
        cursor = body.nextCursor
      } while (cursor !== undefined)
      expect(found, sort).toEqual(names)
    }
    expect(await named({ ...all, sort: "lastSeen" })).toHaveLength(5)
  })

  it("goes on behind a daemon whose name is as long as any", async () => {
    const long = "😀".repeat(6_000)
    const mine = await makeFleet([`${long}1`, `${long}2`, `${long}3-off`, `${long}4-off`])
    await until("they are stored", async () => (await find({ status: "offline", q: "off" }, mine)).body.total === 2)
    const found = new Set<string>()
    let cursor = ""
    do {
      const { body } = await find({ ...all, sort: "name", limit: "1", ...(cursor && { cursor }) }, mine)
      for (const { id } of body.daemons) found.add(id)
      cursor = body.nextCursor ?? ""
    } while (cursor !== "")
    expect(found.size).toBe(4)
  })

  it("is refused where it asks for too much, or for nothing that there is", async () => {
    for (const query of [
      { q: "x".repeat(findCharsMax + 1) },
      { q: "x ".repeat(findWordsMax + 1) },
      { status: "sleeping" },
      { sort: "colour" },
      { sort: "name", cursor: "none" }
    ] as ReadonlyArray<Record<string, string>>)
      expect((await find(query)).status, JSON.stringify(query).slice(0, 40)).toBe(400)
  })
})
