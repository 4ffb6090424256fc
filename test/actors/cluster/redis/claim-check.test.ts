/** What is too large for a message between nodes: it lies in Redis for a moment, and the message names it. */
import { Effect, Fiber } from "effect"
import { describe, expect } from "vitest"
import { makeClaimCheck } from "../../../../actors/cluster/redis/claim-check.ts"
import { makeRpc } from "../../../../actors/cluster/redis/rpc.ts"
import type { Written } from "../../../../actors/cluster/redis/rpc-messages.ts"
import { messageAuthentication } from "../../../../src/bus/message-authentication.ts"
import type { Command, CommandAnswer } from "../../../../src/domain/command/command.ts"
import { costOf } from "../../../../src/domain/limits/cost.ts"
import { carriedChars, carriedCharsMax, carriedMillis, nodeWorksMax } from "../../../../src/limits/nodes.ts"
import { extentOf } from "../../../../src/protocol/codec.ts"
import { LargeResult, textOfBytes } from "../../../../src/protocol/large-frame.ts"
import { counted } from "../../../../src/runtime/metrics.ts"
import { it } from "../../../support/effect-test.ts"

type Call = (command: string, args: ReadonlyArray<string | number>) => Promise<unknown>

const authentication = messageAuthentication(new Uint8Array(32), () => 0)

/** A Redis as far as this goes. */
const redis = () => {
  const kept = new Map<string, string>()
  const lives: Array<number> = []
  const call: Call = async (command, [name, text, , millis]) => {
    if (command === "GET") return kept.get(String(name)) ?? null
    if (command === "DEL") return Number(kept.delete(String(name)))
    lives.push(Number(millis))
    kept.set(String(name), String(text))
    return "OK"
  }
  return { kept, lives, call }
}

/** Two nodes on one line. `call` is their Redis. */
const twoNodes = (call: Call, answer: (command: Command) => Effect.Effect<CommandAnswer>) =>
  Effect.gen(function* () {
    const ears = new Map<string, (heard: unknown) => void>()
    const said: Array<{ readonly kind: string; readonly chars: number }> = []
    const ran: Array<Command> = []
    const wireOf = (node: string) => ({
      node,
      prefix: "hub:0:",
      authentication,
      callLarge: call,
      tellNode: (to: string, kind: string, json: string) => {
        said.push({ kind, chars: json.length })
        queueMicrotask(() => ears.get(`${to} ${kind}`)?.({ from: node, message: JSON.parse(json) }))
      },
      hear: (kind: string, listener: (heard: unknown) => void) =>
        Effect.sync(() => void ears.set(`${node} ${kind}`, listener)),
      gaps: () => Effect.void
    })
    const timers = { after: () => ({ clear: () => {} }) }
    const directory = {
      command: (command: Command) => {
        ran.push(command)
        return answer(command)
      },
      subscribeLog: () => undefined,
      order: () => true,
      snapshot: () => undefined,
      of: () => [],
      watch: () => Effect.never
    }
    const owed: Array<readonly [node: string, accountId: string, cost: number]> = []
    const nodeOf = (node: string) =>
      makeRpc(wireOf(node) as never, timers as never, directory, (...cost) => owed.push([node, ...cost]))
    const asking = yield* nodeOf("one")
    yield* nodeOf("other")
    const put = (command: Command) => asking.put("other", { ask: "command", command }, 1_000)
    const putText = (command: Written) => asking.put("other", { ask: "written command", command }, 1_000)
    return { put, putText, said, ran, owed }
  })

const commandOf = (chars: number): Command =>
  ({ accountId: "a", daemonId: "d", type: "read_chat", payload: { text: "x".repeat(chars) } }) as never
const small: CommandAnswer = { commandId: "c", success: true, result: {}, durationMs: 1 }
const answers = (answer: CommandAnswer) => () => Effect.succeed(answer)
const dropped = (): number => counted("hub_bus_dropped_total")
const run = <A>(effect: Effect.Effect<A, unknown, import("effect").Scope.Scope>) =>
  Effect.runPromise(Effect.scoped(effect))

describe("a question to another node", () => {
  it.each([
    ["goes within its message", 1_000, 0],
    ["is left in Redis where it is large, fetched, and nothing stays there", carriedChars, 1]
  ])("%s", (_, chars, left) =>
    run(
      Effect.gen(function* () {
        const { kept, lives, call } = redis()
        const { put, said, ran } = yield* twoNodes(call, answers(small))
        expect(yield* put(commandOf(chars))).toEqual({ is: "answered", answer: small })
        expect(ran).toEqual([commandOf(chars)])
        expect(lives).toEqual(Array.from({ length: left }, () => carriedMillis))
        expect(kept.size).toBe(0)
        for (const one of said) expect(one.chars).toBeLessThanOrEqual(carriedChars + 100)
      })
    )
  )

  it.effect("that Redis does not take is surely unheard", function* () {
    const { put, said, ran } = yield* twoNodes(() => Promise.reject(new Error("away")), answers(small))
    expect(yield* put(commandOf(carriedChars))).toEqual({ is: "unheard" })
    expect([said, ran]).toEqual([[], []])
  })

  it.effect("that is gone before it is fetched is unheard, and nothing is done", function* () {
    const { call } = redis()
    const { put, ran } = yield* twoNodes(
      async (command, args) => (command === "GET" ? null : call(command, args)),
      answers(small)
    )
    expect(yield* put(commandOf(carriedChars))).toEqual({ is: "unheard" })
    expect(ran).toEqual([])
  })

  it.each(["SET", "GET"])("given up while its %s is under way is not done", (held) =>
    run(
      Effect.gen(function* () {
        const { call } = redis()
        let [began, goOn] = [() => {}, () => {}]
        const reached = new Promise<void>((go) => {
          began = go
        })
        const gate = new Promise<void>((go) => {
          goOn = go
        })
        const { put, ran } = yield* twoNodes(async (command, args) => {
          if (command === held) {
            began()
            await gate
          }
          return call(command, args)
        }, answers(small))
        const asked = yield* Effect.forkChild(put(commandOf(carriedChars)), { startImmediately: true })
        yield* Effect.promise(() => reached)
        yield* Fiber.interrupt(asked)
        goOn()
        // all that follows is of this turn
        yield* Effect.promise(() => new Promise<void>((go) => setImmediate(go)))
        expect(ran).toEqual([])
      })
    )
  )

  it.effect("is answered as overloaded where too many are under way, fetched or not", function* () {
    const { call } = redis()
    const { put, ran } = yield* twoNodes(call, () => Effect.never)
    for (let at = 0; at < nodeWorksMax; at++) yield* Effect.forkChild(put(commandOf(0)), { startImmediately: true })
    yield* Effect.promise(() => new Promise<void>((go) => setImmediate(go)))
    expect(ran).toHaveLength(nodeWorksMax)
    expect(yield* put(commandOf(carriedChars))).toMatchObject({ is: "failed", tag: "Overloaded" })
  })
})

describe("an answer of another node", () => {
  const text = `{"i":1e999,"n":-0,"a":"${"y".repeat(carriedChars)}","a":1.0}`

  it.effect("has a large result as the text it came as", function* () {
    const { kept, call } = redis()
    const { put, said } = yield* twoNodes(
      call,
      answers({ ...small, result: new LargeResult(new Uint8Array(Buffer.from(text))) })
    )
    const answer = yield* put(commandOf(0))
    if (answer?.is !== "answered") throw new Error("it is not answered")
    expect(textOfBytes((answer.answer.result as LargeResult).bytes)).toBe(text)
    expect(answer.answer).toMatchObject({ commandId: "c", success: true, durationMs: 1 })
    expect(kept.size).toBe(0)
    for (const one of said) expect(one.chars).toBeLessThanOrEqual(1_000)
  })

  it.effect("that is large otherwise comes whole", function* () {
    const { kept, call } = redis()
    const result = { a: "y".repeat(carriedChars) }
    const { put } = yield* twoNodes(call, answers({ ...small, result }))
    expect(yield* put(commandOf(0))).toEqual({ is: "answered", answer: { ...small, result } })
    expect(kept.size).toBe(0)
  })

  it.each(["SET", "GET"])("that is lost at its %s is none, and nobody waits for it", (lost) =>
    run(
      Effect.gen(function* () {
        const { call } = redis()
        const { put, ran } = yield* twoNodes(
          (command, args) => (command === lost ? Promise.reject(new Error("away")) : call(command, args)),
          answers({ ...small, result: new LargeResult(new Uint8Array(Buffer.from(text))) })
        )
        expect(yield* put(commandOf(0))).toBeUndefined()
        expect(ran).toHaveLength(1)
      })
    )
  )
})

describe("what nodes say to each other", () => {
  const dense = Array.from({ length: 1_000 }, (_, at) => ({ [`name ${at}`]: at }))
  const command = { ...commandOf(0), payload: undefined, payloadText: JSON.stringify(dense) }

  it.effect("costs the account on the node that parses it: a payload as plain text, a result as it is", function* () {
    const dear = { ...small, result: dense }
    const { putText, ran, owed } = yield* twoNodes(redis().call, answers(dear))
    expect(yield* putText(command)).toEqual({ is: "answered", answer: dear })
    expect(ran).toEqual([command])
    const said = JSON.stringify({ is: "answered", answer: dear })
    expect(owed).toEqual([
      ["other", "a", command.payloadText.length],
      ["one", "a", costOf(said.length, extentOf(said))]
    ])
  })

  it.effect("costs likewise where Redis carries it, and nothing where it is short", function* () {
    const many = { ...small, result: { dense, text: "y".repeat(carriedChars) } }
    const { put, owed } = yield* twoNodes(redis().call, answers(many))
    yield* put(commandOf(0))
    const said = JSON.stringify({ is: "answered", answer: many })
    expect(owed).toEqual([["one", "a", costOf(said.length, extentOf(said))]])
    const short = yield* twoNodes(redis().call, answers(small))
    yield* short.put(commandOf(0))
    expect(short.owed).toEqual([])
  })
})

describe("what is being left for other nodes", () => {
  it("and was written by nobody of the hub, or left under another name, is taken for lost", async () => {
    const [name, other] = ["hub:0:carried:n:0", "hub:0:carried:n:1"]
    for (const there of ["text", authentication.sign(other, "text"), authentication.sign(name, "text")]) {
      const call = async () => there
      const { take } = makeClaimCheck({ node: "n", prefix: "hub:0:", call, authentication }, () => {})
      const taken = await new Promise<string>((go) => take(name, go, () => go("lost")))
      expect(taken).toBe(there === authentication.sign(name, "text") ? "text" : "lost")
    }
  })

  it("is bounded; one more text is refused and counted until another has been left", async () => {
    const waiting: Array<() => void> = []
    const call = () => new Promise<unknown>((go) => waiting.push(() => go("OK")))
    const { leave } = makeClaimCheck({ node: "n", prefix: "hub:0:", call, authentication }, () => {})
    const left = (text: string): Promise<string> => new Promise((go) => leave(text, go, () => go("lost")))
    const text = "x".repeat(carriedCharsMax / 8)
    const names = Array.from({ length: 8 }, () => left(text))
    const lost = dropped()
    expect([await left("y"), dropped() - lost]).toEqual(["lost", 1])
    waiting[0]!()
    await names[0]
    const last = left("y")
    for (const go of waiting) go()
    expect(new Set([...(await Promise.all(names)), await last]).size).toBe(9)
  })

  it("and meets a bug when it is read is told to the log, and ends nothing else", async () => {
    const bugs: Array<unknown> = []
    const { take } = makeClaimCheck(
      { node: "n", prefix: "hub:0:", call: async () => authentication.sign("name", "text"), authentication },
      (bug) => bugs.push(bug)
    )
    const bug = new Error("a bug")
    take(
      "name",
      () => {
        throw bug
      },
      () => {}
    )
    await new Promise<void>((go) => setImmediate(go))
    expect(bugs).toEqual([bug])
  })
})
