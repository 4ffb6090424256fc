/** docs/daemon-protocol.md: a daemon's new token and its older ones. */
import { describe, expect, it } from "vitest"
import { ownedDaemon } from "../../support/connected-daemon.ts"
import { useHub } from "../../support/hub.ts"
import { connectDaemon, openDaemon } from "../../support/scripted-daemon.ts"

const hub = useHub()

const enrolledAgain = async () => {
  const mine = await ownedDaemon(hub)
  const session = await mine.account.session()
  const again = async (): Promise<string> => {
    const { status, body } = await hub.request("POST", "/api/v1/daemons/enroll", {
      session,
      body: { daemonId: mine.daemonId }
    })
    expect([status, body.daemonId]).toEqual([201, mine.daemonId])
    return body.token
  }
  return { ...mine, again }
}

describe("a daemon that is enrolled again", () => {
  it("P82: goes on with its token until the new one is used: what was lost on the way locks nobody out", async () => {
    const { token, again } = await enrolledAgain()
    const before = await connectDaemon(hub, token)
    for (let lost = 0; lost < 6; lost++) await again()
    expect(before.socket.readyState).toBe(before.socket.OPEN)
    await before.cut()
    await (await connectDaemon(hub, token)).leave()
  })

  it("P83: ends its older tokens by the first use of the new one: refused from then on, and closed with 4403", async () => {
    const { token, again } = await enrolledAgain()
    const renewed = await again()
    const before = await connectDaemon(hub, token)
    const after = await connectDaemon(hub, renewed)
    expect((await before.closed).code).toBe(4403)
    const refused = await openDaemon(hub, token)
    expect((await refused.nextFrame("auth_error")).data).toMatchObject({ reason: "token_revoked" })
    expect((await refused.closed).code).toBe(4403)
    expect(after.socket.readyState).toBe(after.socket.OPEN)
    await after.leave()
  })
})
