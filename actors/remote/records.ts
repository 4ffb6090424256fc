/**
 * Which node holds which machine, in Redis: a hash an account (machine → node, epoch, picture), a set a node of what it
 * holds, and a lease a node; and for a day the number of the connection a machine's last time online ended with. Owns the scripts, each one step that no other node can come between; decides nothing else.
 * All names share one slot of a Cluster.
 */
import { runScript, script } from "../../src/bus/script.ts"
import type { Wire } from "../../src/bus/wire.ts"
import type { Picture } from "../../src/domain/picture.ts"
import { nodeEndedMillis, nodeLeaseMillis, nodeRecoveryMillis } from "../../src/limits/nodes.ts"

/** A machine as it is recorded. The picture lacks until its connection was welcomed. */
export interface Recorded {
  readonly node: string
  readonly epoch: number
  readonly picture: Picture | undefined
}

/** What taking a machine found. */
export type Word = "fenced" | "first" | "moved" | "ended" | "unknown"

/** What renewing a lease found. */
export interface Renewed {
  /** This node had no lease: it may have been taken for dead. */
  readonly lapsed: boolean
  /** A machine without a record is online nowhere. */
  readonly settled: boolean
  /** All that the other nodes hold is recorded. */
  readonly whole: boolean
  /** Other nodes whose lease holds, and those whose lease has ended. */
  readonly alive: ReadonlyArray<string>
  readonly dead: ReadonlyArray<string>
}

const shared = `
local me, prefix = ARGV[1], KEYS[1]
local function account(id) return prefix .. 'account:' .. id end
local function held(node) return prefix .. 'held:' .. node end
local function ended(id) return prefix .. 'ended:' .. id end
local function last(id) return tonumber(redis.call('GET', ended(id)) or '0') end
local function read(record)
  if not record then return nil end
  local node, epoch, picture = string.match(record, '^([^|]*)|(%d+)|(.*)$')
  return node, tonumber(epoch), picture
end
local function write(acc, id, node, epoch, picture)
  redis.call('HSET', account(acc), id, node .. '|' .. string.format('%.0f', epoch) .. '|' .. picture)
  redis.call('SADD', held(node), acc .. ' ' .. id)
end
`

/**
 * Answers a word, and the record before. `assert`: what is ours already, told again. Without a record: `ended` when this
 * very connection's time online was told to be over, `first` when it was online nowhere, `unknown` when nobody can say,
 * and then only `assert` writes.
 */
const takeScript = script(`${shared}
local acc, id, epoch, how, fresh = ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5], ARGV[6]
local before = redis.call('HGET', account(acc), id)
local node, old, picture = read(before)
local over = node and 0 or last(id)
if (node and old or over) > epoch then return {'fenced', before or ''} end
local word = 'first'
if node then word = 'moved'
elseif over == epoch then word = 'ended'
elseif over == 0 and redis.call('EXISTS', prefix .. 'settled') == 0 then word = 'unknown' end
if word == 'unknown' and how == 'take' then return {word, ''} end
if node and node ~= me then redis.call('SREM', held(node), acc .. ' ' .. id) end
if not node then redis.call('DEL', ended(id)) end
write(acc, id, me, epoch, fresh ~= '' and fresh or picture or '')
return {word, before or ''}`)

const releaseScript = script(`${shared}
local acc, id, epoch = ARGV[2], ARGV[3], tonumber(ARGV[4])
local node, held_epoch = read(redis.call('HGET', account(acc), id))
local ours = node == me
if ours and held_epoch ~= epoch then return 0 end
redis.call('SREM', held(me), acc .. ' ' .. id)
if not ours then return 0 end
redis.call('HDEL', account(acc), id)
redis.call('SET', ended(id), ARGV[4], 'PX', ARGV[5])
return 1`)

const picturesScript = script(`${shared}
for at = 2, #ARGV, 4 do
  local acc, id, epoch = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2])
  local node, old = read(redis.call('HGET', account(acc), id))
  if node == me and old == epoch then write(acc, id, me, epoch, ARGV[at + 3]) end
end
return 0`)

/**
 * Renews this node's lease, which says whether all it holds is recorded. Answers whether it had ended, whether a machine
 * without a record was online nowhere, whether all other nodes are recorded wholly, who they are, and whose lease has ended.
 */
const renewScript = script(`${shared}
redis.call('SADD', prefix .. 'nodes', me)
local had = redis.call('EXISTS', prefix .. 'lease:' .. me)
redis.call('SET', prefix .. 'lease:' .. me, ARGV[3], 'PX', ARGV[2])
local whole, alive, dead = 1, {}, {}
for _, node in ipairs(redis.call('SMEMBERS', prefix .. 'nodes')) do
  if node ~= me then
    local lease = redis.call('GET', prefix .. 'lease:' .. node)
    if lease then alive[#alive + 1] = node else dead[#dead + 1] = node end
    if lease == 'partly' then whole = 0 end
  end
end
return {had, redis.call('EXISTS', prefix .. 'settled'), whole, alive, dead}`)

/** Takes over some of what a dead node held. Empty: nothing is left of it. */
const adoptScript = script(`${shared}
local dead, most = ARGV[2], tonumber(ARGV[3])
if redis.call('EXISTS', prefix .. 'lease:' .. dead) == 1 then return {} end
local taken = {}
while #taken == 0 do
  local some = redis.call('SPOP', held(dead), most)
  if #some == 0 then redis.call('SREM', prefix .. 'nodes', dead) return {} end
  for _, entry in ipairs(some) do
    local acc, id = string.match(entry, '^(%S+) (%S+)$')
    local record = acc and redis.call('HGET', account(acc), id)
    local node, epoch, picture = read(record)
    if node == dead then
      write(acc, id, me, epoch, picture)
      taken[#taken + 1] = record
    end
  end
end
return taken`)

/** Takes machines that nobody holds and whose time online has not ended since. Answers 1 or 0 for each. */
const recoverScript = script(`${shared}
local out = {}
for at = 2, #ARGV, 4 do
  local free = redis.call('HEXISTS', account(ARGV[at]), ARGV[at + 1]) == 0
    and last(ARGV[at + 1]) < tonumber(ARGV[at + 2])
  if free then write(ARGV[at], ARGV[at + 1], me, tonumber(ARGV[at + 2]), ARGV[at + 3]) end
  out[#out + 1] = free and 1 or 0
end
return out`)

/** The scripts, for tests that do without a Redis. */
export const recordScripts = {
  take: takeScript,
  release: releaseScript,
  pictures: picturesScript,
  renew: renewScript,
  adopt: adoptScript,
  recover: recoverScript
}

const words = ["daemonId", "accountId", "hostname"] as const
const lists = ["sessions", "workspaces", "availableProviders"] as const

/** Undefined where it is no picture: whoever else writes to this Redis keeps nobody from reading the rest. */
const readPicture = (json: string): Picture | undefined => {
  try {
    const found = JSON.parse(json) as Picture
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
  const picture = readPicture(json!)
  return { node: node!, epoch: Number(epoch), picture: picture && { ...picture, epoch: Number(epoch) } }
}

const rows = (pictures: ReadonlyArray<Picture>): ReadonlyArray<string | number> =>
  pictures.flatMap((one) => [one.accountId, one.daemonId, one.epoch, JSON.stringify(one)])

/** The records of a hub. Every call rejects while the line is away. */
export const makeRecords = (wire: Pick<Wire["Service"], "call" | "prefix" | "node">) => {
  const prefix = `${wire.prefix}{machines}:`
  const run = (which: ReturnType<typeof script>, ...args: ReadonlyArray<string | number>): Promise<unknown> =>
    runScript(wire.call, which, [prefix], [wire.node, ...args])

  return {
    /** Takes a machine for a connection, or says again that it is ours. `fenced`: a newer connection has come. */
    take: async (accountId: string, daemonId: string, epoch: number, how: "take" | "assert", picture?: Picture) => {
      const json = picture === undefined ? "" : JSON.stringify(picture)
      const answer = (await run(takeScript, accountId, daemonId, epoch, how, json)) as [string, string?]
      return { word: answer[0] as Word, before: readRecord(answer[1]) }
    },
    /** Lets go of it; true when it was ours at that epoch. */
    release: async (accountId: string, daemonId: string, epoch: number): Promise<boolean> =>
      (await run(releaseScript, accountId, daemonId, epoch, nodeEndedMillis)) === 1,
    pictured: (pictures: ReadonlyArray<Picture>): Promise<unknown> => run(picturesScript, ...rows(pictures)),
    /** `whole`: all that this node holds is recorded. */
    renew: async (whole: boolean): Promise<Renewed> => {
      const answer = await run(renewScript, nodeLeaseMillis, whole ? "wholly" : "partly")
      const [had, settled, others, alive, dead] = answer as [0 | 1, 0 | 1, 0 | 1, Array<string>, Array<string>]
      return { lapsed: had === 0, settled: settled === 1, whole: others === 1, alive, dead }
    },
    adopt: async (dead: string, most: number): Promise<ReadonlyArray<Recorded>> =>
      ((await run(adoptScript, dead, most)) as ReadonlyArray<string>).flatMap((one) => readRecord(one) ?? []),
    recover: async (pictures: ReadonlyArray<Picture>): Promise<ReadonlyArray<Picture>> => {
      const free = (await run(recoverScript, ...rows(pictures))) as ReadonlyArray<number>
      return pictures.filter((_, at) => free[at] === 1)
    },
    /** Whether this node is the one that recovers now who is recorded as online. */
    recovers: async (): Promise<boolean> =>
      (await wire.call("SET", [`${prefix}recovers`, wire.node, "NX", "PX", nodeRecoveryMillis])) === "OK",
    /** From now on a machine without a record was online nowhere. */
    settled: async (): Promise<void> => {
      await wire.call("SET", [`${prefix}settled`, "1"])
      await wire.call("DEL", [`${prefix}recovers`])
    },
    /** Ends this node's lease at once: the others take over. */
    leave: (): Promise<unknown> => wire.call("DEL", [`${prefix}lease:${wire.node}`]),
    find: async (accountId: string, daemonId: string): Promise<Recorded | undefined> =>
      readRecord(await wire.call("HGET", [`${prefix}account:${accountId}`, daemonId])),
    of: async (accountId: string): Promise<ReadonlyArray<Recorded>> =>
      ((await wire.call("HVALS", [`${prefix}account:${accountId}`])) as ReadonlyArray<string>).flatMap(
        (one) => readRecord(one) ?? []
      )
  }
}

/** The records. */
export type Records = ReturnType<typeof makeRecords>
