/** A member's rights change while the nodes do not hear each other: what counts when, at the node that is not told. */
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { makeOpenCalls, OpenCall } from "../../../http/pipeline/open-calls.ts"
import type { RequestExchange } from "../../../http/pipeline/request-exchange.ts"
import { makeKey } from "../../../src/auth/api-key.ts"
import { Authenticator } from "../../../src/auth/authenticator.ts"
import { CredentialWatch } from "../../../src/auth/credential-watch.ts"
import { DashboardSessions } from "../../../src/auth/sessions.ts"
import { Bus } from "../../../src/bus/bus.ts"
import { layerRedis } from "../../../src/bus/layer.ts"
import { RedisTransport } from "../../../src/bus/redis-transport.ts"
import { Config, defaultSettings } from "../../../src/config.ts"
import { busAwayCacheMillis, busBeatMillis } from "../../../src/limits/nodes.ts"
import { toEffect } from "../../../src/runtime/maybe-sync.ts"
import { Timers } from "../../../src/runtime/timers.ts"
import { type HolderOwner, type KeyHolder, Keys } from "../../../src/store/accounts/api-keys.ts"
import { Grants } from "../../../src/store/oauth/grants.ts"
import { it } from "../../support/effect-test.ts"
import { makeVirtualWires } from "../../support/virtual-bus.ts"
import { turns } from "../../support/virtual-hub-clock.ts"

const operator: HolderOwner = { kind: "person", member: { personId: "per_1", role: "operator", selector: null } }
const changes = {
  "a lower role": { kind: "person", member: { personId: "per_1", role: "viewer", selector: null } },
  "the end of a membership": { kind: "gone" }
} satisfies Record<string, HolderOwner>

/** A node over this line, with a call that waits and a stream of one key. */
const startNode = Effect.fnUntraced(function* (wire: RedisTransport["Service"], keys: Keys["Service"], key: string) {
  const services = CredentialWatch.layer.pipe(
    Layer.provideMerge(Authenticator.layer),
    Layer.provideMerge(Layer.provideMerge(layerRedis, Layer.succeed(RedisTransport, wire))),
    Layer.provideMerge(Timers.layer),
    Layer.provide(
      Layer.mergeAll(
        Layer.succeed(Keys, keys),
        Layer.mock(Grants, {}),
        Layer.mock(DashboardSessions, {}),
        Config.layer({ ...defaultSettings, secretKey: Buffer.alloc(32) })
      )
    )
  )
  const context = yield* Layer.buildWithScope(services, yield* Effect.scope)
  const calls = yield* Effect.provideContext(makeOpenCalls, context)
  const found = Effect.suspend(() => toEffect(Context.get(context, Authenticator).authenticate(key)))
  const principal = yield* found
  const ended: Array<string> = []
  const open = (what: string): void => {
    const exchange = { authorization: `Bearer ${key}` } as RequestExchange
    const call = new OpenCall(exchange, principal, what === "stream" ? undefined : () => {})
    exchange.cancel = () => {
      calls.remove(call)
      ended.push(what)
    }
    calls.add(call)
  }
  open("wait")
  open("stream")
  return { bus: Context.get(context, Bus), found, ended }
})

const awayFor = { "that is on its own for long": 5_000, "that is cut off as it is made": 0 }
const cases = Object.keys(changes).flatMap((what) => Object.keys(awayFor).map((when) => [what, when] as const))

it.effect.each(cases)("%s counts at a node %s within a second, and ends what is open within two", ([what, when]) =>
  Effect.gen(function* () {
    const key = makeKey()
    const holder: KeyHolder = {
      ...{ id: "key_1", accountId: "acc_1", scopes: ["ide:read", "ide:control"], expiresAt: null, revokedAt: null },
      ...{ plan: "pro", admin: false, accountDisabled: false, owner: operator }
    }
    let row = holder
    const keys = { byHash: () => Effect.sync(() => row), touch: () => Effect.void } as unknown as Keys["Service"]
    const { make } = yield* makeVirtualWires
    const lines = [make("one"), make("other")]
    const one = yield* startNode(lines[0]!.wire, keys, key)
    const other = yield* startNode(lines[1]!.wire, keys, key)
    const pass = Effect.fnUntraced(function* (millis: number) {
      for (let passed = 0; passed < millis; passed += busBeatMillis) {
        yield* TestClock.adjust(busBeatMillis)
        for (const line of lines) line.tick()
        yield* Effect.promise(() => turns())
      }
    })
    yield* pass(5_000)
    for (const line of lines) line.cut(false)
    yield* pass(awayFor[when as keyof typeof awayFor])
    expect([one.ended, other.ended]).toEqual([[], []])
    row = { ...holder, owner: changes[what as keyof typeof changes] }
    one.bus.publish("member_changed", { accountId: "acc_1", member: "per_1" })
    yield* pass(busAwayCacheMillis)
    const counts = (node: typeof one) =>
      Effect.map(Effect.result(node.found), (now) => (now._tag === "Failure" ? now.failure._tag : now.success.role))
    const by = what === "a lower role" ? "viewer" : "AuthInvalid"
    expect([yield* counts(one), yield* counts(other)]).toEqual([by, by])
    yield* pass(2_000 - busAwayCacheMillis)
    const both = ["stream", "wait"]
    expect([one.ended, other.ended].map((ended) => ended.toSorted())).toEqual([both, both])
  }).pipe(Effect.scoped)
)
