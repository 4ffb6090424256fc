/** What a call with a join key is charged to: the key's own window, or that of its address. */
import { Effect } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { expect, it } from "vitest"
import { access } from "../../../http/api/access.ts"
import { joinKeyTokens } from "../../../src/auth/checksummed-token.ts"
import { type Script, startEdge } from "../../support/edge.ts"

const Joining = HttpApiGroup.make("joining").add(
  HttpApiEndpoint.post("join", "/join", { success: HttpApiSchema.NoContent }).annotateMerge(
    access({ kind: "joinKey", onHangUp: "finish" })
  )
)

it.each<[string, Script, string, number, ReadonlyArray<string>]>([
  [
    "that takes machines: its own window",
    { joinKeysGood: true, addressFull: true },
    joinKeyTokens.make(),
    204,
    ["join"]
  ],
  ["that has its window full: 429", { joinKeysGood: true, joinKeyFull: true }, joinKeyTokens.make(), 429, ["join"]],
  [
    "that takes machines where keys are charged to their address too: both windows",
    { joinKeysGood: true, settings: { rateIpScope: "all" } },
    joinKeyTokens.make(),
    204,
    ["join", "address"]
  ],
  ["that takes none: the address, and the action says what it is", {}, joinKeyTokens.make(), 204, ["address"]],
  ["that takes none, from a full address: 429", { addressFull: true }, joinKeyTokens.make(), 429, ["address"]],
  ["without its form: the address", { joinKeysGood: true }, "hubj_x", 401, ["address"]]
])("a join key is charged %s", async (_, more, bearer, status, charged) => {
  let ran = 0
  const join = () => Effect.sync(() => ran++)
  const { url, asked, close } = await startEdge(more, { joining: { join } }, HttpApi.make("joining").add(Joining))
  const answer = await fetch(`${url}/join`, { method: "POST", headers: { authorization: `Bearer ${bearer}` } })
  await close()
  expect(answer.status).toBe(status)
  expect([asked, ran]).toEqual([charged, status === 204 ? 1 : 0])
})
