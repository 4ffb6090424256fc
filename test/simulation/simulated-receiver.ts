/**
 * The receivers of webhooks, as the outbound port of one node reaches them. Owns how they answer: at once, late, with
 * an error, not at all; and tells the invariants of each request that reached one.
 */
import { Effect } from "effect"
import type { AttemptResult } from "../../src/domain/webhook/delivery.ts"
import { attemptMillisMax } from "../../src/limits/delivery.ts"
import type { Outbound, Posting } from "../../src/outbound/post.ts"
import type { Random } from "./seeded-random.ts"
import type { Monitor } from "./step-invariants.ts"
import type { VirtualProcess, VirtualTime } from "./virtual-time.ts"

/** How the receivers fare. */
export interface ReceiverFaults {
  /** How likely an answer is an error. */
  failing: number
  /** How likely it never comes. */
  silent: number
}

const answerOf = (
  statusCode: number | undefined,
  error: AttemptResult["error"],
  durationMs: number
): AttemptResult => ({ statusCode, error, retryAfter: undefined, body: "", truncated: false, durationMs })

/** The way out of one node. */
export const outboundOf = (
  process: VirtualProcess,
  {
    time,
    random,
    receivers,
    monitor
  }: {
    readonly time: VirtualTime
    readonly random: Random
    readonly receivers: ReceiverFaults
    readonly monitor: Monitor
  }
): Outbound["Service"] => {
  const chance = random.fork()
  const post = ({ url, headers, body }: Posting): Effect.Effect<AttemptResult> =>
    Effect.callback((resume) => {
      const webhookId = url.slice(url.lastIndexOf("/") + 1)
      const deliveryId = headers["webhook-id"] ?? headers["x-webhook-delivery"] ?? ""
      const ended = monitor.attempted(process.name, webhookId, deliveryId, String(body))
      const [there, back] = [chance.between(1, 40), chance.between(1, 40)]
      const isSilent = chance.chance(receivers.silent)
      const isFailing = chance.chance(receivers.failing)
      const answer = (millis: number, answered: AttemptResult): (() => void) =>
        time.after(
          millis,
          () => {
            ended()
            resume(Effect.succeed(answered))
          },
          process
        )
      time.after(there, () => {
        if (!isFailing) monitor.received(deliveryId)
      })
      const cancel = isSilent
        ? answer(attemptMillisMax, answerOf(undefined, "timeout", attemptMillisMax))
        : answer(there + back, answerOf(isFailing ? 500 : 200, undefined, Math.round(there + back)))
      return Effect.sync(() => {
        ended()
        cancel()
      })
    })
  return { post, allowed: () => true, origins: () => 0 } as Outbound["Service"]
}
