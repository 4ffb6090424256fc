/** The daemons of all accounts through the node that does not hold them. */
import { expect, it } from "vitest"
import { perform } from "../../../src/admin/operations.ts"
import { close } from "../../../src/protocol/close.ts"
import { connectDaemon } from "../../support/scripted-daemon.ts"
import { useTwoHubs } from "../../support/two-hubs.ts"
import { until } from "../../support/until.ts"

const path = "/api/v1/admin/daemons"

const hubs = useTwoHubs()

it("an administrator of two hubs that are one finds a daemon and sends it away through the node that does not hold it, as does the command line", async () => {
  const { one, other } = hubs
  const { daemonId, token } = await (await one.account()).daemonToken()
  const session = await (await other.account({ admin: true })).session()
  const daemon = await connectDaemon(one, token)
  const show = async () => (await other.request("GET", `${path}/${daemonId}`, { session })).body
  expect(await show()).toMatchObject({ online: true, node: expect.any(String) })
  expect(await other.request("POST", `${path}/${daemonId}/disconnect`, { session })).toMatchObject({
    status: 200,
    body: { success: true, wasConnected: true }
  })
  expect((await daemon.closed).code).toBe(close.disconnected.code)
  await until("it is noted", async () => (await show()).lastEndReason === "disconnected")
  const back = await connectDaemon(one, token)
  const answer = await other.inside(perform({ op: "daemon disconnect", daemon: daemonId }))
  expect(answer).toMatchObject({ ok: true, answer: { daemonId, wasConnected: true } })
  expect((await back.closed).code).toBe(close.disconnected.code)
})
