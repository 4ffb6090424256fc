/**
 * Rate windows of all nodes in Redis, exact while Redis is available. Owns the batch of one tick's requests and the
 * cache of full windows (a full window stays full until its oldest admission leaves). Answers undefined without Redis
 * and never falls back itself. Knows no policy.
 */
import { LRUCache } from "lru-cache"
import { runScript, script } from "../../src/bus/lua-script.ts"
import type { RedisTransport } from "../../src/bus/redis-transport.ts"
import { windowAsksMax, windowAsksWaitingMax, windowsFullMax } from "../../src/limits/nodes.ts"
import { entriesAtMost } from "../../src/runtime/entries-at-most.ts"
import type { Admission } from "./bucket.ts"

/** The port to the shared windows. */
export interface SharedWindows {
  /** Takes an admission or reads the window. Calls `answer` once; undefined: Redis did not answer. */
  readonly ask: (
    name: string,
    limit: number,
    take: boolean,
    now: number,
    answer: (turn: Admission | undefined) => void
  ) => void
  /** The connection to Redis was lost: answers all pending requests with undefined. */
  readonly fell: () => void
}

/** Uses the clock of the server. Arguments per key: limit, and 1 to take. Results: admitted, count, milliseconds. */
const sliding = script(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local span = tonumber(ARGV[1])
local out = {}
for i, key in ipairs(KEYS) do
  local oldest = redis.call('LINDEX', key, 0)
  while oldest and now - oldest >= span do
    redis.call('LPOP', key)
    oldest = redis.call('LINDEX', key, 0)
  end
  local count = oldest and redis.call('LLEN', key) or 0
  local admitted = count < tonumber(ARGV[2 * i])
  if admitted and ARGV[2 * i + 1] == '1' then
    count = redis.call('RPUSH', key, now)
    redis.call('PEXPIRE', key, span)
    oldest = oldest or now
  end
  out[3 * i - 2] = admitted and 1 or 0
  out[3 * i - 1] = count
  out[3 * i] = oldest and math.min(span, span - (now - oldest)) or 0
end
return out`)

interface Ask {
  readonly name: string
  readonly limit: number
  readonly take: boolean
  readonly askedAt: number
  readonly answer: (turn: Admission | undefined) => void
}

/** The shared windows of one span. */
export const makeSharedWindows = (
  wire: Pick<RedisTransport["Service"], "call" | "away" | "prefix">,
  spanMillis: number
): SharedWindows => {
  const full = new LRUCache<string, { readonly until: number; readonly count: number }>({
    ...entriesAtMost(windowsFullMax)
  })
  let waiting: Array<Ask> = []
  const underWay = new Set<ReadonlyArray<Ask>>()

  const settle = (asks: ReadonlyArray<Ask>, replies: unknown): void => {
    const numbers =
      Array.isArray(replies) && replies.length === asks.length * 3 ? (replies as Array<number>) : undefined
    for (const [at, { name, askedAt, answer }] of asks.entries()) {
      if (numbers === undefined) {
        answer(undefined)
        continue
      }
      const admitted = numbers[3 * at] === 1
      const [count, millisToNext] = [numbers[3 * at + 1]!, numbers[3 * at + 2]!]
      if (!admitted) full.set(name, { until: askedAt + millisToNext, count })
      answer({ admitted, count, millisToNext })
    }
  }

  const send = (asks: ReadonlyArray<Ask>): void => {
    // the keys of one script call must share one slot of a Redis Cluster
    const keys = asks.map(({ name }) => `${wire.prefix}{rate}:${name}`)
    const args = asks.flatMap(({ limit, take }) => [limit, take ? 1 : 0])
    underWay.add(asks)
    const answered = (replies: unknown): void => {
      if (underWay.delete(asks)) settle(asks, replies)
    }
    runScript(wire.call, sliding, keys, [spanMillis, ...args]).then(answered, () => answered(undefined))
  }

  const flush = (): void => {
    const asks = waiting
    waiting = []
    for (let at = 0; at < asks.length; at += windowAsksMax) send(asks.slice(at, at + windowAsksMax))
  }

  return {
    fell: () => {
      for (const asks of [...underWay]) if (underWay.delete(asks)) settle(asks, undefined)
    },
    ask: (name, limit, take, now, answer) => {
      const known = full.get(name)
      if (known !== undefined && known.until > now && known.count >= limit) {
        return answer({ admitted: false, count: known.count, millisToNext: known.until - now })
      }
      if (wire.away() || waiting.length >= windowAsksWaitingMax) return answer(undefined)
      if (waiting.push({ name, limit, take, askedAt: now, answer }) === 1) setImmediate(flush)
    }
  }
}
