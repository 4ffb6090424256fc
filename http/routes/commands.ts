/**
 * The routes of stored commands. Owns who may see which; the store has the rows, and log-answers.ts shows their output.
 */
import { Effect } from "effect"
import { Directory } from "../../actors/commands/directory.ts"
import { StoredCommands } from "../../actors/commands/stored-commands.ts"
import { WorkerThread } from "../../actors/runtime/worker-thread.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import { type StoredCommand, scopesFor, visibleTypes } from "../../src/domain/command/stored-command.ts"
import { cursorAfter, pageOf } from "../../src/domain/page-cursor.ts"
import { AuthForbidden, DaemonOffline, type NotFound, type StoreFailed } from "../../src/errors.ts"
import { commandsPageMax } from "../../src/limits/commands.ts"
import type { Commands } from "../api/commands.ts"
import type { Routes } from "../pipeline/action.ts"
import { json } from "../pipeline/response.ts"
import { recordOf, recordWith } from "./command-record.ts"
import type { LogAnswers, ShownLog } from "./log-answers.ts"
import { readPlace } from "./paging.ts"

const turnGoesOn =
  "The message was answered before, and nothing was cancelled: POST /api/v1/shortcuts/{ideId}/interrupt ends the turn of its agent."

/** The routes of `Commands`. */
export const commandRoutes = Effect.fnUntraced(function* ({ stream, page }: LogAnswers) {
  const stored = yield* StoredCommands
  const directory = yield* Directory
  const workerThread = yield* WorkerThread

  const seen = (
    { accountId, scopes }: Principal,
    commandId: string
  ): Effect.Effect<StoredCommand, NotFound | AuthForbidden | StoreFailed> =>
    Effect.flatMap(stored.find(accountId, commandId), (command) => {
      const needed = scopesFor(command.type)
      return needed.some((scope) => scopes.has(scope))
        ? Effect.succeed(command)
        : Effect.fail(new AuthForbidden({ requiredScope: needed[0]! }))
    })

  /** The log of what a command writes, which its online daemon has. */
  const outputOf = Effect.fnUntraced(function* (principal: Principal, { commandId }: { readonly commandId: string }) {
    const { daemonId } = yield* seen(principal, commandId)
    const { online } = yield* directory.snapshot(principal.accountId, daemonId)
    if (!online) return yield* new DaemonOffline()
    return { principal, daemonId, log: { kind: "command", id: commandId } } satisfies ShownLog
  })

  const routes: Routes<typeof Commands> = {
    list: Effect.fnUntraced(function* ({ principal: { accountId, scopes, selector }, query }) {
      const limit = query.limit ?? commandsPageMax
      const after = yield* readPlace("command", query.cursor)
      const { daemonId, state } = query
      const asked = { accountId, types: visibleTypes(scopes), daemonId, state, after, limit: limit + 1, selector }
      const { commands, lookedTo } = yield* stored.list(asked)
      const { rows, last } = pageOf(commands, limit)
      const place = last === undefined ? lookedTo : { at: last.createdAt, id: last.commandId }
      return { commands: rows.map(recordOf), ...(place !== undefined && { nextCursor: cursorAfter(place) }) }
    }),
    get: Effect.fnUntraced(function* ({ principal, params }) {
      const command = yield* seen(principal, params.commandId)
      const result = yield* stored.result(command)
      return result === undefined ? recordOf(command) : yield* recordWith(workerThread, command, result)
    }),
    cancel: Effect.fnUntraced(function* ({ principal, params }) {
      const command = yield* stored.cancel(yield* seen(principal, params.commandId))
      const record = recordOf(command)
      if (command.state === "pending") return json(202, record)
      // a message ends with its answer, and the turn that it began does not
      return command.type === "send_chat" ? { ...record, warnings: [turnGoesOn] } : record
    }),
    output: Effect.fnUntraced(function* ({ principal, params, query }) {
      return yield* page(yield* outputOf(principal, params), query)
    }),
    outputStream: Effect.fnUntraced(function* ({ principal, params, query, headers }) {
      return yield* stream(yield* outputOf(principal, params), query, headers["last-event-id"])
    })
  }
  return routes
})
