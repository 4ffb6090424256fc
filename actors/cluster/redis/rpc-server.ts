/**
 * Answers the requests of other nodes. Owns the requests under way here and their bound. rpc.ts has the requests of
 * this node to others.
 */
import { Cause, Effect, Exit, Option, Scope } from "effect"
import type { RedisTransport } from "../../../src/bus/redis-transport.ts"
import type { Command, CommandAnswer, CommandFailure, Moving } from "../../../src/domain/command/command.ts"
import type { AgentWatch } from "../../../src/domain/daemon/agent-watch.ts"
import type { Snapshot } from "../../../src/domain/daemon/snapshot.ts"
import { costOf } from "../../../src/domain/limits/cost.ts"
import type { SubscribeLog } from "../../../src/domain/log/log-listener.ts"
import { freeTextChars } from "../../../src/limits/cost.ts"
import { nodeWorksMax } from "../../../src/limits/nodes.ts"
import { overloadRetrySeconds } from "../../../src/limits.ts"
import { extentOf } from "../../../src/protocol/codec.ts"
import { LargeResult, textOfBytes } from "../../../src/protocol/large-frame.ts"
import { count } from "../../../src/runtime/metrics.ts"
import type { Timers } from "../../../src/runtime/timers.ts"
import type { RunFork } from "../../runtime/actor.ts"
import type { ClaimCheck } from "./claim-check.ts"
import { type Charge, LogRelays } from "./log-relay.ts"
import {
  type Answer,
  defect,
  isKnown,
  type Question,
  type RequestMessage,
  type ResponseMessage,
  type Undone
} from "./rpc-messages.ts"

/** The daemons of this node, as local-daemons.ts has them. */
export interface LocalDaemons {
  /** Undefined: the daemon is not here. Moving: it leaves, or has left, because this node drains. */
  readonly command: (command: Command) => Effect.Effect<CommandAnswer, CommandFailure> | Moving | undefined
  /** Says whether it had a live connection. */
  readonly order: (daemonId: string, reason: "disconnected" | "revoked") => boolean
  readonly snapshot: (accountId: string, daemonId: string) => Snapshot | undefined
  readonly of: (accountId: string) => ReadonlyArray<Snapshot>
  /** The snapshot once the agent is another, or as it is when the time is over. Undefined: the daemon is not here. */
  readonly watch: (watch: AgentWatch, millis: number) => Effect.Effect<Snapshot | undefined>
  readonly subscribeLog: SubscribeLog
}

const answerOfSnapshot = (snapshot: Snapshot | undefined): Answer =>
  snapshot === undefined ? { is: "elsewhere" } : { is: "snapshots", snapshots: [snapshot] }

/** A question of a later version: nothing was done. */
const answerOfUnknown = (_: never): Answer => ({ is: "unheard" })

/** What requests and their answers need of the transport. */
export type RpcTransport = Pick<
  RedisTransport["Service"],
  "node" | "prefix" | "callLarge" | "authentication" | "tellNode" | "hear" | "gaps"
>

class RpcServer {
  /** After the end of this node's scope no request is served. */
  closed = false
  private readonly run: RunFork
  private readonly transport: RpcTransport
  private readonly claimCheck: ClaimCheck
  private readonly local: LocalDaemons
  private readonly logs: LogRelays
  private readonly charge: Charge
  /** How to cancel each request under way. */
  private readonly working = new Map<string, () => void>()

  constructor(
    run: RunFork,
    transport: RpcTransport,
    timers: Pick<Timers["Service"], "after">,
    claimCheck: ClaimCheck,
    local: LocalDaemons,
    charge: Charge
  ) {
    this.run = run
    this.charge = charge
    this.transport = transport
    this.claimCheck = claimCheck
    this.local = local
    // never under a name: in order
    this.logs = new LogRelays(
      (to, id, answer, lost) => transport.tellNode(to, "answer", JSON.stringify({ id, answer }), lost),
      timers,
      local.subscribeLog
    )
  }

  receive(from: string, { id, question, at }: RequestMessage): void {
    if (question !== undefined) this.answer(from, id, question)
    else if (at !== undefined) this.fetchQuestion(from, id, at)
  }

  cancel(from: string, id: string): void {
    const key = `${from} ${id}`
    const cancel = this.working.get(key)
    this.working.delete(key)
    cancel?.()
    this.logs.cancel(from, id)
  }

  private answer(from: string, id: string, question: Question): void {
    if (this.closed) return this.reply(from, id, { is: "unheard" })
    const { local } = this
    switch (question.ask) {
      case "command":
        return this.work(from, id, question.command)
      case "written command":
        this.charge(question.command.accountId, question.command.payloadText.length)
        return this.work(from, id, question.command)
      case "watch":
        return this.watch(from, id, question)
      case "order":
        return this.reply(from, id, { is: "ordered", wasConnected: local.order(question.daemonId, question.reason) })
      case "snapshot":
        return this.reply(from, id, answerOfSnapshot(local.snapshot(question.accountId, question.daemonId)))
      case "snapshots":
        return this.reply(from, id, { is: "snapshots", snapshots: local.of(question.accountId) })
      case "log":
      case "log again":
        return this.logs.receive(from, id, question)
      default:
        this.reply(from, id, answerOfUnknown(question))
    }
  }

  private fetchQuestion(from: string, id: string, at: string): void {
    if (this.isFull(from, id)) return
    const key = `${from} ${id}`
    let cancelled = false
    this.working.set(key, () => {
      cancelled = true
    })
    const unlessCancelled = (then: () => void): void => {
      if (cancelled) return
      this.working.delete(key)
      then()
    }
    this.claimCheck.take(
      at,
      (text) => unlessCancelled(() => this.answer(from, id, JSON.parse(text) as Question)),
      () => unlessCancelled(() => this.reply(from, id, { is: "unheard" }))
    )
  }

  private work(from: string, id: string, command: Command): void {
    if (this.isFull(from, id)) return
    const key = `${from} ${id}`
    const fiber = this.run(
      Effect.suspend((): Effect.Effect<CommandAnswer | Undone, CommandFailure> => {
        const done = this.local.command(command) ?? "elsewhere"
        return typeof done === "string" ? Effect.succeed(done) : done
      })
    )
    this.working.set(key, () => fiber.interruptUnsafe())
    fiber.addObserver((exit) => {
      this.working.delete(key)
      const answer = this.answerOf(command, exit)
      if (answer !== undefined) this.reply(from, id, answer)
    })
  }

  private watch(from: string, id: string, { watch, millis }: Extract<Question, { ask: "watch" }>): void {
    if (this.isFull(from, id)) return
    const key = `${from} ${id}`
    const fiber = this.run(this.local.watch(watch, millis))
    this.working.set(key, () => fiber.interruptUnsafe())
    fiber.addObserver((exit) => {
      this.working.delete(key)
      if (Exit.isSuccess(exit)) this.reply(from, id, answerOfSnapshot(exit.value))
    })
  }

  private isFull(from: string, id: string): boolean {
    if (this.working.size < nodeWorksMax) return false
    this.reply(from, id, { is: "failed", tag: "Overloaded", facts: { retryAfter: overloadRetrySeconds } })
    return true
  }

  /** Undefined when the request was cancelled: then no caller waits. */
  private answerOf(command: Command, exit: Exit.Exit<CommandAnswer | Undone, CommandFailure>): Answer | undefined {
    if (Exit.isSuccess(exit)) {
      return typeof exit.value === "string" ? { is: exit.value } : { is: "answered", answer: exit.value }
    }
    if (Cause.hasInterruptsOnly(exit.cause)) return undefined
    const failure = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
    if (failure === undefined) {
      count("hub_defects_total", "asked")
      this.run(Effect.logError("a command of another node caused a defect", { type: command?.type }, exit.cause))
      return { is: "failed", tag: defect, facts: {} }
    }
    const { _tag, ...facts } = failure
    // what is internal of a failure stays on this node
    return { is: "failed", tag: _tag, facts: isKnown(_tag) ? facts : {} }
  }

  private reply(node: string, id: string, answer: Answer): void {
    if (answer.is === "answered" && answer.answer.result instanceof LargeResult) {
      const result = textOfBytes(answer.answer.result.bytes)
      const { result: _, ...rest } = answer.answer
      const bare: Answer = { is: "answered", answer: rest }
      return this.replyLarge(node, id, result, (name) => ({ id, answer: bare, result: name }))
    }
    const text = JSON.stringify(answer)
    const cost = text.length > freeTextChars ? costOf(text.length, extentOf(text)) : undefined
    const costs = cost === undefined ? {} : { cost }
    if (this.claimCheck.isLarge(text)) return this.replyLarge(node, id, text, (at) => ({ id, at, ...costs }))
    const head = JSON.stringify({ id, ...costs }).slice(0, -1)
    this.transport.tellNode(node, "answer", `${head},"answer":${text}}`, () => {})
  }

  private replyLarge(node: string, id: string, text: string, answerWith: (name: string) => ResponseMessage): void {
    const send = (answered: ResponseMessage): void =>
      this.transport.tellNode(node, "answer", JSON.stringify(answered), () => {})
    this.claimCheck.leave(
      text,
      (name) => send(answerWith(name)),
      () => send({ id })
    )
  }
}

/** Answers the requests of other nodes. `local`: the daemons of this node. `charge`: told what they cost it. */
export const serveRpc = Effect.fnUntraced(function* (
  transport: RpcTransport,
  timers: Pick<Timers["Service"], "after">,
  claimCheck: ClaimCheck,
  local: LocalDaemons,
  charge: Charge
) {
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const server = new RpcServer(run, transport, timers, claimCheck, local, charge)
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      server.closed = true
    })
  )
  // It listens for as long as the transport does, which is longer than this scope: otherwise a node that ends would
  // leave a caller without an answer.
  const always = yield* Scope.make()
  yield* Scope.provide(
    transport.hear("ask", ({ from, message }) => server.receive(from, message as RequestMessage)),
    always
  )
  yield* transport.hear("cancel", ({ from, message }) => server.cancel(from, (message as { readonly id: string }).id))
})
