/**
 * Runs one turn: sends a message, waits until the agent is idle again, and reads what it said. Owns the order of looks
 * at reports and at the chat, and their bounds. The message is sent once, whatever becomes of the wait; once the daemon
 * has it, nothing that fails makes the turn fail. Keeps and logs no text.
 */
import { Effect, Option, Result } from "effect"
import {
  isOver,
  mayBeOver,
  messageIdOf,
  noChat,
  observe,
  type Turn,
  type TurnChat,
  type TurnWait,
  turnChat
} from "../../src/domain/command/chat-turn.ts"
import type { Command, CommandAnswer, CommandFailure } from "../../src/domain/command/command.ts"
import { type AgentWatch, hasReported, versionOf } from "../../src/domain/daemon/agent-watch.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import { type AgentState, agentState, sessionOf } from "../../src/domain/daemon/target-resolution.ts"
import { targetId } from "../../src/domain/daemon/targets.ts"
import type { CommandTimeout } from "../../src/errors.ts"
import {
  turnLookMillis,
  turnLookMillisMax,
  turnReadMillisMax,
  turnSendMillisMin,
  watchLookMillis
} from "../../src/limits/agent-waits.ts"
import type { ActiveModal, SessionReport } from "../../src/protocol/frames.ts"
import { isRecord } from "../../src/protocol/is-record.ts"
import { LargeResult } from "../../src/protocol/large-frame.ts"
import type { WorkerThread } from "../runtime/worker-thread.ts"
import type { Directory } from "./directory.ts"

/** What turns are run with. */
export interface TurnContext {
  readonly directory: Pick<Directory["Service"], "command" | "watch">
  readonly workerThread: Pick<WorkerThread["Service"], "ask">
  /** Milliseconds of a clock that is not set. */
  readonly now: () => number
}

/** A message to the session of a daemon, both as they were before it. */
export interface TurnAsked {
  readonly snapshot: Snapshot
  readonly session: SessionReport
  readonly send: Command
  readonly wait: TurnWait
  readonly millis: number
}

/** What came of it. */
export interface TurnOutcome {
  /** The daemon's answer to the message; without a result: that is large, or had not come when the time was over. */
  readonly sent: Pick<CommandAnswer, "commandId" | "durationMs"> & Partial<Pick<CommandAnswer, "result">>
  readonly timedOut: boolean
  readonly status: AgentState
  readonly chat: TurnChat
  readonly activeModal: ActiveModal | Readonly<Record<string, unknown>> | undefined
  readonly version: string
}

interface Look {
  readonly turn: Turn
  readonly version: string
  /** Undefined: the daemon has no such session any more. */
  readonly session: SessionReport | undefined
  /** No further wait is worth it on this node. */
  readonly ended: boolean
}

const before = ({ snapshot, session }: TurnAsked): Pick<Look, "turn" | "version"> => ({
  turn: { state: agentState(session.status), begun: false },
  version: versionOf(snapshot, session)
})

const gone: Look = { turn: { state: "error", begun: true }, version: "", session: undefined, ended: false }

/** The session once it is another, or the time is over; what fails for the moment is looked for again. */
const look = Effect.fnUntraced(function* (
  { directory, now }: TurnContext,
  { snapshot, session }: TurnAsked,
  { turn, version }: Pick<Look, "turn" | "version">,
  until: number
): Effect.fn.Return<Look> {
  const { accountId, daemonId } = snapshot
  const target = targetId(daemonId, "session", session.id)
  const watch: AgentWatch = { accountId, daemonId, target, version }
  const watched = yield* Effect.result(directory.watch(watch, Math.max(0, until - now())))
  if (Result.isFailure(watched)) {
    if (watched.failure._tag === "NotFound") return gone
    yield* Effect.sleep(Math.max(0, Math.min(watchLookMillis, until - now())))
    return { turn, version, session, ended: false }
  }
  const { snapshot: current, ended } = watched.success
  const found = sessionOf(current, session.id)
  if (found === undefined) return hasReported(current) ? gone : { turn, version, session, ended }
  const seen = observe(turn, agentState(found.status))
  return { turn: seen, version: versionOf(current, found), session: found, ended }
})

const readResult = Effect.fnUntraced(function* (
  { workerThread }: TurnContext,
  accountId: string,
  { success, result }: CommandAnswer,
  messageId: string | undefined
) {
  if (!success) return noChat
  if (!(result instanceof LargeResult)) return isRecord(result) ? turnChat(result, messageId) : noChat
  const done = yield* workerThread.ask(accountId, { task: "turn", bytes: result.bytes, messageId })
  return done?.done === "turn" ? done.chat : noChat
})

/** The chat of the turn; undefined: it cannot be had for the moment. */
const readChat = (
  context: TurnContext,
  { send }: TurnAsked,
  messageId: string | undefined
): Effect.Effect<TurnChat | undefined> => {
  const { input: _input, message: _message, ...payload } = send.payload as Readonly<Record<string, unknown>>
  const read: Command = { ...send, type: "read_chat", payload, deadlineMs: turnReadMillisMax }
  return context.directory.command(read).pipe(
    Effect.flatMap((answer) => readResult(context, send.accountId, answer, messageId)),
    // the command's own time begins only when its daemon has come back
    Effect.timeoutOption(turnReadMillisMax),
    Effect.map(Option.getOrUndefined),
    Effect.catch(() => Effect.succeed(undefined))
  )
}

/** The prompt as the chat shows it, which is newer; without an id, as reported: an approval is bound to that one. */
const promptSeen = (chat: TurnChat | undefined, session: SessionReport | undefined): TurnOutcome["activeModal"] => {
  const shown = chat?.activeModal
  return typeof shown?.["promptId"] === "string" ? shown : (session?.activeModal ?? shown)
}

const outcomeOf = (
  sent: TurnOutcome["sent"],
  { turn, version, session }: Look,
  chat: TurnChat | undefined,
  timedOut: boolean
): TurnOutcome => {
  const status = chat?.state ?? turn.state
  const activeModal = status === "waiting_approval" ? promptSeen(chat, session) : undefined
  return { sent, timedOut, status, chat: chat ?? noChat, activeModal, version }
}

/** Looks until the turn is over, or its time. */
const waitForEnd = Effect.fnUntraced(function* (
  context: TurnContext,
  asked: TurnAsked,
  sent: TurnOutcome["sent"],
  until: number
): Effect.fn.Return<TurnOutcome> {
  const { now } = context
  const { wait } = asked
  const messageId = messageIdOf(sent.result)
  let seen = before(asked)
  let pause = turnLookMillis
  let readAt = now() + pause
  for (;;) {
    // an agent that seems idle may have begun unseen, or be about to: its chat is looked at too
    const next = yield* look(context, asked, seen, mayBeOver(seen.turn.state, wait) ? Math.min(until, readAt) : until)
    if (next.session === undefined) return outcomeOf(sent, next, undefined, false)
    const hasChanged = next.turn.state !== seen.turn.state
    seen = next
    const timedOut = next.ended || now() >= until
    const isDue = mayBeOver(next.turn.state, wait) && (now() >= readAt || (hasChanged && next.turn.begun))
    if (!timedOut && !isDue) continue
    const chat = yield* readChat(context, asked, messageId)
    if (chat !== undefined && isOver(next.turn, chat, wait)) return outcomeOf(sent, next, chat, false)
    // a daemon that keeps silent is not asked again when the time is over meanwhile
    if (timedOut || now() >= until) return outcomeOf(sent, next, chat, true)
    pause = Math.min(pause * 2, turnLookMillisMax)
    readAt = now() + pause
  }
})

/** The daemon has not answered the message in time: the turn goes on where its agent is seen at work. */
const unanswered = Effect.fnUntraced(function* (
  context: TurnContext,
  asked: TurnAsked,
  failure: CommandTimeout
): Effect.fn.Return<TurnOutcome, CommandTimeout> {
  const next = yield* look(context, asked, before(asked), context.now())
  if (!next.turn.begun) return yield* failure
  const sent = { commandId: failure.commandId, durationMs: Math.max(asked.millis, turnSendMillisMin) }
  return outcomeOf(sent, next, undefined, true)
})

/** Without a large result, which nobody is told: held as long as their turns, those of an account take gigabytes. */
const sentOf = ({ commandId, durationMs, result }: CommandAnswer): TurnOutcome["sent"] =>
  result === undefined || result instanceof LargeResult ? { commandId, durationMs } : { commandId, durationMs, result }

/** Runs it. A refusal of the daemon is an answer: nothing was begun, and nothing is waited for. */
export const runTurn = (
  context: TurnContext,
  asked: TurnAsked
): Effect.Effect<TurnOutcome | CommandAnswer, CommandFailure> =>
  Effect.suspend(() => {
    const until = context.now() + asked.millis
    const deadlineMs = Math.max(asked.millis, turnSendMillisMin)
    return context.directory.command({ ...asked.send, deadlineMs }).pipe(
      Effect.flatMap(
        (answer): Effect.Effect<TurnOutcome | CommandAnswer> =>
          answer.success ? waitForEnd(context, asked, sentOf(answer), until) : Effect.succeed(answer)
      ),
      Effect.catchTag("CommandTimeout", (failure) => unanswered(context, asked, failure))
    )
  })
