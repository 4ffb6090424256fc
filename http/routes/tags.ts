/** The routes of changes of tags. Owns how a call names whose; the actors own that every node knows at once. */
import { Effect } from "effect"
import { Directory } from "../../actors/commands/directory.ts"
import { FleetTagging } from "../../actors/commands/fleet-tagging.ts"
import { readSelector } from "../../src/domain/daemon/selector.ts"
import { readTagChange, readTags, type TagChange, tagsOf } from "../../src/domain/daemon/tags.ts"
import { invalid, NotFound } from "../../src/errors.ts"
import type { Tags } from "../api/tags.ts"
import type { Routes } from "../pipeline/action.ts"

/** Changes the tags of one daemon, and answers with those that count. */
export const makeTagOne = Effect.gen(function* () {
  const directory = yield* Directory
  const tagging = yield* FleetTagging
  return Effect.fnUntraced(function* (accountId: string, daemonId: string, change: TagChange) {
    const [changed] = yield* tagging.change(accountId, { daemonId }, change)
    if (changed === undefined) return yield* new NotFound()
    const { ownerTags } = changed
    const { tags } = yield* directory.snapshot(accountId, daemonId)
    return {
      success: true as const,
      tags: tagsOf({ ...(tags !== undefined && { tags }), ownerTags }),
      ownerTags: ownerTags.tags
    }
  })
})

export const tagRoutes = Effect.gen(function* () {
  const tagging = yield* FleetTagging
  const tagOne = yield* makeTagOne

  const changeMany = Effect.fnUntraced(function* (accountId: string, text: string, change: TagChange) {
    const selector = yield* Effect.fromResult(readSelector(text))
    // all daemons by a mistake: who means them says so, by a key that none has
    if (selector.length === 0) {
      return yield* invalid("selector", "is empty; all daemons are those without a key, as in !none")
    }
    const changed = yield* tagging.change(accountId, { selector }, change)
    return { success: true as const, changed: changed.length }
  })

  const routes: Routes<typeof Tags> = {
    merge: Effect.fnUntraced(function* ({ principal: { accountId }, params: { daemonId }, payload }) {
      return yield* tagOne(accountId, daemonId, yield* Effect.fromResult(readTagChange(payload.tags)))
    }),
    set: Effect.fnUntraced(function* ({ principal, query, payload }) {
      const set = yield* Effect.fromResult(readTags(payload.tags))
      return yield* changeMany(principal.accountId, query.selector, { set, removed: [] })
    }),
    change: Effect.fnUntraced(function* ({ principal, query, payload }) {
      const change = yield* Effect.fromResult(readTagChange(payload.tags))
      return yield* changeMany(principal.accountId, query.selector, change)
    })
  }
  return routes
})
