/**
 * The routes of join keys, and of the machines that enrol themselves by one. The store has the rows and
 * decides which daemon a machine is.
 */
import { Clock, Effect, Result } from "effect"
import { hashCredential, shownPrefix } from "../../src/auth/api-key.ts"
import { daemonTokens, joinKeyTokens } from "../../src/auth/checksummed-token.ts"
import { Bus } from "../../src/bus/bus.ts"
import { readTags } from "../../src/domain/daemon/tags.ts"
import { newId } from "../../src/domain/ids.ts"
import { AuthInvalid, invalid, NotFound } from "../../src/errors.ts"
import { JoinKeys as Store } from "../../src/store/daemons/join-keys.ts"
import type { JoinKeys } from "../api/join-keys.ts"
import type { Routes } from "../pipeline/action.ts"
import { bearerOf } from "../pipeline/bearer.ts"
import { json } from "../pipeline/response.ts"

const shownOnce = [["cache-control", "no-store"]] as const

const makeJoin = Effect.gen(function* () {
  const store = yield* Store
  const bus = yield* Bus
  const clock = yield* Clock.Clock

  const join: Routes<typeof JoinKeys>["join"] = Effect.fnUntraced(function* ({ headers, payload }) {
    const keyHash = hashCredential(bearerOf(headers.authorization ?? "") ?? "")
    const token = daemonTokens.make()
    const { machineId, name = "", hostname = "" } = payload
    const joined = yield* store.join({
      keyHash,
      tokenHash: hashCredential(token),
      machineIdHash: machineId === undefined ? undefined : hashCredential(machineId),
      name,
      hostname,
      now: clock.currentTimeMillisUnsafe()
    })
    if (joined === undefined) return yield* new AuthInvalid()
    const { accountId, daemonId, again } = joined
    bus.publish("holdings_changed", { accountId })
    if (again) bus.publish("token_revoked", { daemonId })
    return json(201, { daemonId, token }, shownOnce)
  })
  return join
})

/** The routes of `JoinKeys`. */
export const joinKeyRoutes = Effect.gen(function* () {
  const store = yield* Store
  const clock = yield* Clock.Clock
  const routes: Routes<typeof JoinKeys> = {
    list: ({ principal }) => Effect.map(store.listByAccount(principal.accountId), (joinKeys) => ({ joinKeys })),

    create: Effect.fnUntraced(function* ({ principal, payload }) {
      const tags = yield* Effect.fromResult(payload.tags === undefined ? Result.succeed({}) : readTags(payload.tags))
      const createdAt = clock.currentTimeMillisUnsafe()
      const { name, maxUses = null, expiresAt = null, removeAfterMinutes = null } = payload
      if (expiresAt !== null && expiresAt <= createdAt) return yield* invalid("expiresAt", "must lie in the future")
      const key = joinKeyTokens.make()
      const record = {
        id: newId("joinKey"),
        name,
        prefix: shownPrefix(key),
        tags,
        maxUses,
        removeAfterMinutes,
        createdAt,
        expiresAt
      }
      yield* store.add({ ...record, accountId: principal.accountId, hash: hashCredential(key) })
      return json(201, { ...record, uses: 0, key }, shownOnce)
    }),

    remove: Effect.fnUntraced(function* ({ principal, params: { joinKeyId } }) {
      if (!(yield* store.remove(principal.accountId, joinKeyId))) return yield* new NotFound()
      return { success: true as const, id: joinKeyId }
    }),

    join: yield* makeJoin
  }
  return routes
})
