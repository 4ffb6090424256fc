/** The cookie of the console's session over https: whose it can be, and what is left of the name that it had. */
import { describe, expect, it } from "vitest"
import { consoleCookie } from "../../../http/routes/console-cookie.ts"
import { oldConsoleCookieBefore } from "../../../src/limits/gate.ts"
import { useHub } from "../../support/hub.ts"

const path = "/console/session"

describe("the console's session over https", () => {
  const hub = useHub({ settings: { publicUrl: "https://hub.test/" } })
  const resume = (cookie: string) => hub.request("GET", path, { headers: { cookie } })

  it("is in a cookie that only its own host can have set, and none under another name is taken", async () => {
    const session = await (await hub.account()).session()
    const { headers } = await hub.request("POST", path, { session, body: {} })
    const [own, old] = headers.getSetCookie()
    expect(own).toMatch(/^__Host-hub_console=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict; Secure$/u)
    expect(old).toBe("__Secure-hub_console=; Max-Age=0; Path=/console/session; HttpOnly; SameSite=Strict; Secure")
    expect((await resume(own!.split(";")[0]!)).body.session).toMatchObject({ token: session })
    expect((await resume(`hub_console=${session}`)).body).toEqual({ session: null })
    const ended = (await hub.request("DELETE", path)).headers.getSetCookie()
    expect(ended.map((line) => line.split("; ").slice(0, 2).join(" "))).toEqual([
      "__Host-hub_console= Max-Age=0",
      "__Secure-hub_console= Max-Age=0"
    ])
  })

  it("is taken from the name that it had, and moved, where its login is from before; of two the new one counts", async () => {
    const account = await hub.account()
    const before = await account.session({ authTime: oldConsoleCookieBefore / 1_000 - 1 })
    const after = await account.session({ authTime: oldConsoleCookieBefore / 1_000 })
    const moved = await resume(`__Secure-hub_console=${before}`)
    expect(moved.body.session).toMatchObject({ token: before })
    expect(moved.headers.getSetCookie()[0]).toMatch(/^__Host-hub_console=ey/u)
    const planted = await resume(`__Secure-hub_console=${after}`)
    expect([planted.body, planted.headers.getSetCookie()]).toEqual([{ session: null }, []])
    const both = await resume(`__Secure-hub_console=${before}; __Host-hub_console=${after}`)
    expect(both.body.session).toMatchObject({ token: after })
  })

  it("stays below the hub's path, where the host has other programs", () => {
    const [line, ...more] = consoleCookie(new URL("https://hub.test/below/")).set("t", 1)
    expect(line).toEqual([
      "set-cookie",
      "__Secure-hub_console=t; Max-Age=1; Path=/below/console/session; HttpOnly; SameSite=Strict; Secure"
    ])
    expect(more).toEqual([])
  })
})
