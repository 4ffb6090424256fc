/**
 * Sends one call and judges its answer. Owns the retries: which failures are worth one, and how long to wait. A retry
 * never runs an action twice: what may have run is only said again where the hub recognises it.
 */
import { headerSecret } from "./credential.ts"
import { ConnectionFailed, isFailure, Refused, TimedOut } from "./failures.ts"
import { foreignAnswer } from "./foreign-answer.ts"
import { type Operation, operationOf, type Prepared, prepare } from "./request.ts"
import type { Transport } from "./transport.ts"
import type { CallOptions, OperationName, Problem } from "./types.ts"

/** The longest that the waits before retries of one call take together. */
const waitsMillisMax = 60_000
const waitFirstMillis = 250
const waitLastMillis = 8_000
/** Clients that are told the same moment come spread over this share of their wait, not all at once. */
const spreadShare = 0.25
/** A body may take as long as at 16 KiB a second beside: the hub ends a call that sends slower. */
const bodyBytesPerMilli = 16
/** The longest error body that is read. */
const problemCharsMax = 1_048_576

/** Options of every operation, those of single ones included. */
export type SendOptions = CallOptions & { readonly respondAsync?: boolean }

const retryAfterOf = (headers: Headers): number | undefined => {
  const text = headers.get("retry-after")
  return text !== null && /^\d{1,9}$/u.test(text) ? Number(text) : undefined
}

const isProblem = (value: unknown): value is Problem =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as { reason?: unknown }).reason === "string" &&
  typeof (value as { error?: unknown }).error === "string"

/** The error that an answer is. Only a body of the hub's own makes it the hub's. */
export const refusalOf = async ({ url }: Transport, name: OperationName, response: Response): Promise<Refused> => {
  const text = (await response.text()).slice(0, problemCharsMax)
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    body = undefined
  }
  const { status, headers } = response
  const foreign = foreignAnswer(url, operationOf(name).path, { status, header: (one) => headers.get(one) })
  return new Refused(name, status, isProblem(body) ? body : undefined, retryAfterOf(headers), foreign)
}

/**
 * One attempt, until what is wanted of a success is read, in `timeoutMillis`. A body that breaks off is a lost
 * connection.
 */
export const attempt = async <A>(
  transport: Transport,
  name: OperationName,
  request: Prepared,
  signal: AbortSignal | undefined,
  timeoutMillis: number,
  read: (response: Response) => Promise<A>
): Promise<A> => {
  const credential = await transport.credential()
  const authorization: Record<string, string> =
    credential === undefined ? {} : { authorization: `Bearer ${headerSecret("the credential", credential)}` }
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), timeoutMillis)
  try {
    const response = await transport.fetch(request.url, {
      method: request.method,
      // a redirect would lead a credential, or a call without it, to another than was named
      redirect: "manual",
      headers: { ...authorization, ...request.headers },
      ...(request.body === undefined ? {} : { body: request.body }),
      signal: signal === undefined ? late.signal : AbortSignal.any([signal, late.signal])
    })
    if (!response.ok) throw await refusalOf(transport, name, response)
    return await read(response)
  } catch (cause) {
    if (cause instanceof Refused) throw cause
    if (signal?.aborted === true) throw signal.reason
    throw late.signal.aborted ? new TimedOut(name, timeoutMillis) : new ConnectionFailed(name, transport.url, cause)
  } finally {
    clearTimeout(timer)
  }
}

/** Whether a call may be sent again though it may have run: it changes nothing, or the hub recognises it. */
const isRepeatable = ({ method }: Operation, { headers }: Prepared): boolean =>
  method === "GET" || "idempotency-key" in headers

/** What is left of a call's attempts: how many it has had, how long it may still wait. */
interface Attempts {
  readonly tries: number
  readonly leftMillis: number
  readonly repeatable: boolean
}

/** The wait that an answer asks for, and a part more by chance: later tries are spread wider. */
const waitTold = (seconds: number, { tries, leftMillis }: Attempts, random: () => number): number => {
  const told = seconds * 1_000
  const spread = Math.max(waitFirstMillis * 2 ** (tries - 1), told * spreadShare)
  return told + random() * Math.min(waitLastMillis, spread, Math.max(0, leftMillis - told))
}

/** How long to wait before the next attempt, in milliseconds; undefined: the failure is the call's. */
const pauseBefore = (error: unknown, attempts: Attempts, random: () => number): number | undefined => {
  const { tries, repeatable } = attempts
  if (!isFailure(error)) return undefined
  const backOff = Math.min(waitLastMillis, waitFirstMillis * 2 ** (tries - 1)) * (0.5 + random() / 2)
  if (!(error instanceof Refused)) return repeatable ? backOff : undefined
  const { status, reason, retryAfter } = error
  // the first attempt of this very call still runs
  if (status === 409 && reason === "IDEMPOTENCY_CONFLICT" && tries > 1) return backOff
  const refusedUnrun = reason === "RATE_LIMITED" || reason === "OVERLOADED"
  if (status === 429 && retryAfter !== undefined) return waitTold(retryAfter, attempts, random)
  if (status !== 503 || !(refusedUnrun || repeatable)) return undefined
  // the outcome of a key is kept: the same call would be answered the same
  if (reason !== undefined && !refusedUnrun) return undefined
  return retryAfter === undefined ? backOff : waitTold(retryAfter, attempts, random)
}

/** Sends a call, and again where that is safe; gives what is read of its success. Throws a `Failure`. */
const send = async <A>(
  transport: Transport,
  name: OperationName,
  input: object,
  options: SendOptions,
  read: (response: Response) => Promise<A>
): Promise<A> => {
  const operation = operationOf(name)
  const request = prepare(transport.url, operation, input as Readonly<Record<string, unknown>>, options)
  const repeatable = isRepeatable(operation, request)
  const retries = options.retries ?? transport.retries
  const bodyMillis = Math.ceil((request.body?.length ?? 0) / bodyBytesPerMilli)
  const timeoutMillis = options.timeoutMillis ?? transport.timeoutMillis + bodyMillis
  let waited = 0
  for (let tries = 1; ; tries++) {
    try {
      return await attempt(transport, name, request, options.signal, timeoutMillis, read)
    } catch (error) {
      const attempts = { tries, leftMillis: waitsMillisMax - waited, repeatable }
      const pause = pauseBefore(error, attempts, transport.random)
      if (pause === undefined || tries > retries || waited + pause > waitsMillisMax) throw error
      waited += pause
      await transport.wait(pause, options.signal)
    }
  }
}

/** Sends a call and reads its answer as the operation has it. */
export const call = async (
  transport: Transport,
  name: OperationName,
  input: object,
  options: SendOptions
): Promise<unknown> => {
  const { answer } = operationOf(name)
  if (answer === "bytes") return send(transport, name, input, options, async ({ body }) => body)
  const text = await send(transport, name, input, options, (response) => response.text())
  if (answer === "text") return text
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ConnectionFailed(name, transport.url, cause)
  }
}
