/**
 * Connections to Redis from its URL: one server, `?sentinel=<master>` (Sentinels), `?cluster` (Cluster with sharded
 * pub/sub); further hosts in `&hosts=host:port,…`. Owns the options and the few differences between the three; nothing
 * waits in a line here while a connection is away, a call then fails at once.
 */
import { Cluster, Redis, type RedisOptions } from "ioredis"
import { busReconnectMillisMax } from "../limits/nodes.ts"

/** What the wire needs of Redis, whichever its form. */
export interface Dialled {
  /** Calls a command. Rejects at once while there is no connection. */
  readonly call: (command: string, args: ReadonlyArray<string | number>) => Promise<unknown>
  /** The same on a connection of its own, for large texts: no message or beat waits behind one. */
  readonly callLarge: Dialled["call"]
  /** Publishes; gives back how many heard it. */
  readonly publish: (channel: string, text: string) => Promise<number>
  /** Listens on these channels from now on, over reconnects too. */
  readonly listen: (channels: ReadonlyArray<string>, listener: (channel: string, text: string) => void) => void
  /** Told whenever a connection closes. */
  readonly lost: (listener: () => void) => void
  /** Closes the connections and makes them anew. */
  readonly redial: () => void
  readonly close: () => void
  /** Set before all names, so that the databases of one server are told apart. */
  readonly prefix: string
}

const retryStrategy = (attempt: number): number => Math.min(busReconnectMillisMax, 25 * 2 ** Math.min(attempt, 10))

const hostsOf = (url: URL, standardPort: number): Array<{ host: string; port: number }> =>
  [url.host, ...(url.searchParams.get("hosts") ?? "").split(",").filter((one) => one !== "")].map((one) => {
    const { hostname, port } = new URL(`redis://${one}`)
    return { host: hostname.replace(/^\[|\]$/gu, ""), port: port === "" ? standardPort : Number(port) }
  })

const optionsOf = (url: URL): RedisOptions => ({
  ...(url.username === "" ? {} : { username: decodeURIComponent(url.username) }),
  ...(url.password === "" ? {} : { password: decodeURIComponent(url.password) }),
  ...(url.protocol === "rediss:" ? { tls: {} } : {}),
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  retryStrategy
})

/** Told of what a connection or a subscription failed with. */
type Failed = (error: unknown) => void

/** A client that is refused forgets what it was to subscribe to, so that each new connection must be asked again. */
const insist = (client: Redis | Cluster, subscribe: () => Promise<unknown>, failed: Failed): void => {
  subscribe().catch((error: unknown) => {
    failed(error)
    client.once("ready", () => insist(client, subscribe, failed))
  })
}

const dialServer = (options: RedisOptions, db: number, failed: Failed): Dialled => {
  const calls = new Redis({ ...options, db })
  // a subscription asked for before the connection stands must wait for it
  const ears = new Redis({ ...options, db, enableOfflineQueue: true, maxRetriesPerRequest: null })
  const large = new Redis({ ...options, db })
  for (const one of [calls, ears, large]) one.on("error", failed)
  return {
    prefix: `hub:${db}:`,
    call: (command, args) => calls.call(command, [...args]),
    callLarge: (command, args) => large.call(command, [...args]),
    publish: (channel, text) => calls.publish(channel, text),
    listen: (channels, listener) => {
      ears.on("message", listener)
      insist(ears, () => ears.subscribe(...channels), failed)
    },
    lost: (listener) => {
      for (const one of [calls, ears]) one.on("close", listener)
    },
    redial: () => {
      for (const one of [calls, ears, large]) one.disconnect(true)
    },
    close: () => {
      for (const one of [calls, ears, large]) one.removeAllListeners("close").disconnect()
    }
  }
}

const dialCluster = (url: URL, failed: Failed): Dialled => {
  const { retryStrategy: _, ...redisOptions } = optionsOf(url)
  const options = {
    redisOptions,
    enableOfflineQueue: false,
    // what Redis took may not have been answered: said again it would be heard twice
    retryDelayOnFailover: 0,
    clusterRetryStrategy: retryStrategy
  }
  const cluster = new Cluster(hostsOf(url, 6_379), { ...options, shardedSubscribers: true })
  const large = new Cluster(hostsOf(url, 6_379), options)
  for (const one of [cluster, large]) one.on("error", failed)
  return {
    prefix: "hub:0:",
    call: (command, args) => cluster.call(command, [...args]),
    callLarge: (command, args) => large.call(command, [...args]),
    publish: (channel, text) => cluster.spublish(channel, text).then(Number),
    listen: (channels, listener) => {
      cluster.on("smessage", listener)
      for (const channel of channels) insist(cluster, () => cluster.ssubscribe(channel), failed)
    },
    lost: (listener) => cluster.on("-node", listener),
    redial: () => {
      for (const one of [cluster, large]) one.disconnect(true)
    },
    close: () => {
      for (const one of [cluster, large]) one.removeAllListeners("-node").disconnect()
    }
  }
}

/**
 * Dials. Never fails: what is away is dialled again until it is there, and `failed` is told of each attempt's error.
 */
export const dial = (redisUrl: string, failed: Failed): Dialled => {
  const url = new URL(redisUrl)
  if (url.searchParams.has("cluster")) return dialCluster(url, failed)
  const db = Number(url.pathname.slice(1)) || 0
  const name = url.searchParams.get("sentinel")
  if (name !== null) return dialServer({ ...optionsOf(url), sentinels: hostsOf(url, 26_379), name }, db, failed)
  return dialServer({ ...optionsOf(url), ...hostsOf(url, 6_379)[0]! }, db, failed)
}
