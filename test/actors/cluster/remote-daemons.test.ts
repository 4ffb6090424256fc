/** Orders of an owner about a daemon on another node, when that node does not answer or cannot be asked. */
import { Context, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { Answer, Question } from "../../../actors/cluster/redis/rpc-messages.ts"
import { type RemoteContext, remoteDaemons } from "../../../actors/cluster/remote-daemons.ts"
import { Directory } from "../../../actors/commands/directory.ts"
import { freeTextChars } from "../../../src/limits/cost.ts"
import { nodeAsksMax } from "../../../src/limits/nodes.ts"
import { type Body, effectOf } from "../../support/effect-test.ts"
import { startVirtualHub, type VirtualDaemon, type VirtualHub } from "../../support/virtual-hub.ts"
import { tagOf } from "../../support/with-daemon-services.ts"

const waitMillis = 10_000

/** Three nodes. The daemon was on the second and is on the first, which hangs. */
const whileItHangs = (work: Body<[hub: VirtualHub, daemon: VirtualDaemon]>) =>
  Effect.gen(function* () {
    const hub = yield* startVirtualHub(3, 1)
    const daemon = hub.daemons[0]!
    yield* hub.dial(daemon, 1)
    yield* hub.dial(daemon, 0)
    yield* hub.pass(250)
    hub.nodes[0]!.line.hang(true)
    yield* effectOf(work)(hub, daemon)
    yield* hub.end()
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise)

const third = (hub: VirtualHub) => Context.get(hub.nodes[2]!.services, Directory)

it("to revoke makes every other node forget the token before the one that holds the daemon has answered", () =>
  whileItHangs(function* (hub, daemon) {
    const { accountId, daemonId } = daemon
    const order = yield* Effect.forkChild(third(hub).revoke(accountId, daemonId), { startImmediately: true })
    yield* hub.pass(250)
    expect(order.pollUnsafe()).toBeUndefined()
    yield* hub.dial(daemon, 1)
    expect(daemon.sockets.at(-1)!.peer.of("auth_error")).toEqual([{ reason: "token_revoked", at: "token" }])
    yield* hub.pass(waitMillis)
    expect(yield* Fiber.join(order)).toEqual({ wasConnected: false })
  }))

it("to revoke is told to all nodes though nobody could be asked, which a disconnect is not", () =>
  whileItHangs(function* (hub, daemon) {
    const { accountId, daemonId } = daemon
    const directory = third(hub)
    const command = directory.command({ accountId, daemonId, type: "read_chat", payload: {} })
    const asked = yield* Effect.forEach(Array.from({ length: nodeAsksMax }), () =>
      Effect.forkChild(command, { startImmediately: true })
    )
    yield* hub.pass(250)
    expect(asked.every((one) => one.pollUnsafe() === undefined)).toBe(true)
    hub.nodes[0]!.line.hang(false)
    const { closes } = daemon.sockets.at(-1)!.peer
    expect(tagOf(yield* Effect.exit(directory.disconnect(accountId, daemonId)))).toBe("Overloaded")
    yield* hub.pass(250)
    expect(closes).toEqual([])
    expect(tagOf(yield* Effect.exit(directory.revoke(accountId, daemonId)))).toBe("Overloaded")
    yield* hub.pass(250)
    expect(closes).toEqual([4403])
    yield* Fiber.interrupt(asked[0]!)
    expect(Exit.isSuccess(yield* Effect.exit(directory.revoke(accountId, daemonId)))).toBe(true)
  }))

describe("a command with a long payload", () => {
  const payload = { text: "x".repeat(freeTextChars) }
  const answer: Answer = { is: "answered", answer: { commandId: "c", success: true, durationMs: 1 } }

  it.each([
    ["goes as its text", [answer], ["written command"]],
    [
      "goes again as its value to a node of an earlier version",
      [{ is: "unheard" }, answer],
      ["written command", "command"]
    ]
  ] as const)("%s", async (_, answers, expected) => {
    const asked: Array<Question> = []
    const { command } = remoteDaemons({
      locations: { remembered: () => "other" },
      writer: { node: "this" },
      rpc: {
        busy: () => undefined,
        put: (_: string, question: Question) => Effect.sync(() => answers[asked.push(question) - 1])
      },
      isPartitioned: () => false
    } as unknown as RemoteContext)
    const given = { accountId: "a", daemonId: "d", type: "read_chat", payload } as const
    expect(await Effect.runPromise(command(given, 1_000))).toEqual(answer.answer)
    expect(asked.map(({ ask }) => ask)).toEqual(expected)
    expect(asked[0]).toMatchObject({ command: { payload: undefined, payloadText: JSON.stringify(payload) } })
    if (asked.length > 1) expect(asked[1]).toMatchObject({ command: { payload } })
  })
})
