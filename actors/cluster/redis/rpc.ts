/**
 * Requests of this node to others: a command to a daemon, an order that closes its connection, a log. Owns the pending
 * requests and their bound. A request goes once, to one node; a request without a receiver fails at once. rpc-server.ts
 * answers those of the others, claim-check.ts carries large texts.
 */
import { randomBytes } from "node:crypto"
import { Cause, Effect, type Scope } from "effect"
import type { LogAsked, LogListener, LogSubscription } from "../../../src/domain/log/log-listener.ts"
import { Overloaded } from "../../../src/errors.ts"
import { nodeAskMarginMillis, nodeAsksMax } from "../../../src/limits/nodes.ts"
import { overloadRetrySeconds } from "../../../src/limits.ts"
import { LargeResult } from "../../../src/protocol/large-frame.ts"
import { count } from "../../../src/runtime/metrics.ts"
import type { Timer, Timers } from "../../../src/runtime/timers.ts"
import { type ClaimCheck, makeClaimCheck } from "./claim-check.ts"
import { type Charge, LogReadings } from "./log-relay.ts"
import type { Answer, Question, RequestMessage, ResponseMessage } from "./rpc-messages.ts"
import { type LocalDaemons, type RpcTransport, serveRpc } from "./rpc-server.ts"

interface PendingRequest {
  readonly node: string
  /** Of whom it is; undefined: what is answered costs nothing. */
  readonly accountId: string | undefined
  readonly answered: (answer: Answer | undefined) => void
  readonly timer: Timer
}

const accountOf = (question: Question): string | undefined => {
  if ("command" in question) return question.command.accountId
  if (question.ask === "watch") return question.watch.accountId
  return "accountId" in question ? question.accountId : undefined
}

/** The requests of this node to others. */
export class Rpc {
  private readonly transport: RpcTransport
  private readonly timers: Pick<Timers["Service"], "after" | "monotonic">
  private readonly claimCheck: ClaimCheck
  private readonly logs: LogReadings
  private readonly charge: Charge
  private readonly pending = new Map<string, PendingRequest>()
  private readonly prefix = `${randomBytes(6).toString("hex")}:`
  private unreachable: ReadonlySet<string> = new Set()
  private asked = 0

  constructor(
    transport: RpcTransport,
    timers: Pick<Timers["Service"], "after" | "monotonic">,
    claimCheck: ClaimCheck,
    charge: Charge
  ) {
    this.transport = transport
    this.timers = timers
    this.claimCheck = claimCheck
    this.charge = charge
    this.logs = new LogReadings(
      (to, id, question, lost) => transport.tellNode(to, "ask", JSON.stringify({ id, question }), lost),
      (to, id) => this.cancel(to, id),
      timers,
      charge
    )
  }

  /** Undefined: the node is gone, or never answered. */
  put(node: string, question: Question, millis: number): Effect.Effect<Answer | undefined> {
    return Effect.callback((resume) => {
      // cut off from Redis it may still seem to listen
      if (this.unreachable.has(node)) return resume(Effect.succeed({ is: "unheard" }))
      const id = `${this.prefix}${this.asked++}`
      const timer = this.timers.after(millis + nodeAskMarginMillis, () => this.settle(id, undefined))
      const accountId = accountOf(question)
      this.pending.set(id, { node, accountId, timer, answered: (answer) => resume(Effect.succeed(answer)) })
      this.send(node, id, JSON.stringify(question))
      return Effect.sync(() => {
        if (!this.pending.has(id)) return
        this.settle(id, undefined)
        this.cancel(node, id)
      })
    })
  }

  /** Listens to a log at that node. That the daemon is not there is told as the end of its connection. */
  subscribeLog(node: string, asked: LogAsked, listener: LogListener): LogSubscription {
    return this.logs.subscribe(`${this.prefix}${this.asked++}`, node, asked, listener)
  }

  /** The nodes that cannot answer: nothing is put to them from now on, and pending requests to them get no answer. */
  setUnreachable(nodes: ReadonlyArray<string>): void {
    this.unreachable = new Set(nodes)
    if (nodes.length === 0) return
    for (const [id, { node }] of [...this.pending]) if (this.unreachable.has(node)) this.settle(id, undefined)
  }

  busy(): Overloaded | undefined {
    return this.pending.size >= nodeAsksMax ? new Overloaded({ retryAfter: overloadRetrySeconds }) : undefined
  }

  /** Messages may have been lost: an answer may be among them. */
  gap(stands: boolean): void {
    if (stands) this.logs.doubt()
    else for (const id of [...this.pending.keys()]) this.settle(id, undefined)
  }

  /** Takes an answer. The caller waits no more when a text that was left for it cannot be read. */
  receive({ id, answer, at, result, cost = 0 }: ResponseMessage): void {
    if (this.logs.receive(id, answer)) return
    const accountId = this.pending.get(id)?.accountId
    // its daemon's node charged it for the frame; it is parsed here again
    if (accountId !== undefined && cost > 0) this.charge(accountId, cost)
    const name = result ?? at
    if (name === undefined || !this.pending.has(id)) return this.settle(id, answer)
    const read = (text: string): Answer =>
      answer?.is === "answered" && result !== undefined
        ? { ...answer, answer: { ...answer.answer, result: new LargeResult(new Uint8Array(Buffer.from(text))) } }
        : (JSON.parse(text) as Answer)
    this.claimCheck.take(
      name,
      (text) => this.settle(id, read(text)),
      () => this.settle(id, undefined)
    )
  }

  private send(node: string, id: string, text: string): void {
    const lost = (surely: boolean): void => this.settle(id, surely ? { is: "unheard" } : undefined)
    if (!this.claimCheck.isLarge(text)) {
      return this.transport.tellNode(node, "ask", `{"id":"${id}","question":${text}}`, lost)
    }
    // a request that was cancelled meanwhile is not sent
    const sendName = (at: string): void => {
      if (this.pending.has(id))
        this.transport.tellNode(node, "ask", JSON.stringify({ id, at } satisfies RequestMessage), lost)
    }
    this.claimCheck.leave(text, sendName, () => this.settle(id, { is: "unheard" }))
  }

  private cancel(node: string, id: string): void {
    this.transport.tellNode(node, "cancel", JSON.stringify({ id }), () => {})
  }

  private settle(id: string, answer: Answer | undefined): void {
    const one = this.pending.get(id)
    if (one === undefined) return
    this.pending.delete(id)
    one.timer.clear()
    one.answered(answer)
  }
}

/** Builds the requests of this node, and answers those of the others. `charge`: told what is said to it costs it. */
export const makeRpc = (
  transport: RpcTransport,
  timers: Pick<Timers["Service"], "after" | "monotonic">,
  local: LocalDaemons,
  charge: Charge
): Effect.Effect<Rpc, never, Scope.Scope> =>
  Effect.gen(function* () {
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const claimCheck = makeClaimCheck({ ...transport, call: transport.callLarge }, (defect) => {
      count("hub_defects_total", "carried")
      run(Effect.logError("a large message of another node caused a defect", Cause.die(defect)))
    })
    const rpc = new Rpc(transport, timers, claimCheck, charge)
    yield* serveRpc(transport, timers, claimCheck, local, charge)
    yield* transport.hear("answer", ({ message }) => rpc.receive(message as ResponseMessage))
    yield* transport.gaps((stands) => rpc.gap(stands))
    return rpc
  })
