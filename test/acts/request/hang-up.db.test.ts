/** What a caller who hangs up means, as each endpoint of the contract declares it. */
import { Deferred, Effect } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { afterEach, expect, it } from "vitest"
import { access } from "../../../http/api/access.ts"
import { startEdge, type TestEdge } from "../../support/edge.ts"
import { until } from "../../support/until.ts"

const at = (name: "cancel" | "finish") =>
  HttpApiEndpoint.get(name, `/${name}`).annotateMerge(
    access({ kind: "public", onHangUp: name, streams: "StreamedEvent" })
  )
const Group = HttpApiGroup.make("calls").add(at("cancel"), at("finish"))

let edge: TestEdge | undefined
afterEach(async () => {
  await edge?.close()
  edge = undefined
})

/** A call that waits for `end`, whose caller hangs up once it has begun. */
const hungUp = async (name: "cancel" | "finish") => {
  const end = Deferred.makeUnsafe<void>()
  const seen: Array<string> = []
  const act = () =>
    Effect.sync(() => seen.push("begun")).pipe(
      Effect.andThen(Deferred.await(end)),
      Effect.andThen(Effect.sync(() => seen.push("finished"))),
      Effect.onInterrupt(() => Effect.sync(() => seen.push("interrupted")))
    )
  edge = await startEdge({}, { calls: { cancel: act, finish: act } }, HttpApi.make("hang-up").add(Group))
  const { exchanges } = edge.edge.server
  const caller = new AbortController()
  const call = fetch(`${edge.url}/${name}`, { signal: caller.signal }).catch(() => undefined)
  await until("the call has begun", () => seen.includes("begun"))
  caller.abort()
  await call
  return { end, seen, exchanges }
}

it("interrupts a call whose endpoint says cancel", async () => {
  const { seen, exchanges } = await hungUp("cancel")
  await until("it is interrupted", () => seen.includes("interrupted"))
  expect([seen, exchanges.live]).toEqual([["begun", "interrupted"], 0])
})

it("runs a call to its end whose endpoint says finish, and a drain waits for it", async () => {
  const { end, seen, exchanges } = await hungUp("finish")
  await until("the hub sees the hang-up", () => edge!.edge.server.open.size === 0)
  expect([seen, exchanges.live]).toEqual([["begun"], 1])
  Deferred.doneUnsafe(end, Effect.void)
  await until("it is finished", () => seen.includes("finished"))
  await until("nothing is left for a drain", () => exchanges.live === 0)
})
