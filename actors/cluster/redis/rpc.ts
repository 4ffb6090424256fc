/**
 * Requests between nodes: a command to a daemon, or an order that closes its connection. Owns the pending requests and
 * their bound. A request goes once, to one node; a request without a receiver fails at once. claim-check.ts carries
 * large texts.
 */
import { randomBytes } from "node:crypto"
import { Cause, Effect, Exit, Option, Scope } from "effect"
import type { RedisTransport } from "../../../src/bus/redis-transport.ts"
import type { Command, CommandAnswer, CommandFailure } from "../../../src/domain/command/command.ts"
import { Overloaded } from "../../../src/errors.ts"
import { nodeAskMarginMillis, nodeAsksMax, nodeWorksMax } from "../../../src/limits/nodes.ts"
import { overloadRetrySeconds } from "../../../src/limits.ts"
import { LargeResult, textOfBytes } from "../../../src/protocol/large-frame.ts"
import { count } from "../../../src/runtime/metrics.ts"
import type { Timer, Timers } from "../../../src/runtime/timers.ts"
import type { LocalDaemons } from "../local-daemons.ts"
import { makeCarrying } from "./claim-check.ts"
import {
  type Answer,
  type Answered,
  type Asked,
  answerOfDaemons,
  answerOfSnapshot,
  defect,
  failureOf,
  isKnown,
  type Question,
  type Undone
} from "./rpc-messages.ts"

export type { Answer } from "./rpc-messages.ts"

interface Waiting {
  readonly node: string
  readonly answered: (answer: Answer | undefined) => void
  readonly timer: Timer
}

/** The requests of this node to others. */
export interface Rpc {
  /** Undefined: the node is gone, or never answered. */
  readonly put: (node: string, question: Question, millis: number) => Effect.Effect<Answer | undefined>
  readonly failureOf: typeof failureOf
  /** The nodes that cannot answer: from now on nothing is put to them, and who waits for one gets no answer. */
  readonly silent: (nodes: ReadonlyArray<string>) => void
  readonly busy: () => Overloaded | undefined
}

/** Builds it. `here` is what this node does for the others. */
export const makeRpc = (
  wire: Pick<
    RedisTransport["Service"],
    "node" | "prefix" | "callLarge" | "authentication" | "tellNode" | "hear" | "gaps"
  >,
  timers: Pick<Timers["Service"], "after">,
  here: LocalDaemons
): Effect.Effect<Rpc, never, Scope.Scope> =>
  Effect.gen(function* () {
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const waiting = new Map<string, Waiting>()
    const working = new Map<string, () => void>()
    const carrying = makeCarrying({ ...wire, call: wire.callLarge }, (defect) => {
      count("hub_defects_total", "carried")
      run(Effect.logError("a large message of another node met a bug", Cause.die(defect)))
    })
    const prefix = `${randomBytes(6).toString("hex")}:`
    let quiet: ReadonlySet<string> = new Set()
    let asked = 0

    const settle = (id: string, answer: Answer | undefined): void => {
      const one = waiting.get(id)
      if (one === undefined) return
      waiting.delete(id)
      one.timer.clear()
      one.answered(answer)
    }

    const put = (node: string, question: Question, millis: number): Effect.Effect<Answer | undefined> =>
      Effect.callback((resume) => {
        // cut off from Redis it may seem to listen still
        if (quiet.has(node)) return resume(Effect.succeed({ is: "unheard" }))
        const id = `${prefix}${asked++}`
        const timer = timers.after(millis + nodeAskMarginMillis, () => settle(id, undefined))
        waiting.set(id, { node, timer, answered: (answer) => resume(Effect.succeed(answer)) })
        const lost = (surely: boolean): void => settle(id, surely ? { is: "unheard" } : undefined)
        const ask = (asked: Asked): void => wire.tellNode(node, "ask", JSON.stringify(asked), lost)
        const text = JSON.stringify(question)
        if (!carrying.isLarge(text)) wire.tellNode(node, "ask", `{"id":"${id}","question":${text}}`, lost)
        else {
          // not left, it is not put: whoever gave it up meanwhile has no question any more
          const put = (at: string): void => {
            if (waiting.has(id)) ask({ id, at })
          }
          carrying.leave(text, put, () => settle(id, { is: "unheard" }))
        }
        return Effect.sync(() => {
          if (!waiting.has(id)) return
          settle(id, undefined)
          wire.tellNode(node, "cancel", JSON.stringify({ id }), () => {})
        })
      })

    const say = (node: string, answered: Answered): void =>
      wire.tellNode(node, "answer", JSON.stringify(answered), () => {})

    const replyLarge = (node: string, id: string, text: string, said: (name: string) => Answered): void => {
      carrying.leave(
        text,
        (name) => say(node, said(name)),
        () => say(node, { id })
      )
    }

    const reply = (node: string, id: string, answer: Answer): void => {
      if (answer.is === "answered" && answer.answer.result instanceof LargeResult) {
        const result = textOfBytes(answer.answer.result.bytes)
        const { result: _, ...rest } = answer.answer
        const bare: Answer = { is: "answered", answer: rest }
        return replyLarge(node, id, result, (name) => ({ id, answer: bare, result: name }))
      }
      const text = JSON.stringify(answer)
      if (carrying.isLarge(text)) return replyLarge(node, id, text, (at) => ({ id, at }))
      wire.tellNode(node, "answer", `{"id":${JSON.stringify(id)},"answer":${text}}`, () => {})
    }

    /** Who asked waits no more when what he left cannot be had. */
    const fetchAnswer = ({ id, answer, at, result }: Answered): void => {
      const name = result ?? at
      if (name === undefined || !waiting.has(id)) return settle(id, answer)
      const read = (text: string): Answer =>
        answer?.is === "answered" && result !== undefined
          ? { ...answer, answer: { ...answer.answer, result: new LargeResult(new Uint8Array(Buffer.from(text))) } }
          : (JSON.parse(text) as Answer)
      carrying.take(
        name,
        (text) => settle(id, read(text)),
        () => settle(id, undefined)
      )
    }

    /** Nothing when whoever asked has called it off, and waits no more. */
    const answerOf = (
      command: Command,
      exit: Exit.Exit<CommandAnswer | Undone, CommandFailure>
    ): Answer | undefined => {
      if (Exit.isSuccess(exit)) {
        return typeof exit.value === "string" ? { is: exit.value } : { is: "answered", answer: exit.value }
      }
      if (Cause.hasInterruptsOnly(exit.cause)) return undefined
      const failure = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
      if (failure === undefined) {
        count("hub_defects_total", "asked")
        run(Effect.logError("a command of another node met a bug", { type: command?.type }, exit.cause))
        return { is: "failed", tag: defect, facts: {} }
      }
      const { _tag, ...facts } = failure
      // what is internal of a failure stays on this node
      return { is: "failed", tag: _tag, facts: isKnown(_tag) ? facts : {} }
    }

    const isFull = (node: string, id: string): boolean => {
      if (working.size < nodeWorksMax) return false
      reply(node, id, { is: "failed", tag: "Overloaded", facts: { retryAfter: overloadRetrySeconds } })
      return true
    }

    const work = (node: string, id: string, command: Command): void => {
      if (isFull(node, id)) return
      const key = `${node} ${id}`
      const fiber = run(
        Effect.suspend((): Effect.Effect<CommandAnswer | Undone, CommandFailure> => {
          const done = here.command(command) ?? "elsewhere"
          return typeof done === "string" ? Effect.succeed(done) : done
        })
      )
      working.set(key, () => fiber.interruptUnsafe())
      fiber.addObserver((exit) => {
        working.delete(key)
        const answer = answerOf(command, exit)
        if (answer !== undefined) reply(node, id, answer)
      })
    }

    const watch = (node: string, id: string, { watch, millis }: Extract<Question, { ask: "watch" }>): void => {
      if (isFull(node, id)) return
      const key = `${node} ${id}`
      const fiber = run(here.watch(watch, millis))
      working.set(key, () => fiber.interruptUnsafe())
      fiber.addObserver((exit) => {
        working.delete(key)
        if (Exit.isSuccess(exit)) reply(node, id, answerOfSnapshot(exit.value))
      })
    }

    const answerTo = (from: string, id: string, question: Question): void => {
      if (closed) return reply(from, id, { is: "unheard" })
      if (question.ask === "command") return work(from, id, question.command)
      if (question.ask === "watch") return watch(from, id, question)
      reply(from, id, answerOfDaemons(here, question))
    }

    const fetchQuestion = (from: string, id: string, at: string): void => {
      if (isFull(from, id)) return
      const key = `${from} ${id}`
      let off = false
      working.set(key, () => {
        off = true
      })
      const over = (then: () => void): void => {
        if (off) return
        working.delete(key)
        then()
      }
      carrying.take(
        at,
        (text) => over(() => answerTo(from, id, JSON.parse(text) as Question)),
        () => over(() => reply(from, id, { is: "unheard" }))
      )
    }

    let closed = false
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        closed = true
      })
    )
    // as long as the line stands, which is longer than this: whoever asks an end that is still heard must not wait for
    // an answer
    const always = yield* Scope.make()
    const asks = wire.hear("ask", ({ from, message }) => {
      const { id, question, at } = message as Asked
      if (question !== undefined) answerTo(from, id, question)
      else if (at !== undefined) fetchQuestion(from, id, at)
    })
    yield* Scope.provide(asks, always)
    yield* wire.hear("answer", ({ message }) => fetchAnswer(message as Answered))
    yield* wire.hear("cancel", ({ from, message }) => {
      const key = `${from} ${(message as { readonly id: string }).id}`
      const giveUp = working.get(key)
      working.delete(key)
      giveUp?.()
    })
    // an answer may be among what was lost: nobody waits for what may never come
    yield* wire.gaps((stands) => {
      if (!stands) for (const id of [...waiting.keys()]) settle(id, undefined)
    })

    return {
      put,
      failureOf,
      silent: (nodes) => {
        quiet = new Set(nodes)
        if (nodes.length > 0) for (const [id, { node }] of [...waiting]) if (quiet.has(node)) settle(id, undefined)
      },
      busy: () => (waiting.size >= nodeAsksMax ? new Overloaded({ retryAfter: overloadRetrySeconds }) : undefined)
    }
  })
