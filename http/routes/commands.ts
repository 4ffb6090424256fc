/** The routes of kept commands. Owns who may see which; the store has the rows. */
import { Effect } from "effect"
import { StoredCommands } from "../../actors/commands/stored-commands.ts"
import { OffLoop } from "../../actors/runtime/worker-jobs.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import { type StoredCommand, scopesFor, visibleTypes } from "../../src/domain/command/stored-command.ts"
import { cursorAfter, pageOf } from "../../src/domain/page-cursor.ts"
import { AuthForbidden, type NotFound, type StoreFailed } from "../../src/errors.ts"
import { commandsPageMax } from "../../src/limits/commands.ts"
import type { Commands } from "../api/commands.ts"
import { json } from "../pipeline/response.ts"
import { recordOf, recordWith } from "./command-record.ts"
import type { Routes } from "./group.ts"
import { readCommandCursor } from "./paging.ts"

/** Builds the routes. */
export const commandRoutes = Effect.gen(function* () {
  const stored = yield* StoredCommands
  const offLoop = yield* OffLoop

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

  const routes: Routes<typeof Commands> = {
    list: Effect.fnUntraced(function* ({ principal: { accountId, scopes }, query }) {
      const limit = query.limit ?? commandsPageMax
      const after = yield* Effect.fromResult(readCommandCursor(query.cursor))
      const { daemonId, state } = query
      const asked = { accountId, types: visibleTypes(scopes), daemonId, state, after, limit: limit + 1 }
      const { rows, last } = pageOf(yield* stored.list(asked), limit)
      return {
        commands: rows.map(recordOf),
        ...(last !== undefined && { nextCursor: cursorAfter({ at: last.createdAt, id: last.commandId }) })
      }
    }),
    get: Effect.fnUntraced(function* ({ principal, params }) {
      const command = yield* seen(principal, params.commandId)
      const result = yield* stored.result(command)
      return result === undefined ? recordOf(command) : yield* recordWith(offLoop, command, result)
    }),
    cancel: Effect.fnUntraced(function* ({ principal, params }) {
      const command = yield* stored.cancel(yield* seen(principal, params.commandId))
      return command.state === "pending" ? json(202, recordOf(command)) : recordOf(command)
    })
  }
  return routes
})
