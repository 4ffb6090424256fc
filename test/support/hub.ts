/**
 * A whole hub for a test: real port, real database of the project, real contract with every answer checked against it.
 * Owns its start, its end and the making of accounts; with `virtual` its time stands still until `advance`.
 */
import { type Context, Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { Edge } from "../../http/edge.ts"
import { BusSilence } from "../../src/bus/layer.ts"
import { defaultSettings, type Settings } from "../../src/config.ts"
import type { Scope as KeyScope } from "../../src/domain/account/scopes.ts"
import type { HubServices } from "../../src/hub/layers.ts"
import { startNode } from "../../src/hub/node.ts"
import { DocumentReach } from "../../src/outbound/document-fetch.ts"
import { type DaemonRelease, ServedRelease } from "../../src/runtime/daemon-release.ts"
import { layerLog } from "../../src/runtime/log.ts"
import { StoreLimits } from "../../src/store/sql/database.ts"
import { accountMaker, type Inside, type TestAccount, type TestAccountOptions } from "./accounts.ts"
import { type FreshDatabase, freshDatabase } from "./database.ts"
import { type HubAnswer, type HubRequest, requester } from "./hub-requests.ts"
import { busPatienceMillis, until } from "./until.ts"
import { useStarted } from "./use-started.ts"
import { type HubClock, hubClock, turns } from "./virtual-hub-clock.ts"

export type { TestAccount } from "./accounts.ts"
export type { HubAnswer, HubRequest } from "./hub-requests.ts"

/** How a hub is started. */
export interface HubOptions {
  /** Time stands still until `advance`. */
  readonly virtual?: boolean
  /** Settings other than the tests' own: high rate limits, loopback webhooks allowed, nothing logged. */
  readonly settings?: Partial<Settings>
  /** The daemon that it serves, instead of what was built. */
  readonly release?: DaemonRelease
  /** Where documents of OAuth clients may be fetched beside public addresses. */
  readonly documents?: typeof DocumentReach.Service
  /** After which silence Redis counts as away; by default longer than a crowded machine stands still. */
  readonly busSilenceMillis?: number
  /** A database that outlives the hub; by default it has one of its own. */
  readonly database?: FreshDatabase
}

/** A running hub. */
export interface TestHub {
  readonly url: string
  readonly request: (method: string, path: string, options?: HubRequest) => Promise<HubAnswer>
  /** A new account with ways to get credentials. */
  readonly account: (options?: TestAccountOptions) => Promise<TestAccount>
  /** The same with a session of its owner. */
  readonly signedIn: (
    options?: TestAccountOptions
  ) => Promise<{ readonly account: TestAccount; readonly session: string }>
  /** The same with a key. */
  readonly withKey: (
    scopes: ReadonlyArray<KeyScope>,
    options?: TestAccountOptions
  ) => Promise<{ readonly account: TestAccount; readonly key: string }>
  /** Epoch milliseconds on the hub's clock. */
  readonly now: () => number
  /** Moves virtual time. ConnectionsByAddress answer the hub's pings on the way, unless some are meant to be silent. */
  readonly advance: (millis: number, options?: { readonly silentPeers?: boolean }) => Promise<void>
  /** Drains this hub and starts another on the same database once `away` has ended; `url` is the new one's. */
  readonly restart: (settings?: Partial<Settings>, away?: Promise<unknown>) => Promise<void>
  /** Runs an effect with the hub's own services. */
  readonly inside: Inside
  /** Asks its database. */
  readonly sql: <A>(ask: (sql: SqlClient.SqlClient) => Effect.Effect<A, unknown>) => Promise<A>
  readonly close: () => Promise<void>
}

const testSettings = {
  host: "127.0.0.1",
  port: 0,
  secretKey: Buffer.alloc(32, 7),
  rateKeyPerMinute: 1_000_000,
  rateIpPerMinute: 1_000_000,
  webhookAllowCidrs: ["127.0.0.0/8", "::1/128"],
  webhookDenyCidrs: [],
  stunUrls: ["stun:stun.example.org:3478"],
  logLevel: "none",
  drainMillis: 10_000,
  reconnectSpreadMillis: 0,
  connectsPerSecond: 1_000_000
} satisfies Partial<Settings>

/** What waits for a connection or a statement on a busy machine is no failure: how long that takes is no verdict. */
const patientStore = Layer.succeed(StoreLimits, { patient: true, waitMillis: 0 })

/** One life of a hub, from start to drain. */
interface Life {
  /** The clock and the log of this life. */
  readonly provided: Layer.Layer<never>
  readonly context: Context.Context<HubServices | Edge>
  readonly url: string
  readonly end: () => Promise<void>
}

const live = async (
  settings: Settings,
  clock: HubClock | undefined,
  { release, documents, busSilenceMillis = busPatienceMillis }: HubOptions
): Promise<Life> => {
  const scope = Scope.makeUnsafe()
  const time = clock === undefined ? Layer.empty : clock.layer
  const served = release === undefined ? Layer.empty : Layer.succeed(ServedRelease, () => release)
  const reached = documents === undefined ? Layer.empty : Layer.succeed(DocumentReach, documents)
  const bus = Layer.succeed(BusSilence, busSilenceMillis)
  const provided = Layer.mergeAll(layerLog(settings, true), time, served, reached, bus, patientStore)
  const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
    Effect.runPromise(effect.pipe(Effect.provideService(Scope.Scope, scope), Effect.provide(provided)))
  const end = () => Effect.runPromise(Effect.provide(Scope.close(scope, Exit.void), provided))
  try {
    const context = (await run(startNode(settings, { checked: true }))) as Context.Context<HubServices | Edge>
    const { port, server } = await Effect.runPromise(Effect.provideContext(Edge, context))
    return { context, provided, url: `${server.secure ? "https" : "http"}://127.0.0.1:${port}`, end }
  } catch (error) {
    await end()
    throw error
  }
}

/** Starts a hub. */
export const startHub = async (options: HubOptions = {}): Promise<TestHub> => {
  const clock = options.virtual === true ? hubClock(Math.floor(Date.now() / 1_000) * 1_000) : undefined
  const database = options.database ?? (await freshDatabase())
  const settingsOf = (more: Partial<Settings>): Settings => ({
    ...defaultSettings,
    ...testSettings,
    ...database.settings,
    ...options.settings,
    ...more
  })
  let life = await live(settingsOf({}), clock, options)

  const inside: Inside = (effect) =>
    Effect.runPromise(
      Effect.provide(Effect.provideContext(effect, life.context), life.provided) as Effect.Effect<never>
    )
  const now = () => clock?.now() ?? Date.now()
  const account = accountMaker(inside, now)

  return {
    get url() {
      return life.url
    },
    request: requester(() => life.url),
    account,
    signedIn: async (options) => {
      const made = await account(options)
      return { account: made, session: await made.session() }
    },
    withKey: async (scopes, options) => {
      const made = await account(options)
      return { account: made, key: await made.key(scopes) }
    },
    now,
    advance: async (millis, { silentPeers = false } = {}) => {
      if (clock === undefined) throw new Error("this hub's time is real: start it with virtual")
      const { sockets } = await inside(Edge)
      await clock.advance(millis, async () => {
        await turns()
        if (!silentPeers && sockets.unanswered() > 0)
          await until("every peer answers the ping", () => sockets.unanswered() === 0)
      })
    },
    restart: async (more = {}, away = undefined) => {
      await life.end()
      await away
      life = await live(settingsOf(more), clock, options)
    },
    inside,
    sql: (ask) => inside(Effect.flatMap(SqlClient.SqlClient, ask)),
    close: async () => {
      await life.end()
      if (options.database === undefined) await database.close()
    }
  }
}

/** A hub for the tests of the block that calls this; its options may need what started before it. */
export const useHub = (options: HubOptions | (() => HubOptions) = {}): TestHub =>
  useStarted(() => startHub(typeof options === "function" ? options() : options))
