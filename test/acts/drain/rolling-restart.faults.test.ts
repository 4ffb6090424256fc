/**
 * A rolling restart under load. Real processes. Larger: HUB_TEST_NODES, HUB_TEST_DAEMONS, HUB_TEST_PER_SECOND, and
 * HUB_TEST_CONNECTIONS=kept for callers who keep theirs.
 */
import { expect, it } from "vitest"
import { onNodes } from "../../support/own-node-processes.ts"
import { atNight, sizeOf } from "../../support/run-sizes.ts"
import { rollingRestart } from "./rolling-restart.ts"

const count = sizeOf("NODES", atNight ? 3 : 2)
// whoever is slow to come back on a crowded machine was never gone
const node = { HUB_RECONNECT_SPREAD: "1s", HUB_DISCONNECT_GRACE: "10m" }

onNodes(`a rolling restart of ${count} nodes`, { nodes: Array.from({ length: count }, () => node) }, (hub) => {
  it("answers each command that it sends, tells of no daemon that it is gone, and each node ends well", async () => {
    const { calls, codes, arrived, falselyGone, falselyBack } = await rollingRestart(hub, {
      daemons: sizeOf("DAEMONS", 20),
      perSecond: sizeOf("PER_SECOND", 20),
      kept: process.env["HUB_TEST_CONNECTIONS"] === "kept"
    })
    expect([falselyGone, falselyBack]).toEqual([0, 0])
    expect(codes).toEqual(codes.map(() => 0))
    // a command waits 5 s for a daemon that moves: it is for a machine to say whether that is enough
    expect(Object.keys(calls.failures).filter((one) => !one.includes("DAEMON_SOCKET_LOST"))).toEqual([])
    const lost = Object.values(calls.failures).reduce((sum, times) => sum + times, 0)
    // each that came to a daemon came once, and its answer to the caller, unless the caller was told that it was lost
    expect(arrived).toBeGreaterThanOrEqual(calls.succeeded)
    expect(arrived).toBeLessThanOrEqual(calls.succeeded + lost)
  })
})
