/** When a turn looks at its agent's chat, and what a failure on the way means: over a directory that a test scripts. */
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { runTurn, type TurnAsked, type TurnContext } from "../../../actors/commands/chat-turn.ts"
import type { Command, CommandAnswer, CommandFailure } from "../../../src/domain/command/command.ts"
import { CommandTimeout, DaemonSocketLost, Overloaded, StoreFailed } from "../../../src/errors.ts"
import { turnReadMillisMax, turnSendMillisMin } from "../../../src/limits/agent-waits.ts"
import { LargeResult } from "../../../src/protocol/large-frame.ts"
import { it } from "../../support/effect-test.ts"
import { session, snapshot } from "../../support/snapshots.ts"

const idle = snapshot([session("s1")])
const quiet = { messages: [{ role: "user", text: "go" }], status: "idle" }

type Said = Pick<CommandAnswer, "success" | "result"> | CommandFailure

/** A turn of at most so long; every read is answered with what `read` says, and no report ever comes. */
const turnOf = Effect.fnUntraced(function* (
  millis: number,
  read: (at: number) => Said,
  watch: TurnContext["directory"]["watch"] = (_, wait) =>
    Effect.as(Effect.sleep(wait), { snapshot: idle, ended: false }),
  silentMillis = turnReadMillisMax,
  told: unknown = {}
) {
  const clock = yield* Clock.Clock
  const now = () => clock.currentTimeMillisUnsafe()
  const sent: Array<Command & { readonly at: number }> = []
  const began = now()
  const context: TurnContext = {
    directory: {
      command: (command) => {
        sent.push({ ...command, at: now() - began })
        const said: Said = command.type === "send_chat" ? { success: true, result: told } : read(now() - began)
        if ("_tag" in said) {
          const after = said._tag === "CommandTimeout" ? silentMillis : 0
          return Effect.andThen(Effect.sleep(after), Effect.fail(said))
        }
        return Effect.succeed({ commandId: `cmd_${sent.length}`, durationMs: 1, ...said })
      },
      watch
    },
    workerThread: { ask: () => Effect.succeed(undefined) },
    now
  }
  const asked: TurnAsked = {
    snapshot: idle,
    session: idle.sessions[0]!,
    send: {
      accountId: "a",
      daemonId: "d",
      type: "send_chat",
      payload: { message: "go", input: { parts: [] }, agentType: "codex-cli" },
      targetSessionId: "s1"
    },
    wait: "idle",
    millis
  }
  const timed = Effect.map(runTurn(context, asked), (outcome) => ({ outcome, sent, took: now() - began }))
  const fiber = yield* Effect.forkChild(timed, { startImmediately: true })
  yield* TestClock.adjust(millis + turnReadMillisMax)
  return yield* Fiber.join(fiber)
})

const reads = (sent: ReadonlyArray<{ readonly type: string; readonly at: number }>) =>
  sent.filter(({ type }) => type === "read_chat").map(({ at }) => at)

describe("a turn of an agent that stays idle", () => {
  it.effect("looks at the chat after half a second, then ever less often up to each 8 s, and at the end", function* () {
    const { outcome, sent } = yield* turnOf(50_000, () => ({ success: true, result: quiet }))
    expect(reads(sent)).toEqual([500, 1_500, 3_500, 7_500, 15_500, 23_500, 31_500, 39_500, 47_500, 50_000])
    expect(outcome).toMatchObject({ timedOut: true, status: "idle", chat: { messages: [] } })
  })

  it.effect("reads of the same session and agent without the message, and waits briefly for each answer", function* () {
    const { sent } = yield* turnOf(1_000, () => ({ success: true, result: quiet }))
    expect(sent.map(({ type, deadlineMs }) => [type, deadlineMs])).toEqual([
      ["send_chat", turnSendMillisMin],
      ["read_chat", turnReadMillisMax],
      ["read_chat", turnReadMillisMax]
    ])
    expect(sent[1]).toMatchObject({ targetSessionId: "s1", payload: { agentType: "codex-cli" } })
    expect(JSON.stringify(sent[1]!.payload)).not.toContain("go")
  })

  it.effect("goes on when its chat cannot be had for the moment, and sends the message once", function* () {
    const said = { role: "assistant", text: "Done." }
    const faults = [new DaemonSocketLost({}), new Overloaded({ retryAfter: 1 })]
    const { outcome, sent } = yield* turnOf(
      50_000,
      () => faults.shift() ?? { success: true, result: { ...quiet, messages: [...quiet.messages, said] } }
    )
    expect(reads(sent)).toEqual([500, 1_500, 3_500])
    expect(sent.filter(({ type }) => type === "send_chat")).toHaveLength(1)
    expect(outcome).toMatchObject({ timedOut: false, chat: { messages: [said] } })
  })

  it.effect("asks a daemon that gives no chat not again when its time is over meanwhile", function* () {
    const { outcome, sent, took } = yield* turnOf(20_000, () => new CommandTimeout({ commandId: "cmd_9" }))
    expect(reads(sent)).toEqual([500, 6_500, 13_500, 20_000])
    expect(outcome).toMatchObject({ timedOut: true, chat: { messages: undefined } })
    expect(took).toBe(20_000 + turnReadMillisMax)
    const late = yield* turnOf(2_000, () => new CommandTimeout({ commandId: "cmd_9" }))
    expect([reads(late.sent), late.took]).toEqual([[500], 500 + turnReadMillisMax])
  })

  it.effect("waits for a chat no longer than its bound, also while its daemon moves", function* () {
    const moves = () => new CommandTimeout({ commandId: "cmd_9" })
    const { took } = yield* turnOf(2_000, moves, undefined, 60_000)
    expect(took).toBe(500 + turnReadMillisMax)
  })

  it.effect("holds what the daemon answered to the message, but not what is large of it", function* () {
    const sentWith = (result: unknown) =>
      Effect.map(
        turnOf(1_000, () => ({ success: true, result: quiet }), undefined, undefined, result),
        ({ outcome }) => ("sent" in outcome ? outcome.sent : undefined)
      )
    const known = { commandId: "cmd_1", durationMs: 1 }
    expect(yield* sentWith({ queued: true })).toEqual({ ...known, result: { queued: true } })
    expect(yield* sentWith(new LargeResult(new Uint8Array(Buffer.from("[]"))))).toStrictEqual(known)
  })

  it.effect("ends with its time, and no failure, while neither the store nor the daemon answers", function* () {
    const away = Effect.fail(new StoreFailed({ operation: "find", cause: "away" }))
    const { outcome } = yield* turnOf(
      20_000,
      () => new DaemonSocketLost({}),
      () => away
    )
    expect(outcome).toMatchObject({ timedOut: true, status: "idle", chat: { messages: undefined } })
  })
})
