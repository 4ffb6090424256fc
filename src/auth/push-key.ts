/**
 * The key pair by which the hub shows push services who sends (VAPID). Owns its making and its sealed form: it is made
 * once for all nodes and kept, as browsers bind their subscriptions to it.
 */
import { Context, Effect, Layer, Semaphore } from "effect"
import { makeVapidPair, type VapidPair, type VapidSigner, vapidSigner } from "../domain/push/vapid.ts"
import type { StoreFailed } from "../errors.ts"
import { PushSubscriptions, pushKeyId } from "../store/push/push-subscriptions.ts"
import { SecretBox } from "./secret-box.ts"

const belongs = `push key ${pushKeyId}`

/** The key pair of push messages. */
export class PushKey extends Context.Service<
  PushKey,
  {
    /** The pair that signs; the first call of a hub makes it. */
    readonly signer: Effect.Effect<VapidSigner, StoreFailed>
  }
>()("hub/PushKey") {
  static readonly layer = Layer.effect(
    PushKey,
    Effect.gen(function* () {
      const store = yield* PushSubscriptions
      const secretBox = yield* SecretBox
      const oneAtATime = yield* Semaphore.make(1)
      let known: VapidSigner | undefined
      const kept = Effect.gen(function* () {
        const row = yield* store.key
        if (row !== undefined) return row
        const { publicKey, privateKey } = makeVapidPair()
        return yield* store.keepKey({ publicKey, sealed: secretBox.seal(privateKey, belongs) })
      })
      const read = Effect.gen(function* () {
        if (known !== undefined) return known
        const { publicKey, sealed } = yield* kept
        const pair: VapidPair = { publicKey, privateKey: yield* secretBox.open(sealed, belongs) }
        known = vapidSigner(pair)
        return known
      })
      return PushKey.of({
        signer: Effect.suspend(() => (known === undefined ? oneAtATime.withPermit(read) : Effect.succeed(known)))
      })
    })
  )
}
