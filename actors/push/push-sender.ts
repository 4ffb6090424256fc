/**
 * Tells browsers of questions that agents wait on. Owns what waits to be sent on this node, which is bounded and lost
 * with it: the question itself stays in the inbox. What is slow or gone at a push service delays its own account only.
 */
import { Context, Effect, Layer, Result } from "effect"
import { PushKey } from "../../src/auth/push-key.ts"
import { SecretBox } from "../../src/auth/secret-box.ts"
import { Config } from "../../src/config.ts"
import type { ApprovalView } from "../../src/domain/approval/approval.ts"
import { matches, readSelector } from "../../src/domain/daemon/selector.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import { approvalMessage, isGone, messageHeaders } from "../../src/domain/push/approval-message.ts"
import { type BrowserKeys, encryptMessage } from "../../src/domain/push/message-encryption.ts"
import { delivered } from "../../src/domain/webhook/delivery.ts"
import { pushAccountsMax, pushPostsAtOnceMax, pushWaitingMax } from "../../src/limits/push.ts"
import { Outbound } from "../../src/outbound/post.ts"
import { count } from "../../src/runtime/metrics.ts"
import { Timers } from "../../src/runtime/timers.ts"
import { PushSubscriptions, type Recipient } from "../../src/store/push/push-subscriptions.ts"

/** A question, and the daemon that it waits on. */
interface Question {
  readonly snapshot: Snapshot
  readonly approval: ApprovalView
}

export class PushSender extends Context.Service<
  PushSender,
  {
    /** Tells of a question, later; where too many wait already it is not told of. */
    readonly offer: (snapshot: Snapshot, approval: ApprovalView) => void
    /** Accounts that something is being sent for. */
    readonly accounts: () => number
  }
>()("hub/PushSender") {
  static readonly layer = Layer.effect(
    PushSender,
    Effect.suspend(() => make)
  )
}

/** A selector that cannot be read, of a later version of the hub, means no daemon. */
const mayKnow = ({ selector }: Recipient, snapshot: Snapshot): boolean => {
  if (selector === null) return true
  const read = readSelector(selector)
  return Result.isSuccess(read) && matches(read.success, snapshot)
}

const make = Effect.gen(function* () {
  const store = yield* PushSubscriptions
  const secretBox = yield* SecretBox
  const pushKey = yield* PushKey
  const outbound = yield* Outbound
  const { publicUrl } = yield* Config
  const timers = yield* Timers
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const waiting = new Map<string, Array<Question>>()

  const post = Effect.fnUntraced(function* ({ approval }: Question, { id, sealed, showsSubject }: Recipient) {
    // our own sealed text
    const browser = JSON.parse(yield* secretBox.open(sealed, id)) as BrowserKeys & { readonly endpoint: string }
    const signer = yield* pushKey.signer
    const now = timers.now()
    const answer = yield* outbound.post({
      url: browser.endpoint,
      headers: messageHeaders(signer, browser.endpoint, publicUrl, approval, now),
      body: encryptMessage(approvalMessage(approval, showsSubject), browser)
    })
    count("hub_push_messages_total", delivered(answer) ? "sent" : isGone(answer) ? "gone" : "failed")
    if (isGone(answer)) yield* store.drop(id)
  })

  const tell = Effect.fnUntraced(function* (accountId: string, question: Question) {
    const recipients = yield* store.recipients(accountId)
    const meant = recipients.filter((one) => mayKnow(one, question.snapshot))
    const posts = meant.map((one) =>
      Effect.catchCause(post(question, one), (cause) => Effect.logWarning("a push message is not sent", cause))
    )
    yield* Effect.all(posts, { concurrency: pushPostsAtOnceMax, discard: true })
  })

  /** One question of an account after the other. */
  const rounds = (accountId: string, questions: Array<Question>) =>
    Effect.whileLoop({
      // what is offered from here on begins anew
      while: () => questions.length > 0 || !waiting.delete(accountId),
      body: () =>
        Effect.catchCause(tell(accountId, questions.shift()!), (cause) =>
          Effect.logWarning("browsers are not told of a question", cause)
        ),
      step: () => undefined
    })

  const offer = (snapshot: Snapshot, approval: ApprovalView): void => {
    const { accountId } = snapshot
    const known = waiting.get(accountId)
    if (known === undefined) {
      if (waiting.size >= pushAccountsMax) return count("hub_push_messages_total", "dropped")
      const questions = [{ snapshot, approval }]
      waiting.set(accountId, questions)
      run(rounds(accountId, questions))
      return
    }
    if (known.length >= pushWaitingMax) return count("hub_push_messages_total", "dropped")
    known.push({ snapshot, approval })
  }

  return PushSender.of({ offer, accounts: () => waiting.size })
})
