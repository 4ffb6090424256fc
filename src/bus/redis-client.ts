/**
 * Connections to Redis from its URL: one server, `?sentinel=<master>` (Sentinels) or `?cluster` (Cluster with sharded
 * pub/sub); further hosts in `&hosts=host:port,…`. Owns the options and the differences between the three. It queues
 * nothing: a call fails at once while its connection is down.
 */
import { Cluster, Redis, type RedisOptions } from "ioredis"
import { busReconnectMillisMax } from "../limits/nodes.ts"

/** What the hub needs of Redis, whichever its form. */
export interface RedisClient {
  /** Calls a command. Rejects at once while there is no connection. */
  readonly call: (command: string, args: ReadonlyArray<string | number>) => Promise<unknown>
  /** The same on a connection of its own, for large texts, so that no message or heartbeat waits behind one. */
  readonly callLarge: RedisClient["call"]
  /** Publishes; returns the number of receivers. */
  readonly publish: (channel: string, text: string) => Promise<number>
  /** Subscribes to these channels, and again after each reconnect. */
  readonly subscribe: (channels: ReadonlyArray<string>, listener: (channel: string, text: string) => void) => void
  /** Calls the listener whenever a connection closes. */
  readonly onClose: (listener: () => void) => void
  /** Closes the connections and opens new ones. */
  readonly reconnect: () => void
  /** Receives nothing more; ends once what was published because of the last that it received is at Redis. */
  readonly leave: () => Promise<void>
  readonly close: () => void
  /** The prefix of all names in Redis, which keeps the databases of one server apart. */
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

/** Receives the error of a connection or a subscription. */
type OnError = (error: unknown) => void

/** A client forgets a subscription that was refused, so each new connection must ask again. */
const keepSubscribed = (client: Redis | Cluster, subscribe: () => Promise<unknown>, failed: OnError): void => {
  subscribe().catch((error: unknown) => {
    failed(error)
    client.once("ready", () => keepSubscribed(client, subscribe, failed))
  })
}

/** What the last messages bring about is published at the end of their tick. */
const tickEnd = (): Promise<void> => new Promise((end) => void setImmediate(end))

const connectServer = (options: RedisOptions, db: number, failed: OnError): RedisClient => {
  const calls = new Redis({ ...options, db })
  // A subscription requested before the connection is up must wait for it.
  const subscriber = new Redis({ ...options, db, enableOfflineQueue: true, maxRetriesPerRequest: null })
  const large = new Redis({ ...options, db })
  for (const one of [calls, subscriber, large]) one.on("error", failed)
  return {
    prefix: `hub:${db}:`,
    call: (command, args) => calls.call(command, [...args]),
    callLarge: (command, args) => large.call(command, [...args]),
    publish: (channel, text) => calls.publish(channel, text),
    subscribe: (channels, listener) => {
      subscriber.on("message", listener)
      keepSubscribed(subscriber, () => subscriber.subscribe(...channels), failed)
    },
    onClose: (listener) => {
      for (const one of [calls, subscriber]) one.on("close", listener)
    },
    reconnect: () => {
      for (const one of [calls, subscriber, large]) one.disconnect(true)
    },
    leave: async () => {
      // one that is not connected receives nothing, and would wait for its next connection
      if (subscriber.status !== "ready") return
      await subscriber.unsubscribe()
      await tickEnd()
      await calls.ping()
    },
    close: () => {
      for (const one of [calls, subscriber, large]) one.removeAllListeners("close").disconnect()
    }
  }
}

const connectCluster = (url: URL, failed: OnError): RedisClient => {
  const { retryStrategy: _, ...redisOptions } = optionsOf(url)
  const options = {
    redisOptions,
    enableOfflineQueue: false,
    // Redis may have run a command that it did not answer: a retry would run it twice.
    retryDelayOnFailover: 0,
    clusterRetryStrategy: retryStrategy
  }
  const cluster = new Cluster(hostsOf(url, 6_379), { ...options, shardedSubscribers: true })
  const large = new Cluster(hostsOf(url, 6_379), options)
  for (const one of [cluster, large]) one.on("error", failed)
  const subscribed: Array<string> = []
  return {
    prefix: "hub:0:",
    call: (command, args) => cluster.call(command, [...args]),
    callLarge: (command, args) => large.call(command, [...args]),
    publish: (channel, text) => cluster.spublish(channel, text).then(Number),
    subscribe: (channels, listener) => {
      cluster.on("smessage", listener)
      subscribed.push(...channels)
      for (const channel of channels) keepSubscribed(cluster, () => cluster.ssubscribe(channel), failed)
    },
    onClose: (listener) => cluster.on("-node", listener),
    reconnect: () => {
      for (const one of [cluster, large]) one.disconnect(true)
    },
    leave: async () => {
      if (cluster.status !== "ready") return
      for (const channel of subscribed) await cluster.sunsubscribe(channel)
      await tickEnd()
      // behind what went to each node of the cluster
      await Promise.all(cluster.nodes("master").map((one) => one.ping()))
    },
    close: () => {
      for (const one of [cluster, large]) one.removeAllListeners("-node").disconnect()
    }
  }
}

/** Connects to Redis. Never fails: it reconnects until Redis answers, and passes each attempt's error to `failed`. */
export const connectRedis = (redisUrl: string, failed: OnError): RedisClient => {
  const url = new URL(redisUrl)
  if (url.searchParams.has("cluster")) return connectCluster(url, failed)
  const db = Number(url.pathname.slice(1)) || 0
  const name = url.searchParams.get("sentinel")
  if (name !== null) return connectServer({ ...optionsOf(url), sentinels: hostsOf(url, 26_379), name }, db, failed)
  return connectServer({ ...optionsOf(url), ...hostsOf(url, 6_379)[0]! }, db, failed)
}
