/** A source of ICE servers that has no TURN. */
import { Clock, Effect, Layer } from "effect"
import { defaultSettings } from "../../src/config.ts"
import { stunOnlySeconds } from "../../src/limits.ts"
import { Ice } from "../../src/outbound/ice.ts"

const iceServers = defaultSettings.stunUrls.map((url) => ({ urls: [url] }))
const forAccount = () =>
  Effect.map(Clock.currentTimeMillis, (now) => ({
    iceServers,
    turn: false,
    expiresAt: now + stunOnlySeconds * 1_000,
    cached: false
  }))

export const stunOnly = Layer.succeed(Ice, { forAccount, forWelcome: forAccount })
