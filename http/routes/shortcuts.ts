/** The routes of shortcuts. Owns no rule: src/domain resolves targets, the directory checks ownership and waits. */
import { Clock, Effect, Result } from "effect"
import { Directory } from "../../actors/commands/directory.ts"
import { StoredCommands } from "../../actors/commands/stored-commands.ts"
import { WorkerThread } from "../../actors/runtime/worker-thread.ts"
import { Config } from "../../src/config.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import { chatView, readChatInput } from "../../src/domain/command/chat.ts"
import type { Command } from "../../src/domain/command/command.ts"
import { type Chosen, knownCategory, launchCommand, stopCommand } from "../../src/domain/command/launch.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import { toRead, toWrite } from "../../src/domain/daemon/target-resolution.ts"
import { parseTarget, type Target } from "../../src/domain/daemon/targets.ts"
import { agentStatusView } from "../../src/domain/daemon/views.ts"
import { NotFound, Overloaded, PayloadTooLarge, type StoreFailed } from "../../src/errors.ts"
import { frontendSnapshotBytesMax, overloadRetrySeconds } from "../../src/limits.ts"
import type { CommandType, SessionReport } from "../../src/protocol/frames.ts"
import { LargeResult } from "../../src/protocol/large-frame.ts"
import { Catalog } from "../../src/registry/catalog.ts"
import { monotonicMillis } from "../../src/runtime/monotonic.ts"
import type { Shortcuts } from "../api/shortcuts.ts"
import type { Routes } from "../pipeline/action.ts"
import { Sending } from "../pipeline/response.ts"
import { commonMembers, encodeCommand, encodeInWorker, resultMembers } from "./command-answer.ts"
import { answeredBy, deadlineOf, readPreference, sendBoundToPrompt, startAsync } from "./command-call.ts"
import { answerTurn, awaitChange, makeWaiting, mayRead, type StatusWait, type Waiting, waitMillis } from "./waiting.ts"

type FrontendSnapshot = Readonly<Record<string, unknown>>

/** A target, with the snapshot of its daemon, which belongs to the caller's account. */
interface FoundTarget {
  readonly snapshot: Snapshot
  readonly target: Target
  readonly text: string
}

/** What the actions of this group ask. */
interface Services {
  readonly directory: Directory["Service"]
  readonly stored: StoredCommands["Service"]
  /** The operator's bound of a call that waits. */
  readonly waitMillisMax: number
  readonly categoryOf: Catalog["Service"]["category"]
  readonly workerThread: WorkerThread["Service"]
  readonly waiting: Waiting
  readonly now: () => number
}

type Called<K extends keyof Routes<typeof Shortcuts>> = Parameters<Routes<typeof Shortcuts>[K]>[0]

/** Bounds and redacts the dashboard's snapshot before a daemon sees it. */
const redactSnapshot = Effect.fnUntraced(function* (
  { workerThread }: Services,
  principal: Principal,
  snapshot: FrontendSnapshot | undefined
): Effect.fn.Return<FrontendSnapshot | undefined, PayloadTooLarge | Overloaded> {
  if (snapshot === undefined) return undefined
  const bytes = new Uint8Array(Buffer.from(JSON.stringify(snapshot)))
  if (bytes.byteLength > frontendSnapshotBytesMax)
    return yield* new PayloadTooLarge({ limit: frontendSnapshotBytesMax })
  const done = yield* workerThread.ask(principal.accountId, { task: "snapshot", bytes })
  if (done?.done !== "snapshot") return yield* new Overloaded({ retryAfter: overloadRetrySeconds })
  return done.snapshot
})

const find = (
  { directory }: Services,
  principal: Principal,
  text: string
): Effect.Effect<FoundTarget, NotFound | Overloaded | StoreFailed> => {
  const target = parseTarget(text)
  if (target === undefined) return Effect.fail(new NotFound())
  return Effect.map(directory.snapshot(principal.accountId, target.daemonId), (snapshot) => ({
    snapshot,
    target,
    text
  }))
}

/** A command to the session of a target. */
interface TargetCommand {
  readonly principal: Principal
  readonly target: string
  readonly type: CommandType
  readonly payload: object
  readonly agentType: string | undefined
}

const commandTo = (
  { accountId, daemonId }: Snapshot,
  { id }: SessionReport,
  { type, payload, agentType }: TargetCommand
): Command => ({
  accountId,
  daemonId,
  type,
  payload: agentType === undefined ? payload : { ...payload, agentType },
  targetSessionId: id
})

/** The only session that a target means, and the command to it. */
const toOne = Effect.fnUntraced(function* (services: Services, sent: TargetCommand) {
  const { snapshot, target } = yield* find(services, sent.principal, sent.target)
  const session = yield* Effect.fromResult(toWrite(snapshot, target, sent.agentType))
  return { snapshot, session, command: commandTo(snapshot, session, sent) }
})

/** The session that a target means to who reads, and the command to it. */
const toReadFrom = Effect.fnUntraced(function* (services: Services, sent: TargetCommand) {
  const { snapshot, target } = yield* find(services, sent.principal, sent.target)
  const session = yield* Effect.fromResult(toRead(snapshot, target, sent.agentType))
  return commandTo(snapshot, session, sent)
})

/** Sends a command, and gives the daemon's answer to the caller. */
const sending = ({ directory }: Services, command: Command) =>
  new Sending(command, Effect.map(directory.command(command), encodeCommand))

const byCategory = Effect.fnUntraced(function* (
  { directory, categoryOf }: Services,
  { accountId }: Principal,
  daemonId: string,
  type: string,
  chosen: (category: string | undefined) => Chosen
): Effect.fn.Return<Command, NotFound | Overloaded | StoreFailed> {
  const snapshot = yield* directory.snapshot(accountId, daemonId)
  const category = knownCategory(snapshot, type) ?? (yield* categoryOf(type))
  return { accountId, daemonId, ...chosen(category) }
})

const launch = Effect.fnUntraced(function* (services: Services, call: Called<"launch">) {
  const { principal, params, payload } = call
  const wish = yield* Effect.fromResult(readPreference(call, services.waitMillisMax, "launch_cli"))
  const command = yield* byCategory(services, principal, params.daemonId, payload.type, (category) =>
    launchCommand(payload, category)
  )
  if (wish.async) return new Sending(command, startAsync(services.stored, principal, command, wish))
  return sending(services, { ...command, ...deadlineOf(wish) })
})

const send = (services: Services, { principal, params, query, payload }: Called<"send">) =>
  Effect.gen(function* () {
    const said = yield* Effect.fromResult(readChatInput(payload))
    const { agentType } = payload
    const sent: TargetCommand = { principal, target: params.ideId, type: "send_chat", payload: said, agentType }
    const { wait, timeoutSeconds } = query
    if (wait !== undefined) yield* mayRead(principal)
    const { snapshot, session, command } = yield* toOne(services, sent)
    if (wait === undefined) return sending(services, command)
    const asked = { snapshot, session, send: command, wait, millis: waitMillis(timeoutSeconds) }
    return new Sending(command, answerTurn(services, services.waiting, asked))
  })

const approve = Effect.fnUntraced(function* (services: Services, { principal, params, payload }: Called<"approve">) {
  const { agentType, ...resolution } = payload
  const sent: TargetCommand = {
    principal,
    target: params.ideId,
    type: "resolve_action",
    payload: resolution,
    agentType
  }
  const { session, command } = yield* toOne(services, sent)
  return new Sending(
    command,
    Effect.map(sendBoundToPrompt(services.directory, answeredBy(principal, command, session), session), encodeCommand)
  )
})

const readChat = Effect.fnUntraced(function* (services: Services, { principal, params, query }: Called<"read">) {
  const { agentType } = query
  const asked: TargetCommand = { principal, target: params.ideId, type: "read_chat", payload: {}, agentType }
  const answer = yield* services.directory.command(yield* toReadFrom(services, asked))
  if (answer.result instanceof LargeResult) {
    return yield* encodeInWorker(services.workerThread, principal.accountId, answer, "chat")
  }
  const result = resultMembers(answer)
  return Result.isFailure(result) ? result.failure : { ...chatView(result.success), ...commonMembers(answer) }
})

const debug = Effect.fnUntraced(function* (
  services: Services,
  { principal, params }: Pick<Called<"debug">, "principal" | "params">,
  agentType: string | undefined,
  frontendSnapshot?: FrontendSnapshot
) {
  const snapshot = yield* redactSnapshot(services, principal, frontendSnapshot)
  const payload = snapshot === undefined ? {} : { frontendSnapshot: snapshot }
  const sent: TargetCommand = { principal, target: params.ideId, type: "chat_debug_bundle", payload, agentType }
  const command = yield* toReadFrom(services, sent)
  const { directory, workerThread } = services
  const answered = Effect.flatMap(directory.command(command), (answer) =>
    encodeInWorker(workerThread, principal.accountId, answer, "bundle", snapshot)
  )
  return new Sending(command, answered)
})

const status = Effect.fnUntraced(function* (services: Services, { principal, params, query }: Called<"status">) {
  const found = yield* find(services, principal, params.ideId)
  const { agentType, waitFor, since, timeoutSeconds } = query
  const wait: StatusWait = { ...found, agentType, since, millis: waitMillis(timeoutSeconds) }
  const snapshot =
    waitFor === undefined ? found.snapshot : yield* awaitChange(services.directory, services.waiting, wait)
  const session = yield* Effect.fromResult(toRead(snapshot, found.target, agentType))
  return agentStatusView(snapshot, session, found, yield* Clock.currentTimeMillis)
})

export const shortcutRoutes = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const services: Services = {
    directory: yield* Directory,
    stored: yield* StoredCommands,
    waitMillisMax: (yield* Config).commandTimeoutMillis,
    categoryOf: (yield* Catalog).category,
    workerThread: yield* WorkerThread,
    waiting: makeWaiting(),
    now: () => monotonicMillis(clock)
  }
  const routes: Routes<typeof Shortcuts> = {
    launch: (call) => launch(services, call),
    stop: ({ principal, params, payload }) =>
      Effect.map(
        byCategory(services, principal, params.daemonId, payload.type, (category) =>
          stopCommand(payload.type, category)
        ),
        (command) => sending(services, command)
      ),
    send: (call) => send(services, call),
    read: (call) => readChat(services, call),
    debug: (call) => debug(services, call, call.query.agentType),
    debugWith: (call) => debug(services, call, call.payload.agentType, call.payload.frontendSnapshot),
    interrupt: ({ principal, params, payload }) =>
      Effect.map(
        toOne(services, {
          principal,
          target: params.ideId,
          type: "interrupt",
          payload: {},
          agentType: payload.agentType
        }),
        ({ command }) => sending(services, command)
      ),
    approve: (call) => approve(services, call),
    status: (call) => status(services, call)
  }
  return routes
})
