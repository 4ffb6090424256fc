/**
 * Dashboard sessions over months: how long refreshing lasts, and that signing keys rotate without logging anyone out.
 */
import { Effect, Layer, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { FederatedAccounts } from "../../../src/auth/federated-accounts.ts"
import { Jwks } from "../../../src/auth/jwks.ts"
import { SecretBox } from "../../../src/auth/secret-box.ts"
import { DashboardSessions } from "../../../src/auth/sessions.ts"
import { SigningKeys } from "../../../src/auth/signing-keys.ts"
import { layerMemory } from "../../../src/bus/memory.ts"
import { Config, defaultSettings } from "../../../src/config.ts"
import { newId } from "../../../src/domain/ids.ts"
import { loginMillisMax, signingKeyMillis, signingReadMillisMin } from "../../../src/limits.ts"
import { Accounts } from "../../../src/store/accounts/accounts.ts"
import { Identities } from "../../../src/store/accounts/identities.ts"
import { People } from "../../../src/store/accounts/people.ts"
import { Sessions } from "../../../src/store/accounts/sessions.ts"
import { heldNodeCostLayer } from "../../support/held-node-cost.ts"
import { useDatabase } from "../../support/use-started.ts"
import { hubClock, turns } from "../../support/virtual-hub-clock.ts"

type Services = DashboardSessions | SigningKeys | Accounts | Sessions | SqlClient.SqlClient

const hour = 3_600_000
const layerOf = (secretKey: Uint8Array) =>
  DashboardSessions.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(SigningKeys.layer, FederatedAccounts.layer, Jwks.layer)),
    Layer.provideMerge(layerMemory),
    Layer.provideMerge(Layer.mergeAll(Accounts.layer, People.layer, Identities.layer, Sessions.layer, SecretBox.layer)),
    Layer.provide(Layer.merge(Config.layer({ ...defaultSettings, secretKey }), heldNodeCostLayer))
  )

describe("dashboard sessions over months", () => {
  const clock = hubClock(Date.UTC(2026, 0, 1))
  const secretKey = new Uint8Array(32).fill(3)
  const database = useDatabase()
  let base: ManagedRuntime.ManagedRuntime<SqlClient.SqlClient, unknown>
  let one: ReturnType<typeof node>
  const node = (key = secretKey) => {
    const sql = Layer.effect(
      SqlClient.SqlClient,
      Effect.promise(() => base.runPromise(SqlClient.SqlClient))
    )
    const layer = Layer.fresh(layerOf(key)).pipe(Layer.provideMerge(sql), Layer.provideMerge(clock.layer))
    const runtime = ManagedRuntime.make(layer)
    return {
      close: () => runtime.dispose(),
      run: <A, E>(effect: Effect.Effect<A, E, Services>) => runtime.runPromise(effect)
    }
  }
  beforeAll(async () => {
    base = ManagedRuntime.make(database.layer)
    one = node()
  })
  afterAll(async () => {
    await one?.close()
    await base?.dispose()
  })

  const advance = (millis: number) => clock.advance(millis, () => turns(1))
  const start = (at = one) =>
    at.run(
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const id = newId("account")
        const draft = { id, email: `${id}@example.org`, passwordHash: null, plan: "pro" as const, admin: false }
        yield* accounts.create({ ...draft, createdAt: clock.now() })
        const account = (yield* accounts.byId(id))!
        return yield* (yield* DashboardSessions).start(account, Math.floor(clock.now() / 1_000))
      })
    )
  const read = (token: string, at = one) =>
    at.run(Effect.result(Effect.flatMap(DashboardSessions, (sessions) => sessions.read(token))))
  const refresh = (token: string, at = one) =>
    at.run(
      Effect.flatMap(DashboardSessions, (sessions) =>
        Effect.flatMap(sessions.read(token), ({ principal }) => sessions.refresh(principal))
      )
    )
  const kid = (at = one) =>
    at.run(Effect.flatMap(SigningKeys, (signing) => Effect.map(signing.current, (key) => key.kid)))

  it("last 30 days by refreshing, to the second, and keep the time of the login all along", async () => {
    const begun = clock.now()
    let { token, expiresAt } = await start()
    while (clock.now() + 10 * hour < begun + loginMillisMax) {
      await advance(10 * hour)
      ;({ token, expiresAt } = await refresh(token))
    }
    const known = await read(token)
    expect(known).toMatchObject({ success: { principal: { credential: { authTime: begun / 1_000 } } } })
    expect(expiresAt).toBe(begun + loginMillisMax)
    await advance(expiresAt - clock.now() - 1)
    expect((await read(token))._tag).toBe("Success")
    await advance(1)
    expect(await read(token)).toMatchObject({ failure: { _tag: "TokenExpired" } })
  })

  it("go on when a new key signs, on the node that made it and on one that has never seen it", async () => {
    const other = node()
    const before = await kid()
    const old = await start()
    expect((await read(old.token, other))._tag).toBe("Success")
    await advance(signingKeyMillis - 6 * hour)
    const young = await start()
    await advance(6 * hour)
    const fresh = await start()
    expect(await kid()).not.toBe(before)
    for (const at of [one, other]) {
      expect((await read(young.token, at))._tag).toBe("Success")
      expect((await read(fresh.token, at))._tag).toBe("Success")
    }
    expect(await kid(other)).toBe(await kid())
    await other.close()
  })

  it("cost one reading of the keys a second, however many tokens name an unknown one", async () => {
    const own = node()
    const { token } = await start()
    await read(token, own)
    const [, claims, signature] = token.split(".")
    const header = Buffer.from(JSON.stringify({ alg: "EdDSA", kid: "unknown" })).toString("base64url")
    const forged = `${header}.${claims}.${signature}`
    let readings = 0
    const store = await own.run(Sessions)
    const signingKeys = store.signingKeys
    Object.assign(store, {
      signingKeys: (max: number) => Effect.tap(signingKeys(max), () => Effect.sync(() => readings++))
    })
    await advance(signingReadMillisMin)
    for (let time = 0; time < 10; time++) expect((await read(forged, own))._tag).toBe("Failure")
    expect(readings).toBe(1)
    await own.close()
  })

  it("are signed by keys that nobody reads in the store without HUB_SECRET_KEY", async () => {
    await start()
    const rows = await one.run(Effect.flatMap(Sessions, (store) => store.signingKeys(10)))
    for (const { sealed } of rows) expect(sealed).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]+\.[\w-]+$/u)
    const stranger = node(new Uint8Array(32).fill(4))
    const failure = await stranger.run(Effect.flip(Effect.flatMap(SigningKeys, (signing) => signing.current)))
    expect(failure).toMatchObject({ _tag: "StoreFailed", operation: "open a sealed secret" })
    await stranger.close()
  })
})
