/** The routes of shortcuts. Owns no rule: src/domain resolves targets, the directory checks ownership and waits. */
import { Clock, Effect, Result } from "effect"
import { Directory } from "../../actors/commands/directory.ts"
import { OffLoop } from "../../actors/runtime/worker-jobs.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import { chatView, readChatInput } from "../../src/domain/command/chat.ts"
import type { CommandAnswer } from "../../src/domain/command/command.ts"
import { type Chosen, knownCategory, launchCommand, stopCommand } from "../../src/domain/command/launch.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import { toRead, toWrite } from "../../src/domain/daemon/target-resolution.ts"
import { parseTarget, type Target } from "../../src/domain/daemon/targets.ts"
import { agentStatusView } from "../../src/domain/daemon/views.ts"
import { Categories } from "../../src/domain/registry/categories.ts"
import { type HubError, NotFound, Overloaded, PayloadTooLarge } from "../../src/errors.ts"
import { frontendSnapshotBytesMax, overloadRetrySeconds } from "../../src/limits.ts"
import type { CommandType, SessionReport } from "../../src/protocol/frames.ts"
import { LargeResult } from "../../src/protocol/large-frame.ts"
import type { Shortcuts } from "../api/shortcuts.ts"
import type { Answer } from "../pipeline/response.ts"
import { commonMembers, encodeCommand, encodeOffLoop, type RefusedCommand, resultMembers } from "./command-answer.ts"
import type { Routes } from "./group.ts"

type FrontendSnapshot = Readonly<Record<string, unknown>>

/** A target, with the snapshot of its daemon, which belongs to the caller's account. */
interface Found {
  readonly snapshot: Snapshot
  readonly target: Target
  readonly text: string
}

const agentTypeMember = (agentType: string | undefined) => (agentType === undefined ? {} : { agentType })

/** Builds the routes. */
export const shortcutRoutes = Effect.gen(function* () {
  const directory = yield* Directory
  const categoryOf = yield* Categories
  const offLoop = yield* OffLoop

  /** Bounds and redacts the dashboard's snapshot before a daemon sees it. */
  const redactSnapshot = Effect.fnUntraced(function* (
    principal: Principal,
    snapshot: FrontendSnapshot | undefined
  ): Effect.fn.Return<FrontendSnapshot | undefined, PayloadTooLarge | Overloaded> {
    if (snapshot === undefined) return undefined
    const bytes = new Uint8Array(Buffer.from(JSON.stringify(snapshot)))
    if (bytes.byteLength > frontendSnapshotBytesMax) {
      return yield* new PayloadTooLarge({ limit: frontendSnapshotBytesMax })
    }
    const done = yield* offLoop.ask(principal.accountId, { job: "snapshot", bytes })
    if (done?.done !== "snapshot") return yield* new Overloaded({ retryAfter: overloadRetrySeconds })
    return done.snapshot
  })

  const find = (principal: Principal, text: string): Effect.Effect<Found, HubError> => {
    const target = parseTarget(text)
    if (target === undefined) return Effect.fail(new NotFound())
    return Effect.map(directory.snapshot(principal.accountId, target.daemonId), (snapshot) => ({
      snapshot,
      target,
      text
    }))
  }

  const command = (snapshot: Snapshot, session: SessionReport, type: CommandType, payload: unknown) =>
    directory.command({
      accountId: snapshot.accountId,
      daemonId: snapshot.daemonId,
      type,
      payload,
      targetSessionId: session.id
    })

  const write = Effect.fnUntraced(function* (
    principal: Principal,
    text: string,
    type: CommandType,
    payload: object,
    agentType: string | undefined
  ): Effect.fn.Return<ReturnType<typeof encodeCommand>, HubError> {
    const { snapshot, target } = yield* find(principal, text)
    const session = yield* Effect.fromResult(toWrite(snapshot, target, agentType))
    return encodeCommand(yield* command(snapshot, session, type, { ...payload, ...agentTypeMember(agentType) }))
  })

  const read = Effect.fnUntraced(function* (
    principal: Principal,
    text: string,
    type: CommandType,
    payload: object,
    agentType: string | undefined
  ): Effect.fn.Return<CommandAnswer, HubError> {
    const { snapshot, target } = yield* find(principal, text)
    const session = yield* Effect.fromResult(toRead(snapshot, target, agentType))
    return yield* command(snapshot, session, type, { ...payload, ...agentTypeMember(agentType) })
  })

  const sendByCategory = Effect.fnUntraced(function* (
    principal: Principal,
    daemonId: string,
    type: string,
    chosen: (category: string | undefined) => Chosen
  ): Effect.fn.Return<ReturnType<typeof encodeCommand>, HubError> {
    const snapshot = yield* directory.snapshot(principal.accountId, daemonId)
    const category = knownCategory(snapshot, type) ?? (yield* categoryOf(type))
    return encodeCommand(yield* directory.command({ accountId: principal.accountId, daemonId, ...chosen(category) }))
  })

  const routes: Routes<typeof Shortcuts> = {
    launch: ({ principal, params, payload }) =>
      sendByCategory(principal, params.daemonId, payload.type, (category) => launchCommand(payload, category)),
    stop: ({ principal, params, payload }) =>
      sendByCategory(principal, params.daemonId, payload.type, (category) => stopCommand(payload.type, category)),
    send: ({ principal, params, payload }) =>
      Effect.flatMap(
        Effect.fromResult(readChatInput(payload)),
        (said): Effect.Effect<ReturnType<typeof encodeCommand>, HubError> =>
          write(principal, params.ideId, "send_chat", said, payload.agentType)
      ),
    read: Effect.fnUntraced(function* ({ principal, params, query }) {
      const answer = yield* read(principal, params.ideId, "read_chat", {}, query.agentType)
      if (answer.result instanceof LargeResult) {
        return yield* encodeOffLoop(offLoop, principal.accountId, answer, "chat")
      }
      const result = resultMembers(answer)
      return Result.isFailure(result) ? result.failure : { ...chatView(result.success), ...commonMembers(answer) }
    }),
    debug: ({ principal, params, query }) =>
      Effect.flatMap(read(principal, params.ideId, "chat_debug_bundle", {}, query.agentType), (answer) =>
        encodeOffLoop(offLoop, principal.accountId, answer, "bundle")
      ),
    debugWith: Effect.fnUntraced(function* ({
      principal,
      params,
      payload
    }): Effect.fn.Return<RefusedCommand | Answer, HubError> {
      const snapshot = yield* redactSnapshot(principal, payload.frontendSnapshot)
      const given = snapshot === undefined ? {} : { frontendSnapshot: snapshot }
      const answer = yield* read(principal, params.ideId, "chat_debug_bundle", given, payload.agentType)
      return yield* encodeOffLoop(offLoop, principal.accountId, answer, "bundle", snapshot)
    }),
    approve: ({ principal, params, payload }) =>
      write(principal, params.ideId, "resolve_action", { action: payload.action }, payload.agentType),
    status: Effect.fnUntraced(function* ({
      principal,
      params,
      query
    }): Effect.fn.Return<ReturnType<typeof agentStatusView>, HubError> {
      const found = yield* find(principal, params.ideId)
      const session = yield* Effect.fromResult(toRead(found.snapshot, found.target, query.agentType))
      return agentStatusView(found.snapshot, session, found, yield* Clock.currentTimeMillis)
    })
  }
  return routes
})
