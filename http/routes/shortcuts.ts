/** The routes of shortcuts. Owns no rule: what a target means is src/domain's, ownership and waiting are the directory's. */
import { Clock, Effect, Result } from "effect"
import { type CommandAnswer, Directory } from "../../actors/directory.ts"
import { toRead, toWrite } from "../../src/domain/agents.ts"
import { Categories } from "../../src/domain/categories.ts"
import { chatView, readChatInput } from "../../src/domain/chat.ts"
import { boundBundle, boundSnapshot } from "../../src/domain/debugbundle.ts"
import { type Chosen, knownCategory, launchCommand, stopCommand } from "../../src/domain/launch.ts"
import type { Picture } from "../../src/domain/picture.ts"
import type { Principal } from "../../src/domain/principal.ts"
import { parseTarget, type Target } from "../../src/domain/targets.ts"
import { agentStatusView } from "../../src/domain/views.ts"
import { type HubError, NotFound, PayloadTooLarge } from "../../src/errors.ts"
import { frontendSnapshotBytesMax } from "../../src/limits.ts"
import type { CommandType, SessionReport } from "../../src/protocol/frames.ts"
import type { Shortcuts } from "../api/shortcuts.ts"
import { carried, members, whole } from "./answers.ts"
import type { Routes } from "./routes.ts"

type Snapshot = Readonly<Record<string, unknown>>

/** A target of the caller's account, with the picture it was found in. */
interface Found {
  readonly picture: Picture
  readonly target: Target
  readonly text: string
}

const named = (agentType: string | undefined) => (agentType === undefined ? {} : { agentType })

const bounded = (snapshot: Snapshot | undefined): Result.Result<Snapshot | undefined, PayloadTooLarge> => {
  if (snapshot === undefined) return Result.succeed(undefined)
  return Buffer.byteLength(JSON.stringify(snapshot)) > frontendSnapshotBytesMax
    ? Result.fail(new PayloadTooLarge({ limit: frontendSnapshotBytesMax }))
    : Result.succeed(boundSnapshot(snapshot))
}

/** A daemon's bundle as it may leave; the dashboard's snapshot joins it where the daemon left it out. */
const debugAnswer = (answer: CommandAnswer, snapshot: Snapshot | undefined) => {
  const result = members(answer)
  if (Result.isFailure(result)) return result.failure
  const { bundle, text } = result.success
  const inner = members({ ...answer, result: bundle })
  if (Result.isFailure(inner)) return inner.failure
  const supplemented =
    snapshot === undefined || "frontendSnapshot" in inner.success
      ? inner.success
      : { ...inner.success, frontendSnapshot: snapshot }
  return { ...carried(answer), ...boundBundle(supplemented, typeof text === "string" ? text : undefined) }
}

/** Builds the routes. */
export const shortcutRoutes = Effect.gen(function* () {
  const directory = yield* Directory
  const categoryOf = yield* Categories

  const find = (principal: Principal, text: string): Effect.Effect<Found, HubError> => {
    const target = parseTarget(text)
    if (target === undefined) return Effect.fail(new NotFound())
    return Effect.map(directory.picture(principal.accountId, target.daemonId), (picture) => ({ picture, target, text }))
  }

  const command = (picture: Picture, session: SessionReport, type: CommandType, payload: unknown) =>
    directory.command({
      accountId: picture.accountId,
      daemonId: picture.daemonId,
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
  ): Effect.fn.Return<ReturnType<typeof whole>, HubError> {
    const { picture, target } = yield* find(principal, text)
    const session = yield* Effect.fromResult(toWrite(picture, target, agentType))
    return whole(yield* command(picture, session, type, { ...payload, ...named(agentType) }))
  })

  const read = Effect.fnUntraced(function* (
    principal: Principal,
    text: string,
    type: CommandType,
    payload: object,
    agentType: string | undefined
  ): Effect.fn.Return<CommandAnswer, HubError> {
    const { picture, target } = yield* find(principal, text)
    const session = yield* Effect.fromResult(toRead(picture, target, agentType))
    return yield* command(picture, session, type, { ...payload, ...named(agentType) })
  })

  const choose = Effect.fnUntraced(function* (
    principal: Principal,
    daemonId: string,
    type: string,
    chosen: (category: string | undefined) => Chosen
  ): Effect.fn.Return<ReturnType<typeof whole>, HubError> {
    const picture = yield* directory.picture(principal.accountId, daemonId)
    const category = knownCategory(picture, type) ?? (yield* categoryOf(type))
    return whole(yield* directory.command({ accountId: principal.accountId, daemonId, ...chosen(category) }))
  })

  const routes: Routes<typeof Shortcuts> = {
    launch: ({ principal, params, payload }) =>
      choose(principal, params.daemonId, payload.type, (category) => launchCommand(payload, category)),
    stop: ({ principal, params, payload }) =>
      choose(principal, params.daemonId, payload.type, (category) => stopCommand(payload.type, category)),
    send: ({ principal, params, payload }) =>
      Effect.flatMap(
        Effect.fromResult(readChatInput(payload)),
        (said): Effect.Effect<ReturnType<typeof whole>, HubError> =>
          write(principal, params.ideId, "send_chat", said, payload.agentType)
      ),
    read: ({ principal, params, query }) =>
      Effect.map(read(principal, params.ideId, "read_chat", {}, query.agentType), (answer) => {
        const result = members(answer)
        return Result.isFailure(result) ? result.failure : { ...chatView(result.success), ...carried(answer) }
      }),
    debug: ({ principal, params, query }) =>
      Effect.map(read(principal, params.ideId, "chat_debug_bundle", {}, query.agentType), (answer) =>
        debugAnswer(answer, undefined)
      ),
    debugWith: Effect.fnUntraced(function* ({
      principal,
      params,
      payload
    }): Effect.fn.Return<ReturnType<typeof debugAnswer>, HubError> {
      const snapshot = yield* Effect.fromResult(bounded(payload.frontendSnapshot))
      const given = snapshot === undefined ? {} : { frontendSnapshot: snapshot }
      const answer = yield* read(principal, params.ideId, "chat_debug_bundle", given, payload.agentType)
      return debugAnswer(answer, snapshot)
    }),
    approve: ({ principal, params, payload }) =>
      write(principal, params.ideId, "resolve_action", { action: payload.action }, payload.agentType),
    status: Effect.fnUntraced(function* ({
      principal,
      params,
      query
    }): Effect.fn.Return<ReturnType<typeof agentStatusView>, HubError> {
      const found = yield* find(principal, params.ideId)
      const session = yield* Effect.fromResult(toRead(found.picture, found.target, query.agentType))
      return agentStatusView(found.picture, session, found, yield* Clock.currentTimeMillis)
    })
  }
  return routes
})
