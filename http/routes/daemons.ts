/** The routes of daemons. Owns no rule: src/domain has the rules, the directory checks ownership and waits. */
import { Clock, Effect, Result } from "effect"
import { Directory } from "../../actors/commands/directory.ts"
import { OffLoop } from "../../actors/runtime/worker-jobs.ts"
import { hashCredential } from "../../src/auth/api-key.ts"
import { makeDaemonToken } from "../../src/auth/daemon-token.ts"
import { Bus } from "../../src/bus/bus.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import { readRawCommand } from "../../src/domain/command/raw-command.ts"
import { readTerminal, terminalResult } from "../../src/domain/command/terminal.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import { sessionOf } from "../../src/domain/daemon/target-resolution.ts"
import { parseTarget } from "../../src/domain/daemon/targets.ts"
import { statusView } from "../../src/domain/daemon/views.ts"
import { type HubError, NotFound } from "../../src/errors.ts"
import { LargeResult } from "../../src/protocol/large-frame.ts"
import { Daemons as Store } from "../../src/store/daemons/daemons.ts"
import type { Daemons } from "../api/daemons.ts"
import { json } from "../pipeline/response.ts"
import { commonMembers, encodeCommand, encodeOffLoop, resultMembers } from "./command-answer.ts"
import { listAnswer, makeListEncoder } from "./daemon-list.ts"
import type { Routes } from "./group.ts"
import { listCursor, readListCursor, readPageLimit } from "./paging.ts"

/** Resolves the session of a raw command, by its id or its full target id. It must belong to this daemon. */
const resolveSession = (snapshot: Snapshot, text: string): Result.Result<string, NotFound> => {
  if (sessionOf(snapshot, text) !== undefined) return Result.succeed(text)
  const target = parseTarget(text)
  const own = target?.kind === "session" && target.daemonId === snapshot.daemonId
  return own && sessionOf(snapshot, target.name) !== undefined
    ? Result.succeed(target.name)
    : Result.fail(new NotFound())
}

/** Builds the routes. */
export const daemonRoutes = Effect.gen(function* () {
  const directory = yield* Directory
  const store = yield* Store
  const bus = yield* Bus
  const announceHoldings = ({ accountId }: Principal): void => bus.publish("holdings_changed", { accountId })
  const offLoop = yield* OffLoop
  const listOf = makeListEncoder()

  const listPage = Effect.fnUntraced(function* (
    accountId: string,
    query: { readonly include?: string; readonly limit?: string; readonly cursor?: string }
  ) {
    const limit = yield* Effect.fromResult(readPageLimit(query.limit))
    const after = yield* Effect.fromResult(readListCursor(query.cursor))
    const offline = query.include === "offline"
    const { snapshots, next } = yield* directory.list({ accountId, offline, limit, after })
    return yield* listAnswer(snapshots, next === undefined ? undefined : listCursor(next))
  })

  const routes: Routes<typeof Daemons> = {
    list: ({ principal, query }) => {
      const { accountId } = principal
      if (query.include !== undefined || query.limit !== undefined || query.cursor !== undefined)
        return listPage(accountId, query)
      return Effect.flatMap(directory.online(accountId), listOf)
    },
    status: Effect.fnUntraced(function* ({
      principal,
      params
    }): Effect.fn.Return<ReturnType<typeof statusView>, HubError> {
      const snapshot = yield* directory.snapshot(principal.accountId, params.daemonId)
      return statusView(snapshot, yield* Clock.currentTimeMillis)
    }),
    command: ({ principal, params, payload }) => {
      const read = readRawCommand(payload.type, payload.payload ?? {})
      if (Result.isFailure(read)) return Effect.fail(read.failure)
      const { type, payload: given, targetSessionId } = read.success
      const { accountId } = principal
      const { daemonId } = params
      const command = { accountId, daemonId, type, payload: given }
      if (targetSessionId === undefined) return Effect.map(directory.command(command), encodeCommand)
      return Effect.flatMap(
        directory.snapshot(accountId, daemonId),
        (snapshot): Effect.Effect<ReturnType<typeof encodeCommand>, HubError> => {
          const session = resolveSession(snapshot, targetSessionId)
          return Result.isFailure(session)
            ? Effect.fail(session.failure)
            : Effect.map(directory.command({ ...command, targetSessionId: session.success }), encodeCommand)
        }
      )
    },
    terminal: Effect.fnUntraced(function* ({ principal, params, payload }) {
      const command = yield* Effect.fromResult(readTerminal(payload))
      const answer = yield* directory.command({
        accountId: principal.accountId,
        daemonId: params.daemonId,
        type: "terminal_exec",
        payload: command
      })
      if (answer.result instanceof LargeResult) {
        return yield* encodeOffLoop(offLoop, principal.accountId, answer, "terminal")
      }
      const result = resultMembers(answer)
      if (Result.isFailure(result)) return result.failure
      return { ...commonMembers(answer), result: terminalResult(result.success) }
    }),
    disconnect: ({ principal, params }) =>
      Effect.map(directory.disconnect(principal.accountId, params.daemonId), ({ wasConnected }) => ({
        success: true as const,
        wasConnected
      })),
    revoke: ({ principal, params }) =>
      Effect.map(directory.revoke(principal.accountId, params.daemonId), ({ wasConnected }) => {
        announceHoldings(principal)
        return { success: true as const, wasConnected }
      }),
    remove: ({ principal, params }) =>
      Effect.map(directory.remove(principal.accountId, params.daemonId), () => {
        announceHoldings(principal)
        return { success: true as const, id: params.daemonId }
      }),
    enroll: Effect.fnUntraced(function* ({ principal, payload }): Effect.fn.Return<ReturnType<typeof json>, HubError> {
      const token = makeDaemonToken()
      const daemonId = yield* store.enrol({
        accountId: principal.accountId,
        daemonId: payload.daemonId,
        tokenHash: hashCredential(token),
        name: payload.name ?? "",
        now: yield* Clock.currentTimeMillis
      })
      if (daemonId === undefined) return yield* new NotFound()
      announceHoldings(principal)
      // the enrolment may have ended an unused token of this daemon
      if (payload.daemonId !== undefined) bus.publish("token_revoked", { daemonId })
      return json(201, { daemonId, token }, [["cache-control", "no-store"]])
    })
  }
  return routes
})
