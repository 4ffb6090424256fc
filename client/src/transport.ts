/** What the client is given to reach a hub, and the parts of the platform that tests replace. Owns the defaults. */
import { headerSecret } from "./credential.ts"

/** How a client is made. */
export interface ClientOptions {
  /** The hub's address, such as `https://hub.example.org`. */
  readonly url: string
  /** An API key or the token of a dashboard session; a function where it changes. Left out: calls without one. */
  readonly credential?: string | (() => string | undefined | Promise<string | undefined>)
  /** `fetch` of the platform when left out. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** Retries of each call after the first attempt; 3 when left out. */
  readonly retries?: number
  /**
   * How long one attempt may take, in milliseconds; 75,000 when left out: the hub itself answers within 60,000. A body
   * has 1 ms for each 16 characters beside.
   */
  readonly timeoutMillis?: number
  /** Waits; the platform's timers when left out. Rejects with the signal's reason. */
  readonly wait?: (millis: number, signal: AbortSignal | undefined) => Promise<void>
  /** A number in [0, 1) that spreads retries; `Math.random` when left out. */
  readonly random?: () => number
}

/** The same with everything in place. */
export interface Transport {
  readonly url: string
  readonly credential: () => string | undefined | Promise<string | undefined>
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  readonly retries: number
  readonly timeoutMillis: number
  readonly wait: (millis: number, signal: AbortSignal | undefined) => Promise<void>
  readonly random: () => number
}

const retriesUsual = 3
const timeoutUsualMillis = 75_000

/** Waits by the platform's timer. */
const waitFor = (millis: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason)
    const ended = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", ended)
      resolve()
    }, millis)
    signal?.addEventListener("abort", ended, { once: true })
  })

const originOf = (url: string): string => {
  const parsed = new URL(url)
  if (parsed.protocol !== "https:" && parsed.protocol !== "http:") {
    throw new TypeError(`the hub's address must begin with https:// or http://, not ${parsed.protocol}`)
  }
  return `${parsed.origin}${parsed.pathname.replace(/\/+$/u, "")}`
}

/** A credential that is named but not there is a setting that was forgotten: better said here than as a later 401. */
const credentialOf = (options: ClientOptions): Transport["credential"] => {
  const { credential } = options
  if (typeof credential === "function") return credential
  const fixed = Object.hasOwn(options, "credential") ? headerSecret("the credential", credential) : undefined
  return () => fixed
}

/** Completes the options. Throws a `TypeError` where the address or the credential is none. */
export const transportOf = (options: ClientOptions): Transport => {
  return {
    url: originOf(options.url),
    credential: credentialOf(options),
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    retries: options.retries ?? retriesUsual,
    timeoutMillis: options.timeoutMillis ?? timeoutUsualMillis,
    wait: options.wait ?? waitFor,
    random: options.random ?? Math.random
  }
}
