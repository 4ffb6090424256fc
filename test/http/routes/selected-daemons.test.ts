/** Calls by a key that is bound to a selector, while they wait and the tags of their daemon change. */
import { Effect, Fiber, Layer } from "effect"
import { expect, it } from "vitest"
import { Directory } from "../../../actors/commands/directory.ts"
import { StoredCommands } from "../../../actors/commands/stored-commands.ts"
import { makeSelected } from "../../../http/routes/selected-daemons.ts"
import { Bus } from "../../../src/bus/bus.ts"
import { layerMemory } from "../../../src/bus/memory.ts"
import type { NotFound } from "../../../src/errors.ts"
import { Timers } from "../../../src/runtime/timers.ts"

it("are judged at each change and once more, with one timer for each call however often tags change", () => {
  const due: Array<() => void> = []
  let tags: Readonly<Record<string, string>> = { env: "prod" }
  let looks = 0
  const snapshot = () =>
    Effect.sync(() => {
      looks++
      return { daemonId: "dmn_1", tags } as never
    })
  const layers = Layer.mergeAll(
    Layer.succeed(Directory, { snapshot } as never),
    Layer.mock(StoredCommands, {}),
    Layer.succeed(Timers, { after: (_: number, work: () => void) => void due.push(work) } as never),
    layerMemory
  )
  const story = Effect.gen(function* () {
    const routes = (yield* makeSelected)({ wait: (_: unknown) => Effect.never })
    const bus = yield* Bus
    const principal = { accountId: "acc_1", selector: [{ key: "env", is: "equal", value: "prod" }] }
    const call = { principal, params: { daemonId: "dmn_1" } } as never
    const fiber = yield* Effect.forkChild(routes.wait(call) as Effect.Effect<never, NotFound>, {
      startImmediately: true
    })
    const change = () =>
      bus.publish("daemon_tagged", { accountId: "acc_1", daemonId: "dmn_1", ownerTags: { tags, version: 1 } })
    for (let nth = 0; nth < 100; nth++) change()
    expect([looks, due.length]).toEqual([101, 1])
    due.shift()!()
    // one more behind the last change
    expect([looks, due.length]).toEqual([102, 1])
    tags = {}
    due.shift()!()
    expect(yield* Effect.flip(Fiber.join(fiber))).toMatchObject({ _tag: "NotFound" })
    expect(due).toHaveLength(0)
  })
  return Effect.runPromise(Effect.scoped(Effect.provide(story, layers)))
})
