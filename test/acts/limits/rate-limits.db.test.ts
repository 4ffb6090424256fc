/** The per-minute limits over HTTP: per key, per address, both scopes of the address limit, and behind proxies. */
import { describe, expect, it } from "vitest"
import { joinKeyTokens } from "../../../src/auth/checksummed-token.ts"
import { type TestHub, useHub } from "../../support/hub.ts"

const perKey = 120
const perAddress = 60

describe("the rate limits", () => {
  const hub = useHub({
    virtual: true,
    settings: { rateKeyPerMinute: perKey, rateIpPerMinute: perAddress, trustedProxies: ["127.0.0.0/8"] }
  })

  let addresses = 0
  const newAddress = (): string => {
    const number = ++addresses
    return `198.18.${number >> 8}.${number & 255}`
  }
  type Options = Parameters<TestHub["request"]>[2]
  const get = (path: string, address: string, options: Options = {}) =>
    hub.request("GET", path, { ...options, headers: { "x-forwarded-for": address, ...options.headers } })
  const times = async (
    count: number,
    call: () => Promise<{ readonly status: number }>
  ): Promise<ReadonlyArray<number>> =>
    (await Promise.all(Array.from({ length: count }, call))).map(({ status }) => status)
  const admitted = (statuses: ReadonlyArray<number>): number => statuses.filter((status) => status !== 429).length

  it("admit 120 calls of a key in a minute, and say so on every answer", async () => {
    const key = await (await hub.account()).key(["ide:read"])
    const address = newAddress()
    const first = await get("/api/v1/daemons", address, { key })
    expect(first.headers.get("ratelimit-policy")).toContain(`"key";q=120;w=60`)
    expect(first.headers.get("ratelimit")).toContain(`"key";r=119;t=60`)
    expect(admitted(await times(perKey + 10, () => get("/api/v1/daemons", address, { key })))).toBe(perKey - 1)
    const refused = await get("/api/v1/daemons", address, { key })
    expect(refused.status).toBe(429)
    expect(refused.body).toMatchObject({ code: "RATE_LIMITED", limit: perKey, retryAfter: 60 })
    expect(refused.headers.get("retry-after")).toBe("60")
    expect(refused.headers.get("ratelimit")).toBe('"key";r=0;t=60')
  })

  it("keep apart the keys of one account", async () => {
    const account = await hub.account()
    const [one, other] = [await account.key(["ide:read"]), await account.key(["ide:read"])]
    const address = newAddress()
    await times(perKey + 1, () => get("/api/v1/daemons", address, { key: one }))
    expect((await get("/api/v1/daemons", address, { key: other })).status).toBe(200)
  })

  it("admit 60 calls of an address without a good key: none, junk, sessions, public reads, unknown paths alike", async () => {
    const address = newAddress()
    const session = await (await hub.account()).session()
    const calls = [
      () => get("/api/v1/daemons", address),
      () => get("/api/v1/daemons", address, { key: "junk" }),
      () => get("/api/v1/registry/providers", address),
      () => get("/api/v1/daemons", address, { session }),
      () => get("/nothing/here", address)
    ]
    const statuses: Array<number> = []
    for (let call = 0; call < perAddress + 5; call++) statuses.push((await calls[call % calls.length]!()).status)
    expect(statuses.slice(0, 5)).toEqual([401, 401, 200, 200, 404])
    expect(admitted(statuses)).toBe(perAddress)
    expect(statuses.slice(perAddress)).toEqual([429, 429, 429, 429, 429])
    expect((await get("/api/v1/daemons", newAddress())).status).toBe(401)
  })

  it("leave out what is served from memory: a full address still reads the console and the reference", async () => {
    const address = newAddress()
    await times(perAddress, () => get("/nothing/here", address))
    const pages = ["/", "/console", "/console/app.js", "/console/app.css", "/docs", "/docs.md", "/docs/daemons.list.md"]
    for (const path of [...pages, "/openapi.json", "/asyncapi.json", "/llms.txt"]) {
      const { status } = await get(path, address)
      expect([path, status]).toEqual([path, 200])
    }
  })

  it("count machines that join by a good key by that key alone, and others by their address", async () => {
    const address = newAddress()
    const session = await (await hub.account({ plan: "pro" })).session()
    const made = await hub.request("POST", "/api/v1/join-keys", { session, body: { name: "fleet", maxUses: 65 } })
    const join = (key: string) =>
      hub.request("POST", "/api/v1/daemons/join", { key, body: {}, headers: { "x-forwarded-for": address } })
    await times(perAddress, () => get("/nothing/here", address))
    const statuses: Array<number> = []
    for (let nth = 0; nth < perAddress + 5; nth++) statuses.push((await join(made.body.key)).status)
    expect(new Set(statuses)).toEqual(new Set([201]))
    // used up: from here on it is a key like any that the hub does not know
    expect([(await join(made.body.key)).status, (await join(joinKeyTokens.make())).status]).toEqual([429, 429])
  })

  it("say 429 as a page to who prefers one and asks for no call of the API, with the same headers", async () => {
    const address = newAddress()
    await times(perAddress, () => get("/nothing/here", address))
    const { port } = new URL(hub.url)
    const read = (accept: string, path = "/nothing/here") =>
      fetch(`http://127.0.0.1:${port}${path}`, { headers: { accept, "x-forwarded-for": address } })
    const page = await read("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
    expect([page.status, page.headers.get("content-type")]).toEqual([429, "text/html; charset=utf-8"])
    expect(page.headers.get("retry-after")).toBe("60")
    expect(await page.text()).toContain("Try again in 60 seconds.")
    for (const accept of ["*/*", "application/json", "application/json, text/html;q=0.5", "text/html;q=0"])
      expect(await (await read(accept)).json()).toMatchObject({ code: "RATE_LIMITED", retryAfter: 60 })
    const call = await (await read("text/html", "/api/v1/registry/providers")).json()
    expect(call).toMatchObject({ code: "RATE_LIMITED", retryAfter: 60 })
  })

  it("take an IPv6 /64 for one address", async () => {
    let host = 0
    const site = `2001:db8:${(++addresses).toString(16)}`
    const call = () => get("/api/v1/daemons", `${site}:1::${(++host).toString(16)}`)
    expect(admitted(await times(perAddress + 20, call))).toBe(perAddress)
    expect((await get("/api/v1/daemons", `${site}:2::1`)).status).toBe(401)
  })

  it("do not believe a forwarded address left of an untrusted hop", async () => {
    const proxy = newAddress()
    let forged = 0
    const call = () => get("/api/v1/daemons", `192.0.2.${++forged % 250}, ${proxy}`)
    expect(admitted(await times(perAddress + 20, call))).toBe(perAddress)
  })

  it("do not believe any forwarded address of a peer that is no trusted proxy", async () => {
    await hub.restart({ trustedProxies: [] })
    expect(admitted(await times(perAddress + 20, () => get("/api/v1/daemons", newAddress())))).toBe(perAddress)
  })
})
