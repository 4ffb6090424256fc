/**
 * A steady caller in front of several nodes: goes to the next node when one does not listen, or resets a connection as
 * it stops listening. What came twice to a daemon, the daemon's count says. Owns its pace and its counts; judges
 * nothing.
 */
import { Agent, type IncomingMessage, request } from "node:http"

/** How it calls. */
export interface CallerOptions {
  readonly urls: ReadonlyArray<string>
  readonly key: string
  readonly daemonIds: ReadonlyArray<string>
  readonly perSecond: number
  /** Connections are kept for further requests, as proxies keep them. */
  readonly kept: boolean
}

/** What came of it. */
export interface CallerCounts {
  readonly asked: number
  readonly succeeded: number
  /** Requests that failed, by status and reason or by the error of the connection. */
  readonly failures: Readonly<Record<string, number>>
}

/** A caller at work. */
export interface Caller {
  readonly counts: () => CallerCounts
  /** Asks nothing more, and ends with the last answer. */
  readonly stop: () => Promise<CallerCounts>
}

/** How long a node that did not listen is left alone. */
const avoidMillis = 200
const tickMillis = 5
const body = '{"type":"read_chat","payload":{}}'

class Refused extends Error {}

const ask = (url: string, path: string, key: string, agent: Agent): Promise<string | undefined> =>
  new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "content-length": body.length
    }
    const asking = request(url + path, { method: "POST", agent, headers }, (answer: IncomingMessage) => {
      let text = ""
      answer.setEncoding("utf8").on("data", (chunk) => {
        text += chunk
      })
      answer.once("end", () => resolve(answer.statusCode === 200 ? undefined : `${answer.statusCode} ${text}`))
      answer.once("error", (error) => resolve(`the answer broke off: ${error.message}`))
    })
    asking.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED" || error.code === "ECONNRESET") reject(new Refused())
      else resolve(`no answer: ${error.code ?? error.message}`)
    })
    asking.end(body)
  })

/** What a failure is counted as: without what differs from request to request. */
const kindOf = (failure: string): string => failure.replaceAll(/"(requestId|commandId)":"[^"]*",?/gu, "").slice(0, 200)

/** Starts one. */
export const startCaller = ({ urls, key, daemonIds, perSecond, kept }: CallerOptions): Caller => {
  const agent = new Agent({ keepAlive: kept, maxSockets: 256 })
  const avoided = new Map<string, number>()
  const failures: Record<string, number> = {}
  const began = performance.now()
  const underWay = new Set<Promise<void>>()
  let [asked, succeeded, turn] = [0, 0, 0]

  const choose = (): string => {
    for (let tries = 0; tries < urls.length; tries++) {
      const url = urls[turn++ % urls.length]!
      if ((avoided.get(url) ?? 0) <= performance.now()) return url
    }
    return urls[turn++ % urls.length]!
  }

  const once = async (daemonId: string): Promise<void> => {
    for (;;) {
      const url = choose()
      try {
        const failure = await ask(url, `/api/v1/daemons/${daemonId}/command`, key, agent)
        if (failure === undefined) succeeded++
        else failures[kindOf(failure)] = (failures[kindOf(failure)] ?? 0) + 1
        return
      } catch {
        avoided.set(url, performance.now() + avoidMillis)
      }
    }
  }

  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - began) / 1_000) * perSecond)
    while (asked < due) {
      const one = once(daemonIds[asked++ % daemonIds.length]!).finally(() => underWay.delete(one))
      underWay.add(one)
    }
  }, tickMillis)

  const counts = (): CallerCounts => ({ asked, succeeded, failures: { ...failures } })
  return {
    counts,
    stop: async () => {
      clearInterval(timer)
      await Promise.all(underWay)
      agent.destroy()
      return counts()
    }
  }
}
