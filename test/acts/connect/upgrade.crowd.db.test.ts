/** docs/daemon-protocol.md: sockets that come in a crowd, with other requests answered in the same turns. */
import { beforeAll, describe, expect, it } from "vitest"
import { type Owned, ownedDaemon } from "../../support/connected-daemon.ts"
import { useHub } from "../../support/hub.ts"
import { connectDaemon } from "../../support/scripted-daemon.ts"

const crowd = 24
const rounds = 8

const hub = useHub({ virtual: true })
let owned: ReadonlyArray<Owned>
beforeAll(async () => {
  owned = await Promise.all(Array.from({ length: crowd }, () => ownedDaemon(hub)))
})

/** All connect at once while each one's account reads; says what became of those that were not welcomed. */
const comeAtOnce = async (): Promise<ReadonlyArray<unknown>> => {
  const came = await Promise.allSettled(
    owned.map(async ({ token, key }) => {
      const [peer, read] = await Promise.all([
        connectDaemon(hub, token),
        hub.request("GET", "/api/v1/daemons", { key }),
        hub.request("GET", "/api/v1/usage", { key })
      ])
      expect(read.status).toBe(200)
      return peer
    })
  )
  await Promise.all(came.map((one) => (one.status === "fulfilled" ? one.value.leave() : undefined)))
  return came.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []))
}

describe("daemons that come at once", () => {
  it("P72: are all welcomed, the first time and again, while other requests are answered", async () => {
    for (let round = 0; round < rounds; round++) expect([round, await comeAtOnce()]).toEqual([round, []])
  })
})
