/** The sender of push messages: what waits is bounded, and what hangs delays its own account only. */
import { Effect, Layer, ManagedRuntime } from "effect"
import { expect, it, onTestFinished } from "vitest"
import { PushSender } from "../../../actors/push/push-sender.ts"
import { PushKey } from "../../../src/auth/push-key.ts"
import { SecretBox } from "../../../src/auth/secret-box.ts"
import { Config, defaultSettings } from "../../../src/config.ts"
import type { ApprovalView } from "../../../src/domain/approval/approval.ts"
import type { Snapshot } from "../../../src/domain/daemon/snapshot.ts"
import { makeVapidPair, vapidSigner } from "../../../src/domain/push/vapid.ts"
import { pushAccountsMax, pushPostsAtOnceMax, pushWaitingMax } from "../../../src/limits/push.ts"
import { Outbound } from "../../../src/outbound/post.ts"
import { Timers } from "../../../src/runtime/timers.ts"
import { PushSubscriptions } from "../../../src/store/push/push-subscriptions.ts"
import { makeBrowser } from "../../support/push/browser-keys.ts"
import { until } from "../../support/until.ts"

it("sends few messages of an account at once, keeps few questions of it, and serves others meanwhile", async () => {
  const { p256dh, auth } = makeBrowser()
  const browsers = pushPostsAtOnceMax + 1
  const posted: Array<string> = []
  let hangs = true
  const waiters: Array<() => void> = []
  const answer = { statusCode: 201, error: undefined, retryAfter: undefined, body: "", truncated: false, durationMs: 1 }
  const recipients = (accountId: string) => {
    const sealed = JSON.stringify({ endpoint: `https://push.test/${accountId}`, p256dh, auth })
    return Array.from({ length: browsers }, (_, at) => ({
      id: `${at}`,
      personId: "p",
      sealed,
      showsSubject: false,
      selector: null
    }))
  }
  const layers = Layer.mergeAll(
    Layer.mock(PushSubscriptions, { recipients: (accountId) => Effect.succeed(recipients(accountId)) }),
    Layer.succeed(SecretBox, {
      open: (text) => Effect.succeed(text),
      seal: (text) => text,
      derive: () => new Uint8Array()
    }),
    Layer.succeed(PushKey, { signer: Effect.succeed(vapidSigner(makeVapidPair())) }),
    Layer.succeed(Outbound, {
      allowed: () => true,
      origins: () => 0,
      post: ({ url }) =>
        Effect.callback((resume) => {
          posted.push(new URL(url).pathname.slice(1))
          if (hangs) waiters.push(() => resume(Effect.succeed(answer)))
          else resume(Effect.succeed(answer))
        })
    }),
    Config.layer({ ...defaultSettings, secretKey: new Uint8Array(32) }),
    Timers.layer
  )
  const runtime = ManagedRuntime.make(PushSender.layer.pipe(Layer.provide(layers)))
  onTestFinished(() => runtime.dispose())
  const sender = await runtime.runPromise(PushSender)
  const offer = (accountId: string) =>
    sender.offer({ accountId } as Snapshot, { approvalId: "a", title: "t" } as ApprovalView)
  const of = (accountId: string) => posted.filter((one) => one === accountId).length

  for (let n = 0; n < pushWaitingMax + 10; n++) offer("slow")
  await until("its first messages", () => of("slow") === pushPostsAtOnceMax)
  for (let n = 0; n < 10; n++) offer("slow")
  for (let n = 1; n < pushAccountsMax; n++) offer(`other ${n}`)
  await until("messages of the last account", () => of(`other%20${pushAccountsMax - 1}`) === pushPostsAtOnceMax)
  expect([of("slow"), sender.accounts()]).toEqual([pushPostsAtOnceMax, pushAccountsMax])
  offer("one more")

  hangs = false
  for (const go of waiters) go()
  await until("all is sent", () => sender.accounts() === 0)
  expect(of("one%20more")).toBe(0)
  // those that waited when it hung, the first of them, and one that took the place of that
  expect(of("slow")).toBe(browsers * (pushWaitingMax + 1))
  offer("one more")
  await until("it is sent now", () => of("one%20more") === browsers)
})
