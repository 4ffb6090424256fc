/**
 * ICE servers for a daemon or a dashboard. Owns the port; this layer gives the STUN servers of the settings and no TURN.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { Config } from "../config.ts"
import type { Plan } from "../domain/plans.ts"
import type { IceServer } from "../protocol/frames.ts"

/** One set of servers. */
export interface IceSet {
  readonly iceServers: ReadonlyArray<IceServer>
  /** False: STUN only. */
  readonly turn: boolean
  /** When the credentials end, epoch milliseconds. */
  readonly expiresAt: number
}

/** How long a set without credentials is called good for. */
const stunOnlyMillis = 86_400_000

/** The port. Never fails: whatever goes wrong, STUN is left. */
export class Ice extends Context.Service<
  Ice,
  { readonly forAccount: (accountId: string, plan: Plan) => Effect.Effect<IceSet> }
>()("hub/Ice") {
  /** STUN only, from the settings. */
  static readonly layerStun: Layer.Layer<Ice, never, Config> = Layer.effect(
    Ice,
    Effect.gen(function* () {
      const { stunUrls } = yield* Config
      const iceServers = stunUrls.map((url) => ({ urls: [url] }))
      return {
        forAccount: () =>
          Effect.map(Clock.currentTimeMillis, (now) => ({ iceServers, turn: false, expiresAt: now + stunOnlyMillis }))
      }
    })
  )
}
