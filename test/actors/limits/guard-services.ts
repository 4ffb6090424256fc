/**
 * The gate on a real database, without an edge: credentials, sign-in, limits and quota in time that is moved by hand.
 * Owns the composition; `node` makes another node on the same database.
 */
import { Context, Effect, Layer, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import { LoginLimits } from "../../../actors/limits/login-limits.ts"
import { Quota } from "../../../actors/limits/quota.ts"
import { RateLimits } from "../../../actors/limits/rate-limits.ts"
import { Supervisor } from "../../../actors/runtime/supervisor.ts"
import { Authenticator } from "../../../src/auth/authenticator.ts"
import { FederatedAccounts } from "../../../src/auth/federated-accounts.ts"
import { Jwks } from "../../../src/auth/jwks.ts"
import { Oidc } from "../../../src/auth/oidc.ts"
import { Passwords } from "../../../src/auth/password.ts"
import { SecretBox } from "../../../src/auth/secret-box.ts"
import { DashboardSessions } from "../../../src/auth/sessions.ts"
import { SigningKeys } from "../../../src/auth/signing-keys.ts"
import { Bus } from "../../../src/bus/bus.ts"
import { layerMemory } from "../../../src/bus/memory.ts"
import { Config, defaultSettings, type Settings } from "../../../src/config.ts"
import type { Plan } from "../../../src/domain/account/plans.ts"
import { newId } from "../../../src/domain/ids.ts"
import { NodeId } from "../../../src/runtime/node-id.ts"
import { type Account, Accounts } from "../../../src/store/accounts/accounts.ts"
import { Keys } from "../../../src/store/accounts/api-keys.ts"
import { Identities } from "../../../src/store/accounts/identities.ts"
import { LoginCodes } from "../../../src/store/accounts/login-codes.ts"
import { Sessions } from "../../../src/store/accounts/sessions.ts"
import { Usage } from "../../../src/store/accounts/usage.ts"
import { freshDatabase } from "../../support/database.ts"
import { type HubClock, hubClock, turns } from "../../support/virtual-hub-clock.ts"

const stores = Layer.mergeAll(
  Accounts.layer,
  Keys.layer,
  Sessions.layer,
  Identities.layer,
  LoginCodes.layer,
  Usage.layer
)

const signIn = Layer.mergeAll(DashboardSessions.layer, Oidc.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(SigningKeys.layer, FederatedAccounts.layer)),
  Layer.provideMerge(Layer.mergeAll(SecretBox.layer, Jwks.layer, Passwords.layer))
)

/** The gate and its stores, over the settings, the bus, the supervisor and a SQL client. */
const gateLayer = Layer.mergeAll(Authenticator.layer, RateLimits.layer, Quota.layer, LoginLimits.layer).pipe(
  Layer.provideMerge(signIn),
  Layer.provideMerge(stores)
)

/** What the gate consists of. */
export type GateServices = Layer.Success<typeof gateLayer>

/** One node's gate. */
export interface GateNode {
  readonly run: <A, E>(effect: Effect.Effect<A, E, GateServices | Bus>) => Promise<A>
  readonly close: () => Promise<void>
}

/** The gate of a database of its own. */
export interface TestGate extends GateNode {
  readonly clock: HubClock
  readonly advance: (millis: number) => Promise<void>
  /** Another node on the same database and bus. */
  readonly node: (settings?: Partial<Settings>) => GateNode
  readonly account: (draft?: {
    readonly plan?: Plan
    readonly admin?: boolean
    readonly email?: string
  }) => Promise<Account>
}

/** Starts it. */
export const startGate = async (settings: Partial<Settings> = {}, start = Date.UTC(2026, 6, 15)): Promise<TestGate> => {
  const database = await freshDatabase()
  const clock = hubClock(start)
  const base = ManagedRuntime.make(Layer.mergeAll(database.layer, layerMemory))
  const services = await base.context()
  const shared = Layer.succeedContext(
    Context.make(SqlClient.SqlClient, Context.get(services, SqlClient.SqlClient)).pipe(
      Context.add(Bus, Context.get(services, Bus))
    )
  )

  const node = (own: Partial<Settings> = {}): GateNode => {
    const config = Config.layer({ ...defaultSettings, secretKey: new Uint8Array(32).fill(1), ...settings, ...own })
    const layer = Layer.fresh(gateLayer).pipe(
      Layer.provideMerge(Layer.fresh(Supervisor.layer)),
      Layer.provideMerge(Layer.merge(config, NodeId.layer())),
      Layer.provideMerge(shared),
      Layer.provideMerge(clock.layer)
    )
    const runtime = ManagedRuntime.make(layer)
    return { run: (effect) => runtime.runPromise(effect), close: () => runtime.dispose() }
  }

  const first = node()
  const nodes: Array<GateNode> = [first]
  return {
    run: first.run,
    clock,
    advance: (millis) => clock.advance(millis, () => turns()),
    node: (own) => {
      const another = node(own)
      nodes.push(another)
      return another
    },
    account: ({ plan = "pro", admin = false, email } = {}) => {
      const id = newId("account")
      const draft = { id, email: email ?? `${id}@example.com`, passwordHash: null, plan, admin, createdAt: clock.now() }
      return first.run(
        Effect.gen(function* () {
          const accounts = yield* Accounts
          yield* accounts.create(draft)
          return (yield* accounts.byId(id))!
        })
      )
    },
    close: async () => {
      for (const one of nodes) await one.close()
      await base.dispose()
      await database.close()
    }
  }
}
