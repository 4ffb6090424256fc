/**
 * An edge without a hub behind it: real server, guard and contract walk, over scripted credentials, limits and quota
 * that record what they were asked. Owns the script; no store, no actor.
 */
import { Effect, Layer, Logger, ManagedRuntime } from "effect"
import { Connections } from "../../actors/connections/connections.ts"
import { LoginLimits, type Spent } from "../../actors/limits/login-limits.ts"
import { Quota, type QuotaDecision } from "../../actors/limits/quota.ts"
import { type Decision, RateLimits } from "../../actors/limits/rate-limits.ts"
import { RequestLog } from "../../actors/request-log/request-log.ts"
import type { Api } from "../../http/api/api.ts"
import { Edge, type EdgeOptions } from "../../http/edge.ts"
import { IdempotentRuns } from "../../http/pipeline/idempotency.ts"
import type { AllRoutes } from "../../http/routes/all.ts"
import { Authenticator } from "../../src/auth/authenticator.ts"
import { CredentialWatch } from "../../src/auth/credential-watch.ts"
import { DashboardSessions } from "../../src/auth/sessions.ts"
import { layerMemory } from "../../src/bus/memory.ts"
import { Config, defaultSettings, type Settings } from "../../src/config.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import { AuthInvalid, type RateLimited, type StoreFailed, type TokenExpired } from "../../src/errors.ts"
import { entryOf, layerLog } from "../../src/runtime/log.ts"
import { NodeCost } from "../../src/runtime/node-cost.ts"
import { Timers } from "../../src/runtime/timers.ts"
import { JoinKeys } from "../../src/store/daemons/join-keys.ts"
import { silentAuditLog } from "./silent-audit-log.ts"
import { useStarted } from "./use-started.ts"
import { type HubClock, hubClock } from "./virtual-hub-clock.ts"

type Refused = AuthInvalid | TokenExpired | StoreFailed

/** What the test decides. Everything left out admits. */
export interface Script {
  /** Credentials by bearer; a failure is thrown at the guard. */
  readonly credentials?: Readonly<Record<string, Principal | Refused>>
  /** Whether good credentials are cached (answered at once) or looked up first. */
  readonly cached?: boolean
  /** Whether an address is recorded by its name. */
  readonly names?: boolean
  /** Whether join keys take machines. */
  readonly joinKeysGood?: boolean
  readonly joinKeyFull?: boolean
  readonly keyFull?: boolean
  readonly addressFull?: boolean
  readonly sessionFull?: boolean
  readonly quotaFull?: boolean
  /** The refusal of the auth endpoints' own window. */
  readonly signInsSpent?: RateLimited
  /** The refusal of a call that would be one too many of them. */
  readonly signInRefused?: RateLimited
  /** Whether quota is at hand or must be asked for. */
  readonly quotaAtHand?: boolean
  readonly settings?: Partial<Settings>
  readonly connections?: Partial<Connections["Service"]>
  /** Other rate limits than those that this script says. */
  readonly limits?: RateLimits["Service"]
  /** The descriptors of the process. */
  readonly descriptors?: EdgeOptions["descriptors"]
  /** Other MCP servers than a hub's own. */
  readonly mcpServers?: EdgeOptions["mcpServers"]
  /** Gets every entry of the log. */
  readonly log?: Array<Readonly<Record<string, unknown>>>
}

/** A running edge. */
export interface TestEdge {
  readonly url: string
  /** What was asked and charged, in order: `look`, `key`, `join`, `address`, `sign-in`, `quota`, `refund`. */
  readonly asked: Array<string>
  readonly clock: HubClock
  readonly edge: Edge["Service"]
  readonly close: () => Promise<void>
}

const decision = (policy: Decision["policy"], limit: number, admitted: boolean): Decision => ({
  admitted,
  policy,
  limit,
  windowSeconds: 60,
  remaining: admitted ? limit - 1 : 0,
  resetSeconds: 60,
  retryAfter: admitted ? 0 : 42
})

const monthly = (admitted: boolean): QuotaDecision => ({
  admitted,
  policy: "month",
  limit: 1_000,
  used: admitted ? 1 : 1_000,
  remaining: admitted ? 999 : 0,
  resetSeconds: 86_400,
  retryAfter: admitted ? 0 : 86_400,
  month: "2026-01"
})

const gate = (script: Script, asked: Array<string>) => {
  const said = <A>(word: string, answer: A): A => {
    asked.push(word)
    return answer
  }
  const found = (bearer: string) => script.credentials?.[bearer] ?? new AuthInvalid()
  const authenticator: Authenticator["Service"] = {
    stands: () => true,
    authenticate: (bearer) => {
      const one = found(bearer)
      if (script.cached !== false && !("_tag" in one)) return one
      said("look", one)
      return Effect.andThen(Effect.yieldNow, "_tag" in one ? Effect.fail(one) : Effect.succeed(one))
    }
  }
  const key = () => decision("key", 120, script.keyFull !== true)
  const address = () => decision("ip", 60, script.addressFull !== true)
  const limits: RateLimits["Service"] = {
    key: () => said("key", key()),
    address: (of) => said(script.names === true ? `address ${of}` : "address", address()),
    session: () => decision("session", 300, script.sessionFull !== true),
    join: () => said("join", decision("join", 1_000, script.joinKeyFull !== true)),
    seenKey: key,
    seenAddress: address,
    ...script.limits
  }
  const spentBy = (refusal: RateLimited | undefined): Spent => (refusal === undefined ? undefined : { refusal })
  const attempts: LoginLimits["Service"] = {
    spent: () => spentBy(script.signInsSpent),
    call: () => said("sign-in", spentBy(script.signInRefused)),
    attempt: (_address, _account, effect) => effect
  }
  const take = () => said("quota", monthly(script.quotaFull !== true))
  const quota: Quota["Service"] = {
    take: () => (script.quotaAtHand === false ? Effect.andThen(Effect.yieldNow, Effect.sync(take)) : take()),
    refund: () => said("refund", undefined),
    seen: () => Effect.sync(() => monthly(script.quotaFull !== true))
  }
  const connections: Connections["Service"] = {
    check: () => () => {},
    open: () => ({
      receive: () => {},
      receiveLarge: () => {},
      receiveOversized: () => {},
      receiveBinary: () => {},
      heard: () => {},
      drained: () => {},
      gone: () => {},
      closed: () => {}
    }),
    admits: () => true,
    retryAfterMillis: () => 1_000,
    unauthenticated: () => 0,
    refuseAll: () => {},
    ...script.connections
  }
  return Layer.mergeAll(
    Layer.succeed(Authenticator, authenticator),
    Layer.succeed(CredentialWatch, { watch: () => () => {} }),
    Layer.succeed(DashboardSessions, { replayed: () => Effect.void } as unknown as DashboardSessions["Service"]),
    Layer.succeed(RateLimits, limits),
    Layer.succeed(JoinKeys, {
      takesMachines: () => Effect.succeed(script.joinKeysGood === true)
    } as unknown as JoinKeys["Service"]),
    Layer.succeed(Quota, quota),
    Layer.succeed(LoginLimits, attempts),
    Layer.succeed(Connections, connections),
    Layer.succeed(IdempotentRuns, { runOnce: (_, action) => action, settled: Effect.void }),
    silentAuditLog,
    Layer.succeed(RequestLog, { admits: () => false, add: () => {}, flush: Effect.void, sweep: Effect.void })
  )
}

const anything = new Proxy({}, { get: () => () => Effect.die("this route is not part of the test") })

/** Routes of the groups under test; every other endpoint of the contract is a defect when called. */
const someRoutes = (routes: Partial<AllRoutes>): AllRoutes =>
  new Proxy(routes, { get: (given, name) => given[name as keyof AllRoutes] ?? anything }) as AllRoutes

const logOf = (entries: Script["log"]) =>
  entries === undefined
    ? layerLog({ logLevel: "none" }, true)
    : Logger.layer([Logger.make((options: Logger.Options<unknown>) => void entries.push(entryOf(options, {})))])

/** Starts one on a port that the system chooses. `api` stands in for the hub's own contract. */
export const startEdge = async (
  script: Script,
  routes: Readonly<Record<string, unknown>>,
  api?: unknown
): Promise<TestEdge> => {
  const asked: Array<string> = []
  const clock = hubClock(1_790_000_000_000)
  const settings: Settings = { ...defaultSettings, port: 0, secretKey: Buffer.alloc(32), ...script.settings }
  const options = {
    checked: true,
    ...(api === undefined ? {} : { api: api as typeof Api }),
    ...(script.descriptors === undefined ? {} : { descriptors: script.descriptors }),
    ...(script.mcpServers === undefined ? {} : { mcpServers: script.mcpServers })
  }
  const layer = Edge.layer(Effect.succeed(someRoutes(routes as Partial<AllRoutes>)), options).pipe(
    Layer.provide(Layer.provideMerge(Layer.mergeAll(gate(script, asked), NodeCost.layer, layerMemory), Timers.layer)),
    Layer.provide(Config.layer(settings)),
    Layer.provide(Layer.merge(clock.layer, logOf(script.log)))
  )
  const runtime = ManagedRuntime.make(layer)
  const edge = await runtime.runPromise(Edge)
  const scheme = edge.server.secure ? "https" : "http"
  return { url: `${scheme}://127.0.0.1:${edge.port}`, asked, clock, edge, close: () => runtime.dispose() }
}

/** An edge for the tests of the block that calls this. */
export const useEdge = (...how: Parameters<typeof startEdge>): TestEdge => useStarted(() => startEdge(...how))
