/**
 * Tells browsers of questions that agents wait on. Owns what waits to be sent on this node, which is bounded and lost
 * with it: the question itself stays in the inbox. What is slow or gone at a push service delays only what one account
 * sends to that service.
 */
import { Context, Effect, Layer, Result } from "effect"
import { hashCredential } from "../../src/auth/api-key.ts"
import { pushTokens } from "../../src/auth/checksummed-token.ts"
import { PushKey } from "../../src/auth/push-key.ts"
import { SecretBox } from "../../src/auth/secret-box.ts"
import { Config } from "../../src/config.ts"
import type { ApprovalView } from "../../src/domain/approval/approval.ts"
import { matches, readSelector } from "../../src/domain/daemon/selector.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import type { Tagged } from "../../src/domain/daemon/tags.ts"
import { makeBuckets } from "../../src/domain/limits/buckets.ts"
import {
  type AnswerTokens,
  type Asked,
  approvalMessage,
  askedOf,
  isGone,
  mayBeTakenLater,
  messageHeaders
} from "../../src/domain/push/approval-message.ts"
import { type BrowserKeys, encryptMessage } from "../../src/domain/push/message-encryption.ts"
import { delivered, retryAfterMillis, retryDelay } from "../../src/domain/webhook/delivery.ts"
import {
  pushAccountsMax,
  pushAnswerMillis,
  pushMessagesBurst,
  pushMessagesMax,
  pushMessagesPerSecond,
  pushPostsAtOnceMax,
  pushRetryMillis,
  pushServicesMax,
  pushWaitingMax
} from "../../src/limits/push.ts"
import { Outbound } from "../../src/outbound/post.ts"
import { count } from "../../src/runtime/metrics.ts"
import { NodeCost } from "../../src/runtime/node-cost.ts"
import { Timers } from "../../src/runtime/timers.ts"
import { PushAnswers } from "../../src/store/push/push-answers.ts"
import { PushSubscriptions, type Recipient } from "../../src/store/push/push-subscriptions.ts"
import { makeQueues } from "./keyed-queues.ts"

/** A question, and what selectors compare of the daemon that it waits on. */
interface Question {
  readonly accountId: string
  readonly tagged: Tagged
  readonly asked: Asked
}

/** What one browser is told. */
interface Message extends Pick<Asked, "expiresAt"> {
  readonly accountId: string
  readonly recipient: Recipient
  readonly text: string
}

export class PushSender extends Context.Service<
  PushSender,
  {
    /** Tells of a question, later; where too many wait already it is not told of. */
    readonly offer: (snapshot: Snapshot, approval: ApprovalView) => void
    /** Push services that something is being sent to, for each account; and accounts whose browsers are looked up. */
    readonly busy: () => number
  }
>()("hub/PushSender") {
  static readonly layer = Layer.effect(
    PushSender,
    Effect.suspend(() => make)
  )
}

/** A selector that cannot be read, of a later version of the hub, means no daemon. */
const mayKnow = ({ selector }: Recipient, tagged: Tagged): boolean => {
  if (selector === null) return true
  const read = readSelector(selector)
  return Result.isSuccess(read) && matches(read.success, tagged)
}

/** Has what fails only logged: a question stays in the inbox. */
const logged = (said: string) => (effect: Effect.Effect<void, unknown>) =>
  Effect.catchCause(effect, (cause) => Effect.logWarning(said, cause))

const dropped = (isTaken: boolean): void => {
  if (!isTaken) count("hub_push_messages_total", "dropped")
}

/** Sends one message, and again where it failed. */
const makeSend = Effect.gen(function* () {
  const store = yield* PushSubscriptions
  const secretBox = yield* SecretBox
  const pushKey = yield* PushKey
  const outbound = yield* Outbound
  const { publicUrl } = yield* Config
  const timers = yield* Timers
  const node = yield* NodeCost

  return Effect.fnUntraced(function* ({ accountId, text, recipient: { id, sealed }, ...question }: Message) {
    // our own sealed text
    const browser = JSON.parse(yield* secretBox.open(sealed, id)) as BrowserKeys & { readonly endpoint: string }
    const url = browser.endpoint
    const signer = yield* pushKey.signer
    const body = encryptMessage(text, browser)
    for (let attempt = 0; ; attempt++) {
      const now = timers.now()
      const answer = yield* outbound.post({
        url,
        headers: messageHeaders(signer, url, publicUrl, question, now),
        body,
        charge: (cost) => node.owe(accountId, cost)
      })
      if (isGone(answer)) yield* store.drop(id)
      const planned = mayBeTakenLater(answer) ? pushRetryMillis[attempt] : undefined
      if (planned === undefined)
        return count("hub_push_messages_total", delivered(answer) ? "sent" : isGone(answer) ? "gone" : "failed")
      yield* Effect.sleep(retryDelay(planned, 0.5, retryAfterMillis(answer.retryAfter, now)))
    }
  })
})

/** Makes the tokens of a question, for each browser by its id. */
const makeTokens = Effect.gen(function* () {
  const store = yield* PushAnswers
  const timers = yield* Timers

  return Effect.fnUntraced(function* (
    { approvalId, decisions, expiresAt = Number.POSITIVE_INFINITY }: Asked,
    recipients: ReadonlyArray<Recipient>
  ) {
    const now = timers.now()
    const made = recipients.flatMap(({ id: subscriptionId }) =>
      decisions.map((decision) => {
        const token = pushTokens.make()
        return { subscriptionId, decision, token, hash: hashCredential(token) }
      })
    )
    const question = { approvalId, expiresAt: Math.min(expiresAt, now + pushAnswerMillis) }
    const kept = made.length === 0 ? new Set<string>() : yield* store.keep(question, made, now)
    const tokens = new Map<string, AnswerTokens>()
    for (const { subscriptionId, decision, token, hash } of made)
      if (kept.has(hash)) tokens.set(subscriptionId, { ...tokens.get(subscriptionId), [decision]: token })
    return tokens
  })
})

const make = Effect.gen(function* () {
  const store = yield* PushSubscriptions
  const { monotonic } = yield* Timers
  const send = yield* makeSend
  const tokensFor = yield* makeTokens
  const budgets = makeBuckets(pushMessagesPerSecond, pushMessagesBurst, monotonic)
  const messages = yield* makeQueues(
    { keysMax: pushServicesMax, waitingMax: pushMessagesMax, atOnce: pushPostsAtOnceMax },
    (message: Message) => logged("a push message is not sent")(send(message))
  )

  const tell = Effect.fnUntraced(function* ({ accountId, tagged, asked }: Question) {
    const budget = budgets(accountId)
    yield* Effect.sleep(budget.untilPaid(monotonic()))
    const all = yield* store.recipients(accountId)
    const recipients = all.filter((one) => mayKnow(one, tagged))
    budget.owe(Math.max(1, recipients.length), monotonic())
    const tokens = yield* tokensFor(asked, recipients)
    for (const recipient of recipients)
      dropped(
        messages.offer(`${accountId} ${recipient.origin}`, {
          accountId,
          recipient,
          text: approvalMessage(asked, recipient.showsSubject, tokens.get(recipient.id) ?? {}),
          expiresAt: asked.expiresAt
        })
      )
  })

  const questions = yield* makeQueues(
    { keysMax: pushAccountsMax, waitingMax: pushWaitingMax, atOnce: 1 },
    (question: Question) => logged("browsers are not told of a question")(tell(question))
  )

  return PushSender.of({
    offer: ({ accountId, tags, ownerTags }, approval) => {
      const tagged = { ...(tags && { tags }), ...(ownerTags && { ownerTags }) }
      dropped(questions.offer(accountId, { accountId, tagged, asked: askedOf(approval) }))
    },
    busy: () => questions.size() + messages.size()
  })
})
