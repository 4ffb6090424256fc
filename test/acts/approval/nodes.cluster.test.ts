/** Approvals and policies on two nodes: the first answer counts, and a change reaches the daemons of each. */
import { describe, expect, it } from "vitest"
import { reported } from "../../support/connected-daemon.ts"
import { connectDaemon } from "../../support/scripted-daemon.ts"
import { useTwoHubs } from "../../support/two-hubs.ts"
import { until } from "../../support/until.ts"

const api = "/api/v1/approvals"

describe("approvals of two nodes", () => {
  const { one, other } = useTwoHubs()
  const owner = async (activeModal: object) => {
    const { account, key } = await one.withKey(["agent:read", "agent:control"])
    const { token } = await account.daemonToken()
    const report = [reported("s1", { status: "waiting_approval", activeModal })]
    const peer = await connectDaemon(one, token, { auth: { capabilities: ["policies"] }, report })
    const { approvalId } = await until("the other node lists it", async () => {
      const { body } = await other.request("GET", api, { key })
      return body.approvals?.[0]
    })
    const answer = (hub: typeof one, decision: string) =>
      hub.request("POST", `${api}/${approvalId}`, { key, body: { decision } })
    return { account, peer, answer }
  }

  it.each([
    ["named by its daemon", { promptId: "p1", message: "Go?", buttons: [] }],
    ["without a name", { message: "Go?", buttons: [] }]
  ])("takes the first of two answers at once to a question %s, and tells each node whose it was", async (_, modal) => {
    const { peer, answer } = await owner(modal)
    const both = [answer(one, "approve"), answer(other, "reject")]
    const command = await peer.nextCommand()
    const late = await Promise.race(both)
    expect(late).toMatchObject({ status: 409, body: { reason: "ALREADY_RESOLVED", by: { kind: "key" } } })
    command.succeed({})
    const statuses = (await Promise.all(both)).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 409])
    peer.report([reported("s1")])
    const { action } = command.payload
    for (const hub of [one, other])
      await until("it is known who answered", async () => {
        const { status, body } = await answer(hub, "approve")
        return status === 409 && body.reason === "ALREADY_RESOLVED" && body.decision === action
      })
    expect(peer.frames.filter(({ type }) => type === "command")).toHaveLength(1)
    await peer.leave()
  })

  it("tells a daemon of one node the policies that are written at the other", async () => {
    const { account, peer } = await owner({ promptId: "p1", message: "Go?", buttons: [] })
    const session = await account.session()
    const rules = [{ action: "read", resource: "*", effect: "allow" }]
    await other.request("PUT", "/api/v1/policies/all", { session, body: { rules } })
    await until("it is told", () =>
      peer.frames.some(({ type, data }) => type === "policy" && data.rules[0]?.rule === "all/1")
    )
    await peer.leave()
  })
})
