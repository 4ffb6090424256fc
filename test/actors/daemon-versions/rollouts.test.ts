/** What daemons say of failed updates, as it is noted. */
import { Effect, Layer, ManagedRuntime } from "effect"
import { TestClock } from "effect/testing"
import { expect, it, onTestFinished } from "vitest"
import { OfferedReleases } from "../../../actors/daemon-versions/offered-releases.ts"
import { Rollouts } from "../../../actors/daemon-versions/rollouts.ts"
import { Roster } from "../../../actors/presence/roster.ts"
import { Bus } from "../../../src/bus/bus.ts"
import { layerMemory } from "../../../src/bus/memory.ts"
import { failedUpdatesMax, failedUpdatesMillis } from "../../../src/limits/daemon-versions.ts"
import { DaemonVersions, type UpdateFailure } from "../../../src/store/daemons/daemon-versions.ts"

const scene = async () => {
  const noted: Array<ReadonlyArray<UpdateFailure>> = []
  const layers = Layer.mergeAll(
    Layer.mock(DaemonVersions, {
      failed: (said) => Effect.sync(() => noted.push(said)),
      accounts: () => Effect.succeed([])
    }),
    Layer.mock(OfferedReleases, {
      known: () => ({ own: undefined, kept: [] }),
      read: Effect.succeed({ own: undefined, kept: [] })
    }),
    Layer.succeed(Roster, {} as Roster["Service"]),
    layerMemory
  )
  const runtime = ManagedRuntime.make(
    Rollouts.layer.pipe(Layer.provideMerge(layers), Layer.provideMerge(TestClock.layer()))
  )
  onTestFinished(() => runtime.dispose())
  await runtime.runPromise(Rollouts)
  const bus = await runtime.runPromise(Bus)
  return {
    noted,
    say: (daemonId: string, reason: string) =>
      bus.publish("update_failed", { daemonId, sha256: "ab".repeat(32), reason }),
    second: () => runtime.runPromise(TestClock.adjust(failedUpdatesMillis))
  }
}

it("notes failures once a second in one statement, of each daemon the last", async () => {
  const { noted, say, second } = await scene()
  for (let nth = 0; nth < 1_000; nth++) say(`dmn_${nth % 2}`, String(nth))
  await second()
  await second()
  expect(noted.map((said) => said.map(({ daemonId, reason }) => [daemonId, reason]))).toEqual([
    [
      ["dmn_0", "998"],
      ["dmn_1", "999"]
    ]
  ])
  say("dmn_0", "again")
  await second()
  expect(noted[1]).toMatchObject([{ daemonId: "dmn_0", reason: "again" }])
})

it(`holds those of ${failedUpdatesMax} daemons`, async () => {
  const { noted, say, second } = await scene()
  for (let nth = 0; nth < failedUpdatesMax + 5; nth++) say(`dmn_${nth}`, "x")
  say("dmn_0", "the last")
  await second()
  expect(noted[0]).toHaveLength(failedUpdatesMax)
  expect(noted[0]![0]).toMatchObject({ reason: "the last" })
})
