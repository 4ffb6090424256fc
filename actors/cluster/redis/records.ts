/**
 * The records of daemons in Redis: a hash per account (daemon to node, epoch and snapshot), a set of daemons and a
 * lease per node, the node that must announce a change, and for a day the last epoch of an ended online period. Owns
 * the keys and types; scripts.ts owns the operations. Decides nothing. All keys share one slot of a Redis Cluster.
 */
import { runScript, type Script } from "../../../src/bus/lua-script.ts"
import type { RedisTransport } from "../../../src/bus/redis-transport.ts"
import type { Snapshot } from "../../../src/domain/daemon/snapshot.ts"
import { nodeLeaseMillis, nodeRecoveryMillis } from "../../../src/limits/nodes.ts"
import { recordScripts } from "./scripts.ts"

/** A daemon as it is recorded. The snapshot lacks until its connection was welcomed. */
export interface Recorded {
  readonly node: string
  readonly epoch: number
  readonly snapshot: Snapshot | undefined
}

/** What taking a daemon found. `pending`: another connection's word about it is still to be told, or to be given up. */
export type Word = "fenced" | "first" | "moved" | "ended" | "unknown" | "pending"

/** A daemon at a connection. */
export type Connected = Pick<Snapshot, "accountId" | "daemonId" | "epoch">

/**
 * What is known of a daemon where Redis does not know: that its time online goes on here; or what was told of it last,
 * by the database. Undefined: nothing, and then nothing is written.
 */
export type Was = "here" | "online" | "offline" | undefined

/** How a daemon is asserted. */
export interface Asserting {
  readonly was?: Was
  /** A node whose debts are taken over. */
  readonly gone?: string | undefined
}

/** What taking a daemon found, who held it before, and who owes the word that is pending. */
export interface Took {
  readonly word: Word
  readonly before: Recorded | undefined
  readonly ower: string
}

/** Whether an end is this node's to tell, and who held the daemon. */
export interface Released {
  /** Undefined: Redis does not know. */
  readonly ours: boolean | undefined
  readonly node: string
}

/**
 * What a lease says: `partly` what the node holds is recorded, or all but who waits for a word (`said`), or `wholly`.
 */
export type LeaseWord = "partly" | "said" | "wholly"

/** What renewing a lease found. */
export interface Renewed {
  /** This node had no lease: it may have been taken for dead. */
  readonly lapsed: boolean
  /** A daemon without a record is online nowhere. */
  readonly settled: boolean
  /** All that the other nodes hold is recorded. */
  readonly whole: boolean
  /** Other nodes whose lease holds, and those whose lease has ended. */
  readonly alive: ReadonlyArray<string>
  readonly dead: ReadonlyArray<string>
}

const words = ["daemonId", "accountId", "hostname"] as const
const lists = ["sessions", "workspaces", "availableProviders"] as const

/** Undefined where it is no snapshot: whoever else writes to this Redis keeps nobody from reading the rest. */
const readSnapshot = (json: string): Snapshot | undefined => {
  try {
    const found = JSON.parse(json) as Snapshot
    const whole =
      words.every((one) => typeof found[one] === "string") && lists.every((one) => Array.isArray(found[one]))
    return whole ? found : undefined
  } catch {
    return undefined
  }
}

/** Reads a record. */
export const readRecord = (text: unknown): Recorded | undefined => {
  const parts = typeof text === "string" ? /^([^|]*)\|(\d+)\|(.*)$/su.exec(text) : null
  if (parts === null) return undefined
  const [, node, epoch, json] = parts
  const snapshot = readSnapshot(json!)
  return { node: node!, epoch: Number(epoch), snapshot: snapshot && { ...snapshot, epoch: Number(epoch) } }
}

const rows = (snapshots: ReadonlyArray<Snapshot>): ReadonlyArray<string | number> =>
  snapshots.flatMap((one) => [one.accountId, one.daemonId, one.epoch, JSON.stringify(one)])

const tookOf = (answer: unknown): Took => {
  const [word, before, ower] = answer as [Word, string, string]
  return { word, before: readRecord(before), ower }
}

/** The records of a hub. Every call rejects while the line is away. */
export const makeRecords = (wire: Pick<RedisTransport["Service"], "call" | "prefix" | "node">) => {
  // nodes of earlier versions look for them here: under another name neither would find the other's in an upgrade
  const prefix = `${wire.prefix}{machines}:`
  const run = (which: Script, ...args: ReadonlyArray<string | number>): Promise<unknown> =>
    runScript(wire.call, which, [prefix], [wire.node, ...args])

  return {
    /** Takes a daemon for a connection. `fenced`: a newer one has come. */
    take: async (accountId: string, daemonId: string, epoch: number): Promise<Took> =>
      tookOf(await run(recordScripts.take, accountId, daemonId, epoch, "take", "", "", "")),
    /** Says again that it is ours. */
    assert: async (snapshot: Snapshot, { was, gone = "" }: Asserting = {}): Promise<Took> => {
      const { accountId, daemonId, epoch } = snapshot
      const json = JSON.stringify(snapshot)
      return tookOf(await run(recordScripts.take, accountId, daemonId, epoch, "assert", json, was ?? "", gone))
    },
    /**
     * Asks to tell an end. `told`: its connect was told, by this node. `was`: what was told of the daemon last, by the
     * database.
     */
    release: async (snapshot: Connected, told: boolean, was?: Was): Promise<Released> => {
      const { accountId, daemonId, epoch } = snapshot
      const json = JSON.stringify(snapshot)
      const answer = await run(recordScripts.release, accountId, daemonId, epoch, told ? "told" : "", json, was ?? "")
      const [ours, node] = answer as [number, string]
      return { ours: ours < 0 ? undefined : ours === 1, node }
    },
    /** What was to be told has been. */
    told: ({ accountId, daemonId, epoch }: Connected): Promise<unknown> =>
      run(recordScripts.told, accountId, daemonId, epoch),
    /** The daemons that Redis has on this node. */
    held: async (): Promise<ReadonlyArray<Pick<Connected, "accountId" | "daemonId">>> =>
      ((await wire.call("SMEMBERS", [`${prefix}held:${wire.node}`])) as ReadonlyArray<string>).flatMap((one) => {
        const [accountId, daemonId, ...more] = one.split(" ")
        return accountId && daemonId && more.length === 0 ? [{ accountId, daemonId }] : []
      }),
    publishSnapshots: (snapshots: ReadonlyArray<Snapshot>): Promise<unknown> =>
      run(recordScripts.snapshots, ...rows(snapshots)),
    /** Says how much of what this node holds is recorded. One that had no lease has recorded nothing. */
    renew: async (word: LeaseWord): Promise<Renewed> => {
      const answer = await run(recordScripts.renew, nodeLeaseMillis, word)
      const [had, settled, others, alive, dead] = answer as [0 | 1, 0 | 1, 0 | 1, Array<string>, Array<string>]
      return { lapsed: had === 0, settled: settled === 1, whole: others === 1, alive, dead }
    },
    adopt: async (dead: string, most: number): Promise<ReadonlyArray<Recorded>> =>
      ((await run(recordScripts.adopt, dead, most)) as ReadonlyArray<string>).flatMap((one) => readRecord(one) ?? []),
    recover: async (snapshots: ReadonlyArray<Snapshot>): Promise<ReadonlyArray<Snapshot>> => {
      const free = (await run(recordScripts.recover, ...rows(snapshots))) as ReadonlyArray<number>
      return snapshots.filter((_, at) => free[at] === 1)
    },
    /** Whether this node is the one that recovers now who is recorded as online. */
    recovers: async (): Promise<boolean> =>
      (await wire.call("SET", [`${prefix}recovers`, wire.node, "NX", "PX", nodeRecoveryMillis])) === "OK",
    /** From now on a daemon without a record was online nowhere. */
    settled: async (): Promise<void> => {
      await wire.call("SET", [`${prefix}settled`, "1"])
      await wire.call("DEL", [`${prefix}recovers`])
    },
    /** Ends this node's lease at once: the others take over. */
    leave: (): Promise<unknown> => wire.call("DEL", [`${prefix}lease:${wire.node}`]),
    find: async (accountId: string, daemonId: string): Promise<Recorded | undefined> =>
      readRecord(await wire.call("HGET", [`${prefix}account:${accountId}`, daemonId])),
    /** Whether it has no record though whoever is online has one. */
    lacks: async (accountId: string, daemonId: string): Promise<boolean> => {
      // in this order: what is lost in between is missed by the second
      const found = wire.call("HGET", [`${prefix}account:${accountId}`, daemonId])
      const settled = wire.call("EXISTS", [`${prefix}settled`])
      const [record, whole] = await Promise.all([found, settled])
      return record === null && whole === 1
    },
    of: async (accountId: string): Promise<ReadonlyArray<Recorded>> =>
      ((await wire.call("HVALS", [`${prefix}account:${accountId}`])) as ReadonlyArray<string>).flatMap(
        (one) => readRecord(one) ?? []
      )
  }
}

/** The records. */
export type Records = ReturnType<typeof makeRecords>
