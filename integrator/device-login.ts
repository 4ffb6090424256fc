/**
 * A login without a key: shows a code, waits until a signed-in person allows it elsewhere, and gets a key for this
 * computer. Owns what is said meanwhile, and the pace of asking, which the hub sets.
 */
import { createClient, type Input, isFailure, Refused } from "../client/src/index.ts"
import { Refusal, refusing } from "./refusal.ts"
import type { Terminal } from "./terminal.ts"

/** What the key is to be. */
export type DeviceRequest = Input<"deviceCodes.begin">

/** What is asked for when no scopes are given: everything but to run programs, and to publish. */
export const usualScopes = ["ide:read", "ide:control", "agent:read", "agent:control", "webhook:manage"] as const

const second = 1_000

/** How long to wait before asking again; undefined: the failure is the end. */
const againAfter = (error: unknown, usual: number): number | undefined => {
  if (!isFailure(error)) return undefined
  // the hub is away for a moment, or a proxy answers in its stead
  if (!(error instanceof Refused) || error.problem === undefined) return usual
  const isPending = error.reason === "AUTHORIZATION_PENDING" || error.reason === "SLOW_DOWN"
  if (isPending || error.status === 429 || error.status === 503) return error.retryAfter ?? usual
  return undefined
}

const ends: Readonly<Record<string, string>> = {
  ACCESS_DENIED: "the request was refused in the browser",
  EXPIRED_TOKEN: "the code was not allowed in time; begin again"
}

/** What a person allowed. */
export interface Allowed {
  readonly key: string
  /** By which `hub trigger` connects its daemon; absent where it was not allowed. */
  readonly joinKey?: string
}

/** Gets a key. */
export const keyByDevice = async (url: string, request: DeviceRequest, terminal: Terminal): Promise<Allowed> => {
  const { signal } = terminal
  const { deviceCodes } = createClient({ url })
  const begun = await refusing(url, deviceCodes.begin(request, { signal }))
  const page = new URL(begun.verificationUriComplete, url).href
  terminal.complain(`Open ${page}`)
  terminal.complain(
    `and allow the code ${begun.userCode}, within ${Math.round(begun.expiresIn / 60)} minutes. Waiting …`
  )
  const deadline = performance.now() + begun.expiresIn * second
  for (let seconds = begun.interval; ; ) {
    try {
      // no retries: they would not keep to the pace
      return await deviceCodes.token({ deviceCode: begun.deviceCode }, { signal, retries: 0 })
    } catch (error) {
      const wait = signal.aborted ? undefined : againAfter(error, seconds)
      if (wait === undefined || performance.now() > deadline) {
        const end = error instanceof Refused ? ends[error.reason ?? ""] : undefined
        if (end !== undefined) throw new Refusal(end)
        return await refusing(url, Promise.reject(error))
      }
      seconds = Math.max(begun.interval, wait)
      await terminal.pause(seconds * second)
    }
  }
}
