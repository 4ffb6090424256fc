/** The client for programs of Effect: each call an `Effect` with its failures in the type, each stream a `Stream`. */
import { Effect, Stream } from "effect"
import { createClient, type HubClient } from "./client.ts"
import { ConnectionFailed, type Failure, isFailure, type Refused, type TimedOut } from "./failures.ts"
import type { StreamItem, StreamOptions } from "./stream-item.ts"
import type { ClientOptions } from "./transport.ts"
import type { CallOptions, Input, OperationName, Output, ProblemOf, Started, Streamed } from "./types.ts"

/** How an operation fails: refused with one of its problems, or without an answer. */
export type FailureOf<N extends OperationName> =
  | (Refused & { readonly problem: ProblemOf<N> | undefined })
  | ConnectionFailed
  | TimedOut

type Options = Omit<CallOptions, "signal">
type StreamName = { [N in OperationName]: [Streamed<N>] extends [never] ? never : N }[OperationName]
type AsyncName = { [N in OperationName]: [Started<N>] extends [never] ? never : N }[OperationName]

/** A client of one hub. An interrupted call is ended at the hub too. */
export interface EffectClient {
  readonly call: <N extends Exclude<OperationName, StreamName>>(
    operation: N,
    input: Input<N>,
    options?: Options
  ) => Effect.Effect<Output<N>, FailureOf<N>>
  /** Sends a command that outlives its call. */
  readonly start: <N extends AsyncName>(
    operation: N,
    input: Input<N>,
    options?: Options
  ) => Effect.Effect<Started<N>, FailureOf<N>>
  readonly stream: <N extends StreamName>(
    operation: N,
    input: Input<N>,
    options?: Omit<StreamOptions, "signal">
  ) => Stream.Stream<StreamItem<Streamed<N>>, FailureOf<N>>
}

type Method = (input: object, options: object) => PromiseLike<unknown>
type Opening = (input: object, options: object) => AsyncIterable<unknown>

/** An interrupted stream ends at once, not with its next item. */
const abortable = (open: (signal: AbortSignal) => AsyncIterable<unknown>): AsyncIterable<unknown> => ({
  [Symbol.asyncIterator]: () => {
    const controller = new AbortController()
    const items = open(controller.signal)[Symbol.asyncIterator]()
    return {
      next: () => items.next(),
      return: async () => {
        controller.abort()
        await items.return?.()
        return { done: true, value: undefined }
      }
    }
  }
})

const methodOf = (client: HubClient, name: OperationName): unknown => {
  const [group, method] = name.split(".") as [string, string]
  return (client as unknown as Record<string, Record<string, unknown>>)[group]?.[method]
}

const isMistake = (error: unknown): error is TypeError => error instanceof TypeError

const failureOf = (name: OperationName, url: string, error: unknown): Failure | TypeError =>
  isFailure(error) || isMistake(error) ? error : new ConnectionFailed(name, url, error)

/** What a credential's function throws is no mistake of the call, also where it is a `TypeError` such as of `fetch`. */
const withCredential = (options: ClientOptions): ClientOptions => {
  const { credential } = options
  if (typeof credential !== "function") return options
  const given = async () => {
    try {
      return await credential()
    } catch (cause) {
      throw new Error("the credential was not given", { cause })
    }
  }
  return { ...options, credential: given }
}

/**
 * Makes a client. Throws a `TypeError` where the address or the credential is none. A call whose input makes no request
 * dies of a `TypeError`: no failure of the hub or of the way to it.
 */
export const makeClient = (options: ClientOptions): EffectClient => {
  const client = createClient(withCredential(options))
  const run = (name: OperationName, input: object, given: object) =>
    Effect.tryPromise({
      try: async (signal) => (methodOf(client, name) as Method)(input, { ...given, signal }),
      catch: (error) => failureOf(name, options.url, error)
    }).pipe(Effect.catchIf(isMistake, Effect.die))
  const open = (name: OperationName, input: object, given: object) =>
    Stream.fromAsyncIterable(
      abortable((signal) => (methodOf(client, name) as Opening)(input, { ...given, signal })),
      (error) => failureOf(name, options.url, error)
    ).pipe(Stream.catchIf(isMistake, Stream.die))
  return {
    call: (name, input, given = {}) => run(name, input as object, given),
    start: (name, input, given = {}) => run(name, input as object, { ...given, respondAsync: true }),
    stream: (name, input, given = {}) => open(name, input as object, given)
  } as EffectClient
}
