/**
 * The typed client with its retries, thousands of them at once, against calls that are refused: 429 of one key, 503 of
 * the queue of password checks. Owns what is watched: that no call is sent again before its Retry-After, nor too often.
 */
import { createClient, isFailure } from "../../client/src/index.ts"
import { type Attack, attackerAddress, type Target } from "./attack.ts"
import { callJson } from "./json-calls.ts"

const keyed = 1_000
const signingIn = 1_000
const tinyEach = 160
/** The client's own, when nothing is said. */
const retries = 3
/** A timer counts from the beginning of its turn, which is this long where thousands of clients are in one process. */
const earlyMillis = 250
const windowMillis = 100

interface Watched {
  calls: number
  attempts: number
  early: number
  refused429: number
  refused503: number
  failedOtherwise: number
  done: number
}

/** When the call of a client that is under way may be sent again. */
interface Told {
  notBefore: number
}

/** `fetch` of the client on connections of this siege, that notes when each attempt goes out and what it is told. */
const watchedFetch =
  (target: Target, at: number, watched: Watched, moments: Array<number>, told: Told) =>
  async (url: string, init: RequestInit): Promise<Response> => {
    const now = performance.now()
    if (now < told.notBefore - earlyMillis) watched.early++
    watched.attempts++
    moments.push(now)
    const { pathname, search } = new URL(url)
    const headers = Object.fromEntries(new Headers(init.headers))
    const body = typeof init.body === "string" ? (JSON.parse(init.body) as unknown) : undefined
    const call = { method: init.method ?? "GET", path: `${pathname}${search}`, headers, body }
    const answer = await callJson(target.url, attackerAddress(at), call)
    target.reach()
    if (answer.status === 429) watched.refused429++
    if (answer.status === 503) watched.refused503++
    const after = Number(answer.headers["retry-after"] ?? 0)
    told.notBefore = performance.now() + after * 1_000
    const given = Object.entries(answer.headers).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value] as [string, string]] : []
    )
    return new Response(answer.text, { status: answer.status, headers: given })
  }

/** The most attempts that came within one window, of those that were retries. */
const burstOf = (moments: ReadonlyArray<number>, first: number): number => {
  const counts = new Map<number, number>()
  for (const moment of moments.slice(first)) {
    const window = Math.floor(moment / windowMillis)
    counts.set(window, (counts.get(window) ?? 0) + 1)
  }
  return Math.max(0, ...counts.values())
}

/** One call after another of one client, each with its retries, until the attack is over. */
const calling = async (
  target: Target,
  watched: Watched,
  told: Told,
  call: (signal: AbortSignal) => Promise<unknown>
) => {
  const abort = new AbortController()
  void target.ended.then(() => abort.abort())
  while (!target.over()) {
    watched.calls++
    // an application's next call is no retry
    told.notBefore = 0
    try {
      await call(abort.signal)
      watched.done++
    } catch (error) {
      if (target.over()) return
      if (!isFailure(error)) throw error
      watched.failedOtherwise++
    }
    // as an application would: the next call of this client is another second's
    await new Promise((go) => setTimeout(go, 1_000))
  }
}

/** Of one account with one key, and of people without an account. */
export const clientRetries: Attack = {
  finding: "retries",
  asks: `${keyed} typed clients with one key and ${signingIn} that sign in, each with ${retries} retries`,
  holds: () => ({ plan: "enterprise", keys: 1, daemons: 1 }),
  logins: true,
  strike: async (target) => {
    const watched: Watched = {
      calls: 0,
      attempts: 0,
      early: 0,
      refused429: 0,
      refused503: 0,
      failedOtherwise: 0,
      done: 0
    }
    const moments: Array<number> = []
    const [withKey, people] = target.tiny ? [tinyEach, tinyEach / 4] : [keyed, signingIn]
    const clientOf = (at: number, told: Told, credential?: string) =>
      createClient({
        url: target.url.origin,
        ...(credential !== undefined && { credential }),
        fetch: watchedFetch(target, at, watched, moments, told)
      })
    const all = [
      ...Array.from({ length: withKey }, (_, at) => {
        const told = { notBefore: 0 }
        const client = clientOf(at, told, target.holder?.keys[0])
        return calling(target, watched, told, (signal) => client.account.me({}, { signal }))
      }),
      ...Array.from({ length: people }, (_, at) => {
        const told = { notBefore: 0 }
        const client = clientOf(withKey + at, told)
        const body = { email: `unknown-${at}@bench.local`, password: "siege siege siege" }
        return calling(target, watched, told, (signal) => client.auth.login(body, { signal }))
      })
    ]
    await Promise.all(all)
    return { ...watched, burst: burstOf(moments, withKey + people) }
  },
  judge: ({ early = 0, attempts = 0, calls = 0 }) => {
    if (early > 0) return `${early} retries came before the Retry-After they were told`
    return attempts <= calls * (retries + 1) ? undefined : `${attempts} attempts of ${calls} calls`
  }
}
