/** Who may read the metrics: this computer, and from elsewhere who brings the operator's token. */
import { describe, expect, it } from "vitest"
import { startHub, useHub } from "../../support/hub.ts"

const metricsToken = "0123456789abcdef-the-token"
// any X-Forwarded-For makes a caller one of another computer
const elsewhere = { "x-forwarded-for": "198.51.100.7" }

describe("the metrics", () => {
  const hub = useHub({
    virtual: true,
    settings: { metricsToken, rateIpPerMinute: 20, trustedProxies: ["127.0.0.0/8"] }
  })

  const asked = (authorization: string | undefined, from: Record<string, string> = elsewhere) =>
    hub.request("GET", "/metrics", { headers: authorization === undefined ? from : { ...from, authorization } })

  it("are open to another computer that brings the token, which is charged to no window", async () => {
    for (let n = 0; n < 30; n++) {
      const { status, text } = await asked(`Bearer ${metricsToken}`)
      expect(status).toBe(200)
      expect(text).toContain("# TYPE hub_requests_total counter")
    }
  })

  it("are 404 to every other caller from elsewhere, each of whom is charged", async () => {
    const others = [undefined, "", "Bearer", `Basic ${metricsToken}`, metricsToken, `Bearer ${metricsToken}x`]
    const tries = [...others, `Bearer ${metricsToken.slice(1)}`, `Bearer ${"x".repeat(8_000)}`]
    const from = { "x-forwarded-for": "198.51.100.8" }
    for (const one of tries) expect((await asked(one, from)).status, one).toBe(404)
    for (let n = tries.length; n < 20; n++) expect((await asked("Bearer wrong", from)).status).toBe(404)
    expect((await asked("Bearer wrong", from)).status).toBe(429)
  })

  it("need no token on this computer", async () => {
    expect((await asked(undefined, {})).status).toBe(200)
    expect((await asked("Bearer wrong", {})).status).toBe(200)
  })

  it("are open to no other computer where no token is set, also not to one with an empty token", async () => {
    const closed = await startHub()
    try {
      for (const headers of [elsewhere, { ...elsewhere, authorization: "Bearer " }])
        expect((await closed.request("GET", "/metrics", { headers })).status).toBe(404)
    } finally {
      await closed.close()
    }
  })
})
