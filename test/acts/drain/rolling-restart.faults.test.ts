/**
 * A rolling restart of three nodes under load. Real processes; test/acts/drain/rolling-restart-program.ts is the same,
 * larger and counted.
 */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { databaseMissing } from "../../support/database.ts"
import type { Nodes } from "../../support/node-processes.ts"
import { startOwnNodes } from "../../support/own-node-processes.ts"
import { hasRedis } from "../../support/redis-server.ts"
import { rollingRestart } from "../../support/rolling-restart.ts"

/** A command waits 5 s for a daemon that moves. A crowded machine may take longer in any one run, not in each. */
const timesMax = 3
const patienceMillis = 600_000

describe.runIf(hasRedis && !databaseMissing)("a rolling restart of three nodes", () => {
  let hub: Nodes
  beforeEach(async () => {
    // whoever is slow to come back on a crowded machine was never gone
    const node = { HUB_RECONNECT_SPREAD: "1s", HUB_DISCONNECT_GRACE: "10m" }
    const nodes = [node, node, node]
    hub = await startOwnNodes(nodes)
  })
  afterEach(() => hub?.close())

  it(
    "fails no command, sends none twice, tells of no daemon that it is gone, and each node ends well",
    async () => {
      let failures: Readonly<Record<string, number>> = {}
      for (let times = 0; times < timesMax; times++) {
        const rolled = await rollingRestart(hub, { daemons: 20, perSecond: 20, kept: false, patient: false })
        const { calls, codes, arrived, falselyGone, falselyBack } = rolled
        expect([falselyGone, falselyBack]).toEqual([0, 0])
        expect(codes).toEqual([0, 0, 0])
        expect(arrived).toBeLessThanOrEqual(calls.asked)
        failures = calls.failures
        if (calls.succeeded === calls.asked) return
      }
      expect(failures).toEqual({})
    },
    patienceMillis
  )
})
