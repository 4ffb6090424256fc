/** A line that falls while a node starts, or only seems to stand: nobody waits for it. */
import { Cause, Effect, Fiber, Logger } from "effect"
import { describe, expect } from "vitest"
import { makeRpc } from "../../../../actors/cluster/redis/rpc.ts"
import { failureOf } from "../../../../actors/cluster/redis/rpc-messages.ts"
import { StoreFailed } from "../../../../src/errors.ts"
import { nodeWorksMax } from "../../../../src/limits/nodes.ts"
import { overloadRetrySeconds } from "../../../../src/limits.ts"
import { it } from "../../../support/effect-test.ts"

/** A node without a daemon. */
const nobody = {
  command: () => undefined,
  subscribeLog: () => undefined,
  order: () => false,
  snapshot: () => undefined,
  of: () => [],
  watch: () => Effect.never
}

/** A line whose messages are kept, and whose listeners are told by hand. */
const heardLine = () => {
  const said: Array<unknown> = []
  const ears = new Map<string, (heard: unknown) => void>()
  const line = {
    tellNode: (_: string, __: string, json: string) => void said.push(JSON.parse(json)),
    hear: (kind: string, listener: (heard: unknown) => void) => Effect.sync(() => void ears.set(kind, listener)),
    gaps: () => Effect.void
  }
  return { said, ears, line }
}

describe("a question to another node", () => {
  const asked: Array<string> = []
  const wire = { tellNode: (node: string) => void asked.push(node), hear: () => Effect.void, gaps: () => Effect.void }
  const timers = { after: () => ({ clear: () => {} }) }
  const order = { ask: "order", daemonId: "d", reason: "revoked" } as const

  it.effect(
    "is told that nothing was done by a node that does not know it, or has ended but for its line",
    function* () {
      const said: Array<unknown> = []
      let hears: ((heard: unknown) => void) | undefined
      const line = {
        tellNode: (node: string, kind: string, json: string) => void said.push([node, kind, JSON.parse(json)]),
        hear: (kind: string, listener: (heard: unknown) => void) =>
          Effect.acquireRelease(
            Effect.sync(() => {
              if (kind === "ask") hears = listener
            }),
            () =>
              Effect.sync(() => {
                if (hears === listener) hears = undefined
              })
          ),
        gaps: () => Effect.void
      }
      const directory = { ...nobody, order: () => true }
      const ask = (id: string, question: object = order) => hears?.({ from: "asker", message: { id, question } })
      yield* Effect.scoped(
        Effect.andThen(
          makeRpc(line as never, timers as never, directory, () => {}),
          Effect.sync(() => {
            ask("1")
            ask("later", { ask: "of a later version" })
          })
        )
      )
      ask("2")
      expect(said).toEqual([
        ["asker", "answer", { id: "1", answer: { is: "ordered", wasConnected: true } }],
        ["asker", "answer", { id: "later", answer: { is: "unheard" } }],
        ["asker", "answer", { id: "2", answer: { is: "unheard" } }]
      ])
    }
  )

  it.effect(
    "ends unanswered once the lease of that node has ended, and none is put to it until it has one again",
    function* () {
      asked.length = 0
      const asking = yield* makeRpc(wire as never, timers as never, nobody, () => {})
      const waits = yield* Effect.forkChild(asking.put("apart", order, 1), { startImmediately: true })
      const stays = yield* Effect.forkChild(asking.put("alive", order, 1), { startImmediately: true })
      expect(asked).toEqual(["apart", "alive"])
      asking.setUnreachable(["apart"])
      expect(yield* Fiber.join(waits)).toBeUndefined()
      expect(stays.pollUnsafe()).toBeUndefined()
      expect(yield* asking.put("apart", order, 1)).toEqual({ is: "unheard" })
      expect(asked).toEqual(["apart", "alive"])
      asking.setUnreachable([])
      yield* Effect.forkChild(asking.put("apart", order, 1), { startImmediately: true })
      expect(asked).toEqual(["apart", "alive", "apart"])
    }
  )

  it("whose answer names no failure that this version knows ends as a failure of the store, and of nothing else", () => {
    for (const tag of ["constructor", "toString", "__proto__", "FromTheFuture", ""])
      expect(failureOf(tag, {})._tag).toBe("StoreFailed")
    expect(failureOf("NotFound", {})._tag).toBe("NotFound")
  })

  it("that meets a bug is answered at once as an internal failure, which the log of the node that was asked explains", () => {
    const lines: Array<string> = []
    const logger = Logger.make(({ message, cause }) => {
      lines.push(`${JSON.stringify(message)} ${Cause.pretty(cause)}`)
    })
    return Effect.gen(function* () {
      const { said, ears, line } = heardLine()
      const bug = new Error("a bug")
      const bugs = [
        () => Effect.die(bug),
        () => {
          throw bug
        },
        () => Effect.fail(new StoreFailed({ operation: "read", cause: "select * from accounts" }))
      ]
      const directory = { ...nobody, command: () => bugs.shift()!() as Effect.Effect<never> }
      yield* makeRpc(line as never, timers as never, directory, () => {})
      const command = { type: "send_chat", payload: { message: "a secret" } }
      for (const id of ["1", "2", "3"])
        ears.get("ask")?.({ from: "asker", message: { id, question: { ask: "command", command } } })
      expect(said).toEqual([
        { id: "1", answer: { is: "failed", tag: "Defect", facts: {} } },
        { id: "2", answer: { is: "failed", tag: "Defect", facts: {} } },
        { id: "3", answer: { is: "failed", tag: "StoreFailed", facts: {} } }
      ])
      expect(failureOf("Defect", {})._tag).toBe("StoreFailed")
      expect(lines).toHaveLength(2)
      for (const line of lines) {
        expect(line).toContain("a bug")
        expect(line).not.toContain("a secret")
      }
    }).pipe(Effect.provide(Logger.layer([logger])), Effect.scoped, Effect.runPromise)
  })

  it.effect("that comes while as many as a node takes are under way is answered as overloaded", function* () {
    const { said, ears, line } = heardLine()
    const directory = { ...nobody, command: () => Effect.never }
    yield* makeRpc(line as never, timers as never, directory, () => {})
    const ask = (id: number) =>
      ears.get("ask")?.({ from: "asker", message: { id: String(id), question: { ask: "command", command: {} } } })
    for (let id = 0; id < nodeWorksMax; id++) ask(id)
    expect(said).toEqual([])
    ask(nodeWorksMax)
    const facts = { retryAfter: overloadRetrySeconds }
    expect(said).toEqual([{ id: String(nodeWorksMax), answer: { is: "failed", tag: "Overloaded", facts } }])
    ears.get("cancel")?.({ from: "asker", message: { id: "0" } })
    yield* Effect.yieldNow
    ask(nodeWorksMax + 1)
    expect(said.filter((one) => (one as { id: string }).id === String(nodeWorksMax + 1))).toEqual([])
  })
})
