/** A sender of push messages that sends none. */
import { Layer } from "effect"
import { PushSender } from "../../actors/push/push-sender.ts"

export const silentPush = Layer.succeed(PushSender, { offer: () => undefined, busy: () => 0 })
