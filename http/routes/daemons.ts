/** The routes of daemons. Owns no rule: src/domain has the rules, the directory checks ownership and waits. */
import { Clock, Effect, Result } from "effect"
import { Directory } from "../../actors/commands/directory.ts"
import { StoredCommands } from "../../actors/commands/stored-commands.ts"
import { Rollouts } from "../../actors/daemon-versions/rollouts.ts"
import { WorkerThread } from "../../actors/runtime/worker-thread.ts"
import { hashCredential } from "../../src/auth/api-key.ts"
import { daemonTokens } from "../../src/auth/checksummed-token.ts"
import { Bus } from "../../src/bus/bus.ts"
import { Config } from "../../src/config.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import type { Command, CommandAnswer, CommandFailure } from "../../src/domain/command/command.ts"
import { promptOf, waitsOn } from "../../src/domain/command/prompt.ts"
import { type RawCommand, type RawType, readRawCommand } from "../../src/domain/command/raw-command.ts"
import { readTerminal, terminalResult } from "../../src/domain/command/terminal.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import { readTags } from "../../src/domain/daemon/tags.ts"
import { sessionOf, toRead, toWrite } from "../../src/domain/daemon/target-resolution.ts"
import { parseTarget } from "../../src/domain/daemon/targets.ts"
import { statusView } from "../../src/domain/daemon/views.ts"
import { shownName } from "../../src/domain/redaction/shown-name.ts"
import {
  type AmbiguousTarget,
  type CommandLimitReached,
  NotFound,
  PromptChanged,
  type ValidationFailed
} from "../../src/errors.ts"
import type { SessionReport } from "../../src/protocol/frames.ts"
import { LargeResult } from "../../src/protocol/large-frame.ts"
import { Daemons as Store } from "../../src/store/daemons/daemons.ts"
import type { Daemons } from "../api/daemons.ts"
import type { Routes } from "../pipeline/action.ts"
import { type Answer, json, Sending } from "../pipeline/response.ts"
import { commonMembers, encodeCommand, encodeInWorker, resultMembers } from "./command-answer.ts"
import {
  answeredBy,
  type CommandPreference,
  checkPrompt,
  deadlineOf,
  readPreference,
  sendBoundToPrompt,
  startAsync
} from "./command-call.ts"
import { makeListedDaemons } from "./listed-daemons.ts"
import { makeTagOne } from "./tags.ts"

const readers: ReadonlySet<RawType> = new Set(["read_chat", "screenshot"])

/** Resolves the session of a raw command, by its id or by any target id of this daemon. */
const resolveSession = (snapshot: Snapshot, { type, payload }: RawCommand, text: string): Resolved => {
  const named = sessionOf(snapshot, text)
  if (named !== undefined) return Result.succeed(named)
  const target = parseTarget(text)
  const missing = new NotFound({ what: `session ${shownName(text)} of this daemon` })
  if (target?.daemonId !== snapshot.daemonId) return Result.fail(missing)
  const agentType = typeof payload["agentType"] === "string" ? payload["agentType"] : undefined
  const found: Resolved = (readers.has(type) ? toRead : toWrite)(snapshot, target, agentType)
  return Result.isFailure(found) && found.failure._tag === "NotFound" ? Result.fail(missing) : found
}

/** The session that waits on a prompt: who names the prompt need not name it. */
const resolvePrompt = (snapshot: Snapshot, promptId: string): Resolved => {
  const session = snapshot.sessions.find((one) => waitsOn(one, promptId))
  return session === undefined ? Result.fail(new PromptChanged()) : Result.succeed(session)
}

/** What the actions of this group ask. */
interface Services {
  readonly directory: Directory["Service"]
  readonly stored: StoredCommands["Service"]
  /** The operator's bound of a call that waits. */
  readonly waitMillisMax: number
  readonly store: Store["Service"]
  readonly bus: Bus["Service"]
  readonly workerThread: WorkerThread["Service"]
  readonly rollouts: Rollouts["Service"]
}

type Called<K extends keyof Routes<typeof Daemons>> = Parameters<Routes<typeof Daemons>[K]>[0]

const announceHoldings = ({ bus }: Services, { accountId }: Principal): void =>
  bus.publish("holdings_changed", { accountId })

const status = Effect.fnUntraced(function* (
  { directory, rollouts }: Services,
  { principal, params }: Called<"status">
) {
  const snapshot = yield* directory.snapshot(principal.accountId, params.daemonId)
  const updates = yield* rollouts.states(principal.accountId)
  return statusView(snapshot, yield* Clock.currentTimeMillis, updates.get(snapshot.daemonId))
})

type Encoded = ReturnType<typeof encodeCommand>

type Sent = Sending<Encoded | Answer, SendFailure>
type SendFailure = CommandFailure | CommandLimitReached | PromptChanged | AmbiguousTarget
type Resolved = Result.Result<SessionReport, NotFound | AmbiguousTarget | PromptChanged>

/** Sends a command, and waits for its answer unless its caller does not. */
const deliver = (
  { directory, stored }: Services,
  principal: Principal,
  command: Command,
  wish: CommandPreference,
  session?: SessionReport
): Sent => {
  const answering = answeredBy(principal, command, session)
  const timed = wish.seconds === undefined ? answering : { ...answering, ...deadlineOf(wish) }
  return new Sending<Encoded | Answer, SendFailure>(
    command,
    wish.async
      ? Effect.flatMap(checkPrompt(answering, session), (sent) => startAsync(stored, principal, sent, wish))
      : Effect.map(sendBoundToPrompt(directory, timed, session), encodeCommand)
  )
}

const command = (services: Services, call: Called<"command">): Effect.Effect<Sent, SendFailure | ValidationFailed> => {
  const { principal, params, payload } = call
  const read = readRawCommand(payload.type, payload.payload ?? {})
  if (Result.isFailure(read)) return Effect.fail(read.failure)
  const wished = readPreference(call, services.waitMillisMax, read.success.type)
  if (Result.isFailure(wished)) return Effect.fail(wished.failure)
  const wish = wished.success
  const { type, payload: given, targetSessionId } = read.success
  const { accountId } = principal
  const { daemonId } = params
  const command = { accountId, daemonId, type, payload: given }
  const promptId = promptOf(command)
  if (targetSessionId === undefined && promptId === undefined)
    return Effect.succeed(deliver(services, principal, command, wish))
  return Effect.flatMap(
    services.directory.snapshot(accountId, daemonId),
    (snapshot): Effect.Effect<Sent, SendFailure> => {
      const session =
        targetSessionId === undefined
          ? resolvePrompt(snapshot, promptId!)
          : resolveSession(snapshot, read.success, targetSessionId)
      return Result.isFailure(session)
        ? Effect.fail(session.failure)
        : Effect.succeed(
            deliver(services, principal, { ...command, targetSessionId: session.success.id }, wish, session.success)
          )
    }
  )
}

const terminalAnswer = Effect.fnUntraced(function* (
  { workerThread }: Services,
  accountId: string,
  answer: CommandAnswer
) {
  if (answer.result instanceof LargeResult) return yield* encodeInWorker(workerThread, accountId, answer, "terminal")
  const result = resultMembers(answer)
  if (Result.isFailure(result)) return result.failure
  return { ...commonMembers(answer), result: terminalResult(result.success) }
})

const terminal = Effect.fnUntraced(function* (services: Services, call: Called<"terminal">) {
  const { principal, params, payload } = call
  const given = yield* Effect.fromResult(readTerminal(payload))
  const wish = yield* Effect.fromResult(readPreference(call, services.waitMillisMax, "terminal_exec"))
  const { accountId } = principal
  const { daemonId } = params
  const command: Command = { accountId, daemonId, type: "terminal_exec", payload: given, ...deadlineOf(wish) }
  if (wish.async) return new Sending(command, startAsync(services.stored, principal, command, wish))
  const sent = services.directory.command(command)
  return new Sending(
    command,
    Effect.flatMap(sent, (answer) => terminalAnswer(services, accountId, answer))
  )
})

const enroll = Effect.fnUntraced(function* (services: Services, { principal, payload }: Called<"enroll">) {
  const { store, bus } = services
  const token = daemonTokens.make()
  const daemonId = yield* store.enrol({
    accountId: principal.accountId,
    daemonId: payload.daemonId,
    tokenHash: hashCredential(token),
    name: payload.name ?? "",
    now: yield* Clock.currentTimeMillis
  })
  if (daemonId === undefined) return yield* new NotFound({ what: "daemon of this id in this account" })
  announceHoldings(services, principal)
  // the enrolment may have ended an unused token of this daemon
  if (payload.daemonId !== undefined) bus.publish("token_revoked", { daemonId })
  return json(201, { daemonId, token }, [["cache-control", "no-store"]])
})

export const daemonRoutes = Effect.gen(function* () {
  const directory = yield* Directory
  const store = yield* Store
  const bus = yield* Bus
  const services: Services = {
    directory,
    stored: yield* StoredCommands,
    waitMillisMax: (yield* Config).commandTimeoutMillis,
    store,
    bus,
    workerThread: yield* WorkerThread,
    rollouts: yield* Rollouts
  }
  const tagOne = yield* makeTagOne
  const routes: Routes<typeof Daemons> = {
    list: yield* makeListedDaemons,
    status: (call) => status(services, call),
    command: (call) => command(services, call),
    terminal: (call) => terminal(services, call),
    disconnect: ({ principal, params }) =>
      Effect.map(directory.disconnect(principal.accountId, params.daemonId), ({ wasConnected }) => ({
        success: true as const,
        wasConnected
      })),
    revoke: ({ principal, params }) =>
      Effect.map(directory.revoke(principal.accountId, params.daemonId), ({ wasConnected }) => {
        announceHoldings(services, principal)
        return { success: true as const, wasConnected }
      }),
    remove: ({ principal, params }) =>
      Effect.map(directory.remove(principal.accountId, params.daemonId), () => {
        announceHoldings(services, principal)
        return { success: true as const, id: params.daemonId }
      }),
    tag: Effect.fnUntraced(function* ({ principal, params, payload }) {
      const set = yield* Effect.fromResult(readTags(payload.tags))
      return yield* tagOne(principal.accountId, params.daemonId, { replaces: true, set, removed: [] })
    }),
    enroll: (call) => enroll(services, call)
  }
  return routes
})
