/** The sender of push messages: what waits is bounded, what hangs delays nothing else, and what fails is sent again. */
import { Effect, Layer, ManagedRuntime } from "effect"
import { TestClock } from "effect/testing"
import { expect, it, onTestFinished } from "vitest"
import { PushSender } from "../../../actors/push/push-sender.ts"
import { PushKey } from "../../../src/auth/push-key.ts"
import { SecretBox } from "../../../src/auth/secret-box.ts"
import { Config, defaultSettings } from "../../../src/config.ts"
import type { ApprovalView } from "../../../src/domain/approval/approval.ts"
import type { Snapshot } from "../../../src/domain/daemon/snapshot.ts"
import { makeVapidPair, vapidSigner } from "../../../src/domain/push/vapid.ts"
import {
  pushAccountsMax,
  pushMessagesBurst,
  pushMessagesMax,
  pushMessagesPerSecond,
  pushPostsAtOnceMax,
  pushRetryMillis,
  pushServicesMax,
  pushWaitingMax
} from "../../../src/limits/push.ts"
import { Outbound } from "../../../src/outbound/post.ts"
import { makeNodeCost, NodeCost } from "../../../src/runtime/node-cost.ts"
import { Timers } from "../../../src/runtime/timers.ts"
import { PushAnswers } from "../../../src/store/push/push-answers.ts"
import { PushSubscriptions } from "../../../src/store/push/push-subscriptions.ts"
import { makeBrowser } from "../../support/push/browser-keys.ts"
import { until } from "../../support/until.ts"

/** A latch that all pass, or all wait at. */
const makeGate = () => {
  let isOpen = true
  const waiters: Array<() => void> = []
  return {
    pass: Effect.callback<void>((resume) => {
      if (isOpen) resume(Effect.void)
      else waiters.push(() => resume(Effect.void))
    }),
    shut: () => {
      isOpen = false
    },
    open: () => {
      isOpen = true
      for (const go of waiters.splice(0)) go()
    }
  }
}

const answerCost = 1_000

const scene = async (
  answer: (account: string) => { readonly statusCode: number; readonly gate?: ReturnType<typeof makeGate> }
) => {
  const { p256dh, auth } = makeBrowser()
  const posted: Array<string> = []
  const lookUps = makeGate()
  const node = makeNodeCost(() => 0)
  const usual = { error: undefined, retryAfter: undefined, body: "", truncated: false, durationMs: 1 }
  // an account has one browser, or as many as stand behind its name
  const recipients = (account: string) =>
    Array.from({ length: Number(account.split(" ")[1] ?? 1) }, (_, at) => ({
      id: `${at}`,
      origin: `https://${at % 2}.test`,
      sealed: JSON.stringify({ endpoint: `https://push.test/${account}`, p256dh, auth }),
      showsSubject: false,
      selector: null
    }))
  const layers = Layer.mergeAll(
    Layer.mock(PushSubscriptions, { recipients: (account) => Effect.as(lookUps.pass, recipients(account)) }),
    Layer.mock(PushAnswers, { keep: () => Effect.succeed(new Set<string>()) }),
    Layer.succeed(SecretBox, {
      open: (text) => Effect.succeed(text),
      seal: (text) => text,
      derive: () => new Uint8Array()
    }),
    Layer.succeed(PushKey, { signer: Effect.succeed(vapidSigner(makeVapidPair())) }),
    Layer.succeed(Outbound, {
      allowed: () => true,
      origins: () => 0,
      post: ({ url, charge }) => {
        charge(answerCost)
        const account = decodeURIComponent(new URL(url).pathname.slice(1))
        posted.push(account)
        const { statusCode, gate } = answer(account)
        return Effect.as(gate?.pass ?? Effect.void, { ...usual, statusCode })
      }
    }),
    Config.layer({ ...defaultSettings, secretKey: new Uint8Array(32) }),
    Timers.layer,
    Layer.succeed(NodeCost, node)
  )
  const runtime = ManagedRuntime.make(
    PushSender.layer.pipe(Layer.provide(layers), Layer.provideMerge(TestClock.layer()))
  )
  onTestFinished(() => runtime.dispose())
  const sender = await runtime.runPromise(PushSender)
  return {
    lookUps,
    owed: () => node.all,
    offer: (accountId: string) =>
      sender.offer({ accountId } as Snapshot, { approvalId: "a", title: "t" } as ApprovalView),
    of: (account: string) => posted.filter((one) => one === account).length,
    idle: () => until("all is sent", () => sender.busy() === 0),
    advance: (millis: number) => runtime.runPromise(TestClock.adjust(millis))
  }
}

it("delays by a push service that hangs only what its account sends there, few messages at once", async () => {
  const gate = makeGate()
  gate.shut()
  // the account has four browsers at each of two services, of which all hang
  const { offer, of, idle } = await scene((account) =>
    account.startsWith("slow") ? { statusCode: 201, gate } : { statusCode: 201 }
  )
  for (let nth = 0; nth < 3; nth++) offer("slow 8")
  await until("the first messages", () => of("slow 8") === 2 * pushPostsAtOnceMax)
  offer("other")
  await until("the other's", () => of("other") === 1)
  expect(of("slow 8")).toBe(2 * pushPostsAtOnceMax)
  gate.open()
  await idle()
  expect(of("slow 8")).toBe(3 * 8)
})

it("has an account owe what reading the answers of its push services costs", async () => {
  const { offer, idle, owed } = await scene(() => ({ statusCode: 201 }))
  offer("a 3")
  await idle()
  expect(owed()).toBe(3 * answerCost)
})

it("drops what is beyond its bounds, and takes more when there is room", async () => {
  const gate = makeGate()
  const { lookUps, offer, of, idle } = await scene(() => ({ statusCode: 201, gate }))
  lookUps.shut()
  for (let nth = 0; nth < pushWaitingMax + 10; nth++) offer("many")
  for (let nth = 1; nth < pushAccountsMax; nth++) offer(`a${nth}`)
  offer("extra")
  lookUps.open()
  await idle()
  // one was looked up when the others began to wait
  expect([of("many"), of(`a${pushAccountsMax - 1}`), of("extra")]).toEqual([pushWaitingMax + 1, 1, 0])

  gate.shut()
  // at two services
  const crowd = `b0 ${2 * (pushMessagesMax + pushPostsAtOnceMax + 5)}`
  offer(crowd)
  for (let nth = 2; nth < pushServicesMax; nth++) offer(`b${nth}`)
  await until("the last of them", () => of(`b${pushServicesMax - 1}`) === 1)
  offer("extra")
  gate.open()
  await idle()
  expect([of("extra"), of(crowd)]).toEqual([0, 2 * (pushMessagesMax + pushPostsAtOnceMax)])
  offer("extra")
  await idle()
  expect(of("extra")).toBe(1)
})

it("sends again what failed for now, a few times, and never what is refused", async () => {
  let statusCode = 503
  const { offer, of, idle, advance } = await scene((account) => ({
    statusCode: account === "refused" ? 400 : statusCode
  }))
  offer("refused")
  offer("down")
  offer("back")
  await until("the first attempts", () => of("refused") + of("down") + of("back") === 3)
  await advance(pushRetryMillis[0] - 1)
  expect(of("down")).toBe(1)
  await advance(1)
  await until("the second", () => of("down") + of("back") === 4)
  await advance(pushRetryMillis[1])
  await idle()
  expect([of("refused"), of("down")]).toEqual([1, 1 + pushRetryMillis.length])
  statusCode = 201
  offer("down")
  await idle()
  expect(of("down")).toBe(2 + pushRetryMillis.length)
})

it("sends few messages of one account in a second, and tells the next question later; others wait for none", async () => {
  const { offer, of, idle, advance } = await scene(() => ({ statusCode: 201 }))
  for (let nth = 0; nth < 4; nth++) offer(`crowd ${pushMessagesBurst}`)
  await until("the first two", () => of(`crowd ${pushMessagesBurst}`) === 2 * pushMessagesBurst)
  offer("other")
  await until("the other's", () => of("other") === 1)
  expect(of(`crowd ${pushMessagesBurst}`)).toBe(2 * pushMessagesBurst)
  await advance((1_000 * pushMessagesBurst) / pushMessagesPerSecond)
  await until("the third", () => of(`crowd ${pushMessagesBurst}`) === 3 * pushMessagesBurst)
  await advance((1_000 * pushMessagesBurst) / pushMessagesPerSecond)
  await idle()
  expect(of(`crowd ${pushMessagesBurst}`)).toBe(4 * pushMessagesBurst)
})
