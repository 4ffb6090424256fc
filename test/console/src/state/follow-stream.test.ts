/** How long a page follows a stream. */
import { expect, it, vi } from "vitest"
import { createClient } from "../../../../client/src/client.ts"
import { follow } from "../../../../console/src/state/follow-stream.ts"
import { scripted, stream } from "../../../client/scripted-fetch.ts"

it("goes on once the hub is back, however long it was away", async () => {
  vi.stubGlobal("document", { visibilityState: "visible", addEventListener: () => 0, removeEventListener: () => 0 })
  const lost = Array.from({ length: 200 }, () => new TypeError("fetch failed"))
  const { options, waited } = scripted([...lost, stream('id: 1\ndata: {"event":"daemon:connect"}\n\n')])
  const { events } = createClient(options)
  const told = await new Promise((resolve, reject) => {
    const stop = follow({
      open: (given) => events.stream({}, given),
      item: (item) => {
        stop()
        resolve(item)
      },
      state: () => undefined,
      failed: reject
    })
  })
  expect(told).toMatchObject({ type: "event", id: "1" })
  expect(waited.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(1_800_000)
  vi.unstubAllGlobals()
})
