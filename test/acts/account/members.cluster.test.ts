/** The members of an account at two nodes: what one is told counts at the other. */
import { expect, it } from "vitest"
import { openEvents } from "../../support/event-stream.ts"
import { useTwoHubs } from "../../support/two-hubs.ts"
import { until } from "../../support/until.ts"

const api = "/api/v1"

const hubs = useTwoHubs()

it("an account of several people at two nodes has a changed role, and the end of a membership, count at the node that was not told", async () => {
  const { one, other } = hubs
  const { account, session: owner } = await one.signedIn()
  const { personId, ...member } = await account.member("operator")
  const session = await member.session()
  const jobs = async () => (await other.request("GET", `${api}/jobs`, { session })).body.reason
  const streams = [await openEvents(other, session)]
  expect(await jobs()).toBeUndefined()
  const body = { role: "viewer" }
  expect((await one.request("PATCH", `${api}/members/${personId}`, { session: owner, body })).status).toBe(200)
  await until("the role counts", async () => (await jobs()) === "ROLE_TOO_LOW")
  await until("the stream ends", () => streams[0]!.ended())
  streams.push(await openEvents(other, session))
  expect((await one.request("DELETE", `${api}/members/${personId}`, { session: owner })).status).toBe(200)
  await until("the session has ended", async () => (await jobs()) === "AUTH_INVALID")
  await until("the stream ends", () => streams[1]!.ended())
})
