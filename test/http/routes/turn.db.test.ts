/** TURN credentials over HTTP: which callers get them, what they contain, and how an override removes them. */
import { describe, expect, it } from "vitest"
import { perform } from "../../../src/admin/operations.ts"
import { useHub } from "../../support/hub.ts"

const path = "/api/v1/turn/credentials"
const turnUrls = ["turn:turn.example.org:3478?transport=udp"]

describe("TURN credentials", () => {
  const hub = useHub({ virtual: true, settings: { turnUrls, turnSecret: "shared" } })

  it("are STUN and TURN for a session, cached for its account the second time", async () => {
    const { account, session } = await hub.signedIn({ plan: "ultra" })
    const first = await hub.request("GET", path, { session })
    expect(first).toMatchObject({
      status: 200,
      body: {
        turn: true,
        plan: "ultra",
        cached: false,
        ttl: 7_200,
        iceServers: [{ urls: [expect.stringMatching(/^stun:/u)] }, { urls: turnUrls }]
      }
    })
    expect(first.body.iceServers[1].username).toMatch(new RegExp(`^\\d+:${account.accountId}$`, "u"))
    expect(first.headers.get("cache-control")).toBe("no-store")
    const again = await hub.request("GET", path, { session })
    expect(again.body).toMatchObject({ cached: true, iceServers: first.body.iceServers })
  })

  it("are refused to nobody, to an API key and to an expired session in their own ways", async () => {
    const account = await hub.account()
    const nobody = await hub.request("GET", path)
    const key = await hub.request("GET", path, { key: await account.key(["ide:read"]) })
    const expired = await hub.request("GET", path, { session: await account.session({ expired: true }) })
    expect([nobody.status, nobody.body.code]).toEqual([401, "AUTH_REQUIRED"])
    expect([key.status, key.body.code]).toEqual([403, "AUTH_FORBIDDEN"])
    expect([expired.status, expired.body.code, expired.body.reason]).toEqual([401, undefined, "TOKEN_EXPIRED"])
  })

  it("are STUN only at once for a plan or an account that an administrator named, and TURN again after", async () => {
    const { account, session } = await hub.signedIn({ plan: "free" })
    const turn = async () => (await hub.request("GET", path, { session })).body.turn
    await hub.inside(perform({ op: "turn enable", plan: "free" }))
    expect(await turn()).toBe(true)
    await hub.inside(perform({ op: "turn disable", plan: "free" }))
    expect(await turn()).toBe(false)
    await hub.inside(perform({ op: "turn enable", plan: "free" }))
    expect(await turn()).toBe(true)
    await hub.inside(perform({ op: "turn disable", account: account.email }))
    expect(await turn()).toBe(false)
    expect(await hub.inside(perform({ op: "turn disable", account: account.email, plan: "free" }))).toMatchObject({
      ok: false
    })
  })
})
