/** What goes into each operation and what comes out, from the contract's types. Owns the mapping; runs nothing. */
import type { operations as Contract } from "./generated/contract.ts"
import type { operations } from "./generated/operations.ts"
import type { Listing } from "./listing.ts"
import type { StreamItem, StreamOptions } from "./stream-item.ts"

/** The name of an operation, such as `daemons.list`. */
export type OperationName = keyof typeof operations

type Kind<N extends OperationName> = (typeof operations)[N]["answer"]
type Parameters<N extends OperationName> = Contract[N]["parameters"]
type Members<T> = [Exclude<T, undefined>] extends [never] ? unknown : Exclude<T, undefined>
type BodyOf<N extends OperationName> = Contract[N] extends {
  requestBody?: { content: { "application/json": infer Body } }
}
  ? Body extends Record<string, never>
    ? unknown
    : Body
  : unknown

/** No member at all, where there are none: else the options of a call would pass as its input. */
type NoneOr<T> = unknown extends T ? Readonly<Record<string, never>> : T

/** The members of an operation's path, query and body, in one object. */
export type Input<N extends OperationName> = NoneOr<
  Members<Parameters<N>["path"]> & Members<Parameters<N>["query"]> & Members<BodyOf<N>>
>

type JsonOf<Response> = Response extends { content: { "application/json": infer Body } } ? Body : never
type Answered<N extends OperationName, Status> = JsonOf<
  Contract[N]["responses"][keyof Contract[N]["responses"] & Status]
>
type ErrorStatus = 400 | 401 | 403 | 404 | 405 | 409 | 410 | 411 | 413 | 416 | 422 | 429 | 500 | 503 | 504

/** The bodies with which an operation may be refused, to be told apart by `reason`. */
export type ProblemOf<N extends OperationName> = N extends OperationName
  ? Extract<Answered<N, ErrorStatus>, { reason: string }>
  : never
/** The body of any refusal. */
export type Problem = ProblemOf<OperationName>
/** Why a call was refused. */
export type Reason = Problem["reason"]

type HeadersOf<N extends OperationName> = Exclude<Parameters<N>["header"], undefined>
type TakesPrefer<N extends OperationName> = [HeadersOf<N>] extends [never]
  ? false
  : "prefer" extends keyof HeadersOf<N>
    ? true
    : false

/** What a call that waits answers. */
export type Output<N extends OperationName> =
  Kind<N> extends "text"
    ? string
    : Kind<N> extends "bytes"
      ? ReadableStream<Uint8Array>
      : Answered<N, TakesPrefer<N> extends true ? 200 | 201 : 200 | 201 | 202>

/** What a call that does not wait answers (`respondAsync`). */
export type Started<N extends OperationName> = Answered<N, 202>

/** The data of a stream's events. */
export type Streamed<N extends OperationName> = Contract[N]["responses"] extends {
  200: { content: { "text/event-stream": infer Data } }
}
  ? Data
  : never

/** What one call may be given beside its input. */
export interface CallOptions {
  /** Ends the call, its retries included; the promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal
  /** How long one attempt may take, in milliseconds; as `ClientOptions` has it when left out. */
  readonly timeoutMillis?: number
  /** Retries after the first attempt; 3 when left out, 0 for none. */
  readonly retries?: number
  /** The key under which a POST runs at most once; a random one when left out, `false` for none. */
  readonly idempotencyKey?: string | false
  /** Further headers, such as `range`. */
  readonly headers?: Readonly<Record<string, string>>
}

type Waiting = CallOptions & { readonly respondAsync?: false }
type Asynchronous = CallOptions & { readonly respondAsync: true }

/** A function whose input may be left out where nothing in it is required. */
type Taking<In, Options, Out> =
  Record<never, never> extends In ? (input?: In, options?: Options) => Out : (input: In, options?: Options) => Out

interface Sending<In, Out, Begun> {
  (input: In, options?: Waiting): Promise<Out>
  (input: In, options: Asynchronous): Promise<Begun>
}

type ItemsOf<Page> = {
  [M in keyof Page]-?: Page[M] extends ReadonlyArray<infer Item> ? Item : never
}[keyof Page]
type IsPaged<Page> = "nextCursor" extends keyof Page ? true : false

/** How an operation is called. */
export type Call<N extends OperationName> =
  Kind<N> extends "stream"
    ? Taking<Input<N>, StreamOptions, AsyncIterable<StreamItem<Streamed<N>>>>
    : TakesPrefer<N> extends true
      ? Sending<Input<N>, Output<N>, Started<N>>
      : IsPaged<Output<N>> extends true
        ? Taking<Input<N>, CallOptions, Listing<Output<N>, ItemsOf<Output<N>>>>
        : Taking<Input<N>, CallOptions, Promise<Output<N>>>

type GroupOf<N> = N extends `${infer Group}.${string}` ? Group : never
type MethodOf<N, Group extends string> = N extends `${Group}.${infer Method}` ? Method : never

/** Every operation as a method of its group. */
export type Operations = {
  readonly [Group in GroupOf<OperationName>]: {
    readonly [Method in MethodOf<OperationName, Group>]: `${Group}.${Method}` extends infer N extends OperationName
      ? Call<N>
      : never
  }
}
