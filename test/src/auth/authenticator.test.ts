/** The authenticator over scripted stores: look-ups per credential, what is cached, and what voids it. */
import { Deferred, Effect, Layer, ManagedRuntime } from "effect"
import { describe, expect, it } from "vitest"
import { hashCredential, makeKey } from "../../../src/auth/api-key.ts"
import { Authenticator } from "../../../src/auth/authenticator.ts"
import { DashboardSessions } from "../../../src/auth/sessions.ts"
import { Bus } from "../../../src/bus/bus.ts"
import { layerMemory } from "../../../src/bus/memory.ts"
import { Config, defaultSettings } from "../../../src/config.ts"
import type { Principal } from "../../../src/domain/account/principal.ts"
import { AuthInvalid } from "../../../src/errors.ts"
import {
  credentialMillisMax,
  credentialRenewMillis,
  keyUsesFlushMillis,
  lookupsMax,
  unknownCredentialMillis
} from "../../../src/limits.ts"
import { toEffect } from "../../../src/runtime/maybe-sync.ts"
import { type KeyHolder, Keys } from "../../../src/store/accounts/api-keys.ts"
import { Grants } from "../../../src/store/oauth/grants.ts"
import { given } from "../../support/given.ts"
import { hubClock, turns } from "../../support/virtual-hub-clock.ts"

const start = Date.UTC(2026, 6, 15, 12, 0, 30)
const minute = Date.UTC(2026, 6, 15, 12, 0)

const world = () => {
  const holders = new Map<string, KeyHolder>()
  const looked: Array<string> = []
  const touched: Array<{ keyId: string; at: number }> = []
  let gate: Deferred.Deferred<void> | undefined
  const keys = {
    byHash: (hash: string) =>
      Effect.gen(function* () {
        looked.push(hash)
        const holder = holders.get(hash)
        if (gate !== undefined) yield* Deferred.await(gate)
        return holder
      }),
    touch: (uses: ReadonlyArray<{ keyId: string; at: number }>) => Effect.sync(() => void touched.push(...uses))
  }
  const tokens: Array<string> = []
  const sessions = {
    read: (token: string) =>
      Effect.suspend(() => {
        tokens.push(token)
        return Effect.fail(new AuthInvalid())
      })
  }
  const clock = hubClock(start)
  const runtime = ManagedRuntime.make(
    Authenticator.layer.pipe(
      Layer.provideMerge(layerMemory),
      Layer.provide(Layer.succeed(Keys, keys as unknown as Keys["Service"])),
      Layer.provide(Layer.mock(Grants, {})),
      Layer.provide(Config.layer({ ...defaultSettings, secretKey: Buffer.alloc(32) })),
      Layer.provide(Layer.succeed(DashboardSessions, sessions as unknown as DashboardSessions["Service"])),
      Layer.provideMerge(clock.layer)
    )
  )
  const authenticate = (bearer: string) =>
    runtime.runPromise(
      Effect.result(Effect.flatMap(Authenticator, (authenticator) => toEffect(authenticator.authenticate(bearer))))
    )
  return {
    looked,
    touched,
    tokens,
    authenticate,
    accepted: async (bearer: string) => (await authenticate(bearer))._tag === "Success",
    cached: (bearer: string) =>
      runtime.runPromise(
        Effect.map(Authenticator, (authenticator) => {
          const found = authenticator.authenticate(bearer)
          return Effect.isEffect(found) ? undefined : found
        })
      ),
    stands: (principal: Principal) =>
      runtime.runPromise(Effect.map(Authenticator, (authenticator) => authenticator.stands(principal))),
    publish: (topic: "key_changed" | "account_changed", message: never) =>
      runtime.runPromise(Effect.map(Bus, (bus) => bus.publish(topic, message))),
    advance: (millis: number) => clock.advance(millis, () => turns()),
    close: () => runtime.dispose(),
    /** Look-ups wait from now on; gives what lets them go. */
    hold: () => {
      const held = Deferred.makeUnsafe<void>()
      gate = held
      return () => {
        gate = undefined
        Deferred.doneUnsafe(held, Effect.void)
      }
    },
    key: (change: Partial<KeyHolder> = {}) => {
      const key = makeKey()
      holders.set(hashCredential(key), {
        id: `key_${looked.length}`,
        accountId: "acc_1",
        scopes: ["ide:read"],
        expiresAt: null,
        revokedAt: null,
        plan: "pro",
        admin: true,
        owner: { kind: "account" },
        accountDisabled: false,
        ...change
      })
      return key
    },
    change: (key: string, change: Partial<KeyHolder>) => {
      const hash = hashCredential(key)
      holders.set(hash, { ...holders.get(hash)!, ...change })
    }
  }
}

describe("the authenticator", () => {
  given(world)("refuses junk without a look-up", async ({ authenticate, looked, tokens }) => {
    const key = makeKey()
    const typo = key.slice(0, -1) + (key.endsWith("x") ? "y" : "x")
    const junk = ["", "x", typo, key.toUpperCase(), `${key} `, "a.b", "x".repeat(10_240), `${"a".repeat(9_000)}.b.c`]
    for (const bearer of junk) expect((await authenticate(bearer))._tag, bearer.slice(0, 50)).toBe("Failure")
    expect(looked).toEqual([])
    expect(tokens).toEqual([])
  })

  it("looks a key up once and answers from memory then, at once", async () => {
    const { key, authenticate, cached, looked } = world()
    const one = key({ id: "key_1" })
    expect(await cached(one)).toBeUndefined()
    const found = await authenticate(one)
    expect(found).toMatchObject({ _tag: "Success", success: { accountId: "acc_1", plan: "pro" } })
    for (let time = 0; time < 5; time++) expect(await cached(one)).toBeDefined()
    expect(looked.length).toBe(1)
  })

  it("looks a key that is used up again before it is forgotten, once and beside its use, so that no caller waits", async () => {
    const { key, authenticate, cached, looked, advance, hold } = world()
    const one = key()
    await authenticate(one)
    await advance(credentialRenewMillis - 1)
    expect([(await cached(one)) !== undefined, looked.length]).toEqual([true, 1])
    const goOn = hold()
    await advance(1)
    for (let time = 0; time < 5; time++) expect(await cached(one)).toBeDefined()
    expect(looked.length).toBe(2)
    goOn()
    await turns()
    await advance(credentialMillisMax - 1)
    expect(await cached(one)).toBeDefined()
  })

  it("refuses a key as soon as the look-up beside its use finds it revoked", async () => {
    const { key, authenticate, accepted, cached, change, advance } = world()
    const one = key()
    await authenticate(one)
    change(one, { revokedAt: start })
    await advance(credentialRenewMillis)
    expect(await cached(one)).toBeDefined()
    await turns()
    expect(await cached(one)).toBeUndefined()
    expect(await accepted(one)).toBe(false)
  })

  given(world)("does not take an administrator's key for an administrator", async ({ key, authenticate }) => {
    const found = await authenticate(key({ admin: true }))
    expect(found._tag === "Success" && found.success.admin).toBe(false)
  })

  given(world)("refuses a key that expired, was revoked, or whose account is disabled", async ({ key, accepted }) => {
    expect(await accepted(key({ expiresAt: start }))).toBe(false)
    expect(await accepted(key({ revokedAt: start - 1 }))).toBe(false)
    expect(await accepted(key({ accountDisabled: true }))).toBe(false)
    expect(await accepted(key({ expiresAt: start + 1 }))).toBe(true)
  })

  given(world)("believes a key no longer than it lives", async ({ key, cached, accepted, advance }) => {
    const one = key({ expiresAt: start + 2_000 })
    expect(await accepted(one)).toBe(true)
    await advance(1_999)
    expect(await cached(one)).toBeDefined()
    await advance(1)
    expect(await cached(one)).toBeUndefined()
    expect(await accepted(one)).toBe(false)
  })

  given(world)("shares one look-up among all who ask meanwhile", async ({ key, authenticate, looked, hold }) => {
    const one = key()
    const release = hold()
    const asked = Array.from({ length: 50 }, () => authenticate(one))
    await turns()
    release()
    for (const answer of await Promise.all(asked)) expect(answer._tag).toBe("Success")
    expect(looked.length).toBe(1)
  })

  it("refuses an unknown key from memory for a short time, then looks again", async () => {
    const { accepted, looked, advance } = world()
    const unknown = makeKey()
    for (let time = 0; time < 5; time++) expect(await accepted(unknown)).toBe(false)
    expect(looked.length).toBe(1)
    await advance(unknownCredentialMillis)
    expect(await accepted(unknown)).toBe(false)
    expect(looked.length).toBe(2)
  })

  it("forgets a key that the bus says has changed, and every key of a changed account", async () => {
    const { key, accepted, change, publish } = world()
    const one = key({ id: "key_1" })
    const other = key({ id: "key_2", accountId: "acc_2" })
    expect([await accepted(one), await accepted(other)]).toEqual([true, true])
    change(one, { revokedAt: start })
    change(other, { accountDisabled: true })
    expect(await accepted(one)).toBe(true)
    await publish("key_changed", { keyId: "key_1" } as never)
    await publish("account_changed", { accountId: "acc_2" } as never)
    expect([await accepted(one), await accepted(other)]).toEqual([false, false])
  })

  it("says of an answer that it stands until its credential changes, or was only forgotten", async () => {
    const { key, authenticate, stands, publish } = world()
    const keys = [key({ id: "key_1" }), key({ id: "key_2", accountId: "acc_2" })]
    const ask = async (key: string) => {
      const found = await authenticate(key)
      return found._tag === "Success" ? found.success : undefined
    }
    const [one, other] = [(await ask(keys[0]!))!, (await ask(keys[1]!))!]
    expect([await stands(one), await stands(other)]).toEqual([true, true])
    await publish("key_changed", { keyId: "key_1" } as never)
    expect([await stands(one), await stands(other)]).toEqual([false, true])
    const again = (await ask(keys[0]!))!
    expect([await stands(one), await stands(again)]).toEqual([false, true])
    await publish("account_changed", { accountId: "acc_2" } as never)
    expect(await stands(other)).toBe(false)
  })

  it("does not remember an answer that a change overtook", async () => {
    const { key, authenticate, cached, change, publish, hold } = world()
    const one = key({ id: "key_1" })
    const release = hold()
    const asked = authenticate(one)
    await turns()
    change(one, { revokedAt: start })
    await publish("key_changed", { keyId: "key_1" } as never)
    release()
    await asked
    expect(await cached(one)).toBeUndefined()
    expect((await authenticate(one))._tag).toBe("Failure")
  })

  it("looks again after a bounded time even when the bus says nothing", async () => {
    const { key, accepted, change, advance } = world()
    const one = key()
    expect(await accepted(one)).toBe(true)
    change(one, { revokedAt: start })
    await advance(credentialMillisMax)
    expect(await accepted(one)).toBe(false)
  })

  given(world)("refuses as overload when too many unknown keys are being looked up", async ({ authenticate, hold }) => {
    const release = hold()
    const asked = Array.from({ length: lookupsMax }, () => authenticate(makeKey()))
    await turns()
    const refused = await authenticate(makeKey())
    expect(refused._tag === "Failure" && refused.failure._tag).toBe("Overloaded")
    release()
    await Promise.all(asked)
  })

  it("writes uses of keys to the minute, in batches, and the last ones when it closes", async () => {
    const { key, accepted, cached, advance, touched, close } = world()
    const one = key({ id: "key_1" })
    await accepted(one)
    for (let time = 0; time < 10; time++) await cached(one)
    expect(touched).toEqual([])
    await advance(keyUsesFlushMillis)
    expect(touched).toEqual([{ keyId: "key_1", at: minute }])
    await advance(30_000 - keyUsesFlushMillis)
    await accepted(one)
    await close()
    expect(touched).toEqual([
      { keyId: "key_1", at: minute },
      { keyId: "key_1", at: minute + 60_000 }
    ])
  })
})
