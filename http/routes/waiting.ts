/**
 * The actions that wait for an agent: a turn in one call, a long poll of the status. Owns how many calls wait at once
 * and what a caller needs to be shown a chat. A caller who hangs up ends the wait, never the turn.
 */

import { Effect, Result } from "effect"
import { runTurn, type TurnAsked, type TurnContext, type TurnOutcome } from "../../actors/commands/chat-turn.ts"
import type { Directory } from "../../actors/commands/directory.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import { hasReported, versionOf } from "../../src/domain/daemon/agent-watch.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import { toRead } from "../../src/domain/daemon/target-resolution.ts"
import type { Target } from "../../src/domain/daemon/targets.ts"
import { makeSlotLimit } from "../../src/domain/limits/slot-limit.ts"
import { AuthForbidden, type NotFound, Overloaded, type StoreFailed } from "../../src/errors.ts"
import { waitSecondsUsual, waitsMax, waitsPerAccountMax } from "../../src/limits/agent-waits.ts"
import { overloadRetrySeconds } from "../../src/limits.ts"
import { jsonBytes } from "../pipeline/response.ts"
import { encodeCommand } from "./command-answer.ts"

/** Runs an effect in one of the places of an account. */
export type Waiting = <A, E>(accountId: string, effect: Effect.Effect<A, E>) => Effect.Effect<A, E | Overloaded>

/** The places of a node. */
export const makeWaiting = (): Waiting => {
  const places = makeSlotLimit(waitsMax, waitsPerAccountMax)
  return <A, E>(accountId: string, effect: Effect.Effect<A, E>) =>
    Effect.suspend((): Effect.Effect<A, E | Overloaded> => {
      const release = places.acquire(accountId)
      if (release === undefined) return Effect.fail(new Overloaded({ retryAfter: overloadRetrySeconds }))
      return Effect.ensuring(effect, Effect.sync(release))
    })
}

/** How long a call waits. */
export const waitMillis = (seconds: number = waitSecondsUsual): number => seconds * 1_000

/** That a caller may be shown a chat. */
export const mayRead = ({ scopes }: Principal): Effect.Effect<void, AuthForbidden> =>
  scopes.has("agent:read") ? Effect.void : Effect.fail(new AuthForbidden({ requiredScope: "agent:read" }))

const encodeTurn = ({ sent, timedOut, status, chat, activeModal, version }: TurnOutcome) => {
  const { result, commandId, durationMs } = sent
  const turn = {
    success: true as const,
    timedOut,
    status,
    ...(activeModal === undefined ? {} : { activeModal }),
    ...(chat.stopReason === undefined || timedOut ? {} : { stopReason: chat.stopReason }),
    version,
    ...(result === undefined ? {} : { result }),
    commandId,
    durationMs
  }
  const { messages } = chat
  if (!(messages instanceof Uint8Array)) return messages === undefined ? turn : { ...turn, messages }
  const rest = JSON.stringify(turn).slice(1)
  return jsonBytes(Buffer.concat([Buffer.from('{"messages":'), messages, Buffer.from(`,${rest}`)]))
}

/** A message, and the answer once its turn is over. */
export const answerTurn = (context: TurnContext, waiting: Waiting, asked: TurnAsked) =>
  Effect.map(waiting(asked.send.accountId, runTurn(context, asked)), (done) =>
    "sent" in done ? encodeTurn(done) : encodeCommand(done)
  )

/** A target that was found, and what was seen of it before. */
export interface StatusWait {
  readonly snapshot: Snapshot
  readonly target: Target
  readonly text: string
  readonly agentType: string | undefined
  readonly since: string | undefined
  readonly millis: number
}

/** The snapshot once the agent is another than it was seen: at once when it is already. */
export const awaitChange = (
  directory: Pick<Directory["Service"], "watch">,
  waiting: Waiting,
  { snapshot, target, text, agentType, since, millis }: StatusWait
): Effect.Effect<Snapshot, NotFound | Overloaded | StoreFailed> =>
  Effect.suspend((): Effect.Effect<Snapshot, NotFound | Overloaded | StoreFailed> => {
    const session = toRead(snapshot, target, agentType)
    // a daemon that has just come back tells its agents with its first report: they are waited for
    const isAwaited = since !== undefined && !hasReported(snapshot)
    if (Result.isFailure(session) && !isAwaited) return Effect.fail(session.failure)
    const version = Result.isFailure(session) ? since! : versionOf(snapshot, session.success)
    if (since !== undefined && since !== version) return Effect.succeed(snapshot)
    const { accountId, daemonId } = snapshot
    const watched = directory.watch({ accountId, daemonId, target: text, agentType, version }, millis)
    return Effect.map(waiting(accountId, watched), (found) => found.snapshot)
  })
