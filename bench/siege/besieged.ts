/**
 * What is besieged: a node or several of one hub, with what they store in, alone or behind a proxy, plain or over TLS.
 * Owns their start and end; plays no row.
 */
import { randomBytes } from "node:crypto"
import { type BenchOptions, coreOfLoad, coreOfServer } from "../fixture.ts"
import { type Route, trust } from "../load/dial.ts"
import { type Certificate, makeCertificate } from "../servers/certificate.ts"
import { startRedis } from "../servers/child.ts"
import { freePort } from "../servers/free-port.ts"
import { type FrontKind, startFront } from "../servers/front.ts"
import { type BenchHub, startHub } from "../servers/hub.ts"
import { inspectedAt } from "../servers/inspector.ts"
import { startPostgres } from "../servers/postgres.ts"

/** What is published, and what loopback receivers need; a hub of an older revision knows all of it. */
export const publishedLimits = {
  HUB_RATE_KEY_PER_MINUTE: "120",
  HUB_RATE_IP_PER_MINUTE: "60",
  HUB_CONNECTS_PER_SECOND: "1000",
  HUB_LOG_LEVEL: "info",
  HUB_DRAIN: "100ms",
  HUB_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
  // the proxy in front, and the balancers that a row plays (addressGroups.balancers)
  HUB_TRUSTED_PROXIES: "127.0.0.1/32,127.7.0.0/16"
}

/** What stands where. */
export interface SiteKind {
  readonly nodes: number
  readonly behind: FrontKind | undefined
  readonly tls: boolean
}

/** What is besieged. */
export interface Besieged {
  /** Its `url` is where callers go. */
  readonly hub: BenchHub
  readonly route: Route
  readonly kind: SiteKind
  /** All nodes, each by its own address. */
  readonly nodes: ReadonlyArray<Pick<BenchHub, "url" | "pid">>
  /** Their processes. */
  readonly pids: ReadonlyArray<number>
  /** Their inspectors, through which garbage is collected; none where they have none. */
  readonly inspectors: ReadonlyArray<number>
  readonly stop: () => Promise<void>
}

/** A hub that runs already, alone. */
export const besiegedOf = (hub: BenchHub): Besieged => ({
  hub,
  route: { url: hub.url, nodes: [] },
  kind: { nodes: 1, behind: undefined, tls: false },
  nodes: [hub],
  pids: [hub.pid],
  inspectors: [],
  stop: async () => undefined
})

/** What the options ask for. */
export const kindOf = (options: BenchOptions): SiteKind => ({
  nodes: options.nodes ?? 1,
  behind: options.behind,
  tls: options.tls === true
})

/** In words. */
export const inWords = ({ nodes, behind, tls }: SiteKind): string =>
  `${nodes === 1 ? "a hub" : `${nodes} nodes`}${behind === undefined ? "" : ` behind ${behind}`}${tls ? ", over TLS" : ""}`

/** Takes what ends each part; all end in the reverse order. */
type Ends = Array<() => Promise<void>>

const storesOf = async (options: BenchOptions, nodes: number, ends: Ends): Promise<Record<string, string>> => {
  if (options.database !== "postgres" && nodes === 1) return {}
  const postgres = await startPostgres()
  ends.push(postgres.stop)
  if (nodes === 1) return { DATABASE_URL: postgres.url }
  const redis = await startRedis(false, coreOfLoad(options))
  ends.push(redis.stop)
  return { DATABASE_URL: postgres.url, REDIS_URL: redis.url }
}

interface NodePlan {
  readonly settings: Record<string, string>
  readonly descriptors: number | undefined
  readonly inspector: number | undefined
}

const startNode = (options: BenchOptions, { settings, descriptors, inspector }: NodePlan): Promise<BenchHub> => {
  const core = coreOfServer(options)
  const inspected = inspector === undefined ? [] : inspectedAt(inspector)
  return startHub({
    settings,
    nodeArguments: [...(options.nodeArguments ?? []), ...inspected],
    silent: true,
    ...(core === undefined ? {} : { core }),
    ...(descriptors === undefined ? {} : { descriptors }),
    ...(options.checkout === undefined ? {} : { checkout: options.checkout })
  })
}

const certificateOf = async ({ tls }: SiteKind, ends: Ends): Promise<Certificate | undefined> => {
  if (!tls) return undefined
  const certificate = await makeCertificate()
  ends.push(async () => certificate.stop())
  trust(certificate.pem)
  return certificate
}

const startAll = async (options: BenchOptions, descriptors: number | undefined, ends: Ends): Promise<Besieged> => {
  const kind = kindOf(options)
  const certificate = await certificateOf(kind, ends)
  const stores = await storesOf(options, kind.nodes, ends)
  // behind a proxy TLS ends there
  const own = kind.behind === undefined ? certificate : undefined
  const settings = {
    HUB_SECRET_KEY: randomBytes(32).toString("base64"),
    ...publishedLimits,
    ...stores,
    ...(own === undefined ? {} : { HUB_TLS_CERT: own.certFile, HUB_TLS_KEY: own.keyFile }),
    ...options.settings
  }
  const hubs: Array<BenchHub> = []
  const inspectors: Array<number> = []
  for (let at = 0; at < kind.nodes; at++) {
    const inspector = options.tiny === true ? undefined : await freePort()
    const hub = await startNode(options, { settings, descriptors, inspector })
    ends.push(hub.stop)
    hubs.push(hub)
    if (inspector !== undefined) inspectors.push(inspector)
  }
  const core = coreOfLoad(options)
  const front =
    kind.behind === undefined
      ? undefined
      : await startFront(kind.behind, {
          nodes: hubs.map(({ url }) => new URL(url).host),
          ...(certificate === undefined ? {} : { certificate }),
          ...(core === undefined ? {} : { core })
        })
  if (front !== undefined) ends.push(front.stop)
  const url = front?.url ?? hubs[0]!.url
  return {
    hub: { ...hubs[0]!, url },
    route: {
      url,
      nodes: front === undefined && hubs.length > 1 ? hubs.map((hub) => hub.url) : [],
      ...(certificate === undefined ? {} : { certificate: certificate.pem })
    },
    kind,
    nodes: hubs,
    pids: hubs.map(({ pid }) => pid),
    inspectors,
    stop: async () => undefined
  }
}

/** Starts what the options ask for; each node has this many descriptors, if it is said. */
export const startBesieged = async (options: BenchOptions, descriptors?: number): Promise<Besieged> => {
  const ends: Ends = []
  const stop = async (): Promise<void> => {
    for (const end of ends.splice(0).reverse()) await end()
  }
  try {
    return { ...(await startAll(options, descriptors, ends)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}
