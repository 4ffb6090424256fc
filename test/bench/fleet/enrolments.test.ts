/** What a bench enrols at a hub that is not its own is taken back. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it } from "vitest"
import { Enrolments } from "../../../bench/fleet/enrolments.ts"
import { clientsOf } from "../../../bench/servers/hub.ts"
import { UsageError } from "../../../bench/usage-error.ts"

describe("enrolments", () => {
  /** A hub of a few lines: whose logins are recent once, and which may be able to delete. */
  const fakeHub = async (deletes: boolean, limit = Number.POSITIVE_INFINITY) => {
    const calls: Array<string> = []
    let enrolled = 0
    const server = createServer((request, response) => {
      const recent = request.headers.authorization === "Bearer recent"
      const [status, body] = recent
        ? answer(`${request.method} ${request.url}`)
        : [403, { error: "Sign in.", reason: "RECENT_LOGIN_REQUIRED" }]
      response.writeHead(status).end(JSON.stringify(body))
    })
    const answer = (call: string): [number, unknown] => {
      calls.push(call)
      if (call.endsWith("/enroll") && enrolled >= limit)
        return [403, { error: "No more.", reason: "DAEMON_LIMIT_REACHED", limit, plan: "free" }]
      if (call.endsWith("/enroll")) return [201, { daemonId: `dmn_${++enrolled}`, token: "t" }]
      if (call.startsWith("DELETE")) return [deletes ? 200 : 404, {}]
      return [200, {}]
    }
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    let logins = 0
    const clientOf = clientsOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const enrolments = new Enrolments(clientOf("stale"), async () => {
      logins++
      return clientOf("recent")
    })
    const close = () => {
      server.closeAllConnections()
      server.close()
    }
    return { enrolments, calls, logins: () => logins, close }
  }

  it.each([true, false])(
    "are revoked and, where the hub can, deleted (%s), with one login for all",
    async (deletes) => {
      const { enrolments, calls, logins, close } = await fakeHub(deletes)
      await Promise.all(Array.from({ length: 40 }, () => enrolments.enrol()))
      expect(await enrolments.close()).toBe(0)
      const count = (start: string, end = ""): number =>
        calls.filter((call) => call.startsWith(start) && call.endsWith(end)).length
      expect([count("POST", "/enroll"), count("POST", "/revoke")]).toEqual([40, 40])
      if (deletes) expect(count("DELETE")).toBe(40)
      else expect(count("DELETE")).toBeLessThanOrEqual(16)
      expect(logins()).toBe(1)
      await expect(enrolments.enrol()).rejects.toThrow("enrols nothing more")
      close()
    }
  )

  it("that the account's plan does not allow end the bench with what to do, and what it enrolled is taken back", async () => {
    const { enrolments, calls, close } = await fakeHub(true, 3)
    for (let nth = 0; nth < 3; nth++) await enrolments.enrol()
    const refused = await enrolments.enrol().catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(UsageError)
    expect(String(refused)).toContain("the account's plan (free) allows 3 daemons, and the bench needs more")
    expect(await enrolments.close()).toBe(0)
    expect(calls.filter((call) => call.startsWith("DELETE"))).toHaveLength(3)
    close()
  })

  it("that a hub which went away keeps are counted", async () => {
    const { enrolments, close } = await fakeHub(true)
    await enrolments.enrol()
    close()
    expect(await enrolments.close()).toBe(1)
  })
})
