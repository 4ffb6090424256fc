/** Where daemons of other nodes are, up to the bounds of what is remembered. */
import { Effect } from "effect"
import { expect } from "vitest"
import { makeDaemonLocations } from "../../../actors/cluster/daemon-locations.ts"
import { newId } from "../../../src/domain/ids.ts"
import { daemonLocationsMax, nodesDrainingMax } from "../../../src/limits/nodes.ts"
import type { PresenceStore } from "../../../src/store/daemons/presence.ts"
import { it } from "../../support/effect-test.ts"

const account = "acc"

/** Places over a store that has every daemon on one node. */
const start = makeDaemonLocations({
  places: (ids: ReadonlyArray<string>) =>
    Effect.succeed(ids.map((daemonId) => ({ daemonId, accountId: account, node: "there" })))
} as unknown as PresenceStore["Service"])

it.effect(
  `the place of a daemon on another node is remembered for ${daemonLocationsMax} daemons; beyond, the one unasked longest is forgotten`,
  function* () {
    const places = yield* start
    const ids = Array.from({ length: daemonLocationsMax }, () => newId("daemon"))
    yield* Effect.forEach(ids, (id) => places.read(account, id), { concurrency: 1_000, discard: true })
    const [oldest, second] = ids as [string, string]
    expect(places.remembered(account, oldest)).toBe("there")
    yield* places.read(account, newId("daemon"))
    expect(places.remembered(account, oldest)).toBe("there")
    expect(places.remembered(account, second)).toBeUndefined()
  }
)

it.effect(
  `the place of a daemon on another node is not believed where its node drains, as far as the ${nodesDrainingMax} last that drain`,
  function* () {
    const places = yield* start
    const id = newId("daemon")
    yield* places.read(account, id)
    places.draining("there")
    for (let nth = 1; nth < nodesDrainingMax; nth++) places.draining(`n${nth}`)
    expect(places.remembered(account, id)).toBeUndefined()
    for (let nth = 0; nth < nodesDrainingMax; nth++) places.draining(`more${nth}`)
    expect(places.remembered(account, id)).toBe("there")
  }
)
